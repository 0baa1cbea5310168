"""The figures of a ledger as one stack of integers, so that a sweep carries them all alike."""

from __future__ import annotations

import numpy as np

from ..trajectories.errors import SearchError
from ..trajectories.table import Ints
from .figures import Figures
from .ledger import Ledger

FIGURES = 6


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


def check_weights(weights: Ints, tables: Ints) -> None:
    """Refuse weights under which a sum of the tables could leave the range of int64.

    Raises
    ------
    SearchError
        Naming the largest weight. Behaviour words are meant to wrap: pass the other tables only.
    """
    largest = np.abs(tables).max(axis=-1, initial=0).astype(np.float64)
    if float((largest @ np.abs(weights).astype(np.float64)).max(initial=0.0)) >= 2.0**63:
        raise SearchError(
            f"weights: sums with a weight of {int(np.abs(weights).max())} do not fit 64 bits; "
            "use weights that add up to about the number of trajectories"
        )
