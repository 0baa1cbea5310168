"""Unions of quadrants that grow round by round, as signed corners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..trajectories.table import Ints
from .compiled import loop


@dataclass(frozen=True, eq=False, kw_only=True)
class Corners:
    """Each adds one entry of a flat (N, R + 1) table and takes one away, from its cell on in both directions.

    Attributes
    ----------
    row, column : (E,) int64
        The cell.
    gain, loss : (E,) int64
        Positions in the flat table.
    """

    row: Ints
    column: Ints
    gain: Ints
    loss: Ints

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, eq=False, kw_only=True)
class Quadrants:
    """M quadrants [x, ..) x [y, ..) in the plane of cuts, sorted by trajectory and there by round.

    Attributes
    ----------
    trajectory, state, x, y : (M,) int64
        At this state of a trajectory its rule becomes true for the cells of the quadrant.
    end : (N,) int64
        The state of a trajectory outside all its quadrants.
    never : int
        R, the last state.
    """

    trajectory: Ints
    state: Ints
    x: Ints
    y: Ints
    end: Ints
    never: int


def corners(quadrants: Quadrants) -> Corners:
    """Corners whose sums tell which quadrant of each trajectory covers a cell first.

    Of the corners of a trajectory, those that count at a cell sum up to table[state] - table[end], with the
    state of the first quadrant that covers it; to 0 where none does.
    """
    compiled = loop("staircase", 50 * len(quadrants.x) ** 2 / max(len(quadrants.end), 1))
    if compiled is None:
        return corners_numpy(quadrants)
    offset = np.searchsorted(quadrants.trajectory, np.arange(len(quadrants.end) + 1))
    # A quadrant makes one outer corner and two inner ones at most.
    found = np.empty((4, 3 * len(quadrants.x)), dtype=np.int64)
    fields = np.stack([quadrants.state, quadrants.x, quadrants.y])
    count = compiled(offset, fields, quadrants.end, quadrants.never + 1, found)
    row, column, gain, loss = found[:, :count]
    return Corners(row=row, column=column, gain=gain, loss=loss)


def corners_numpy(quadrants: Quadrants) -> Corners:
    """`corners` without numba: after each quadrant the whole staircase of all trajectories anew.

    With quadrants by ascending x and y' the lowest y so far, the cells from y' up to the y' before it are
    covered from x on: an outer corner (x, y') and an inner one (x, y' before).
    """
    count = np.bincount(quadrants.trajectory, minlength=len(quadrants.end))
    most = int(count.max(initial=0))
    first = np.cumsum(count) - count
    slot = np.arange(len(quadrants.x)) - first[quadrants.trajectory]
    outside = 1 + max(int(quadrants.x.max(initial=0)), int(quadrants.y.max(initial=0)))
    x, y = np.full((2, len(count), most), outside)
    since = np.repeat(quadrants.end[:, None], most + 1, axis=1)
    x[quadrants.trajectory, slot] = quadrants.x
    y[quadrants.trajectory, slot] = quadrants.y
    since[quadrants.trajectory, slot] = quadrants.state
    base = np.arange(len(count)) * (quadrants.never + 1)
    parts = [np.empty((4, 0), dtype=np.int64)]
    for step in range(1, most + 1):
        lasting = np.flatnonzero(since[:, step - 1] != since[:, step])
        order = np.argsort(x[lasting, :step] * (outside + 1) + y[lasting, :step], axis=1)
        row = np.take_along_axis(x[lasting, :step], order, axis=1)
        lowest = np.minimum.accumulate(np.take_along_axis(y[lasting, :step], order, axis=1), axis=1)
        before = np.concatenate([np.full((len(lasting), 1), outside), lowest[:, :-1]], axis=1)
        now = np.broadcast_to((base + since[:, step - 1])[lasting, None], row.shape)
        then = np.broadcast_to((base + since[:, step])[lasting, None], row.shape)
        outer = lowest < before
        inner = outer & (before < outside)
        parts.append(np.stack([row[outer], lowest[outer], now[outer], then[outer]]))
        parts.append(np.stack([row[inner], before[inner], then[inner], now[inner]]))
    row, column, gain, loss = np.concatenate(parts, axis=1)
    return Corners(row=row, column=column, gain=gain, loss=loss)
