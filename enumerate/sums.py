"""The figures of a ledger as one stack of integers, so that a sweep carries them all alike."""

from __future__ import annotations

import numpy as np

from ..trajectories.table import Ints
from .figures import Figures
from .ledger import Ledger

FIGURES = 6
QUALITY, COST, CALLS, FIRED = range(4)
WORDS = slice(4, 6)


def columns(book: Ledger) -> Ints:
    """(6, N, R + 1) int64: quality, cost, calls, fired and the two behaviour words, whose sums may wrap."""
    words = book.words.view(np.int64)
    return np.stack([book.quality, book.cost, book.calls, book.fired, words[0], words[1]])


def figures(sums: Ints, book: Ledger) -> Figures:
    """The figures of the rules whose (6, ...) sums of `columns` are given, flattened in C order."""
    quality, cost, calls, fired, *words = sums.reshape(FIGURES, -1)
    return Figures.from_sums(
        book,
        quality=quality,
        cost=cost,
        calls=calls,
        fired=fired,
        behaviour=np.stack(words).view(np.uint64),
    )
