"""Rules written in Python: ``(signal("margin") > 0.25) & repeat("answer") | (ROUND >= 4)``."""

from __future__ import annotations

from typing import Final

from ..trajectories.errors import RuleError
from .expression import (
    MAX_ROUNDS,
    AtLeast,
    Change,
    Clip,
    Cost,
    Expression,
    Missing,
    Round,
    Rule,
    Signal,
    SoFarMax,
    SoFarMin,
    Streak,
    Term,
    Total,
)
from .spelling import shown, whole

ROUND: Final = Round()
"""The number of this round: ``ROUND >= 2``."""

COST: Final = Cost()
"""What has been spent up to and including this round: ``COST < 500``."""


def signal(name: str) -> Signal:
    """The signal of that name; compared with a number, or taken as it is where it is Boolean."""
    return Signal(name)


def streak(of: str, k: int) -> Rule:
    """True when the last ``k`` answers are present, not empty after normalising, and equal.

    Parameters
    ----------
    of : str
        ``"answer"``, the only role that can be repeated.
    k : int
        At least 1.
    """
    if of != "answer":
        raise RuleError(f'only "answer" can be repeated, not {shown(of)}: compare a signal with a number instead')
    return Streak(k)


def repeat(of: str = "answer") -> Rule:
    """True when the answer is the same as in the round before: a streak of 2."""
    return streak(of, 2)


def missing(term: Term) -> Rule:
    """True where the term has no value."""
    return Missing(term)


def change(term: Term) -> Term:
    """This round's value minus that of the round before; missing at round 1 or where either is."""
    return Change(term)


def so_far_max(term: Term) -> Term:
    """The largest known value up to this round; missing before there is one."""
    return SoFarMax(term)


def so_far_min(term: Term) -> Term:
    """The smallest known value up to this round; missing before there is one."""
    return SoFarMin(term)


def clip(term: Term, low: float, high: float) -> Term:
    """The value, or the bound it lies beyond."""
    return Clip(term, low, high)


def total(*operands: Expression) -> Term:
    """The sum of numbers and rules, a rule counting 0 or 1."""
    return Total(operands)


def at_least(k: int, *rules: Expression) -> Rule:
    """True when ``k`` of the rules are true."""
    return AtLeast(k, rules)


def fixed(k: int) -> Rule:
    """Stop at round ``k`` whatever is seen: ``round >= k``."""
    return whole(k, "the round of fixed", 1, MAX_ROUNDS) <= ROUND
