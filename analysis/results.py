"""What an evaluation holds: figures by cell and macro, beside their baselines, ready for evaluation.json."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .breakdown import Level
from .depths import Depth, TimeSharing
from .difference_tests import DifferenceTest
from .early import EarlyStops
from .intervals import Estimate, Method
from .outcomes import OutcomeFigures
from .wording import Wording


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


@dataclass(frozen=True, kw_only=True)
class Performance:
    """What one rule is worth on the trajectories of a scope.

    Attributes
    ----------
    name : str
        fixed(k), oracle, or the text of the rule.
    deployable : bool
        False for the oracle.
    quality, cost, calls : Estimate
        In the units of the data; calls is the mean stop round.
    fired, exhausted : int
        Trajectories at which the rule fired, and at which it never did.
    stop_rounds : round -> int
        Trajectories that stop at each round, 1 to the last.
    """

    name: str
    deployable: bool
    quality: Estimate
    cost: Estimate
    calls: Estimate
    fired: int
    exhausted: int
    stop_rounds: Mapping[int, int]

    def to_dict(self) -> dict[str, Any]:
        """The figures under the keys of `replay --json`, the intervals apart."""
        figures = {"quality": self.quality, "cost": self.cost, "calls": self.calls}
        return {
            "deployable": self.deployable,
            **{name: _number(figure.value) for name, figure in figures.items()},
            "fired": self.fired,
            "exhausted": self.exhausted,
            "stop_rounds": {str(r): count for r, count in self.stop_rounds.items()},
            "intervals": {name: figure.to_dict() for name, figure in figures.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A rule against one baseline, on the same trajectories and the same resamples.

    Attributes
    ----------
    baseline : str
    deployable : bool
        Whether the baseline could be deployed.
    quality_difference, cost_difference, calls_difference : Estimate
        Rule minus baseline.
    retention, cost_ratio : Estimate
        Macro mean of the rule over that of the baseline.
    test : DifferenceTest
        Of the difference in quality.
    wins, ties, losses : int
        Questions at which the rule's quality, the mean over a question's cells, is above, equal to, below the
        baseline's.
    alike : int
        Trajectories that both stop at the same round.
    """

    baseline: str
    deployable: bool
    quality_difference: Estimate
    cost_difference: Estimate
    calls_difference: Estimate
    retention: Estimate
    cost_ratio: Estimate
    test: DifferenceTest
    wins: int
    ties: int
    losses: int
    alike: int

    @property
    def saving(self) -> Estimate:
        """Share of the *baseline's* cost that is not spent; negative when the rule costs more than it."""
        ratio = self.cost_ratio
        return Estimate(1 - ratio.value, 1 - ratio.high, 1 - ratio.low, ratio.degenerate, ratio.reason)

    def to_dict(self) -> dict[str, Any]:
        """The comparison; every saving names its baseline."""
        return {
            "baseline": self.baseline,
            "deployable": self.deployable,
            "quality_difference": self.quality_difference.to_dict(),
            **self.test.to_dict(),
            "cost_difference": self.cost_difference.to_dict(),
            "calls_difference": self.calls_difference.to_dict(),
            "retention": self.retention.to_dict(),
            "cost_ratio": self.cost_ratio.to_dict(),
            "saving": {"of": self.baseline, **self.saving.to_dict()},
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "alike": self.alike,
        }


@dataclass(frozen=True, kw_only=True)
class Scope:
    """One cell, or all of them with macro means.

    Attributes
    ----------
    n : int
        Trajectories.
    groups : int
        Units of resampling.
    rule : Performance
    baselines : name -> Performance
    comparisons : name -> Comparison
        Of the rule with each baseline.
    early : EarlyStops
        What the rounds that the rule did not run would have changed.
    """

    n: int
    groups: int
    rule: Performance
    baselines: Mapping[str, Performance]
    comparisons: Mapping[str, Comparison]
    early: EarlyStops

    def to_dict(self) -> dict[str, Any]:
        """The scope, the rule's own figures on top."""
        return {
            "n": self.n,
            "groups": self.groups,
            **{name: value for name, value in self.rule.to_dict().items() if name != "deployable"},
            "baselines": {name: one.to_dict() for name, one in self.baselines.items()},
            "comparisons": {name: one.to_dict() for name, one in self.comparisons.items()},
            "early_stops": self.early.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class Contender:
    """Another rule of the selection front, macro only: not locked, shown beside the one that is.

    Attributes
    ----------
    rule, id : str
    adaptive : bool
        Whether the rule looks at more than the number of the round.
    quality, cost, calls : Estimate
    differences : baseline -> Estimate
        Quality minus that of the baseline.
    """

    rule: str
    id: str
    adaptive: bool
    quality: Estimate
    cost: Estimate
    calls: Estimate
    differences: Mapping[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """The contender for JSON."""
        return {
            "rule": self.rule,
            "id": self.id,
            "adaptive": self.adaptive,
            "quality": self.quality.to_dict(),
            "cost": self.cost.to_dict(),
            "calls": self.calls.to_dict(),
            "quality_differences": {name: one.to_dict() for name, one in self.differences.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A rule on the final split.

    Attributes
    ----------
    rule, id : str
    adaptive : bool
        Whether the rule looks at more than the number of the round.
    quality_name, cost_name : str
        Columns; cost is "calls" without a cost column.
    percent : bool
        Whether quality is an F1 or EM stored as a fraction, which is printed x100.
    reference : str or None
        The longest fixed(k) among the baselines, to which retention and cost ratio usually refer.
    macro : Scope
    cells : name -> Scope
        Empty without a cell column.
    comparator : str or None
        The fixed(k) that the rule's policy chose on the selection split, whose comparison was planned: its p-value
        is its own. Holm's correction covers the declared baselines and the other fixed(k).
    contenders : tuple of Contender
    outcomes : tuple of OutcomeFigures
        The same stops by the other declared outcomes, macro.
    depths : tuple of Depth
        The rule against every fixed(k), macro.
    time_sharing : TimeSharing
        The rule against a lottery of two fixed depths that costs the same, macro.
    levels : tuple of Level
        The breakdown by the labels of the table.
    draws, seed : int
    interval : str
    notes, verdicts : tuple of str
        Properties of the data that change how figures read; what the figures say, in sentences.
    """

    rule: str
    id: str
    adaptive: bool
    quality_name: str
    cost_name: str
    percent: bool
    reference: str | None
    macro: Scope
    cells: Mapping[str, Scope]
    comparator: str | None
    contenders: tuple[Contender, ...]
    outcomes: tuple[OutcomeFigures, ...]
    depths: tuple[Depth, ...]
    time_sharing: TimeSharing
    levels: tuple[Level, ...]
    draws: int
    seed: int
    interval: Method
    notes: tuple[str, ...]
    verdicts: tuple[str, ...] = ()

    @property
    def wording(self) -> Wording:
        """How its figures are printed."""
        return Wording(self.quality_name, self.cost_name, self.percent)

    def to_dict(self) -> dict[str, Any]:
        """The evaluation for evaluation.json: no NaN, no clock, no path."""
        return {
            "rule": self.rule,
            "id": self.id,
            "adaptive": self.adaptive,
            "quality_name": self.quality_name,
            "cost_name": self.cost_name,
            "percent": self.percent,
            "reference": self.reference,
            **self.macro.to_dict(),
            "cells": {name: scope.to_dict() for name, scope in self.cells.items()},
            "comparator": self.comparator,
            "contenders": [one.to_dict() for one in self.contenders],
            "outcomes": {one.outcome: one.to_dict() for one in self.outcomes},
            "depths": [one.to_dict() for one in self.depths],
            "time_sharing": self.time_sharing.to_dict(),
            "breakdown": {
                column: [one.to_dict() for one in self.levels if one.column == column]
                for column in dict.fromkeys(one.column for one in self.levels)
            },
            "bootstrap": {"draws": self.draws, "seed": self.seed, "interval": self.interval, "level": 0.95},
            "notes": list(self.notes),
            "verdicts": list(self.verdicts),
        }
