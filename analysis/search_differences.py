"""Differences of all candidates of a search to a baseline, exact sweeps included: summed, never held."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np

from ..enumerate.gather import Block, Sweep
from ..enumerate.replay import replay
from ..enumerate.weighted import weighted_sums
from ..rules.expression import Rule
from ..trajectories.table import Floats, Ints, Trajectories
from .bootstrap import Strata

BITS = 52  # of the largest sum over the trajectories
ROUNDING = 1e-12  # of the largest difference
AT_ONCE = 2**22  # sums held at a time: 32 MB


class SearchDifferences:
    """`Differences` of K candidates in G groups, in the scale of `Strata.contributions`.

    A row of weights is one sweep of each shape and one matrix product of each block of listed rules, so that a
    draw of signs costs as much as a search. Squares need the difference in every group: one row of weights for
    each, or a single sweep with squared outcomes where every group is one trajectory.

    Parameters
    ----------
    tasks : iterable of Block or Sweep
        As `enumerate.gather.tasks` gives them for the table.
    t : Trajectories
    baseline : Rule
    groups : Strata
        Of the same trajectories.
    of : "quality" or "cost"
    price : float
        Quality is taken less price x cost.
    scale : float
        Factor on every difference; the number of groups makes their plain mean the macro difference.
    """

    def __init__(
        self,
        tasks: Iterable[Block | Sweep],
        t: Trajectories,
        baseline: Rule,
        groups: Strata,
        *,
        of: Literal["quality", "cost"] = "quality",
        price: float = 0.0,
        scale: float = 1.0,
    ) -> None:
        self._tasks = list(tasks)
        self._position = groups.position
        self._groups = len(groups.groups)
        worth = t.cost if of == "cost" else t.quality - price * t.cost
        last = np.take_along_axis(worth, t.length[:, None] - 1, axis=1)
        table = np.nan_to_num(np.concatenate([worth, last], axis=1))
        own = replay(baseline, t)
        minus = table - worth[np.arange(len(t)), own.stop_round - 1][:, None]
        recorded = np.concatenate([t.recorded, np.ones((len(t), 1), np.bool_)], axis=1)
        self._table = np.where(recorded, scale * groups.weight[:, None] * minus, 0.0)

    @property
    def groups(self) -> int:
        """G."""
        return self._groups

    def sums(self, weights: Floats) -> Floats:
        """sum_g w_g d_kg; the weights are whole numbers below 1,024 in size, such as signs and counts."""
        return self._weighed(self._table, weights)

    def squares(self, weights: Floats) -> Floats:
        """sum_g w_g d_kg^2."""
        if len(self._position) == self._groups:
            return self._weighed(self._table**2, weights)
        return self._by_group(weights, np.square)

    def nonzero(self, weights: Floats) -> Floats:
        """sum_g w_g [d_kg is not 0]."""
        if len(self._position) == self._groups:
            return self._weighed((self._table != 0).astype(np.float64), weights)
        return self._by_group(weights, lambda d: (d != 0).astype(np.float64))

    def _by_group(self, weights: Floats, power: Callable[[Floats], Floats]) -> Floats:
        """Sums of a power of the differences: these one group after the other."""
        first = self._weighed(self._table, np.eye(1, self._groups))
        total = np.zeros((len(weights), first.shape[1]))
        at_once = max(1, AT_ONCE // first.shape[1])
        least = ROUNDING * np.abs(self._table).max()  # what a gain in one cell and a loss in another leave
        for begin in range(0, self._groups, at_once):
            some = np.eye(min(at_once, self._groups - begin), self._groups, begin)
            found = self._weighed(self._table, some)
            found[np.abs(found) <= least] = 0.0
            total += weights[:, begin : begin + len(some)] @ power(found)
        return total

    def _weighed(self, table: Floats, weights: Floats) -> Floats:
        integers, unit = _integers(table)
        of_trajectories = weights.astype(np.int64)[:, self._position]
        parts = [_all_of(task, integers, of_trajectories) for task in self._tasks]
        return np.concatenate(parts, axis=1) * unit


def _integers(table: Floats) -> tuple[Ints, float]:
    """Whole multiples of a power of two, so small that every sum over trajectories is exact; and that power."""
    bound = float(np.abs(table).max(axis=1).sum())
    exponent = BITS - math.frexp(bound)[1] if bound else 0
    return np.rint(np.ldexp(table, exponent)).astype(np.int64), math.ldexp(1.0, -exponent)


def _all_of(task: Block | Sweep, table: Ints, weights: Ints) -> Floats:
    """(B, K) weighted sums of the candidates of a task."""
    runs: list[list[tuple[int, Ints]]] = [[] for _ in weights]
    for row, start, sums in weighted_sums(task, table[None], weights):
        runs[row].append((start, sums[0].copy()))
    ordered = [[sums for _, sums in sorted(one, key=lambda run: run[0])] for one in runs]
    return np.stack([np.concatenate(one) for one in ordered]).astype(np.float64)
