"""What is kept of a stream of candidates: their front, the best at each step of cost, and how many they were."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Ints
from .census import Census, census_bytes
from .ledger import Ledger
from .pareto import pareto_mask
from .sums import COST, FIGURES, QUALITY, WORDS

STEPS = 2000
HOPEFUL = 2**16  # candidates that are weighed against one another at once
POSITION = FIGURES  # the row after the sums


@dataclass(frozen=True, eq=False, kw_only=True)
class Kept:
    """What is left of a stream.

    Attributes
    ----------
    position : (K,) int64
        Where each kept candidate stood in the stream, ascending.
    sums : (6, K) int64
        Its sums of `sums.columns`.
    tried : int
        Candidates in the stream.
    census : Census
        Behaviours among them.
    """

    position: Ints
    sums: Ints
    tried: int
    census: Census

    @property
    def distinct(self) -> int:
        """Behaviours in the stream."""
        return self.census.distinct


class Sieve:
    """Keeps every candidate on the front, and the best of each of 2,000 equal steps of cost.

    Of equals the cheaper is best, then the earlier. Of one behaviour on the front the first is kept. The result
    does not depend on how the stream is cut into blocks.

    Parameters
    ----------
    least, most : int
        The range of the sums of cost.
    """

    def __init__(self, least: int, most: int) -> None:
        self._least = least
        self._width = max(1.0, (most - least) / STEPS)
        self._best = np.full(STEPS + 1, np.iinfo(np.int64).min)
        self._held = np.empty((POSITION + 1, 0), dtype=np.int64)
        self._census = Census()
        self._tried = 0

    @classmethod
    def of(cls, book: Ledger) -> Sieve:
        """For rules on the table of a ledger.

        Cost never falls within a trajectory: firing at once is the cheapest, never firing the dearest.
        """
        return cls(int(book.cost[:, 0].sum()), int(book.cost[:, -1].sum()))

    def add(self, sums: Ints, start: int) -> None:
        """Take in the (6, K) sums of candidates that stand in the stream from ``start`` on."""
        self._tried += sums.shape[1]
        self._census.add(first_words(sums))
        self._hold(sums, start + np.arange(sums.shape[1]))

    def join(self, part: Kept, start: int) -> None:
        """Take in what another sieve kept of candidates that stand in the stream from ``start`` on."""
        self._tried += part.tried
        self._census.add(part.census.words)
        self._hold(part.sums, start + part.position)

    def bytes_for(self, count: int) -> int:
        """At most so many bytes are taken by what was counted so far and by taking in so many candidates."""
        return sifting_bytes(count) + census_bytes(self._census.held + count, count)

    def kept(self) -> Kept:
        """What is left."""
        return Kept(position=self._held[POSITION], sums=self._held[:POSITION], tried=self._tried, census=self._census)

    def _hold(self, sums: Ints, position: Ints) -> None:
        step = self._step(sums[COST])
        np.maximum.at(self._best, step, sums[QUALITY])
        # What a cheaper step surpasses or equals is dominated.
        bar = np.maximum.accumulate(self._best)
        bar = np.concatenate([[np.iinfo(np.int64).min], bar[:-1]])
        hopeful = np.flatnonzero((sums[QUALITY] > bar[step]) | (sums[QUALITY] == self._best[step]))
        for begin in range(0, len(hopeful), HOPEFUL):
            some = hopeful[begin : begin + HOPEFUL]
            taken = np.concatenate([sums[:, some], position[None, some]])
            self._held = self._sifted(np.concatenate([self._held, taken], axis=1))

    def _step(self, cost: Ints) -> NDArray[np.intp]:
        return ((cost - self._least) / self._width).astype(np.intp)

    def _sifted(self, held: Ints) -> Ints:
        held = held[:, np.argsort(held[POSITION])]
        order = np.lexsort((held[COST], -held[QUALITY]))
        _, leads = np.unique(self._step(held[COST, order]), return_index=True)
        best = np.zeros(held.shape[1], dtype=bool)
        best[order[leads]] = True
        # Sums stay below 2**53: as floats they are the same.
        front = np.flatnonzero(pareto_mask(held[[QUALITY, COST]].T.astype(np.float64)))
        first = np.unique(held[WORDS, front], axis=1, return_index=True)[1]
        best[front[first]] = True
        return held[:, best]


def sums_bytes(count: int) -> int:
    """Of the (6, K) sums of so many candidates."""
    return FIGURES * np.dtype(np.int64).itemsize * count


def sifting_bytes(count: int) -> int:
    """At most so many bytes are taken by sifting the sums of so many candidates, beside these."""
    numbers_and_flags, copies = 2 * sums_bytes(count), 4 * sums_bytes(min(count, HOPEFUL))
    return numbers_and_flags + copies


def whole(sums: Ints) -> Kept:
    """A stream of (6, K) sums of which all is kept."""
    count = sums.shape[1]
    return Kept(position=np.arange(count), sums=sums, tried=count, census=Census(first_words(sums)))


def first_words(sums: Ints) -> NDArray[np.uint64]:
    """(K,) first behaviour words of (6, K) sums."""
    return np.ascontiguousarray(sums[WORDS.start]).view(np.uint64)
