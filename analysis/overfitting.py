"""Probability of backtest overfitting: does what is chosen on one half rank below the middle on the other?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..trajectories.errors import StudyError
from ..trajectories.table import Bools, Floats, Ints
from .bootstrap import Strata
from .selection import Budget, Utility
from .streams import whole_number
from .units import ranked

BLOCKS = 16
HALF = BLOCKS // 2
LEAST_BEHAVIOURS = 8
ASSIGNMENTS = 20
ROUNDING = 1e-12  # of the largest figure; halves this close tie
AT_ONCE = 2**15  # figures made at a time: they stay in the processor's cache

Figures = tuple[Floats, Floats]  # quality and cost, (splits, K) each


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
    quality: Floats, cost: Floats, groups: Strata, policy: Budget | Utility, *, assignments: int = ASSIGNMENTS
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
    if not _sizes(groups, _blocks(groups, 0)).all():  # as many of each cell in a block, whatever the assignment
        return _undefined(f"a cell has too few groups to be dealt into {BLOCKS} blocks", len(distinct))
    means = _pair_means(quality[distinct], groups), _pair_means(cost[distinct], groups)
    counts = np.array([_counts(means, groups, _blocks(groups, i), policy) for i in range(assignments)])
    chosen, below, over = counts.T
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
    surplus: Floats, cost: Floats, groups: Strata, *, assignments: int = ASSIGNMENTS
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

    Raises
    ------
    StudyError
        When the assignments are no count.
    """
    whole_number("assignments", assignments, least=1)
    if not _sizes(groups, _blocks(groups, 0)).all():
        return BrokenConstraint(by_assignment=(), without_choice=math.nan)
    means = _pair_means(surplus, groups), _pair_means(cost, groups)
    slack = ROUNDING * float(np.abs(means[0]).max())
    shares, chosen = [], 0
    for i in range(assignments):
        some_choice = broken = 0
        for (left, spent), (then_left, _) in _halves(means, groups, _blocks(groups, i)):
            eligible = left >= -slack
            some = eligible.any(axis=1)
            choice = _choice(-spent[some], -left[some], eligible[some])[:, None]
            some_choice += int(some.sum())
            broken += int((np.take_along_axis(then_left[some], choice, axis=1) < -slack).sum())
        shares.append(broken / some_choice if some_choice else math.nan)
        chosen += some_choice
    if not all(map(math.isfinite, shares)):
        return BrokenConstraint(by_assignment=(), without_choice=1.0)
    return BrokenConstraint(
        by_assignment=tuple(shares), without_choice=1 - chosen / (assignments * math.comb(BLOCKS, HALF))
    )


def _undefined(reason: str, behaviours: int) -> OverfitProbability:
    return OverfitProbability(
        by_assignment=(), over_budget=math.nan, without_choice=math.nan, behaviours=behaviours, reason=reason
    )


def _blocks(strata: Strata, assignment: int) -> Ints:
    """(G,) the block of each group: dealt one after another, stratum by stratum, in the order of a hash."""
    block = np.empty(len(strata.groups), np.int64)
    ends = np.cumsum(strata.sizes)
    for start, end in zip(ends - strata.sizes, ends, strict=True):
        of_stratum = strata.groups[start:end]
        place = {group: i for i, group in enumerate(ranked(f"block {assignment} ", of_stratum))}
        block[start:end] = [(start + place[group]) % BLOCKS for group in of_stratum]
    return block


def _pair_means(values: Floats, strata: Strata) -> Floats:
    """(K, P) mean of (K, N) values over the trajectories of each (cell, group)."""
    order = np.argsort(strata.pair, kind="stable")
    starts = np.searchsorted(strata.pair[order], np.arange(len(strata.pair_cell)))
    return np.add.reduceat(values[:, order], starts, axis=1) / np.bincount(strata.pair)


def _membership(strata: Strata, block: Ints) -> Floats:
    """(BLOCKS, C, P) 1 where a pair is of the block and of the cell."""
    group = np.empty(len(strata.pair_cell), np.int64)
    group[strata.pair] = strata.position
    member = np.zeros((BLOCKS, int(strata.pair_cell.max()) + 1, len(group)))
    member[block[group], strata.pair_cell, np.arange(len(group))] = 1.0
    return member


def _sizes(strata: Strata, block: Ints) -> Floats:
    """(BLOCKS, C) groups of each cell in each block."""
    return np.asarray(_membership(strata, block).sum(axis=2), np.float64)


def _halves(means: tuple[Floats, Floats], strata: Strata, block: Ints) -> Iterator[tuple[Figures, Figures]]:
    """Chunks of splits: the macro figures of both halves, and then of the same halves the other way round."""
    member, sizes = _membership(strata, block), _sizes(strata, block)
    sums = [[mean @ member[:, c].T for c in range(sizes.shape[1])] for mean in means]  # (K, BLOCKS) by cell

    def figures(half: Floats) -> Figures:
        in_cell = half @ sizes
        quality, cost = (
            np.asarray(sum(half @ total.T / in_cell[:, [c]] for c, total in enumerate(of_cells)) / len(of_cells))
            for of_cells in sums
        )
        return quality, cost

    # the mirror of the i-th combination is the i-th from the end
    splits = np.array(list(combinations(range(BLOCKS), HALF)))[: math.comb(BLOCKS, HALF) // 2]
    at_once = max(1, AT_ONCE // len(means[0]))
    for start in range(0, len(splits), at_once):
        half = np.zeros((len(splits[start : start + at_once]), BLOCKS))
        np.put_along_axis(half, splits[start : start + at_once], 1.0, axis=1)
        one, other = figures(half), figures(1 - half)
        yield one, other
        yield other, one


def _counts(
    means: tuple[Floats, Floats], strata: Strata, block: Ints, policy: Budget | Utility
) -> tuple[float, float, float]:
    """Splits with a choice; those in which it ranks below the middle, ties half; those in which it costs too much."""
    totals = np.zeros(3)
    for (quality, cost), (then_quality, then_cost) in _halves(means, strata, block):
        if isinstance(policy, Budget):
            limit = policy.max_cost + ROUNDING * abs(policy.max_cost)
            eligible, aim, then_aim = cost <= limit, quality, then_quality
        else:
            limit = math.inf
            eligible = np.ones(cost.shape, np.bool_)
            aim, then_aim = quality - policy.price * cost, then_quality - policy.price * then_cost
        some = eligible.any(axis=1)
        choice = _choice(aim[some], cost[some], eligible[some])[:, None]
        then_chosen = np.take_along_axis(then_aim[some], choice, axis=1)
        slack = ROUNDING * np.abs(then_aim).max()
        less = (eligible[some] & (then_aim[some] < then_chosen - slack)).sum(axis=1)
        more = (eligible[some] & (then_aim[some] > then_chosen + slack)).sum(axis=1)
        # mid-rank - 1/2 = less + ties / 2, so that omega < 1/2 where less < more
        below = (less < more).sum() + (less == more).sum() / 2
        over = (np.take_along_axis(then_cost[some], choice, axis=1) > limit).sum()
        totals += some.sum(), below, over
    return float(totals[0]), float(totals[1]), float(totals[2])


def _choice(aim: Floats, cost: Floats, eligible: Bools) -> Ints:
    """The eligible behaviour that aims highest, the cheapest of these, the first of these."""
    reached = np.where(eligible, aim, -np.inf)
    best = reached.max(axis=1, keepdims=True)
    spent = np.where(reached >= best - ROUNDING * np.abs(best), cost, np.inf)
    least = spent.min(axis=1, keepdims=True)
    first: Ints = (spent <= least + ROUNDING * np.abs(least)).argmax(axis=1)
    return first
