"""Signals that know too much or say too little: outcomes, later rounds, the final split, constants."""

from __future__ import annotations

from .evidence import Evidence
from .findings import Answer, listed, not_run
from .leaks import AUROC, FEWEST_JUDGED, future_leak, outcome_leak, scale_leaks
from .prefixes import prefix_changes
from .tells import Tell


def outcome_as_signal(e: Evidence) -> Answer:
    """A signal that parts good from bad outcomes (nearly) without error, or whose few levels have one outcome each."""
    what = "largest AUROC of a signal for an outcome"
    every = _every(e)
    telling = {each.signal: said for each in every if (said := outcome_leak(each)) is not None}
    highest = max((each.auroc for each in every), default=0.5)
    if telling:
        return Answer(
            "fail",
            highest,
            what,
            listed(list(telling.values())),
            "declare it under outcomes, so that no rule may read it, or leave it out, and search again",
        )
    return Answer("pass", highest, what, f"no signal reaches {AUROC}, none has levels with one outcome each")


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
    top = max((future_leak(each)[0] for each in _every(e)), default=0.0)
    found = _bound(e)
    if found:
        return Answer(
            "fail",
            top,
            what,
            listed([f"{name}: {said}" for name, said in found.items()]),
            "compute it from the rounds so far only, and record again; a live stopper could not know it",
        )
    return Answer("pass", top, what, "no signal's values over a question are bound together")


def transductive_scale(e: Evidence) -> Answer:
    """Columns standardised over the final split, or over a union with it."""
    what = "signals scaled over the final split"
    if "final" not in e.opened:
        return not_run("the final split is not opened yet", "run `stoprule evaluate` first")
    scaled, spread = scale_leaks(e.opened, aside=_bound(e))
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


def _bound(e: Evidence) -> dict[str, str]:
    """The signals whose values over a question are bound together, and how; of several cells the first."""
    found = {each.signal: said for each in reversed(_every(e)) if (said := future_leak(each)[1]) is not None}
    return dict(sorted(found.items()))


def _every(e: Evidence) -> list[Tell]:
    return [each for side in e.opened.values() for each in side]
