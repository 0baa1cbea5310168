"""What a rule says at each round: the definition, in plain Python, one trajectory at a time.

Truth is three-valued (Kleene's strong logic): True, False, or None where it hangs on a missing value. A rule
fires where it is True. What it says at round r depends on rounds 1..r alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Final

from ..trajectories.errors import RuleError
from ..trajectories.table import Trajectories
from .expression import (
    And,
    AtLeast,
    Change,
    Clip,
    Compare,
    Cost,
    Flag,
    Missing,
    Not,
    Operator,
    Or,
    Round,
    Rule,
    Signal,
    SoFarMax,
    SoFarMin,
    Streak,
    Term,
    Total,
    as_term,
)

Truth = bool | None

HOLDS: Final[Mapping[Operator, Callable[[Any, Any], Any]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What is known at the end of one round, before deciding.

    Attributes
    ----------
    answer : str or int or None
        The normalised answer or its code; None where it is missing or empty after normalising.
    cost : float
        Spent up to and including this round.
    signals : name -> float or None
        None or NaN where missing; Booleans are 0 and 1.
    """

    answer: str | int | None = None
    cost: float
    signals: Mapping[str, float | None]


@dataclass(frozen=True)
class Decision:
    """What a rule says at one round: True (then ``stop``), False, or None where it is unknown."""

    round: int
    value: Truth
    stop: bool


def require_cuts(rule: Rule) -> None:
    """Refuse a rule with a cut still to be chosen.

    Raises
    ------
    RuleError
        When it has a hole.
    """
    if rule.holes:
        raise RuleError(f"`{rule}` has a cut still to be chosen (?): put a number there, or search for one")


class _Trajectory:
    """Rounds, which may still grow at their end, and the values that terms had at each, worked out once."""

    def __init__(self, rounds: Sequence[Observed]) -> None:
        self._rounds = rounds
        self._values: dict[tuple[Term, int], float | None] = {}

    def truth(self, rule: Rule, r: int) -> Truth:  # noqa: PLR0911 one a kind of rule
        """The value of a rule at round ``r``."""
        match rule:
            case Compare(term, op, cut):
                value = self.value(term, r)
                return None if value is None else bool(HOLDS[op](value, cut))
            case Flag(name):
                value = self.value(Signal(name), r)
                return None if value is None else value != 0
            case Missing(term):
                return self.value(term, r) is None
            case Streak(k):
                last = {seen.answer for seen in self._rounds[max(r - k, 0) : r]}
                return r >= k and len(last) == 1 and None not in last
            case Not(negated):
                value = self.truth(negated, r)
                return None if value is None else not value
            case And(operands):
                return self._at_least(len(operands), operands, r)
            case Or(operands):
                return self._at_least(1, operands, r)
            case AtLeast(k, operands):
                return self._at_least(k, operands, r)
        raise TypeError(f"{type(rule).__name__} is no rule that can be evaluated")

    def _at_least(self, k: int, operands: Iterable[Rule], r: int) -> Truth:
        """Kleene's "and" is all of n, his "or" 1 of n."""
        values = [self.truth(part, r) for part in operands]
        if values.count(True) >= k:
            return True
        return False if values.count(True) + values.count(None) < k else None

    def value(self, term: Term, r: int) -> float | None:
        """The value of a term at round ``r``; None where it is missing."""
        if (term, r) not in self._values:
            value = self._compute(term, r)
            self._values[term, r] = None if value is None or isnan(value) else value
        return self._values[term, r]

    def _compute(self, term: Term, r: int) -> float | None:  # noqa: PLR0911 one a kind of term
        now = self._rounds[r - 1]
        match term:
            case Signal(name):
                return now.signals[name]
            case Round():
                return float(r)
            case Cost():
                return now.cost
            case Change(inner):
                before, value = self.value(inner, r - 1) if r > 1 else None, self.value(inner, r)
                return None if before is None or value is None else value - before
            case SoFarMax(inner):
                return max(self._known(inner, r), default=None)
            case SoFarMin(inner):
                return min(self._known(inner, r), default=None)
            case Clip(inner, low, high):
                value = self.value(inner, r)
                return None if value is None else min(max(value, low), high)
            case Total(operands):
                total = 0.0
                for part in operands:
                    value = self.truth(part, r) if isinstance(part, Rule) else self.value(as_term(part), r)
                    if value is None:
                        return None
                    total += value
                return total
        raise TypeError(f"{type(term).__name__} is no term that can be evaluated")

    def _known(self, term: Term, r: int) -> Iterator[float]:
        values = (self.value(term, past) for past in range(1, r + 1))
        return (value for value in values if value is not None)


def truth(rule: Rule, history: Sequence[Observed]) -> Truth:
    """The value of a rule at the last of the rounds so far.

    A comparison with a missing value is unknown, and so is a missing Boolean signal; ``missing(x)`` and a
    streak never are. Differences and sums that give NaN (inf - inf) have no value: they are missing.

    Parameters
    ----------
    history : sequence of Observed
        Rounds 1..r, r >= 1.

    Raises
    ------
    RuleError
        When a cut is still a hole.
    """
    require_cuts(rule)
    return _Trajectory(history).truth(rule, len(history))


def decisions(rule: Rule, rounds: Iterable[Observed]) -> Iterator[Decision]:
    """The decisions of a rule, round after round, up to the one that stops.

    The one source of naive replay, trace and live stopper. A round is drawn from ``rounds`` only when its
    decision is asked for, so that a live process can supply it then.

    Raises
    ------
    RuleError
        When a cut is still a hole.
    """
    require_cuts(rule)
    history: list[Observed] = []
    trajectory = _Trajectory(history)
    for seen in rounds:
        history.append(seen)
        value = trajectory.truth(rule, len(history))
        yield Decision(len(history), value, stop=value is True)
        if value is True:
            return


def rounds_of(t: Trajectories, trajectory: int) -> Iterator[Observed]:
    """The recorded rounds of one trajectory of a table, as a rule may see them."""
    for r in range(int(t.length[trajectory])):
        code = -1 if t.answer is None else int(t.answer[trajectory, r])
        yield Observed(
            answer=None if code < 0 else code,
            cost=float(t.cost[trajectory, r]),
            signals={name: float(values[trajectory, r]) for name, values in t.signals.items()},
        )
