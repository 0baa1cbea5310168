"""Families over the subsets of some atoms: counted and listed, or numbered so that they stream.

Where an atom is a comparison with a `?`, each of its cuts makes an atom, and a rule takes one of them at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..rules.arrays import Cache, kleene
from ..rules.expression import And, AtLeast, Or, Rule
from ..trajectories.errors import SearchError
from ..trajectories.table import Ints, Trajectories
from .combinatorics import growth_strings, partitions, subsets
from .grid import SCRATCH
from .masks import Bytes, Parts, SmallStates, combine, first_set, pack, state_type
from .memory import Room

Kind = Literal["and", "or", "at_least", "or_of_ands"]

MOST_SUBSETS = 2**22
ATOM = 20  # candidates a comparison takes the time of
GROUPINGS = 2**28  # bytes of all groupings of the largest subset


@dataclass(frozen=True)
class Combination:
    """The rules of a family, in the order of the subsets: small ones first.

    Attributes
    ----------
    kind : {"and", "or", "at_least", "or_of_ands"}
        All of a subset, one of it, k of it for every k between, or one group of it throughout, for every grouping.
    atoms : tuple of Rule
    """

    kind: Kind
    atoms: tuple[Rule, ...]

    def __bool__(self) -> bool:
        return len(self.atoms) >= self.smallest

    def __iter__(self) -> Iterator[Rule]:
        for subset in subsets(self.atoms, self.smallest):
            match self.kind:
                case "and":
                    yield And(subset)
                case "or":
                    yield Or(subset)
                case "at_least":
                    yield from (AtLeast(k, subset) for k in range(2, len(subset)))
                case "or_of_ands":
                    yield from (Or(map(And, groups)) for groups in partitions(subset))

    @property
    def smallest(self) -> int:
        """Atoms of the smallest subset: 2 of 3 is the least that is no AND and no OR."""
        return 3 if self.kind == "at_least" else 1

    def variants(self, size: int) -> int:
        """Rules that one subset of so many atoms makes."""
        match self.kind:
            case "at_least":
                return size - 2
            case "or_of_ands":
                return _bell(size)
        return 1

    def count(self, choices: Sequence[int]) -> int:
        """How many rules there are when the atoms have so many cuts each."""
        by_size = [1] + [0] * len(choices)  # choices of all subsets of a size: elementary symmetric polynomials
        for number in choices:
            for size in range(len(choices), 0, -1):
                by_size[size] += by_size[size - 1] * number
        return sum(by_size[size] * self.variants(size) for size in range(self.smallest, len(choices) + 1))


def _bell(size: int) -> int:
    """Groupings of so many items."""
    numbers = [1]
    for n in range(size):
        numbers.append(sum(comb(n, k) * numbers[k] for k in range(n + 1)))
    return numbers[size]


@dataclass(frozen=True, eq=False)
class _OfSize:
    """The rules over subsets of one size.

    Attributes
    ----------
    begin : int
        The number of the first.
    slots : (S, size) uint8
        The subsets.
    starts : (S + 1,) int64
        Where the rules of each begin, counted from ``begin``, and where the last ones end.
    variants : int
    """

    begin: int
    slots: NDArray[np.uint8]
    starts: Ints
    variants: int

    @property
    def stop(self) -> int:
        """The number after the last."""
        return self.begin + int(self.starts[-1])


@dataclass(frozen=True, eq=False)
class Combined:
    """The rules of a combination, numbered; a `sources.Source`.

    Attributes
    ----------
    combination : Combination
    choices : tuple of tuple of Rule
        What each atom of the combination can be.
    sizes : tuple of _OfSize
    masks : (A, W, N) uint8
        Of all choices, one atom after the other.
    ready : (C, N) uint8 or uint16, or None
        States of what a rule is an OR of: of the choices, or of every AND of choices.
    t : Trajectories
    """

    combination: Combination
    choices: tuple[tuple[Rule, ...], ...]
    sizes: tuple[_OfSize, ...]
    masks: Bytes
    ready: SmallStates | None
    t: Trajectories

    def __reduce__(self) -> tuple[Any, ...]:
        return combined, (self.combination, self.choices, self.t)  # masks are made more quickly than sent

    @property
    def kind(self) -> Kind:
        """Of the combination."""
        return self.combination.kind

    @property
    def opening(self) -> int:
        """How many candidates a worker could go through in the time that it takes to make the masks."""
        return ATOM * len(self.masks) + (0 if self.ready is None else len(self.ready))

    def __len__(self) -> int:
        return self.sizes[-1].stop

    def states(self, begin: int, stop: int) -> tuple[SmallStates, Parts | None]:
        """Where the candidates of a run stop."""
        parts = [
            self._parts(size, np.arange(max(begin, size.begin), min(stop, size.stop)) - size.begin)
            for size in self.sizes
            if begin < size.stop and stop > size.begin
        ]
        joined = Parts.joined(parts)
        if self.ready is not None:
            return self.ready, joined
        return first_set(combine(self.masks, joined)), None

    def rules(self, positions: Ints) -> list[Rule]:
        """The candidates at some positions."""
        return [self._rule(position) for position in positions.tolist()]

    def _picked(self, size: _OfSize, position: Ints) -> tuple[Ints, Ints, Ints]:
        """(K, size) atoms, (K, size) which choice of each, (K,) which variant."""
        subset = np.searchsorted(size.starts, position, side="right") - 1
        slots = size.slots[subset].astype(np.int64)
        left, variant = np.divmod(position - size.starts[subset], size.variants)
        counts = np.array([len(each) for each in self.choices], dtype=np.int64)[slots]
        chosen = np.empty_like(slots)
        for j in range(slots.shape[1] - 1, -1, -1):
            left, chosen[:, j] = np.divmod(left, counts[:, j])
        return slots, chosen, variant

    def _parts(self, size: _OfSize, position: Ints) -> Parts:
        slots, chosen, variant = self._picked(size, position)
        count, width = slots.shape
        if self.kind == "or_of_ands":
            groups = growth_strings(width)[variant]
            strides = np.cumprod([1, *(1 + len(each) for each in self.choices)])
            weights = strides[slots] * (chosen + 1)
            ands = np.zeros((count, width), dtype=np.int64)
            for j in range(width):
                ands[np.arange(count), groups[:, j]] += weights[:, j]
            first = np.concatenate([[0], np.cumsum(np.count_nonzero(ands, axis=1))])
            return Parts(first, ands[ands > 0] - 1, np.ones(count, dtype=np.int64))
        offset = np.cumsum([0, *(len(each) for each in self.choices)])
        need = {"and": np.full(count, width), "or": np.ones(count, dtype=np.int64), "at_least": variant + 2}[self.kind]
        return Parts(np.arange(count + 1) * width, (offset[slots] + chosen).ravel(), need)

    def _rule(self, position: int) -> Rule:
        size = next(each for each in self.sizes if position < each.stop)
        slots, chosen, variant = self._picked(size, np.array([position - size.begin]))
        atoms = [self.choices[slot][choice] for slot, choice in zip(slots[0], chosen[0], strict=True)]
        match self.kind:
            case "and":
                return And(atoms)
            case "or":
                return Or(atoms)
            case "at_least":
                return AtLeast(int(variant[0]) + 2, atoms)
            case "or_of_ands":
                group = growth_strings(len(atoms))[variant[0]].tolist()
                return Or(
                    And(atom for atom, own in zip(atoms, group, strict=True) if own == each) for each in set(group)
                )


def refuse_combination(combination: Combination, counts: Sequence[int], t: Trajectories, *, copies: int = 1) -> None:
    """Refuse to number the rules of a combination whose atoms have so many cuts each.

    Raises
    ------
    SearchError
        When the subsets of the atoms are more than can be listed, or their ANDs than fit the memory, in which so many
        processes hold them.
    """
    n, ands, room = len(counts), prod(1 + count for count in counts), Room.here()
    if 2**n > MOST_SUBSETS or combination.variants(n) * n > GROUPINGS:
        raise SearchError(f"family {combination.kind}: {n} atoms combine in too many ways; list fewer signals")
    needed = copies * and_bytes(ands, t) if combination.kind == "or_of_ands" else 0
    if needed > room.size:
        raise room.refusal(
            f"family {combination.kind}: its atoms and their cuts make {ands:,} different ANDs",
            needed=needed,
            way_out='list fewer signals, or choose fewer cuts, as in cuts = "tuned(3.0)"',
        )


def combined(combination: Combination, choices: Sequence[Sequence[Rule]], t: Trajectories) -> Combined:
    """Number the rules of a combination whose atoms can be the rules given, one list for each.

    They are no more than `refuse_combination` lets pass.
    """
    cache: Cache = {}
    masks = pack(np.stack([kleene(rule, t, cache).true & t.recorded for each in choices for rule in each]))
    ready = None
    if combination.kind == "or":
        ready = first_set(masks)
    if combination.kind == "or_of_ands":
        ready = first_set(_every_and(masks, [len(each) for each in choices])[1:])
    return Combined(
        combination=combination,
        choices=tuple(map(tuple, choices)),
        sizes=_sizes(combination, [len(each) for each in choices]),
        masks=masks,
        ready=ready,
        t=t,
    )


def _sizes(combination: Combination, counts: Sequence[int]) -> tuple[_OfSize, ...]:
    sizes: list[_OfSize] = []
    begin = 0
    for size in range(combination.smallest, len(counts) + 1):
        slots = np.array(list(combinations(range(len(counts)), size)), dtype=np.uint8)
        variants = combination.variants(size)
        ways = np.array(counts, dtype=np.int64)[slots].prod(axis=1) * variants
        sizes.append(_OfSize(begin, slots, np.concatenate([[0], np.cumsum(ways)]), variants))
        begin = sizes[-1].stop
    return tuple(sizes)


def and_bytes(ands: int, t: Trajectories) -> int:
    """At most so many bytes are taken by the masks of ANDs and by their states, while these are made."""
    masks = ands * -(-t.rounds // 8) * len(t)
    states = ands * len(t) * state_type(t.rounds).itemsize
    return masks + max(masks, states + min(SCRATCH, 8 * states))


def _every_and(masks: Bytes, counts: Sequence[int]) -> NDArray[np.uint8]:
    """Masks of the ANDs of one choice at most of each atom, the first atom's choice running fastest; 0 is empty."""
    table = np.full((1, *masks.shape[1:]), 255, dtype=np.uint8)
    begin = 0
    for count in counts:
        table = np.concatenate([table, *(table & mask for mask in masks[begin : begin + count])])
        begin += count
    return table
