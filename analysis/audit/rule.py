"""The locked rule itself: atoms that say nothing, cuts on the edge, missing values that pass, doubles."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...enumerate.remarks import atoms_of, meant
from ...rules.arrays import kleene
from ...rules.expression import Compare, Rule, Signal
from ...rules.text import parse
from ...trajectories.table import Floats, Trajectories
from .evidence import Evidence
from .findings import Answer, listed
from .tells import FEW_LEVELS

NARROW = 0.001  # of the distance between the quartiles
FILL = 0.05  # of the values: one value this common, inside the range of an else continuous signal
OUTSTANDING = 5.0  # times as common as the next


def always_true(e: Evidence) -> Answer:
    """Atoms that are true wherever they are known: `at_least(2, ...)` is in truth 1 of the others."""
    return _idle(e, True)


def never_true(e: Evidence) -> Answer:
    """Atoms that are nowhere true."""
    return _idle(e, False)


def _idle(e: Evidence, value: bool) -> Answer:
    word = "always" if value else "never"
    what = f"atoms of the locked rule that are {word} true"
    idle = [str(atom) for atom in _telling_atoms(e.rule) if _constant(atom, e.selection) is value]
    if idle:
        counts = "counts in every at_least and adds nothing to an &" if value else "never helps an | or an at_least"
        return Answer(
            "warn",
            len(idle),
            what,
            f"`{listed(idle)}` is {word} true on the selection split: it {counts}",
            "take the atom out of the search, or give it a cut that parts something",
        )
    return Answer("pass", 0, what, f"no atom of `{e.rule}` is {word} true on the selection split")


def _telling_atoms(rule: Rule) -> list[Rule]:
    """The atoms that are meant to part trajectories; a round, a cost, a cut at infinity are not."""
    return sorted({atom for atom in atoms_of(rule) if not meant(atom)}, key=str)


def _constant(atom: Rule, t: Trajectories) -> bool | None:
    """The one value that an atom has wherever it is known; False when it is nowhere known."""
    said = kleene(atom, t)
    true, false = bool(said.true[t.recorded].any()), bool(said.false[t.recorded].any())
    return None if true and false else true


def missing_passes_guard(e: Evidence) -> Answer:
    """Whether a value that stands for a missing one passes the rule's own comparison."""
    what = "rounds on which a filled-in value passes a comparison"
    comparisons = [atom for atom in atoms_of(e.rule) if isinstance(atom, Compare) and atom.signals]
    for each in e.lock.calibrators:
        blank = np.full(e.selection.cost.shape, np.nan)
        emptied = e.selection.with_signal(each.name, each.apply(e.raw_selection.with_signal(each.signal, blank)))
        passing = [
            a for a in comparisons if each.name in a.signals and kleene(a, emptied).true[e.selection.recorded].any()
        ]
        if passing:
            filled = int((np.isnan(e.selection.signals[each.signal]) & e.selection.recorded).sum())
            return Answer(
                "warn" if filled else "note",
                filled,
                what,
                f"a missing {each.signal} becomes {each.name} = {each.missing:g}, which passes `{passing[0]}`",
                f"leave out missing = {each.missing:g}, so that an unknown value fires nothing, or ask for it by name "
                f"with missing({each.signal})",
            )
    for atom in comparisons:
        if isinstance(atom.term, Signal) and atom.term.name not in e.calibrated:
            value, count = _stand_in(e.selection.signals[atom.term.name][e.selection.recorded])
            if count and kleene(atom, e.selection).true[e.selection.signals[atom.term.name] == value].all():
                return Answer(
                    "note",
                    count,
                    what,
                    f"{atom.term.name} is exactly {value:g} in {count} rounds, as if that stood for a missing value, "
                    f"and passes `{atom}`",
                    "if it does, record those rounds as missing",
                )
    return Answer("pass", 0, what, "no missing value is filled in with one that the rule lets pass")


def _stand_in(values: Floats) -> tuple[float, int]:
    """A value inside the range of a signal that is far more common than any other, and how often; else 0 times."""
    levels, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    if len(levels) <= FEW_LEVELS:
        return math.nan, 0
    most = int(counts.argmax())
    second = int(np.delete(counts, most).max())
    outstanding = counts[most] >= max(FILL * counts.sum(), OUTSTANDING * second)
    inside = 0 < most < len(levels) - 1
    return (float(levels[most]), int(counts[most])) if outstanding and inside else (math.nan, 0)


def plateau(e: Evidence) -> Answer:
    """Each chosen cut with the interval of cuts that stop every selection trajectory alike."""
    what = "narrowest plateau, as a share of the signal's distance between the quartiles"
    idle = {str(atom) for atom in _telling_atoms(e.rule) if _constant(atom, e.selection) is not None}
    widths = {text: width for text, width in _widths(e) if text not in idle}
    if not widths:
        return Answer("pass", None, what, "the locked rule has no cut that parts trajectories")
    narrowest = min(widths, key=lambda text: (widths[text], text))
    said = "; ".join(_interval(entry) for entry in e.lock.content["plateaus"] if entry["atom"] not in idle)
    endless = [text for text, width in widths.items() if math.isinf(width)]
    figure = widths[narrowest]
    if endless:
        return Answer(
            "note",
            figure,
            what,
            f"no selection trajectory stops elsewhere however far the cut of `{listed(endless)}` is moved: {said}",
            "the atom decides nothing on the selection split; search the rule without it",
        )
    if figure < NARROW:
        return Answer(
            "note",
            figure,
            what,
            f"the cut of `{narrowest}` lies between two close observed values: {said}",
            "expect the rule to stop elsewhere after the slightest drift; a rounder cut on a wider plateau is safer",
        )
    return Answer("pass", figure, what, f"the chosen cuts stand for {said}")


def _widths(e: Evidence) -> Iterator[tuple[str, float]]:
    from ...rules.arrays import term_values

    for entry in e.lock.content["plateaus"]:
        atom = parse(entry["atom"])
        values = term_values(atom.term, e.selection)[e.selection.recorded] if isinstance(atom, Compare) else np.zeros(0)
        known = values[np.isfinite(values)]
        spread = float(np.subtract(*np.percentile(known, [75, 25]))) if known.size else 0.0
        width = float(entry["high"]) - float(entry["low"])
        yield entry["atom"], math.inf if spread == 0 else width / spread


def _interval(entry: dict[str, object]) -> str:
    left, right = "[" if entry["low_closed"] else "(", "]" if entry["high_closed"] else ")"
    low, high = float(str(entry["low"])), float(str(entry["high"]))
    return f"`{entry['atom']}` for every cut in {left}{low:.6g}, {high:.6g}{right}"


def duplicate_behaviours(e: Evidence) -> Answer:
    """Rules that stop every selection trajectory alike were counted as several."""
    tried, distinct = e.lock.content["tried"], e.lock.content["distinct"]
    what = "rules tried beyond the distinct behaviours"
    if tried > distinct:
        alike = e.lock.content["selection_figures"]["equivalents"]
        own = f"; the locked rule stops like {listed([f'`{text}`' for text in alike], 2)}" if alike else ""
        return Answer(
            "note",
            tried - distinct,
            what,
            f"{tried:,} rules were tried and {distinct:,} of them differ on the selection split{own}",
            f"report {distinct:,} as the number of rules compared; alike there need not be alike elsewhere",
        )
    return Answer("pass", 0, what, f"all {tried:,} rules that were tried stop some selection trajectory differently")
