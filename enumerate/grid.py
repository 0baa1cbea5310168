"""Shapes with many `?`: the cross product of their cuts as round masks, a run of it at a time.

Every part of the shape under its outermost &, | or at_least is worked out once for each choice of its own cuts. A
candidate picks one choice of each part, so that it takes a few byte operations a trajectory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count, product
from math import prod

import numpy as np
from joblib import Parallel, delayed

from ..rules.arrays import Cache, kleene
from ..rules.expression import And, AtLeast, Or, Rule
from ..trajectories.errors import SearchError
from ..trajectories.table import Floats, Ints, Trajectories
from .batch import Batch
from .filled import Filled
from .ledger import Ledger
from .masks import Bytes, Lookup, Parts, SmallStates, combine, first_set, pack
from .shapes import ALL_KEPT, STRIP
from .sieve import Kept, Sieve, whole
from .sums import columns

RUN = 2**13  # candidates whose masks are held at once
PART_BYTES = 2**28  # masks of the parts of a shape


@dataclass(frozen=True, eq=False)
class Grid:
    """The candidates of a shape, numbered with the cuts of the last `?` running fastest.

    Attributes
    ----------
    shape : Rule
    cuts : tuple of (L,) float64
        For each `?` in the order of the text.
    counts : tuple of int
        Choices of each part of the shape.
    need : int
        How many parts must be true.
    masks : (C, W, N) uint8
        Of the choices of all parts, one part after the other.
    states : (C, N) uint8 or uint16, or None
        Of the same, where one part is enough.
    """

    shape: Rule
    cuts: tuple[Floats, ...]
    counts: tuple[int, ...]
    need: int
    masks: Bytes
    states: SmallStates | None

    def __len__(self) -> int:
        return prod(self.counts)

    def sums(self, lookup: Lookup, begin: int, stop: int) -> Ints:
        """(6, stop - begin) sums of the figures of a run of candidates."""
        runs = [self._run(lookup, start, min(start + RUN, stop)) for start in range(begin, stop, RUN)]
        return np.concatenate(runs, axis=1)

    def _run(self, lookup: Lookup, begin: int, stop: int) -> Ints:
        parts = _choices(self.counts, self.need, begin, stop)
        if self.states is not None:
            return lookup.sums(self.states, parts)
        return lookup.sums(first_set(combine(self.masks, parts)))

    def rules(self, positions: Ints) -> Filled:
        """The candidates at some positions."""
        each = np.unravel_index(positions, [len(cuts) for cuts in self.cuts])
        filled = [cuts[chosen] for cuts, chosen in zip(self.cuts, each, strict=True)]
        return Filled(self.shape, np.stack(filled, axis=1))


def open_grid(shape: Rule, cuts: Sequence[Floats], t: Trajectories) -> Grid:
    """The grid of a shape over cuts for each of its `?`.

    Parameters
    ----------
    shape : Rule
        With one `?` or more, its names checked.
    cuts : sequence of (L,) float64
        In the order of the text.
    t : Trajectories

    Raises
    ------
    SearchError
        When one part of the shape alone has too many choices of its cuts.
    """
    unread = list(cuts)
    cache: Cache = {}
    inner = _operands(shape)
    masks = [_masks(part, [unread.pop(0) for _ in range(part.holes)], t, cache) for part in inner]
    need = _need(shape, len(inner))
    joined = np.concatenate(masks)
    return Grid(
        shape=shape,
        cuts=tuple(cuts),
        counts=tuple(map(len, masks)),
        need=need,
        masks=joined,
        states=first_set(joined) if need == 1 else None,
    )


def sweep_grid(shape: Rule, cuts: Sequence[Floats], t: Trajectories, book: Ledger, *, jobs: int = 1) -> Batch:
    """Every choice of the cuts of a shape, of which are kept what `Sieve` keeps, or all of 5,000 and fewer.

    Memory does not grow with their number but by 16 bytes a behaviour, to count them.

    Parameters
    ----------
    shape, cuts, t
        As `open_grid`.
    book : Ledger
        Of the same table.
    jobs : int
        Threads, as joblib counts them. The result does not depend on it.

    Raises
    ------
    SearchError
        As `open_grid`.
    """
    grid, lookup = open_grid(shape, cuts, t), Lookup.of(columns(book))
    starts = range(0, len(grid), STRIP)
    tasks = (delayed(grid.sums)(lookup, start, min(start + STRIP, len(grid))) for start in starts)
    blocks = Parallel(n_jobs=jobs, prefer="threads", return_as="generator", pre_dispatch="n_jobs")(tasks)
    kept = whole(np.concatenate(list(blocks), axis=1)) if len(grid) <= ALL_KEPT else _sifted(blocks, book)
    return Batch.kept(grid.rules(kept.position), kept, book)


def _sifted(blocks: Iterable[Ints], book: Ledger) -> Kept:
    sieve = Sieve.of(book)
    for start, block in zip(count(0, STRIP), blocks, strict=False):
        sieve.add(block, start)
    return sieve.kept()


def _operands(rule: Rule) -> tuple[Rule, ...]:
    """The parts of an outermost &, | or at_least; of an atom, itself."""
    return rule.operands if isinstance(rule, And | Or | AtLeast) else (rule,)


def _need(rule: Rule, parts: int) -> int:
    match rule:
        case And():
            return parts
        case AtLeast(k, _):
            return k
    return 1


def _masks(part: Rule, cuts: Sequence[Floats], t: Trajectories, cache: Cache) -> Bytes:
    """(L, W, N) masks of a part for every choice of its cuts."""
    choices = prod(map(len, cuts))
    if choices * len(t) * -(-t.rounds // 8) > PART_BYTES:
        raise SearchError(f"`{part}`: this part of a rule alone has {choices:,} choices of its cuts; give fewer cuts")
    inner = _operands(part)
    if inner == (part,):
        true = [
            kleene(part.fill(each), t, cache).true & t.recorded for each in product(*(cut.tolist() for cut in cuts))
        ]
        return pack(np.stack(true))
    unread = list(cuts)
    masks = [_masks(one, [unread.pop(0) for _ in range(one.holes)], t, cache) for one in inner]
    return combine(np.concatenate(masks), _choices([len(mask) for mask in masks], _need(part, len(inner)), 0, choices))


def _choices(counts: Sequence[int], need: int, begin: int, stop: int) -> Parts:
    """A run of the cross product of parts that stand one after the other, ``counts`` of each."""
    chosen = np.stack(np.unravel_index(np.arange(begin, stop), counts), axis=1)
    offset = np.cumsum([0, *counts[:-1]])
    each = np.full(stop - begin, need, dtype=np.int64)
    return Parts(np.arange(stop - begin + 1) * len(counts), (chosen + offset).ravel(), each)
