"""Exact cuts of a shape: the sweep that knows it, or else the definition, which replays every cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from ..rules.expression import Rule
from ..trajectories.errors import SearchError
from ..trajectories.table import Trajectories
from .batch import Batch
from .cuts import Quantiles, exact_cuts, holes, observed
from .grid import sweep_grid
from .ledger import Ledger
from .replay import chunks, replayed, states, stop_rounds
from .shapes import sweep_shape

EXACT_CELLS = 1_000_000


def sweep(shape: Rule, t: Trajectories, book: Ledger, max_cells: int | None = None) -> Batch:
    """Every distinguishable cut of a shape with `?`, with its figures.

    Parameters
    ----------
    shape : Rule
        With one `?` or more.
    t : Trajectories
    book : Ledger
        Of the same table.
    max_cells : int, optional
        The most candidates; where the exact cuts are more, fewer stand in for them.

    Raises
    ------
    SearchError
        When there are too many candidates and no cap is given.
    """
    swept = sweep_shape(shape, t, book, max_cells)
    if swept is not None:
        return swept
    if shape.holes == 1:
        return sweep_naive(shape, t, book, max_cells)
    grid = [np.array(cuts) for cuts in exact_grid(shape, t, max_cells)]
    return sweep_grid(shape, grid, t, book)


def sweep_naive(shape: Rule, t: Trajectories, book: Ledger, max_cells: int | None = None) -> Batch:
    """`sweep` as its definition reads: every cut is filled in and replayed.

    With one `?`, neighbouring plateaus at which every trajectory stops alike are joined to one.
    """
    rules = _distinguishable(shape, t) if shape.holes == 1 else None
    if rules is None or (max_cells is not None and len(rules) > max_cells):
        rules = [shape.fill(cuts) for cuts in product(*exact_grid(shape, t, max_cells))]
    return Batch.whole(rules, replayed(rules, t, book))


def _distinguishable(shape: Rule, t: Trajectories) -> list[Rule]:
    (hole,) = holes(shape)
    cuts, plateaus = exact_cuts(observed(hole.term, t), hole.op)
    rules = [shape.fill([cut]) for cut in cuts.tolist()]
    differs: list[bool] = []
    before = np.full((1, len(t)), -1, dtype=np.int64)
    for run in chunks(rules, t):
        stops = stop_rounds(states(run, t), t.length)
        differs.extend((np.diff(stops, axis=0, prepend=before) != 0).any(axis=1).tolist())
        before = stops[-1:]
    return [shape.fill([cut]) for cut in plateaus.joined(np.array(differs)).written().tolist()]


def exact_grid(shape: Rule, t: Trajectories, max_cells: int | None = None) -> list[tuple[float, ...]]:
    """The cuts to cross, one tuple for each `?`: exact ones, or quantiles where there are too many.

    Raises
    ------
    SearchError
        When they cross to more candidates than a replay can hold, and no cap is given.
    """
    asked = holes(shape)
    exact = [tuple(exact_cuts(observed(hole.term, t), hole.op)[0].tolist()) for hole in asked]
    cells = prod(map(len, exact))
    if max_cells is None and cells > EXACT_CELLS:
        raise SearchError(
            f"`{shape}`: the exact cuts cross to {cells:,} candidates; cap them, as in max_cells = {EXACT_CELLS}"
        )
    if max_cells is None or cells <= max_cells:
        return exact
    most = even_cap([len(cuts) for cuts in exact], max_cells)
    return [cuts if len(cuts) <= most else Quantiles(most).of(hole, t) for hole, cuts in zip(asked, exact, strict=True)]


def even_cap(counts: Sequence[int], max_cells: int) -> int:
    """The most cuts that each `?` may have, at least 1, for `max_cells` candidates at most."""
    return max(1, bisect_right(range(1, max(counts) + 1), max_cells, key=lambda n: prod(min(n, c) for c in counts)))
