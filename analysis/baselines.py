"""What a rule is compared with: fixed depths, other rules, and two oracles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..enumerate.replay import replay
from ..rules.expression import Compare, Cost, Round, Rule
from ..rules.tree import Node
from ..trajectories.table import Bools, Floats, Ints, Trajectories

ORACLE = "oracle"
FIRST_RIGHT = "first right"


@dataclass(frozen=True, eq=False, kw_only=True)
class Stops:
    """Where something stops on every trajectory of a table, and what that is worth.

    Attributes
    ----------
    name : str
    deployable : bool
        False for the oracle, which reads outcomes.
    stop_round : (N,) int64
    fired : (N,) bool
        False where the trajectory was exhausted first.
    quality, cost : (N,) float64
    """

    name: str
    deployable: bool
    stop_round: Ints
    fired: Bools
    quality: Floats
    cost: Floats

    def take(self, rows: Bools) -> Stops:
        """The same on some of the trajectories."""
        return replace(
            self,
            stop_round=self.stop_round[rows],
            fired=self.fired[rows],
            quality=self.quality[rows],
            cost=self.cost[rows],
        )


def depth(rule: Rule) -> int | None:
    """The k of fixed(k), None for any other rule."""
    match rule:
        case Compare(Round(), ">=", float() as k) if k >= 1 and k.is_integer():
            return int(k)
    return None


def label(rule: Rule) -> str:
    """How a rule is called beside others: fixed(k) by that name, any other by its text."""
    k = depth(rule)
    return str(rule) if k is None else f"fixed({k})"


def adaptive(rule: Rule) -> bool:
    """Whether a rule looks at anything but the number of the round."""

    def reads_cost(part: Node) -> bool:
        return isinstance(part, Cost) or any(map(reads_cost, part.operands))

    return bool(rule.signals) or rule.needs_answer or reads_cost(rule)


def stops(rule: Rule, t: Trajectories) -> Stops:
    """Replay a rule; `fixed` baselines are rules too.

    Raises
    ------
    RuleError
        When the rule reads what the table does not have.
    """
    result = replay(rule, t)
    return Stops(
        name=label(rule),
        deployable=True,
        stop_round=result.stop_round,
        fired=result.fired,
        quality=result.quality,
        cost=result.cost,
    )


def oracle(t: Trajectories) -> Stops:
    """Stop at the earliest round with the trajectory's best outcome: what perfect hindsight could reach.

    It reads outcomes, so it bounds every rule and can be none. It always fires.
    """
    best = np.where(t.recorded, t.quality, -np.inf).argmax(axis=1)
    rows = np.arange(len(t))
    return Stops(
        name=ORACLE,
        deployable=False,
        stop_round=best.astype(np.int64) + 1,
        fired=np.ones(len(t), dtype=bool),
        quality=t.quality[rows, best],
        cost=t.cost[rows, best],
    )


def exactly_right(t: Trajectories) -> Bools | None:
    """(N, R) true where the quality is the best that its declared range allows; None without a range."""
    return None if t.roles.range is None else t.quality == t.roles.range[1]


def first_right(t: Trajectories) -> Stops | None:
    """Stop at the first round that is exactly right, else at the last: the oracle of the TASR paper.

    Unlike `oracle` it goes to the end for a question that it never gets right, so that it costs more. None where
    no range of the quality is declared.
    """
    right = exactly_right(t)
    if right is None:
        return None
    ever = np.asarray(right.any(axis=1), dtype=np.bool_)
    stop = np.where(ever, right.argmax(axis=1) + 1, t.length)
    here = np.arange(len(t)), stop - 1
    return Stops(
        name=FIRST_RIGHT,
        deployable=False,
        stop_round=stop,
        fired=ever,
        quality=t.quality[here],
        cost=t.cost[here],
    )
