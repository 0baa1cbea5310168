"""Many rules against one of them: paired differences in every outcome and in cost, with percentile intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..enumerate.encode import mask_states
from ..enumerate.replay import chunks, states
from ..rules.arrays import check_all
from ..rules.expression import Rule
from ..trajectories.table import Trajectories
from .bootstrap import strata
from .resampling import resampled_intervals

if TYPE_CHECKING:
    import polars as pl


def rule_differences(
    rules: Sequence[Rule], t: Trajectories, baseline: Rule, *, draws: int = 1000, seed: int = 42, jobs: int = 1
) -> pl.DataFrame:
    """What each rule gives more than a baseline does, with the 95% interval of the paired bootstrap.

    Groups are resampled, a question's cells together. On rows that a rule was chosen on, its interval says nothing
    about new questions: it is for rules that were fixed beforehand, as in a published table.

    Parameters
    ----------
    rules : sequence of K Rule
    t : Trajectories
    baseline : Rule
        The difference is the rule's figure less the baseline's.
    draws : int
        At least 1.
    seed : int
        At least 0.
    jobs : int
        Threads; no byte of the result depends on them.

    Returns
    -------
    polars.DataFrame
        K rows in the order of the rules: rule; and for each outcome, and for cost, the macro mean of the
        difference under its own name, and its interval under name_low and name_high. Cost is named by its
        column, or calls.

    Raises
    ------
    RuleError
        When a rule reads what the table does not have, or has a `?`.
    StudyError
        When draws, seed or jobs are out of range.

    Examples
    --------
    >>> rule_differences([repeat("answer"), fixed(2)], t, fixed(3))  # doctest: +SKIP
    """
    import polars as pl

    check_all([baseline, *rules], t)
    groups, rows = strata(t.cell, t.group), np.arange(len(t))
    figures = {**t.outcomes, t.roles.cost_name: t.cost}
    by_state = [np.column_stack([values, values[rows, t.length - 1]]) for values in figures.values()]
    of_baseline = states([baseline], t)[0]
    beyond = np.stack([values - values[rows, of_baseline][:, None] for values in by_state]).reshape(len(figures), -1)
    parts = [np.empty((len(figures), 0, 3))]
    for run in chunks(rules, t):
        here = rows * (t.rounds + 1) + mask_states(run, t)
        differences = beyond.take(here, axis=1).reshape(-1, len(t))
        found = np.empty((len(differences), 3))
        found[:, 0] = np.einsum("kn,n->k", differences, groups.weight)
        found[:, 1:] = resampled_intervals(differences, groups, draws=draws, seed=seed, jobs=jobs)
        parts.append(found.reshape(len(figures), -1, 3))
    table = np.concatenate(parts, axis=1)
    columns = {
        f"{name}{end}": table[i, :, j] for i, name in enumerate(figures) for j, end in enumerate(("", "_low", "_high"))
    }
    return pl.DataFrame({"rule": [str(rule) for rule in rules], **columns})
