"""What was observed and what the controller makes of it: two records, a fact and a proxy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .budget import Budget
from .units import Reference, Unit
from .words import Features, is_identifier

PROXY = "term coverage"


@dataclass(frozen=True, slots=True)
class Observation:
    """A unit that a search returned and that was read.

    Attributes
    ----------
    tool, rank, score
        The search that returned it first, its place there (from 1) and its score.
    reference : Reference
        Which unit, at which revision.
    unit : Unit
        The passage itself; out of ``repr``.
    overlap : tuple of str
        The retained query terms that the passage holds.
    """

    tool: str
    rank: int
    score: float
    reference: Reference
    unit: Unit = field(repr=False)
    overlap: tuple[str, ...]

    @classmethod
    def of(cls, tool: str, rank: int, score: float, unit: Unit, features: Features) -> Observation:
        return cls(tool, rank, float(score), unit.reference, unit, features.held_by(unit.content))


@dataclass(frozen=True, slots=True)
class Assessment:
    """The controller's judgement of its observations: a proxy, not a finding that an answer is right.

    Attributes
    ----------
    coverage : float or None
        Share of the retained query terms that the best unit holds; None when the query retains no term.
    best : Reference or None
        That unit, the earliest observed where several hold as much; None when no unit fits the packet.
    matched, missing : tuple of str
        The retained terms that the best unit holds and lacks.
    identifiers_matched : bool or None
        Whether it holds every identifier of the query; None when the query names none.
    threshold : float
    sufficient : bool
        Provisionally: the coverage is at or over the threshold.
    """

    coverage: float | None
    best: Reference | None
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    identifiers_matched: bool | None
    threshold: float
    sufficient: bool
    proxy: str = PROXY


def assess(features: Features, observations: Sequence[Observation], budget: Budget, threshold: float) -> Assessment:
    """Coverage by the best unit among those that would fit the packet by themselves."""
    fitting = [
        observation
        for observation in observations
        if budget.packet_units and len(observation.unit.content) <= budget.packet_characters
    ]
    best = max(fitting, key=lambda observation: len(observation.overlap), default=None)
    matched = best.overlap if best else ()
    missing = tuple(term for term in features.terms if term not in matched)
    coverage = len(matched) / len(features.terms) if features.terms else None
    return Assessment(
        coverage=coverage,
        best=best.reference if best else None,
        matched=matched,
        missing=missing,
        identifiers_matched=not any(map(is_identifier, missing)) if features.identifiers else None,
        threshold=threshold,
        sufficient=coverage is not None and coverage >= threshold,
    )
