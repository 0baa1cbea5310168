"""Shapes with many `?`: the cross product of their cuts as round masks, a run of it at a time.

Every part of the shape under its outermost &, | or at_least is worked out once for each choice of its own cuts. A
candidate picks one choice of each part, so that it takes a few byte operations a trajectory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any

import numpy as np

from ..rules.arrays import Cache, kleene
from ..rules.expression import And, AtLeast, Or, Rule
from ..trajectories.table import Floats, Ints, Trajectories
from .filled import Filled
from .masks import Bytes, Parts, SmallStates, combine, first_set, pack, state_type

RUN = 2**21  # bytes of masks that are made at once of parts that have parts
MOST_IN_RUN = 2**14  # and how many at most
SCRATCH = 2**24  # bytes that such a run takes, and a run of states
FILLED = 512  # bytes of a comparison with its cut
ATOM = 20  # candidates a comparison takes the time of


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
        Of the choices of all parts, one part after the other; none where one part is enough.
    one_enough : (C, N) uint8 or uint16, or None
        States of the same, where one part is enough.
    t : Trajectories
    """

    shape: Rule
    cuts: tuple[Floats, ...]
    counts: tuple[int, ...]
    need: int
    masks: Bytes
    one_enough: SmallStates | None
    t: Trajectories

    def __reduce__(self) -> tuple[Any, ...]:
        return open_grid, (self.shape, self.cuts, self.t)  # masks are made more quickly than sent

    @property
    def opening(self) -> int:
        """How many candidates a worker could go through in the time that it takes to make the masks."""
        return ATOM * sum(map(len, self.cuts)) + sum(self.counts)

    def __len__(self) -> int:
        return prod(self.counts)

    def states(self, begin: int, stop: int) -> tuple[SmallStates, Parts | None]:
        """Where the candidates of a run stop, as `sources.Source` tells it."""
        parts = _choices(self.counts, self.need, begin, stop)
        if self.one_enough is not None:
            return self.one_enough, parts
        return first_set(combine(self.masks, parts)), None

    def rules(self, positions: Ints) -> Filled:
        """The candidates at some positions."""
        return Filled.crossed(self.shape, self.cuts, positions)


def open_grid(shape: Rule, cuts: Sequence[Floats], t: Trajectories) -> Grid:
    """The grid of a shape over cuts for each of its `?`.

    Parameters
    ----------
    shape : Rule
        With one `?` or more, its names checked.
    cuts : sequence of (L,) float64
        In the order of the text, no more of them than fit: see `grid_bytes`.
    t : Trajectories
    """
    counts = choices(shape, [len(each) for each in cuts])
    need = _need(shape, len(counts))
    masks = np.empty((sum(counts), *_mask_shape(t)), dtype=np.uint8)
    _fill(masks, shape, cuts, t, {})
    return Grid(
        shape=shape,
        cuts=tuple(cuts),
        counts=tuple(counts),
        need=need,
        masks=masks[:0].copy() if need == 1 else masks,
        one_enough=first_set(masks) if need == 1 else None,
        t=t,
    )


def choices(shape: Rule, counts: Sequence[int]) -> list[int]:
    """How many choices of its cuts each part of a shape has, given how many cuts each `?` has."""
    unread = iter(counts)
    return [prod(islice(unread, part.holes)) for part in _operands(shape)]


def grid_bytes(shape: Rule, counts: Sequence[int], t: Trajectories) -> tuple[int, int]:
    """Bytes that the grid of a shape holds, and that opening it takes at most, given how many cuts each `?` has."""
    made = sum(choices(shape, counts))
    inner, atoms = _beneath(shape, counts)
    one_enough = _need(shape, len(_operands(shape))) == 1
    masks, inner_masks = made * prod(_mask_shape(t)), inner * prod(_mask_shape(t))
    states = made * len(t) * state_type(t.rounds).itemsize if one_enough else 0
    runs = min(SCRATCH, 8 * made * len(t)) if inner or one_enough else 0
    truth = 24 * t.recorded.size + FILLED * atoms  # of one atom, with what it compares
    return states or masks, masks + max(states, inner_masks) + runs + truth


def _beneath(rule: Rule, counts: Sequence[int]) -> tuple[int, int]:
    """Masks of the parts of parts that are held at once while those of a rule are made; atoms that are filled."""
    unread, held, atoms = iter(counts), 0, 0
    for part in _operands(rule):
        own = list(islice(unread, part.holes))
        if _operands(part) == (part,):
            atoms += prod(own)
        else:
            inner, filled = _beneath(part, own)
            held, atoms = max(held, sum(choices(part, own)) + inner), atoms + filled
    return held, atoms


def _mask_shape(t: Trajectories) -> tuple[int, int]:
    return -(-t.rounds // 8), len(t)


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


def _fill(masks: Bytes, rule: Rule, cuts: Sequence[Floats], t: Trajectories, cache: Cache) -> None:
    """Write the masks of every part of a rule, for every choice of its cuts, one part after the other."""
    unread, begin = iter(cuts), 0
    for part in _operands(rule):
        own = list(islice(unread, part.holes))
        stop = begin + prod(map(len, own))
        if _operands(part) == (part,):
            for mask, filling in zip(masks[begin:stop], product(*(each.tolist() for each in own)), strict=True):
                true = kleene(part.fill(filling), t, None if own else cache).true & t.recorded
                mask[:] = pack(true[None])[0]
        else:
            counts = choices(part, [len(each) for each in own])
            inner = np.empty((sum(counts), *masks.shape[1:]), dtype=np.uint8)
            _fill(inner, part, own, t, cache)
            run = max(1, min(MOST_IN_RUN, RUN // max(1, masks[0].size)))
            for first in range(0, stop - begin, run):
                last = min(first + run, stop - begin)
                some = _choices(counts, _need(part, len(counts)), first, last)
                masks[begin + first : begin + last] = combine(inner, some)
        begin = stop


def _choices(counts: Sequence[int], need: int, begin: int, stop: int) -> Parts:
    """A run of the cross product of parts that stand one after the other, ``counts`` of each."""
    chosen = np.stack(np.unravel_index(np.arange(begin, stop), counts), axis=1)
    offset = np.cumsum([0, *counts[:-1]])
    each = np.full(stop - begin, need, dtype=np.int64)
    return Parts(np.arange(stop - begin + 1) * len(counts), (chosen + offset).ravel(), each)
