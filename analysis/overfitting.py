"""Probability of backtest overfitting: does what is chosen on one half rank below the middle on the other?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..enumerate.workers import ALONE, Workers
from ..trajectories.errors import StudyError
from ..trajectories.table import Floats
from .blas import one_thread
from .blocks import BLOCKS, HALF, fills_blocks, pair_means
from .bootstrap import Strata
from .halves import ROUNDING, Behaviours, Chosen
from .selection import Budget, Utility
from .streams import whole_number

LEAST_BEHAVIOURS = 8
ASSIGNMENTS = 20


@dataclass(frozen=True, kw_only=True)
class OverfitProbability:
    """How often the choice of one half of the groups is in the worse half of the candidates on the other.

    Attributes
    ----------
    by_assignment : tuple of float
        The probability for each way of dealing the groups into blocks; empty where it is undefined.
    over_budget : float
        Share of second halves in which the choice costs more than the budget; NaN for `Utility`.
    without_choice : float
        Share of halves in which no behaviour was within the budget; they are left out.
    behaviours : int
        Distinct ones.
    reason : str or None
        Why it is undefined.
    """

    by_assignment: tuple[float, ...]
    over_budget: float
    without_choice: float
    behaviours: int
    reason: str | None = None

    @property
    def value(self) -> float:
        """Mean over the assignments; NaN where it is undefined. About 1/2 where nothing can be learnt."""
        return float(np.mean(self.by_assignment)) if self.by_assignment else math.nan

    @property
    def range(self) -> tuple[float, float]:
        """The least and the most over the assignments; never a gate on its own."""
        return (min(self.by_assignment), max(self.by_assignment)) if self.by_assignment else (math.nan, math.nan)


def overfit_probability(
    quality: Floats,
    cost: Floats,
    groups: Strata,
    policy: Budget | Utility,
    *,
    assignments: int = ASSIGNMENTS,
    workers: Workers = ALONE,
) -> OverfitProbability:
    """Combinatorially symmetric cross-validation (Bailey, Borwein, Lopez de Prado and Zhu, J. Comp. Finance 20, 2017).

    Groups are dealt into 16 blocks by hash. For each of the 12,870 choices of 8 blocks the policy chooses a
    behaviour on these; omega is its mid-rank, as a share, on the other 8, among the behaviours that were
    eligible on the first. The probability is the share of omega < 1/2 and half the share of omega = 1/2.

    Parameters
    ----------
    quality, cost : (K, N) float64
        What each behaviour gives at its stop round in each trajectory. Rows that are equal in both are one.
        Ties of the policy go to less cost, then to the first row.
    groups : Strata
        Of the same N trajectories.
    policy : Budget or Utility
        For a policy that takes the cheapest the rank would say nothing about overfitting.
    assignments : int
        Ways of dealing the blocks, at least 1.
    workers : Workers
        Who goes through them; no figure depends on it.

    Raises
    ------
    StudyError
        When the policy is another or the assignments are no count.
    """
    if not isinstance(policy, Budget | Utility):
        raise StudyError(f"the overfit probability is defined for budget and utility, not for {policy.name}")
    whole_number("assignments", assignments, least=1)
    distinct = np.sort(np.unique(np.hstack([quality, cost]), axis=0, return_index=True)[1])
    if len(distinct) < LEAST_BEHAVIOURS:
        return _undefined(f"distinct behaviours are fewer than {LEAST_BEHAVIOURS}", len(distinct))
    if not fills_blocks(groups):
        return _undefined(f"a cell has too few groups to be dealt into {BLOCKS} blocks", len(distinct))
    earned, spent = pair_means(quality[distinct], groups), pair_means(cost[distinct], groups)
    if isinstance(policy, Budget):
        limit = policy.max_cost + ROUNDING * abs(policy.max_cost)
        behaviours = Behaviours(earned, spent, limit)
    else:
        behaviours = Behaviours(earned - policy.price * spent, spent, math.inf)
    chosen, below, over = _counted(behaviours, groups, assignments, workers).T
    if not chosen.all():
        return _undefined("no behaviour is within the budget on any half", len(distinct))
    return OverfitProbability(
        by_assignment=tuple((below / chosen).tolist()),
        over_budget=float(over.sum() / chosen.sum()) if isinstance(policy, Budget) else math.nan,
        without_choice=float(1 - chosen.mean() / math.comb(BLOCKS, HALF)),
        behaviours=len(distinct),
    )


@dataclass(frozen=True, kw_only=True)
class BrokenConstraint:
    """How often what one half of the groups chooses breaks the constraint on the other.

    Attributes
    ----------
    by_assignment : tuple of float
        The share of splits for each way of dealing the groups into blocks; empty where it is undefined.
    without_choice : float
        Share of halves on which no behaviour met the constraint; they are left out.
    """

    by_assignment: tuple[float, ...]
    without_choice: float

    @property
    def value(self) -> float:
        """Mean over the assignments; NaN where it is undefined."""
        return float(np.mean(self.by_assignment)) if self.by_assignment else math.nan

    @property
    def range(self) -> tuple[float, float]:
        """The least and the most over the assignments."""
        return (min(self.by_assignment), max(self.by_assignment)) if self.by_assignment else (math.nan, math.nan)


def broken_constraint(
    surplus: Floats, cost: Floats, groups: Strata, *, assignments: int = ASSIGNMENTS, workers: Workers = ALONE
) -> BrokenConstraint:
    """The splits of `overfit_probability` for policies that take the cheapest rule which meets a constraint.

    Its rank on the other half says nothing (the cheapest is cheap again); whether it meets the constraint there does.

    Parameters
    ----------
    surplus : (K, N) float64
        What the constraint asks to have a macro mean of at least 0, as in quality - share x that of a reference.
    cost : (K, N) float64
    groups : Strata
        Of the same N trajectories.
    assignments : int
    workers : Workers

    Raises
    ------
    StudyError
        When the assignments are no count.
    """
    whole_number("assignments", assignments, least=1)
    if not fills_blocks(groups):
        return BrokenConstraint(by_assignment=(), without_choice=math.nan)
    gained = pair_means(surplus, groups)
    behaviours = Behaviours(-pair_means(cost, groups), -gained, ROUNDING * float(np.abs(gained).max()))
    chosen, _, broken = _counted(behaviours, groups, assignments, workers, ranks=False).T
    if not chosen.all():
        return BrokenConstraint(by_assignment=(), without_choice=1.0)
    return BrokenConstraint(
        by_assignment=tuple((broken / chosen).tolist()),
        without_choice=float(1 - chosen.sum() / (assignments * math.comb(BLOCKS, HALF))),
    )


def _undefined(reason: str, behaviours: int) -> OverfitProbability:
    return OverfitProbability(
        by_assignment=(), over_budget=math.nan, without_choice=math.nan, behaviours=behaviours, reason=reason
    )


def _counted(
    behaviours: Behaviours, groups: Strata, assignments: int, workers: Workers, *, ranks: bool = True
) -> Floats:
    """(assignments, 3) what `_counts` tells of each."""
    runs = np.array_split(np.arange(assignments), min(workers.abreast, assignments))
    counts = partial(_counts_of, behaviours, groups, ranks)
    return np.concatenate(list(workers.results(partial(counts, run.tolist()) for run in runs)))


def _counts_of(behaviours: Behaviours, groups: Strata, ranks: bool, assignments: list[int]) -> Floats:
    with one_thread():
        return np.array([_counts(behaviours.chosen(groups, i, ranks=ranks), behaviours.limit) for i in assignments])


def _counts(chosen: Chosen, limit: float) -> tuple[float, float, float]:
    """Splits with a choice; those in which it ranks below the middle, ties half; those in which it costs too much."""
    lead, cost = chosen.lead[chosen.some], chosen.cost[chosen.some]
    # mid-rank - 1/2 = lower + ties / 2, so that omega < 1/2 where fewer are lower than higher
    below = (lead < 0).sum() + (lead == 0).sum() / 2
    return float(len(lead)), float(below), float((cost > limit).sum())
