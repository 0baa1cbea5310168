"""Candidates with their figures, as a sweep hands them over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..rules.expression import Rule
from ..trajectories.table import Trajectories
from .figures import Figures
from .ledger import Ledger


@dataclass(frozen=True, eq=False)
class Batch:
    """K candidates and their figures; the rules may be made on demand."""

    rules: Sequence[Rule]
    figures: Figures


class Sweep(Protocol):
    """A fast way through all exact cuts of the shapes that it knows."""

    def __call__(self, shape: Rule, t: Trajectories, book: Ledger, max_cells: int | None) -> Batch | None:
        """The candidates of a shape, or None for a shape that it does not know."""
