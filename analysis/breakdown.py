"""Figures by a label of the questions, such as their type; small groups marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trajectories.errors import StudyError
from ..trajectories.table import Trajectories
from .baselines import Stops
from .bootstrap import PairedBootstrap
from .intervals import Estimate

SMALL = 30  # groups; below it an interval is a rough guess
MOST_VALUES = 50

Resample = Callable[[Trajectories, Sequence[Stops]], PairedBootstrap]


@dataclass(frozen=True, kw_only=True)
class Level:
    """The trajectories with one value of a label.

    Attributes
    ----------
    column, value : str
        ``value`` is "" where the label is missing.
    n, groups : int
        Trajectories, and units of resampling.
    small : bool
        Fewer than 30 groups.
    quality, cost, calls : Estimate
        Of the rule; macro over the cells that have the value.
    baselines : name -> (quality, difference)
        Quality of a baseline, and of the rule minus it.
    """

    column: str
    value: str
    n: int
    groups: int
    quality: Estimate
    cost: Estimate
    calls: Estimate
    baselines: dict[str, tuple[Estimate, Estimate]]

    @property
    def small(self) -> bool:
        """Whether the groups are too few to lean on."""
        return self.groups < SMALL

    def to_dict(self) -> dict[str, Any]:
        """The level for JSON."""
        return {
            "value": self.value,
            "n": self.n,
            "groups": self.groups,
            "small": self.small,
            "quality": self.quality.to_dict(),
            "cost": self.cost.to_dict(),
            "calls": self.calls.to_dict(),
            "baselines": {
                name: {"quality": quality.to_dict(), "quality_difference": difference.to_dict()}
                for name, (quality, difference) in self.baselines.items()
            },
        }


def breakdown(t: Trajectories, rule: Stops, others: Sequence[Stops], resample: Resample) -> tuple[Level, ...]:
    """The rule and its baselines for every value of every label of a table.

    Parameters
    ----------
    t : Trajectories
    rule, others : Stops
        Of the same trajectories.
    resample : callable
        Gives the paired bootstrap of some stops on some trajectories.

    Raises
    ------
    StudyError
        When a label has more than 50 values, so that it is no kind of question.
    """
    levels = []
    for column, labels in t.labels.items():
        values = sorted(set(labels))
        if len(values) > MOST_VALUES:
            raise StudyError(
                f"{column!r} has {len(values)} values in the final split, at most {MOST_VALUES} make a breakdown; "
                "name a column with fewer, or put the values in classes first"
            )
        for value in values:
            rows = np.asarray(labels == value, dtype=np.bool_)
            own, *rest = (one.take(rows) for one in (rule, *others))
            drawn = resample(t.take(rows), [own, *rest])
            levels.append(_level(column, value, own, rest, drawn))
    return tuple(levels)


def _level(column: str, value: str, rule: Stops, others: Sequence[Stops], drawn: PairedBootstrap) -> Level:
    return Level(
        column=column,
        value=value,
        n=len(rule.stop_round),
        groups=len(drawn.strata.groups),
        quality=drawn.mean((rule.name, "quality")),
        cost=drawn.mean((rule.name, "cost")),
        calls=drawn.mean((rule.name, "calls")),
        baselines={
            one.name: (
                drawn.mean((one.name, "quality")),
                drawn.difference((rule.name, "quality"), (one.name, "quality")),
            )
            for one in others
        },
    )
