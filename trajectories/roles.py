"""Which column plays which part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Normaliser = Literal["robust", "squad", "tasr", "exact"]


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Column names by role; ``None`` where a role has no column.

    ``signals`` is None when every remaining numeric or Boolean column counts as one (`check`, `replay`).
    ``range`` holds the declared lowest and highest possible quality.
    """

    question: str = "question"
    round: str = "round"
    quality: str = "quality"
    cell: str | None = None
    group: str | None = None
    answer: str | None = None
    text: str | None = None
    split: str | None = None
    cost: str | None = None
    outcomes: tuple[str, ...] = ()
    signals: tuple[str, ...] | None = None
    range: tuple[float, float] | None = None
    normalise: Normaliser = "robust"
