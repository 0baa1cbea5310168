"""How often each rule of a family is on the front when the groups are drawn again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..enumerate.replay import states, stop_rounds
from ..rules.arrays import check
from ..rules.expression import Rule
from ..trajectories.table import Floats, Trajectories
from .bootstrap import strata
from .resampling import resampled_means, stability

DRAWS = 500  # a share of 1/2 is then known to within .045


def front_stability(rules: Sequence[Rule], t: Trajectories, *, draws: int = DRAWS, seed: int = 42) -> Floats:
    """The share of resamples of the groups in which each rule is on the front of the family.

    Parameters
    ----------
    rules : sequence of K Rule
        The whole family: a rule is on the front when no other of them dominates it.
    t : Trajectories
    draws, seed : int
        Groups are drawn as `bootstrap.drawn_groups` does; quality and cost see the same ones.

    Returns
    -------
    (K,) float64

    Raises
    ------
    RuleError
        When a rule reads what the table does not have.
    StudyError
        When draws or seed are out of range.
    """
    for rule in rules:
        check(rule, t)
    stop = stop_rounds(states(rules, t), t.length) - 1
    here, groups = np.arange(len(t)), strata(t.cell, t.group)
    quality, cost = (
        resampled_means(values[here, stop], groups, draws=draws, seed=seed) for values in (t.quality, t.cost)
    )
    return stability(quality, cost)
