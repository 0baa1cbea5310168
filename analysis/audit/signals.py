"""Signals that know too much or say too little: outcomes, later rounds, the final split, constants."""

from __future__ import annotations

from .evidence import Evidence
from .findings import Answer, listed, not_run
from .prefixes import prefix_changes
from .scale import scopes
from .tells import Tell

AUROC = 0.995
MOST = 0.5  # share of judged questions; recorded signals stay below .07, leaks are at 1 in the cell that has them
NEARLY_ALL = 0.95  # for a constant that is not known beforehand
FEWEST_JUDGED = 10


def outcome_as_signal(e: Evidence) -> Answer:
    """A signal that parts good from bad outcomes (nearly) without error, or whose few levels have one outcome each."""
    what = "largest AUROC of a signal for an outcome"
    every = _every(e)
    telling = {each.signal: _knows(each) for each in every if each.auroc >= AUROC or each.level_of is not None}
    highest = max((each.auroc for each in every), default=0.5)
    if telling:
        return Answer(
            "fail",
            highest,
            what,
            "; ".join(telling[name] for name in list(telling)[:3]),
            "declare it under outcomes, so that no rule may read it, or leave it out, and search again",
        )
    return Answer("pass", highest, what, f"no signal reaches {AUROC}, none has levels with one outcome each")


def _knows(each: Tell) -> str:
    if each.level_of is not None:
        return f"every level of {each.signal} has one {each.level_of}"
    return f"{each.signal} parts good from bad {each.auroc_of} with an AUROC of {each.auroc:.4f}"


def future_peek(e: Evidence) -> Answer:
    """Values that only the whole trajectory can give: a fixed sum, ranks, a minimum of 0 with a maximum of 1."""
    what = "largest share of questions whose rounds betray one another"
    changed = prefix_changes(e.rule, e.lock.calibrators, e.raw_selection)
    if changed:
        return Answer(
            "fail",
            changed / len(e.selection),
            what,
            f"the locked rule decides otherwise on {changed} trajectories once later rounds are taken away",
            "mend the calibrated signals that it reads: a value may depend on its own and earlier rounds only",
        )
    shares = {each.signal: _peeks(each) for each in sorted(_every(e), key=lambda each: _peeks(each)[0])}
    top = max((share for share, _ in shares.values()), default=0.0)
    found = {name: said for name, (_, said) in shares.items() if said is not None}
    if found:
        return Answer(
            "fail",
            top,
            what,
            "; ".join(f"{name}: {found[name]}" for name in sorted(found)[:3]),
            "compute it from the rounds so far only, and record again; a live stopper could not know it",
        )
    return Answer("pass", top, what, "no signal's values over a question are bound together")


def _peeks(each: Tell) -> tuple[float, str | None]:
    """The largest share of questions with a pattern, and what to say when that is a leak."""
    if each.judged < FEWEST_JUDGED:
        return 0.0, None
    patterns = [(each.ranked, MOST, "its values are ranks over the rounds")]
    if each.continuous:
        patterns += [
            (each.zero_sum, MOST, "its values sum to zero over the rounds, as z-scores do"),
            (each.one_sum, MOST, "its values sum to one over the rounds, as a softmax does"),
            (each.same_sum, NEARLY_ALL, "its values have one sum over the rounds"),
            (each.unit_range, MOST, "its least value is 0 and its largest 1, as after min-max scaling"),
        ]
    said = next((text for share, least, text in patterns if share >= least), None)
    told = [share for share, least, _ in patterns if share >= least or least == MOST]
    where = f", in cell {each.cell}" if each.cell else ""
    share = max(told)
    return share, None if said is None else f"{said} in {share:.0%} of {each.judged} questions{where}"


def transductive_scale(e: Evidence) -> Answer:
    """Columns standardised over the final split, or over a union with it."""
    what = "signals scaled over the final split"
    if "final" not in e.opened:
        return not_run("the final split is not opened yet", "run `stoprule evaluate` first")
    bound = {each.signal for each in _every(e) if _peeks(each)[1] is not None}  # told by future-peek
    scaled: dict[str, str] = {}
    spread: dict[str, str] = {}
    for signal, where, scope in scopes(e.opened):
        if signal in bound:
            continue
        if scope.standardised:
            scaled.setdefault(signal, f"{signal} has mean 0 and standard deviation 1 over {where}")
        elif scope.min_max:
            spread.setdefault(signal, f"{signal} runs from exactly 0 to exactly 1 over {where}")
    if scaled:
        return Answer(
            "fail",
            len(scaled),
            what,
            listed(list(scaled.values())),
            "scale with the mean and standard deviation of the calibration or selection rows, and record again",
        )
    if spread:
        return Answer(
            "note",
            len(spread),
            what,
            f"{listed(list(spread.values()))}: min-max scaling does that, and so may a share by nature",
            "if it was scaled, take the ends from the calibration or selection rows",
        )
    return Answer("pass", 0, what, "no signal is standardised over the final split or a union with it")


def static_signal(e: Evidence) -> Answer:
    """Signals that never change over the rounds of a question: they stop at round 1 or never."""
    what = "signals that are constant over the rounds of every question"
    by_cell = [each for each in _every(e) if each.repeated >= FEWEST_JUDGED and each.distinct > 1]
    static = sorted({each.signal for each in by_cell if each.static == 1})
    if static:
        return Answer(
            "note",
            len(static),
            what,
            f"{listed(static)} has one value over all rounds of a question, so a cut on it stops at round 1 or never",
            "use it to tell questions apart, as in `round == 1 & x > t`, not to see whether a round has helped",
        )
    return Answer("pass", 0, what, "every signal changes between the rounds of some question")


def constant_signal(e: Evidence) -> Answer:
    """Signals without a second value: no cut parts anything."""
    what = "signals with at most one known value"
    seen: dict[str, list[Tell]] = {}
    for each in e.opened["selection"]:
        seen.setdefault(each.signal, []).append(each)
    constant = [
        name
        for name, parts in seen.items()
        if all(each.distinct <= 1 for each in parts) and len({each.low for each in parts if each.known}) <= 1
    ]
    if constant:
        return Answer(
            "note",
            len(constant),
            what,
            f"{listed(constant)} has the same value, or none, in every round of the selection split",
            "leave it out of data.signals, or find out why it was recorded so",
        )
    return Answer("pass", 0, what, "every signal has at least two values on the selection split")


def _every(e: Evidence) -> list[Tell]:
    return [each for side in e.opened.values() for each in side]
