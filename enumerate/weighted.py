"""Candidates under weights by trajectory: a sweep, or a matrix product, for each row of weights.

With how often each group was drawn for weights, a row is one bootstrap resample; with 1 and -1, one flip of signs.
Sums are integers, so that ties stay ties.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..trajectories.table import Ints
from .gather import RUN, Block, Sweep
from .pairs import STRIP
from .shapes import knows, one_cut, open_shape
from .sources import Listed, Source
from .sweeps import sweep_naive

HALF = 27  # bits: weighted sums of either half of a figure are exact in float64


def weighted_sums(task: Block | Sweep, tables: Ints, weights: Ints) -> Iterator[tuple[int, int, Ints]]:
    """Weighted sums of every candidate of a task.

    Parameters
    ----------
    task : Block or Sweep
        As `gather.tasks` gives them.
    tables : (F, N, R + 1) int64
        Such as those of a ledger.
    weights : (B, N) int64
        Of the trajectories.

    Yields
    ------
    row : int
        Of the weights.
    start : int
        The number of the first candidate, counted from the begin of the task.
    sums : (F, K) int64
    """
    if isinstance(task, Block):
        yield from _of_source(task.source, tables, weights)
        return
    rule, t, max_cells = task.shape.rule, task.t, task.shape.max_cells
    opened = open_shape(rule, t) if knows(rule) else None
    if opened is None:
        yield from _of_source(Listed(list(sweep_naive(rule, t, task.book, max_cells).rules), t), tables, weights)
    elif rule.holes == 1:
        sweep, cuts = one_cut(opened, max_cells)
        kept = sweep.plateaus.at(cuts)
        for row, weight in enumerate(weights):
            yield row, 0, sweep.sums(tables, weight)[:, kept]
    else:
        grid = opened.sweep_two(max_cells)
        breadth = grid.shape[1]
        for row, weight in enumerate(weights):
            for where, block in grid.strips(tables, weight, rows=max(1, STRIP // breadth)):
                yield row, where.start * breadth, block.reshape(len(tables), -1)


def _of_source(source: Source, tables: Ints, weights: Ints) -> Iterator[tuple[int, int, Ints]]:
    rows, size = np.arange(tables.shape[1]), len(source)
    turned = weights.T.astype(np.float64)
    run = max(1, RUN // len(rows))
    for begin in range(0, size, run):
        states, parts = source.states(begin, min(begin + run, size))
        if parts is not None:
            states = np.minimum.reduceat(states[parts.member], parts.first[:-1], axis=0)
        column = np.minimum(states, tables.shape[2] - 1)
        sums = np.stack([_product(table[rows, column], turned) for table in tables])
        for row in range(len(weights)):
            yield row, begin, sums[:, :, row]


def _product(values: Ints, weights: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Ints:
    """The exact product of (K, N) integers below 2**53 and (N, B) small ones."""
    high, low = values >> HALF, values & (2**HALF - 1)
    upper, lower = (half.astype(np.float64) @ weights for half in (high, low))
    return (upper.astype(np.int64) << HALF) + lower.astype(np.int64)
