"""How many behaviours a search met, counted in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

MOST = 2**24  # words held: 128 MB
FEWEST = 2**16  # words awaited before they are sorted in


class Census:
    """Counts distinct behaviours by their first word: exactly below 16.8 million, closely above.

    Of uniform words the smallest tell how many there are: with the k smallest of them kept, of which u is the
    largest as a fraction of 2**64, (k - 1) / u is off by 1 / sqrt(k), here 0.02% (Bar-Yossef et al., Counting
    distinct elements in a data stream, 2002). The count does not depend on the order of what is added.

    Parameters
    ----------
    words : (K,) uint64
    """

    def __init__(self, words: Words | None = None) -> None:
        self._smallest = np.empty(0, dtype=np.uint64)
        self._waiting: list[Words] = []
        if words is not None:
            self.add(words)

    @classmethod
    def of(cls, parts: Iterable[Census]) -> Census:
        """All that several censuses counted."""
        total = cls()
        for part in parts:
            total.add(part.words)
        return total

    def add(self, words: Words) -> None:
        """Take in the (K,) uint64 first words of some behaviours."""
        if len(self._smallest) == MOST:
            words = words[words < self._smallest[-1]]
        self._waiting.append(words.copy())  # no view: it would keep what it is a part of
        if sum(map(len, self._waiting)) > max(FEWEST, len(self._smallest)):
            self._settle()

    @property
    def held(self) -> int:
        """How many words are held, some of them more than once."""
        return len(self._smallest) + sum(map(len, self._waiting))

    @property
    def words(self) -> Words:
        """The distinct words, ascending; the smallest of them where they are very many."""
        self._settle()
        return self._smallest

    @property
    def distinct(self) -> int:
        """How many behaviours there are."""
        words = self.words
        return len(words) if len(words) < MOST else int((MOST - 1) / (float(words[-1]) / 2**64))

    def _settle(self) -> None:
        if self._waiting:
            every = np.concatenate([self._smallest, *self._waiting])
            self._waiting.clear()  # they are let go before the rest is made: there may be very many
            self._smallest = np.empty(0, dtype=np.uint64)
            every.sort()
            leads = np.ones(len(every), dtype=bool)
            leads[1:] = every[1:] != every[:-1]
            found = every[leads]
            del every
            self._smallest = found if len(found) <= MOST else found[:MOST].copy()


def census_bytes(words: int, part: int) -> int:
    """At most so many bytes are taken by counting words, and by adding the count to another.

    Words are held as they came, sorted in, and while others are counted; as many wait as are held already.

    Parameters
    ----------
    words : int
        Distinct or not.
    part : int
        How many come at once.
    """
    each = np.dtype(np.uint64).itemsize
    return max((2 * each + 1) * min(words, 2 * MOST + part), (3 * each + 1) * min(words, MOST))
