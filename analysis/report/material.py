"""What a report is made of: what stands in the folder of a search, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...rules.lockfile import Lock
from ..looks import Entry as Look
from ..wording import PERCENT_NAMES
from .tables import Units

if TYPE_CHECKING:
    import polars as pl

Content = Mapping[str, Any]


@dataclass(frozen=True)
class Picture:
    """A picture of the folder: its name without the ending, its media type, and its bytes."""

    name: str
    media: str
    content: bytes


@dataclass(frozen=True, eq=False, kw_only=True)
class Material:
    """The artefacts of one search, and of what came after it.

    Attributes
    ----------
    lock : Lock
        Verified.
    looks : sequence of Look
        The look log, verified.
    study : str
        The study file, verbatim.
    search : sequence of mappings
        Its ``[[search]]`` tables, as they were read.
    overrides : sequence of str
        ``--set`` of the search.
    candidates : polars.DataFrame
        quality and cost of every candidate.
    front : polars.DataFrame
        Every column of the candidates on the front.
    stopping : polars.DataFrame or None
        Of `stopping_frame`; None where the search left none.
    signals : polars.DataFrame or None
    evaluation, audit : mapping or None
        Those of this lock; None before they ran.
    stops : polars.DataFrame or None
        Where each question of the final split stopped, kept by the evaluation.
    pictures : sequence of Picture
    """

    lock: Lock
    looks: Sequence[Look]
    study: str
    search: Sequence[Content]
    overrides: Sequence[str]
    candidates: pl.DataFrame
    front: pl.DataFrame
    stopping: pl.DataFrame | None
    signals: pl.DataFrame | None
    evaluation: Content | None
    audit: Content | None
    stops: pl.DataFrame | None
    pictures: Sequence[Picture]

    @cached_property
    def units(self) -> Units:
        """How figures are printed."""
        roles = self.lock.roles
        if self.evaluation is not None:
            percent = bool(self.evaluation["percent"])
        else:
            named = not PERCENT_NAMES.isdisjoint(roles.quality.lower().split("_"))
            percent = named and bool(self.candidates["quality"].is_between(0, 1).all())
        return Units(roles.quality, roles.cost_name, percent)

    @property
    def marks(self) -> list[str]:
        """What every artefact carries: an exploratory second look, calibrators fitted on the final split."""
        marks = [] if self.evaluation is None else list(self.evaluation["marks"])
        return list(dict.fromkeys([*marks, *(each.reason for each in self.looks if each.reason is not None)]))
