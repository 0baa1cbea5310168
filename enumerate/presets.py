"""Named search spaces: `default`, from whatever a table has, and the two published enumerations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from ..rules.expression import And, AtLeast, Flag, Or, Rule, Signal, Streak, Total
from ..trajectories.errors import SearchError
from ..trajectories.nearest import listing, nearest
from ..trajectories.table import Trajectories
from . import families
from .combined import Combination
from .cuts import Cuts, Quantiles, Tuned, unusable
from .families import Family, above

# Signals of the published package (JSBAICenter/TASR), by its column names.
REPEATS = "answer_stable"
SHARED = (REPEATS, "calibrated_conf", "overlap_signal", "top_score_z_intra", "gap")
SIX = ("calibrated_logit_margin", *SHARED)
EIGHT = (*SHARED, "ce_top_score", "judge_entailment", "answer_in_evidence")
PUBLISHED_CUTS = Tuned(3.0)


@dataclass(frozen=True)
class Preset:
    """Families, and what had to be left out of them."""

    families: tuple[Family, ...]
    notes: tuple[str, ...] = ()


def default(t: Trajectories) -> Preset:
    """Several hundred candidates of every kind, from the signals that vary on a table.

    A single signal is cut at ten quantiles; where two are combined, each is cut at two.
    """
    reasons = {name: unusable(Signal(name), t) for name in sorted(t.signals)}
    left_out = [name for name, reason in reasons.items() if reason]
    notes = [f"`{Signal(name)}` is {reasons[name]} on the selection split: left out" for name in left_out]
    if t.answer is None:
        notes.append("no column has the role of the answer: rules on repeated answers are left out")
    a = families.atoms(t, left_out)
    two_signals = list(combinations(a.high, 2))
    two_votes = combinations((*a.repeat, *a.flags, *a.votes), 2)
    once, twice = Quantiles(10), Quantiles(2)
    return Preset(
        (
            Family("fixed", tuple(families.fixed(a))),
            Family("streak", a.streaks),
            Family("threshold", tuple(families.threshold(a)), once),
            Family("guard", tuple(families.guard(replace(a, streaks=a.repeat))), once),
            Family("round_aware", tuple(families.round_aware(a)), once),
            Family("give_up", tuple(families.give_up(replace(a, rounds=min(a.rounds, 3)))), once),
            Family("and", tuple(And(two) for two in two_signals), twice),
            Family("or", tuple(Or(two) for two in two_signals), twice),
            Family("at_least", tuple(AtLeast(2, (*a.repeat, *two)) for two in two_signals if a.repeat), twice),
            Family("soft_total", tuple(above(Total(two)) for two in two_votes), once),
        ),
        tuple(notes),
    )


def tasr_381(t: Trajectories, cuts: Cuts = PUBLISHED_CUTS) -> Preset:
    """OR over every subset of eight signals, OR and AND over every subset of six: 381 rules, 344 distinct."""
    eight, six = _published("tasr-381", t, EIGHT, SIX)
    return Preset(
        (
            Family("or", Combination("or", tuple(eight)), cuts),
            Family("or", Combination("or", tuple(six)), cuts),
            Family("and", Combination("and", tuple(six)), cuts),
        )
    )


def tasr_876(t: Trajectories, cuts: Cuts = PUBLISHED_CUTS) -> Preset:
    """Every grouping of every subset of six signals into an OR of ANDs: 876 rules."""
    (six,) = _published("tasr-876", t, SIX)
    return Preset((Family("or_of_ands", families.grouped(six), cuts),))


def _published(preset: str, t: Trajectories, *lists: Sequence[str]) -> list[list[Rule]]:
    """The atoms of some lists of published signals."""
    wanted = list(dict.fromkeys(name for names in lists for name in names))
    absent = [name for name in wanted if name not in t.signals and name != REPEATS]
    if absent:
        raise SearchError(
            f"preset {preset} reads the signals {listing(absent)}, which the table does not have"
            f"{nearest(absent[0], t.signals)}: it has {listing(sorted(t.signals)) or 'none'}"
        )
    if t.answer is None:
        raise SearchError(
            f"preset {preset} reads {REPEATS} as repeat(answer): name the column of the answer, "
            'as in answer = "current_answer"'
        )
    atom = {
        name: Streak(2) if name == REPEATS else Flag(name) if name in t.booleans else above(Signal(name))
        for name in wanted
    }
    return [[atom[name] for name in names] for names in lists]


PRESETS: Mapping[str, Callable[..., Preset]] = {
    "default": default,
    "tasr-381": tasr_381,
    "tasr-876": tasr_876,
}
