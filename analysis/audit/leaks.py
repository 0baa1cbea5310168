"""Leaks that a signal's figures betray: of an outcome, of later rounds, of the final split."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from .scale import scopes
from .tells import Tell

AUROC = 0.995
MOST = 0.5  # share of judged questions; recorded signals stay below .07, leaks are at 1 in the cell that has them
NEARLY_ALL = 0.95  # for a constant that is not known beforehand
FEWEST_JUDGED = 10


def outcome_leak(tell: Tell) -> str | None:
    """Says so of a signal that parts good from bad outcomes nearly without error, or has one outcome a level."""
    if tell.level_of is not None:
        return f"every level of {tell.signal} has one {tell.level_of}"
    if tell.auroc >= AUROC:
        return f"{tell.signal} parts good from bad {tell.auroc_of} with an AUROC of {tell.auroc:.4f}"
    return None


def future_leak(tell: Tell) -> tuple[float, str | None]:
    """The largest share of questions with a pattern that only whole trajectories can have, and what it is if a leak."""
    if tell.judged < FEWEST_JUDGED:
        return 0.0, None
    patterns = [(tell.ranked, MOST, "its values are ranks over the rounds")]
    if tell.continuous:
        patterns += [
            (tell.zero_sum, MOST, "its values sum to zero over the rounds, as z-scores do"),
            (tell.one_sum, MOST, "its values sum to one over the rounds, as a softmax does"),
            (tell.unit_range, MOST, "its least value is 0 and its largest 1, as after min-max scaling"),
            (tell.same_sum, NEARLY_ALL, "its values have one sum over the rounds"),
        ]
    said = next((text for share, least, text in patterns if share >= least), None)
    share = max(share for share, least, _ in patterns if share >= least or least == MOST)
    where = f", in cell {tell.cell}" if tell.cell else ""
    return share, None if said is None else f"{said} in {share:.0%} of {tell.judged} questions{where}"


def scale_leaks(opened: Mapping[str, Iterable[Tell]], aside: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Signals standardised over the final split or a union with it, and those that run from 0 to 1 there.

    Parameters
    ----------
    opened : side -> tells
        The final side among them.
    aside : collection of str
        Signals that are not looked at: z-scores over a question have mean 0 over all questions too.
    """
    scaled: dict[str, str] = {}
    spread: dict[str, str] = {}
    for signal, where, scope in scopes(opened):
        if signal in aside:
            continue
        if scope.standardised:
            scaled.setdefault(signal, f"{signal} has mean 0 and standard deviation 1 over {where}")
        elif scope.min_max:
            spread.setdefault(signal, f"{signal} runs from exactly 0 to exactly 1 over {where}")
    return scaled, spread
