"""Exact cuts of a shape: the sweep that knows it, or else the definition, which replays every cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from ..rules.expression import Rule
from ..trajectories.table import Floats, Trajectories
from .batch import Swept
from .cuts import Quantiles, exact_cuts, holes, observed
from .filled import Filled
from .ledger import Ledger
from .memory import Room
from .replay import chunks, replayed, states, stop_rounds
from .shapes import sweep_shape


def sweep(
    shape: Rule, t: Trajectories, book: Ledger, max_cells: int | None = None, *, room: Room | None = None
) -> Swept:
    """Every distinguishable cut of a shape with one `?`, or with two that `shapes.knows`, with its figures.

    Parameters
    ----------
    shape : Rule
    t : Trajectories
    book : Ledger
        Of the same table.
    max_cells : int, optional
        The most candidates; where the exact cuts are more, fewer stand in for them.
    room : Room, optional
        Memory that may be taken; by default what is available here.

    Raises
    ------
    SearchError
        As `shapes.sweep_shape`.
    """
    swept = sweep_shape(shape, t, book, max_cells, room=room)
    return sweep_naive(shape, t, book, max_cells) if swept is None else swept


def sweep_naive(shape: Rule, t: Trajectories, book: Ledger, max_cells: int | None = None) -> Swept:
    """`sweep` as its definition reads, for any number of `?`: every cut is filled in and replayed.

    With one `?`, neighbouring plateaus at which every trajectory stops alike are joined to one.
    """
    cuts = _distinguishable(shape, t) if shape.holes == 1 else None
    if cuts is None or (max_cells is not None and len(cuts) > max_cells):
        cuts = np.array(list(product(*exact_grid(shape, t, max_cells)))).reshape(-1, shape.holes)
    rules = Filled(shape, cuts)
    return Swept.whole(rules, replayed(rules, t, book))


def _distinguishable(shape: Rule, t: Trajectories) -> Floats:
    """(K, 1)"""
    (hole,) = holes(shape)
    cuts, plateaus = exact_cuts(observed(hole.term, t), hole.op)
    rules = Filled(shape, cuts[:, None])  # made a run at a time
    differs: list[bool] = []
    before = np.full((1, len(t)), -1, dtype=np.int64)
    for run in chunks(rules, t):
        stops = stop_rounds(states(run, t), t.length)
        differs.extend((np.diff(stops, axis=0, prepend=before) != 0).any(axis=1).tolist())
        before = stops[-1:]
    return plateaus.joined(np.array(differs)).written()[:, None]


def exact_grid(shape: Rule, t: Trajectories, max_cells: int | None = None) -> list[tuple[float, ...]]:
    """The cuts to cross, one tuple for each `?`: exact ones, or quantiles where there are more than a cap."""
    asked = holes(shape)
    exact = [tuple(exact_cuts(observed(hole.term, t), hole.op)[0].tolist()) for hole in asked]
    if max_cells is None or prod(map(len, exact)) <= max_cells:
        return exact
    most = even_cap([len(cuts) for cuts in exact], max_cells)
    return [cuts if len(cuts) <= most else Quantiles(most).of(hole, t) for hole, cuts in zip(asked, exact, strict=True)]


def even_cap(counts: Sequence[int], max_cells: int) -> int:
    """The most cuts that each `?` may have, at least 1, for `max_cells` candidates at most."""
    return max(1, bisect_right(range(1, max(counts) + 1), max_cells, key=lambda n: prod(min(n, c) for c in counts)))
