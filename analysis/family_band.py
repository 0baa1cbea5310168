"""The band around the frontier of a family of rules, out of their replay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..enumerate.replay import states, stop_rounds
from ..rules.arrays import check
from ..rules.expression import Rule
from ..trajectories.errors import StudyError
from ..trajectories.table import Floats, Trajectories
from .bootstrap import strata
from .differences import MatrixDifferences
from .resampling import contributions
from .simultaneous import Band, frontier_band, simultaneous


def family_band(
    rules: Sequence[Rule],
    baseline: Rule,
    t: Trajectories,
    *,
    alpha: float = 0.05,
    draws: int = 2000,
    seed: int = 42,
) -> Band:
    """The simultaneous band in which the frontier of a family's true means runs, minus a baseline.

    Parameters
    ----------
    rules : sequence of Rule
        The whole family; over a part of it the band would not cover a rule that was picked from the rest.
    baseline : Rule
    t : Trajectories
    alpha, draws, seed
        As `simultaneous`.

    Raises
    ------
    RuleError
        When a rule reads what the table does not have.
    StudyError
        Without a rule, and for settings out of range.
    """
    if not rules:
        raise StudyError("a band needs a family of rules: give one rule at least")
    for rule in (baseline, *rules):
        check(rule, t)
    units = strata(t.cell, t.group)
    stop = stop_rounds(states([baseline, *rules], t), t.length) - 1
    here = np.arange(len(t))

    def minus_baseline(values: Floats) -> MatrixDifferences:
        chosen = values[here, stop]
        return MatrixDifferences([contributions(chosen[1:] - chosen[0], units) * len(units.groups)])

    return frontier_band(
        simultaneous(
            minus_baseline(t.quality), minus_baseline(t.cost), units.sizes, alpha=alpha, draws=draws, seed=seed
        )
    )
