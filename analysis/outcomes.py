"""The same stops by every declared outcome: does a difference at one depth hold at another?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trajectories.table import Floats, Trajectories
from .baselines import Stops
from .bootstrap import PairedBootstrap
from .intervals import Estimate


@dataclass(frozen=True, kw_only=True)
class OutcomeFigures:
    """A rule and its baselines by one outcome, such as nDCG@3 beside nDCG@4.

    Attributes
    ----------
    outcome : str
    value : Estimate
        Macro mean of the rule.
    baselines, differences : name -> Estimate
        Macro mean of each baseline, and of the rule minus it.
    """

    outcome: str
    value: Estimate
    baselines: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "value": self.value.to_dict(),
            "baselines": {
                name: {"value": one.to_dict(), "difference": self.differences[name].to_dict()}
                for name, one in self.baselines.items()
            },
        }


def outcome_columns(t: Trajectories, everyone: Sequence[Stops]) -> dict[Hashable, Floats]:
    """Every declared outcome where each of the rules stops, the quality aside, which is a column already."""
    rows = np.arange(len(t))
    return {
        ("outcome", one.name, outcome): t.outcomes[outcome][rows, one.stop_round - 1]
        for one in everyone
        for outcome in t.roles.outcomes
    }


def outcome_figures(
    names: Sequence[str], rule: str, others: Sequence[str], bootstrap: PairedBootstrap
) -> tuple[OutcomeFigures, ...]:
    """The figures of a rule by each of the outcomes ``names``, on the resamples of the rest."""
    return tuple(
        OutcomeFigures(
            outcome=outcome,
            value=bootstrap.mean(("outcome", rule, outcome)),
            baselines={other: bootstrap.mean(("outcome", other, outcome)) for other in others},
            differences={
                other: bootstrap.difference(("outcome", rule, outcome), ("outcome", other, outcome)) for other in others
            },
        )
        for outcome in names
    )
