"""Candidates with their figures, as a sweep hands them over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ..rules.expression import Rule
from .census import Census
from .figures import Figures
from .filled import Filled
from .ledger import Ledger
from .sieve import Kept
from .sums import figures


@dataclass(frozen=True, eq=False)
class Batch:
    """K candidates that were kept of some that were tried.

    Attributes
    ----------
    rules : sequence of K Rule
        Made on demand where that is cheaper.
    figures : Figures
    tried : int
        Candidates that they were chosen of; K where all were kept.
    census : Census
        The behaviours of all that were tried.
    """

    rules: Sequence[Rule]
    figures: Figures
    tried: int
    census: Census

    @classmethod
    def whole(cls, rules: Sequence[Rule], found: Figures) -> Self:
        """Candidates that are all kept."""
        return cls(rules, found, len(rules), Census(found.behaviour[0]))

    @classmethod
    def kept(cls, rules: Sequence[Rule], what: Kept, book: Ledger) -> Self:
        """What a sieve kept."""
        return cls(rules, figures(what.sums, book), what.tried, what.census)

    @property
    def distinct(self) -> int:
        """Behaviours among those that were tried."""
        return self.census.distinct


@dataclass(frozen=True, eq=False)
class Swept(Batch):
    """Cuts of one shape, ascending for one `?`."""

    rules: Filled


def told_bytes(count: int, letters: int) -> int:
    """At most so many bytes are taken by kept candidates from their figures up to their rows in the table of a search.

    Measured: most of it are texts and what polars makes of them.

    Parameters
    ----------
    count : int
    letters : int
        Of the text of each before its cuts are filled in.
    """
    return (640 + 4 * letters) * count
