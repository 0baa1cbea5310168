"""Rules of many atoms as bit operations: a trajectory's rounds are bits, what a stop is worth is looked up.

Bit r - 1 of a mask tells whether an atom is true at round r; &, | and at_least work on eight rounds of a trajectory
at once, and on many trajectories. The first set bit is the state. Of an OR only the states of its parts matter: its
own is the least of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Bools, Ints
from .compiled import loop
from .loops import BLOCK, PAIRED, SIX

Bytes = NDArray[np.uint8]
SmallStates = NDArray[np.unsignedinteger[Any]]

FIRST_BIT = np.array([8] + [(byte & -byte).bit_length() - 1 for byte in range(1, 256)], dtype=np.uint8)
ENTRIES = 2**21  # states that the numpy way looks up at once
CALL = 5_000  # nanoseconds of the calls that numpy needs for a rule


@dataclass(frozen=True, eq=False)
class Parts:
    """K rules over parts that are given by number: rule k is true when ``need[k]`` of its members are.

    Attributes
    ----------
    first : (K + 1,) int64
        Where the members of each rule begin, and where the last ones end.
    member : (M,) int64
    need : (K,) int64
        All of them for an AND, 1 for an OR.
    """

    first: Ints
    member: Ints
    need: Ints

    def __len__(self) -> int:
        return len(self.need)

    @classmethod
    def all_of(cls, members: Sequence[Sequence[int]]) -> Parts:
        """ANDs."""
        return cls.at_least([len(each) for each in members], members)

    @classmethod
    def any_of(cls, members: Sequence[Sequence[int]]) -> Parts:
        """ORs."""
        return cls.at_least([1] * len(members), members)

    @classmethod
    def at_least(cls, need: Sequence[int], members: Sequence[Sequence[int]]) -> Parts:
        """Rules that need so many of their members each."""
        return cls(
            first=np.cumsum([0, *map(len, members)]),
            member=np.array([one for each in members for one in each], dtype=np.int64),
            need=np.array(need, dtype=np.int64),
        )

    @classmethod
    def joined(cls, several: Sequence[Parts]) -> Parts:
        """The rules of one after the other, over the same parts."""
        ends = np.cumsum([0, *(each.first[-1] for each in several)])
        first = [each.first[:-1] + begin for each, begin in zip(several, ends[:-1], strict=True)]
        return cls(
            first=np.concatenate([*first, ends[-1:]]),
            member=np.concatenate([each.member for each in several]),
            need=np.concatenate([each.need for each in several]),
        )

    def take(self, rows: slice) -> Parts:
        """The rules of a slice of step 1."""
        first = self.first[rows.start : rows.stop + 1]
        return Parts(first - first[0], self.member[first[0] : first[-1]], self.need[rows])


def pack(true: Bools) -> Bytes:
    """Masks of A atoms out of (A, N, R) truth at recorded rounds: (A, W, N) bytes of eight rounds each."""
    return np.ascontiguousarray(np.packbits(true, axis=2, bitorder="little").swapaxes(1, 2))


def combine(masks: Bytes, parts: Parts) -> Bytes:
    """(K, W, N) masks of rules over parts whose (C, W, N) masks are given."""
    flat = masks.reshape(len(masks), -1)
    compiled = loop("combine", CALL * len(parts) + len(parts.member) * flat.shape[1] / 4)
    result = np.empty((len(parts), flat.shape[1]), dtype=np.uint8)
    if compiled is not None and len(parts):
        compiled(flat, parts.first, parts.member, parts.need, result)
        return result.reshape(len(parts), *masks.shape[1:])
    for k, row in enumerate(result):
        members = flat[parts.member[parts.first[k] : parts.first[k + 1]]]
        if parts.need[k] == len(members):
            np.bitwise_and.reduce(members, axis=0, out=row)
        elif parts.need[k] == 1:
            np.bitwise_or.reduce(members, axis=0, out=row)
        else:
            bits = np.unpackbits(members, axis=1).sum(axis=0, dtype=np.int64) >= parts.need[k]
            row[:] = np.packbits(bits)
    return result.reshape(len(parts), *masks.shape[1:])


def state_type(rounds: int) -> np.dtype[np.unsignedinteger[Any]]:
    """What a state of so many rounds is kept in, filled up to whole bytes of a mask."""
    return np.dtype(np.uint8 if 8 * -(-rounds // 8) < 256 else np.uint16)


def first_set(masks: Bytes) -> SmallStates:
    """(K, N) states out of (K, W, N) masks: the index of the first set bit, 8 W where there is none."""
    words = masks.shape[1]
    result: SmallStates = np.empty((len(masks), masks.shape[2]), dtype=state_type(8 * words))
    compiled = loop("first_set", 3 * masks.size)
    if compiled is not None:
        compiled(masks, result)
        return result
    run = max(1, ENTRIES // max(1, masks.shape[2]))
    for begin in range(0, len(masks), run):
        some, states = masks[begin : begin + run], result[begin : begin + run]
        states[:] = 8 * words
        for word in range(words - 1, -1, -1):
            found = some[:, word] != 0
            states[found] = 8 * word + FIRST_BIT[some[:, word][found]].astype(result.dtype)
    return result


def least(states: SmallStates, ors: Parts) -> SmallStates:
    """(K, N) the least state of the members of each OR: of all first members, then of all second ones, ..."""
    width = np.diff(ors.first)
    found = states[ors.member[ors.first[:-1]]]
    for j in range(1, int(width.max())):
        wider = np.flatnonzero(width > j)
        found[wider] = np.minimum(found[wider], states[ors.member[ors.first[wider] + j]])
    return found


@dataclass(frozen=True, eq=False)
class Lookup:
    """What states are worth, laid out for summing over many rules.

    Attributes
    ----------
    tables : (F, N, S) int64
        F figures, at most 6, of N trajectories in S = 8 W + 1 states.
    """

    tables: Ints

    @classmethod
    def of(cls, tables: Ints) -> Lookup:
        """Out of (F, N, R + 1) integers such as `sums.columns`, F at most 6."""
        rounds = tables.shape[2] - 1
        never = 8 * -(-rounds // 8)
        return cls(tables[:, :, np.minimum(np.arange(never + 1), rounds)])

    @cached_property
    def side_by_side(self) -> Ints:
        """For the compiled loop, (P, S, 6) or (P, S * S, 6) int64.

        Six figures beside each other, for every state of a trajectory; or for every pair of states of two
        trajectories of a block, which halves the number of look-ups.
        """
        figures, n, states = self.tables.shape
        six = np.zeros((n, states, SIX), dtype=np.int64)
        six[:, :, :figures] = self.tables.transpose(1, 2, 0)
        return _paired(six) if self.paired else six

    @property
    def paired(self) -> bool:
        """Whether the states of two trajectories fit one byte."""
        return bool(self.tables.shape[2] == PAIRED)

    def sums(self, states: SmallStates, parts: Parts | None = None) -> Ints:
        """Sums over trajectories of the entry at the state of each rule.

        Parameters
        ----------
        states : (C, N) uint8 or uint16
            As `first_set` gives them.
        parts : Parts, optional
            ORs of the C rules of ``states``, each of which fires at the least state of its members. By default
            the C rules themselves.

        Returns
        -------
        (F, K) int64
        """
        if parts is None:
            one_each = np.arange(len(states))
            parts = Parts(np.arange(len(states) + 1), one_each, np.ones(len(states), dtype=np.int64))
        figures, n, _ = self.tables.shape
        compiled = loop("lookup", (len(parts.member) + 4 * figures * len(parts)) * n)
        if compiled is not None:
            result = np.zeros((len(parts), SIX), dtype=np.int64)
            compiled(states, (parts.first, parts.member), self.side_by_side, self.paired, result)
            return np.ascontiguousarray(result.T[:figures])
        sums = np.empty((figures, len(parts)), dtype=np.int64)
        run = max(1, ENTRIES // n)
        for begin in range(0, len(parts), run):
            rows = slice(begin, min(begin + run, len(parts)))
            some = parts.take(rows)
            state = least(states, some)
            for table, out in zip(self.tables, sums, strict=True):
                out[rows] = table[np.arange(n), state].sum(axis=1)
        return sums


def _paired(single: Ints) -> Ints:
    """(P, S * S, 6) worth of pairs out of (N, S, 6): a block's first half with its second.

    In a block of odd size the middle trajectory is in both halves, and counted in the first alone.
    """
    n, states, figures = single.shape
    begins = np.arange(0, n, BLOCK)
    sizes = np.minimum(BLOCK, n - begins)
    halves = (sizes + 1) // 2
    left = np.concatenate([begin + np.arange(half) for begin, half in zip(begins, halves, strict=True)])
    right = left + np.repeat(sizes - halves, halves)
    second = single[right]
    second[right < np.repeat(begins + halves, halves)] = 0
    pairs: Ints = single[left][:, :, None] + second[:, None]
    return pairs.reshape(len(left), states * states, figures)
