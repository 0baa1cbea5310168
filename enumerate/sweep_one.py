"""Every distinguishable cut of one `?`, from one sort.

Trajectory q stops at round r exactly for the cuts in [M(r-1), M(r)), M the running maximum of its signal. So
as the cut falls, q moves to an earlier round at each record of its signal: what stopping there is worth comes
in, what its stop was worth before goes out. One sort of the records and one cumulative sum give every figure
at every cut, in exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..trajectories.table import Bools, Floats, Ints
from .plateaus import Operator, Plateaus, negates, plateaus


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepOne:
    """Where each trajectory stops as a function of the cut.

    Attributes
    ----------
    plateaus : Plateaus
        The K intervals of cuts within which every trajectory keeps its state, in ascending order.
    strictest : (N,) int64
        State of each trajectory when the comparison never holds: where the rest of the rule stops it.
    trajectory, before, after : (E,) int64
        The records from the strictest cut to the loosest: at each, a trajectory moves from one state to an
        earlier one.
    first : (T,) int64
        The first record of each distinct threshold.
    never : int
        R, the state of a trajectory at which the rule does not fire.
    length : (N,) int64
    """

    plateaus: Plateaus
    strictest: Ints
    trajectory: Ints
    before: Ints
    after: Ints
    first: Ints
    never: int
    length: Ints
    _kept: slice

    @property
    def _falling(self) -> bool:
        return not negates(self.plateaus.op)

    def sums(self, tables: Ints, weights: Ints | None = None) -> Ints:
        """Sums over trajectories of the entry at their state, for every plateau.

        Parameters
        ----------
        tables : (..., N, R + 1) int64
            Such as `sums.columns`.
        weights : (N,) int64, optional
            Of each trajectory, such as how often a resample drew its group; of at most 1,023 in size, so that sums
            fit 64 bits.

        Returns
        -------
        (..., K) int64
        """
        flat = tables.reshape(*tables.shape[:-2], -1)
        start = np.arange(len(self.strictest)) * (self.never + 1)
        row = start[self.trajectory]
        steps = flat.take(row + self.after, axis=-1) - flat.take(row + self.before, axis=-1)
        strictest = flat.take(start + self.strictest, axis=-1)
        if weights is not None:
            steps *= weights[self.trajectory]
            strictest *= weights
        totals = np.empty((*steps.shape[:-1], len(self.trajectory) + 1), dtype=np.int64)
        totals[..., 0] = strictest.sum(axis=-1)
        np.cumsum(steps, axis=-1, out=totals[..., 1:])
        totals[..., 1:] += totals[..., :1]
        ends = np.append(self.first, len(self.trajectory))
        by_strictness = totals.take(ends, axis=-1)
        return (by_strictness[..., ::-1] if self._falling else by_strictness)[..., self._kept]

    def behaviours(self) -> Plateaus:
        """The plateaus of equal stop rounds, which are wider: exhaustion stops at the last round, too."""
        moves = (self.before < self.never) | (self.after < self.length[self.trajectory] - 1)
        matters = np.logical_or.reduceat(moves, self.first) if len(self.first) else np.zeros(0, bool)
        begins = np.append(True, matters[::-1] if self._falling else matters)
        return self.plateaus.joined(begins[self._kept])


def first_round(fires: Bools) -> Ints:
    """(N,) state under (N, R) rounds at which a rule is true: the index of the first, or R."""
    first: Ints = np.where(fires.any(axis=1), fires.argmax(axis=1), fires.shape[1])
    return first


def sweep_one(values: Floats, op: Operator, fires: Bools, length: Ints) -> SweepOne:
    """Sweep the cut of the comparison ``values op ?`` within a rule.

    Parameters
    ----------
    values : (N, R) float64
        What is compared; NaN where missing, and then the comparison holds for no cut.
    op : {">", ">=", "<", "<="}
    fires : (2, N, R) bool
        Whether the rule is true at a round, should the comparison not hold (0) or hold (1) there. Where a
        condition joined by & fails, both are false; where one joined by | is met, both are true. All false
        beyond a trajectory's length.
    length : (N,) int64
    """
    never = values.shape[1]
    strictest = first_round(fires[0])
    matters = fires[1] & (np.arange(never) < strictest[:, None])
    sign = -1.0 if negates(op) else 1.0
    known = np.where(matters, sign * values, np.nan) + 0.0  # adding 0 makes -0 equal 0 in its bytes too
    running = np.fmax.accumulate(known, axis=1)
    before = np.concatenate([np.full((len(known), 1), np.nan), running[:, :-1]], axis=1)
    # Where nothing is known yet, before is NaN, and not `<=`: the first known value is a record, even -inf.
    trajectory, state = np.nonzero((known == known) & ~(known <= before))  # noqa: PLR0124
    record = known[trajectory, state]
    earlier = strictest[trajectory]
    same = trajectory[1:] == trajectory[:-1]
    earlier[:-1][same] = state[1:][same]
    order = np.argsort(-record)
    descending = record[order]
    first = np.flatnonzero(np.concatenate([[True], descending[1:] != descending[:-1]])[: len(order)])
    thresholds = descending[first]
    found, kept = plateaus(-thresholds if sign < 0 else thresholds[::-1], op)
    return SweepOne(
        plateaus=found,
        strictest=strictest,
        trajectory=trajectory[order],
        before=earlier[order],
        after=state[order],
        first=first,
        never=never,
        length=length,
        _kept=kept,
    )
