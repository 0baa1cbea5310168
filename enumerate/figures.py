"""The figures of many rules at once: sums over the ledger of where each trajectory stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Floats, Ints
from .ledger import Ledger


@dataclass(frozen=True, eq=False)
class Figures:
    """What K rules are worth on one table.

    Attributes
    ----------
    quality, cost, calls : (K,) float64
        Macro means over cells: outcome at the stop round, what had been spent by then, and the stop round.
        Each is an exact integer sum over one divisor, so equal sums are equal floats.
    fired : (K,) int64
        Trajectories at which the rule fired.
    behaviour : (2, K) uint64
        128 bits that rules stopping alike share: sums mod 2**64 of random words of (trajectory, stop round).
    """

    quality: Floats
    cost: Floats
    calls: Floats
    fired: Ints
    behaviour: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.fired)

    @classmethod
    def from_sums(
        cls,
        book: Ledger,
        *,
        quality: Ints,
        cost: Ints,
        calls: Ints,
        fired: Ints,
        behaviour: NDArray[np.uint64],
    ) -> Figures:
        """Figures out of (K,) integer sums of the ledger's entries."""
        return cls(
            quality=quality / book.quality_divisor,
            cost=cost / book.cost_divisor,
            calls=calls / book.calls_divisor,
            fired=fired,
            behaviour=behaviour,
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Figures]) -> Figures:
        """The figures of several batches of rules, in their order."""
        return cls(
            quality=np.concatenate([part.quality for part in parts]),
            cost=np.concatenate([part.cost for part in parts]),
            calls=np.concatenate([part.calls for part in parts]),
            fired=np.concatenate([part.fired for part in parts]),
            behaviour=np.concatenate([part.behaviour for part in parts], axis=1),
        )


def tally(states: Ints, book: Ledger) -> Figures:
    """Sum the ledger over the states of K rules.

    Parameters
    ----------
    states : (K, N) int64
        Column of the ledger that a rule reads at a trajectory: stop round - 1, or R when it never fires.
    book : Ledger
    """
    rows = np.arange(states.shape[1])
    return Figures.from_sums(
        book,
        quality=book.quality[rows, states].sum(axis=1),
        cost=book.cost[rows, states].sum(axis=1),
        calls=book.calls[rows, states].sum(axis=1),
        fired=book.fired[rows, states].sum(axis=1),
        behaviour=np.stack([word[rows, states].sum(axis=1, dtype=np.uint64) for word in book.words]),
    )
