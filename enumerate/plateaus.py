"""Cuts that behave alike: the plateaus between observed values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..trajectories.errors import RuleError
from ..trajectories.table import Bools, Floats
from .decimals import shortest_decimals

Operator = Literal[">", ">=", "<", "<="]
OPERATORS: tuple[str, ...] = get_args(Operator)


@dataclass(frozen=True, eq=False, kw_only=True)
class Plateaus:
    """Intervals of equivalent cuts of ``signal op ?``, in ascending order, none empty.

    Attributes
    ----------
    low, high : (K,) float64
        Their ends, infinite where they reach always or never.
    low_closed, high_closed : (K,) bool
        Whether the end itself belongs to the interval.
    op : {">", ">=", "<", "<="}
    """

    low: Floats
    high: Floats
    low_closed: Bools
    high_closed: Bools
    op: Operator

    def __len__(self) -> int:
        return len(self.low)

    def take(self, rows: NDArray[Any]) -> Plateaus:
        """The plateaus at ``rows``, a mask or positions."""
        return Plateaus(
            low=self.low[rows],
            high=self.high[rows],
            low_closed=self.low_closed[rows],
            high_closed=self.high_closed[rows],
            op=self.op,
        )

    def joined(self, begins: Bools) -> Plateaus:
        """Wider plateaus, each from where ``begins`` is true up to the next; the first begins one anyway."""
        starts = np.flatnonzero(np.concatenate([[True], begins[1:]]))
        ends = np.append(starts[1:], len(self)) - 1
        return Plateaus(
            low=self.low[starts],
            high=self.high[ends],
            low_closed=self.low_closed[starts],
            high_closed=self.high_closed[ends],
            op=self.op,
        )

    def written(self) -> Floats:
        """(K,) the cut that stands for each: -inf or inf where it lies inside, else the shortest decimal."""
        cuts = shortest_decimals(self.low, self.high, "left" if closed_on_the_left(self.op) else "right")
        # Only beside an infinite observation does an endless interval lack its infinite end.
        cuts = np.where(np.isneginf(cuts) & ~self.low_closed, self.high, cuts)
        return np.where(np.isposinf(cuts) & ~self.high_closed, self.low, cuts)

    def at(self, cuts: Floats) -> NDArray[np.intp]:
        """Position of the plateau that each cut lies in."""
        side: Literal["left", "right"] = "right" if closed_on_the_left(self.op) else "left"
        return np.searchsorted(self.low[1:], cuts, side=side)


def closed_on_the_left(op: str) -> bool:
    """Whether a cut behaves like the values just above it (``>`` and ``<=``) or just below it."""
    return op in (">", "<=")


def negates(op: str) -> bool:
    """Whether the operator holds for small values, which is swept as large values of the negated signal.

    Raises
    ------
    RuleError
        For an operator that has no plateaus, ``==`` and ``!=``.
    """
    if op not in OPERATORS:
        raise RuleError(f"exact cuts need one of {' '.join(OPERATORS)}, not {op}: give the cuts as values")
    return op.startswith("<")


def plateaus(thresholds: Floats, op: Operator) -> tuple[Plateaus, slice]:
    """The intervals into which ascending distinct thresholds part the cuts of ``signal op ?``.

    A signal observed at infinity leaves an interval empty: no cut lies below it in ``signal > -inf``, none
    above it in ``signal >= inf``.

    Returns
    -------
    plateaus : Plateaus
    kept : slice
        Which of the ``len(thresholds) + 1`` intervals they are, counted from below.
    """
    low = np.concatenate([[-np.inf], thresholds])
    high = np.concatenate([thresholds, [np.inf]])
    low_closed = np.full(len(low), closed_on_the_left(op))
    high_closed = ~low_closed
    low_closed[0] = high_closed[-1] = True
    full = (low < high) | (low_closed & high_closed)
    every = Plateaus(low=low, high=high, low_closed=low_closed, high_closed=high_closed, op=op)
    return every.take(full), slice(int(not full[0]), len(full) - int(not full[-1]))
