"""What is kept of a stream of candidates: their front, the best at each step of cost, and two counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Ints
from .ledger import Ledger
from .pareto import pareto_mask
from .sums import COST, FIGURES, QUALITY, WORDS

STEPS = 2000
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
    tried, distinct : int
        Candidates in the stream, and behaviours among them.
    """

    position: Ints
    sums: Ints
    tried: int
    distinct: int


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
        self._behaviours = np.empty((2, 0), dtype=np.uint64)
        self._pending: list[NDArray[np.uint64]] = []
        self._tried = 0

    @classmethod
    def of(cls, book: Ledger) -> Sieve:
        """For rules on the table of a ledger.

        Cost never falls within a trajectory: firing at once is the cheapest, never firing the dearest.
        """
        return cls(int(book.cost[:, 0].sum()), int(book.cost[:, -1].sum()))

    def add(self, sums: Ints, start: int) -> None:
        """Take in the (6, K) sums of candidates that stand in the stream from ``start`` on."""
        self._count(sums)
        step = self._step(sums[COST])
        np.maximum.at(self._best, step, sums[QUALITY])
        # What a cheaper step surpasses or equals is dominated.
        bar = np.maximum.accumulate(self._best)
        bar = np.concatenate([[np.iinfo(np.int64).min], bar[:-1]])
        hopeful = np.flatnonzero((sums[QUALITY] > bar[step]) | (sums[QUALITY] == self._best[step]))
        taken = np.concatenate([sums[:, hopeful], (hopeful + start)[None]])
        self._held = self._sifted(np.concatenate([self._held, taken], axis=1))

    def kept(self) -> Kept:
        """What is left."""
        self._settle()
        return Kept(
            position=self._held[POSITION],
            sums=self._held[:POSITION],
            tried=self._tried,
            distinct=self._behaviours.shape[1],
        )

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

    def _count(self, sums: Ints) -> None:
        self._tried += sums.shape[1]
        self._pending.append(np.ascontiguousarray(sums[WORDS]).view(np.uint64))
        if sum(part.shape[1] for part in self._pending) > self._behaviours.shape[1]:
            self._settle()

    def _settle(self) -> None:
        if not self._pending:
            return
        self._behaviours = distinct_columns(np.concatenate([self._behaviours, *self._pending], axis=1))
        self._pending.clear()


def whole(sums: Ints) -> Kept:
    """A stream of (6, K) sums of which all is kept."""
    words = np.ascontiguousarray(sums[WORDS]).view(np.uint64)
    count = sums.shape[1]
    return Kept(position=np.arange(count), sums=sums, tried=count, distinct=distinct_columns(words).shape[1])


def distinct_columns(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The distinct columns of (2, K) words, sorted by the first word."""
    ordered = words[:, np.argsort(words[0])]
    same_first = ordered[0, 1:] == ordered[0, :-1]
    same = same_first & (ordered[1, 1:] == ordered[1, :-1])
    if (same != same_first).any():  # equal first words of different behaviours: about one in 2**64 pairs
        ordered = words[:, np.lexsort(words[::-1])]
        same = (ordered[:, 1:] == ordered[:, :-1]).all(axis=0)
    return ordered[:, np.concatenate([[True], ~same])[: words.shape[1]]]
