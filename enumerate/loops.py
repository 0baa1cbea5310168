"""Loops for numba: plain functions over arrays, each with a numpy twin where it is called."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def staircase(  # noqa: PLR0912 - one pass, kept together for the compiler
    offset: Array, quadrants: Array, end: Array, width: int, found: Array
) -> int:
    """Fill ``found`` with the corners of `staircase.corners`, and count them.

    A trajectory's outer corners are kept by ascending x, hence descending y, each with the state since which
    it stands; the inner corner between two neighbours has x of the second and y of the first.
    """
    state, x, y = quadrants
    row, column, gain, loss = found
    most = 0
    for q in range(len(offset) - 1):
        most = max(most, offset[q + 1] - offset[q])
    outer_x, outer_y = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    outer_since, inner_since = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    count = 0
    for q in range(len(offset) - 1):
        base = q * width
        size = 0
        for quadrant in range(offset[q], offset[q + 1] + 1):
            closing = quadrant == offset[q + 1]
            now = base + (end[q] if closing else state[quadrant])
            begin, stop = 0, size  # the outer corners that leave
            if not closing:
                while begin < size and outer_x[begin] < x[quadrant]:
                    begin += 1
                if begin > 0 and outer_y[begin - 1] <= y[quadrant]:
                    continue
                if begin < size and outer_x[begin] == x[quadrant] and outer_y[begin] <= y[quadrant]:
                    continue
                stop = begin
                while stop < size and outer_y[stop] >= y[quadrant]:
                    stop += 1
            for k in range(begin, stop):
                if outer_since[k] != now:
                    row[count], column[count] = outer_x[k], outer_y[k]
                    gain[count], loss[count] = outer_since[k], now
                    count += 1
            for k in range(max(begin - 1, 0), min(stop, size - 1)):
                if inner_since[k] != now:
                    row[count], column[count] = outer_x[k + 1], outer_y[k]
                    gain[count], loss[count] = now, inner_since[k]
                    count += 1
            if closing:
                break
            moved = begin + 1 - stop
            for i in range(size - stop):
                k = size - 1 - i if moved > 0 else stop + i
                outer_x[k + moved], outer_y[k + moved] = outer_x[k], outer_y[k]
                outer_since[k + moved], inner_since[k + moved] = outer_since[k], inner_since[k]
            size += moved
            outer_x[begin], outer_y[begin] = x[quadrant], y[quadrant]
            outer_since[begin] = inner_since[begin] = now
            if begin > 0:
                inner_since[begin - 1] = now
    return count


def accumulate(block: Array, above: Array) -> None:
    """The compiled way of `sweep_two.accumulate`."""
    for f in range(block.shape[0]):
        for i in range(block.shape[1]):
            total = np.int64(0)
            for j in range(block.shape[2]):
                total += block[f, i, j]
                above[f, j] += total
                block[f, i, j] = above[f, j]
