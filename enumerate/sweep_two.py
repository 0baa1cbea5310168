"""Every pair of cuts of two `?` at once.

At one round the pairs of cuts at which a rule is true are a quadrant of the plane, or two:
``a > ? & b > ?`` is true for all cuts below a and b. So "fired by round r" is a union of quadrants, a
staircase, whose indicator is the sum of the quadrants at its outer corners less that of those at its
inner corners. A figure is what a trajectory is worth if it never fires, plus worth(r) - worth(r + 1)
wherever it has fired by round r. Dropped at the corners into a histogram over the plane, these give the
figures of all pairs by one cumulative sum along both axes, in exact integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..trajectories.errors import SearchError
from ..trajectories.table import Bools, Floats, Ints
from .axes import NOWHERE, Axis, ranks
from .compiled import loop
from .plateaus import Operator, Plateaus, negates
from .staircase import Corners, Quadrants, corners
from .sweep_one import first_round

LEAST_CELLS = 4  # always and never of either cut


@dataclass(frozen=True, eq=False, kw_only=True)
class SweepTwo:
    """Where each trajectory stops as a function of two cuts.

    Attributes
    ----------
    axes : pair of Plateaus
        The P1 and P2 plateaus of either cut, ascending; under a cap, a choice of them.
    strictest : (N,) int64
        State of each trajectory when neither comparison ever holds.
    corners : Corners
        Their cells counted from the strictest pair of cuts, sorted by row.
    """

    axes: tuple[Plateaus, Plateaus]
    strictest: Ints
    corners: Corners

    @property
    def shape(self) -> tuple[int, int]:
        """(P1, P2)."""
        return len(self.axes[0]), len(self.axes[1])

    def sums(self, tables: Ints, weights: Ints | None = None) -> Ints:
        """Sums over trajectories of the entry at their state, for every pair of plateaus.

        Parameters
        ----------
        tables : (F, N, R + 1) int64
            Such as `sums.columns`.
        weights : (N,) int64, optional
            Of each trajectory, such as how often a resample drew its group; of at most 1,023 in size, so that sums
            fit 64 bits.

        Returns
        -------
        (F, P1, P2) int64
        """
        ((_, block),) = self.strips(tables, weights, rows=self.shape[0])
        return block

    def strips(self, tables: Ints, weights: Ints | None = None, *, rows: int) -> Iterator[tuple[slice, Ints]]:
        """`sums` for so many plateaus of the first cut at a time, so that memory does not grow with the grid.

        Yields
        ------
        where : slice
            Plateaus of the first cut; the strips run from its strict end to its loose one.
        block : (F, len(where), P2) int64
        """
        height, breadth = self.shape
        found = self.corners
        flat = tables.reshape(len(tables), -1)
        steps = flat.take(found.gain, axis=1) - flat.take(found.loss, axis=1)
        worth = tables[:, np.arange(len(self.strictest)), self.strictest]
        if weights is not None:
            steps *= weights[found.gain // tables.shape[-1]]
            worth = worth * weights
        above = np.repeat(worth.sum(axis=1)[:, None], breadth, axis=1)
        down, across = (not negates(axis.op) for axis in self.axes)
        for begin in range(0, height, rows):
            stop = min(begin + rows, height)
            first, last = np.searchsorted(found.row, [begin, stop])
            block = np.zeros((len(tables), stop - begin, breadth), dtype=np.int64)
            cell = (found.row[first:last] - begin) * breadth + found.column[first:last]
            for figure, step in zip(block, steps[:, first:last], strict=True):
                np.add.at(figure.reshape(-1), cell, step)
            accumulate(block, above)
            where = slice(height - stop, height - begin) if down else slice(begin, stop)
            yield where, block[:, :: -1 if down else 1, :: -1 if across else 1]


def accumulate(block: Ints, above: Ints) -> None:
    """Sum (F, rows, P2) along both axes in place, on top of the row (F, P2), which becomes the last one."""
    compiled = loop("accumulate", 3 * block.size)
    if compiled is not None:
        compiled(block, above)
        return
    np.cumsum(block, axis=2, out=block)
    block[:, 0] += above
    np.cumsum(block, axis=1, out=block)
    above[:] = block[:, -1]


def sweep_two(
    values: tuple[Floats, Floats],
    ops: tuple[Operator, Operator],
    fires: Bools,
    *,
    max_cells: int | None = None,
) -> SweepTwo:
    """Sweep the cuts of two comparisons within a rule.

    Parameters
    ----------
    values : pair of (N, R) float64
        What is compared; NaN where missing, and then the comparison holds for no cut.
    ops : pair of {">", ">=", "<", "<="}
    fires : (2, 2, N, R) bool
        Whether the rule is true at a round, should the first comparison not hold (0) or hold (1) there, and
        the second likewise. Never turns false where a comparison turns true; false beyond the length.
    max_cells : int, optional
        The most pairs of plateaus. Where there are more, some evenly spread over the distinct thresholds
        stand for all; an axis that is short enough stays whole.

    Raises
    ------
    SearchError
        When fewer than 4 cells are allowed.
    """
    if max_cells is not None and max_cells < LEAST_CELLS:
        raise SearchError(f"max_cells = {max_cells}: two cuts have {LEAST_CELLS} cells at least")
    strictest = first_round(fires[0, 0])
    undecided = np.arange(fires.shape[-1]) < strictest[:, None]
    (distinct_x, x), (distinct_y, y) = (
        ranks(one, op, fires[1, 1] & undecided) for one, op in zip(values, ops, strict=True)
    )
    found = corners(_quadrants(x, y, fires & undecided, strictest))
    rows = Axis.of(distinct_x, ops[0], found.row)
    columns = Axis.of(distinct_y, ops[1], found.column)
    if max_cells is not None and len(rows) * len(columns) > max_cells:
        rows = rows.coarser(max(math.isqrt(max_cells), max_cells // len(columns)))
        columns = columns.coarser(max_cells // len(rows))
    row, column = rows.positions(), columns.positions()
    inside = np.flatnonzero((row < len(rows)) & (column < len(columns)))
    small = row[inside].astype(np.min_scalar_type(len(rows)))  # 16 bits are sorted by counting
    kept = inside[np.argsort(small, kind="stable")]
    return SweepTwo(
        axes=(rows.plateaus(), columns.plateaus()),
        strictest=strictest,
        corners=Corners(row=row[kept], column=column[kept], gain=found.gain[kept], loss=found.loss[kept]),
    )


def _quadrants(x: Ints, y: Ints, fires: Bools, strictest: Ints) -> Quadrants:
    """Two quadrants a round at most: one that asks for the first comparison, and one for the second alone."""
    first_alone, second_alone = fires[1, 0], fires[0, 1]
    both = fires[1, 1] & ~second_alone
    row = np.stack([np.where(first_alone | both, x, NOWHERE), np.where(second_alone, 0, NOWHERE)], axis=-1)
    column = np.stack([np.where(first_alone, 0, y), y], axis=-1)
    real = np.flatnonzero((row < NOWHERE) & (column < NOWHERE))
    trajectory, state, _ = np.unravel_index(real, row.shape)
    return Quadrants(
        trajectory=trajectory,
        state=state,
        x=row.reshape(-1)[real],
        y=column.reshape(-1)[real],
        end=strictest,
        never=fires.shape[-1],
    )
