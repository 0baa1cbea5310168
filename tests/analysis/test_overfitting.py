"""The probability of backtest overfitting."""

import math
from itertools import combinations

import numpy as np
import pytest
from stoprule.analysis.bootstrap import Strata, strata
from stoprule.analysis.overfitting import broken_constraint, overfit_probability
from stoprule.analysis.selection import Budget, Knee, Utility
from stoprule.analysis.units import ranked
from stoprule.enumerate.workers import Workers
from stoprule.trajectories.errors import StudyError

from .null_fixture import one_cell


def null_table(seed: int, behaviours: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Quality and cost of rules of which none is better."""
    rng = np.random.default_rng(seed)
    quality = (rng.random((behaviours, n)) < 0.5).astype(np.float64)
    return quality, rng.integers(1, 6, (behaviours, n)).astype(np.float64)


def by_definition(quality, cost, groups: Strata, policy) -> tuple[float, float, float]:
    """One assignment, split by split: probability, share over budget, share without a choice. One cell."""
    order = ranked("block 0 ", groups.groups)
    block = np.array([order.index(group) % 16 for group in groups.groups])[groups.position]
    omegas, over, without = [], [], 0
    for picked in combinations(range(16), 8):
        half = np.isin(block, picked)
        eligible = np.arange(len(quality))
        if isinstance(policy, Budget):
            eligible = eligible[cost[:, half].mean(axis=1) <= policy.max_cost + 1e-12]
            aim, then = quality[:, half].mean(axis=1), quality[:, ~half].mean(axis=1)
        else:
            value = quality - policy.price * cost
            aim, then = value[:, half].mean(axis=1), value[:, ~half].mean(axis=1)
        if not len(eligible):
            without += 1
            continue
        best = eligible[np.round(aim[eligible], 12) == np.round(aim[eligible].max(), 12)]
        choice = best[np.round(cost[best][:, half].mean(axis=1), 12).argmin()]
        ranks = np.round(then[eligible] - then[choice], 12)
        rank = (ranks < 0).sum() + ((ranks == 0).sum() + 1) / 2
        omegas.append((rank - 0.5) / len(eligible))
        over.append(isinstance(policy, Budget) and cost[choice, ~half].mean() > policy.max_cost + 1e-12)
    below = np.mean([1.0 if o < 0.5 else 0.5 if o == 0.5 else 0.0 for o in np.round(omegas, 12)])
    return float(below), float(np.mean(over)), without / 12870


class TestOverfitProbability:
    @pytest.mark.parametrize("policy", [Budget(max_cost=3.0), Utility(price=0.1)], ids=lambda policy: policy.name)
    def test_equals_the_definition(self, policy):
        """Go through all 12,870 splits one by one and find the same, with ties and splits without a choice."""
        quality, cost = null_table(1, 9, 40)
        cost += 0.25
        found = overfit_probability(quality, cost, one_cell(40), policy, assignments=1)
        below, over, without = by_definition(quality, cost, one_cell(40), policy)
        assert found.value == pytest.approx(below, abs=1e-12)
        assert found.without_choice == pytest.approx(without, abs=1e-12)
        if isinstance(policy, Budget):
            assert 0 < without < 1
            assert found.over_budget == pytest.approx(over, abs=1e-12)
        else:
            assert math.isnan(found.over_budget)

    def test_a_rule_that_is_better_everywhere(self):
        """Give 0 where one rule answers every question right and the others do not."""
        quality, cost = null_table(2, 10, 64)
        quality[4] = 1.0
        assert overfit_probability(quality, cost, one_cell(64), Utility(price=0.0), assignments=2).value == 0

    def test_nothing_to_learn(self):
        """Be about 1/2 on average where no rule is better, and give the range over the assignments."""
        found = [
            overfit_probability(*null_table(i, 12, 60), one_cell(60), Utility(price=0.0), assignments=2)
            for i in range(20)
        ]
        assert np.mean([one.value for one in found]) == pytest.approx(0.5, abs=0.15)
        assert all(one.range[0] <= one.value <= one.range[1] for one in found)

    def test_clones_are_one(self):
        """Say undefined where one behaviour stands there 50 times (case 14), and count copies once."""
        quality, cost = null_table(3, 9, 48)
        clones = overfit_probability(
            np.repeat(quality[:1], 50, axis=0), np.repeat(cost[:1], 50, axis=0), one_cell(48), Budget(max_cost=9.0)
        )
        assert math.isnan(clones.value)
        assert math.isnan(clones.range[0])
        assert (clones.behaviours, clones.reason) == (1, "distinct behaviours are fewer than 8")
        policy = Budget(max_cost=3.1)
        once = overfit_probability(quality, cost, one_cell(48), policy, assignments=1)
        twice = overfit_probability(
            np.repeat(quality, 2, axis=0), np.repeat(cost, 2, axis=0), one_cell(48), policy, assignments=1
        )
        assert once == twice

    def test_too_few_groups(self):
        """Say undefined where a cell cannot fill the blocks."""
        found = overfit_probability(*null_table(4, 9, 15), one_cell(15), Budget(max_cost=9.0))
        assert "too few groups" in found.reason

    def test_a_budget_that_nothing_meets(self):
        """Say undefined where no rule is within the budget."""
        found = overfit_probability(*null_table(5, 9, 32), one_cell(32), Budget(max_cost=0.5), assignments=1)
        assert found.reason == "no behaviour is within the budget on any half"

    def test_shared_cells_are_averaged(self):
        """Give for two cells of the same questions what one cell of their means gives."""
        quality, cost = null_table(6, 9, 80)
        cell = np.repeat(["c", "d"], 40).astype(object)
        group = np.array([f"q{i % 40:05}" for i in range(80)], dtype=object)
        found = overfit_probability(quality, cost, strata(cell, group), Budget(max_cost=3.0), assignments=1)
        means = ((one[:, :40] + one[:, 40:]) / 2 for one in (quality, cost))
        assert found == overfit_probability(*means, one_cell(40), Budget(max_cost=3.0), assignments=1)

    def test_other_cells_are_dealt_alike(self):
        """Give every block its share of each cell where no question is in two: 16 of a cell fill 16 blocks."""
        quality, cost = null_table(6, 9, 56)
        groups = strata(
            np.repeat(["c", "d"], [16, 40]).astype(object), np.array([f"q{i:05}" for i in range(56)], dtype=object)
        )
        assert overfit_probability(quality, cost, groups, Utility(price=0.0), assignments=1).reason is None

    def test_the_order_of_the_rows_does_not_matter(self):
        """Give the same for shuffled trajectories (case 3)."""
        quality, cost = null_table(7, 9, 40)
        shuffled = np.random.default_rng(1).permutation(40)
        names = np.array([f"q{i:05}" for i in range(40)], dtype=object)
        other = strata(np.full(40, "c", dtype=object), names[shuffled])
        once = overfit_probability(quality, cost, one_cell(40), Budget(max_cost=3.0), assignments=2)
        again = overfit_probability(quality[:, shuffled], cost[:, shuffled], other, Budget(max_cost=3.0), assignments=2)
        assert once == again

    def test_any_number_of_workers(self):
        """Two processes share the assignments: the same figures."""
        quality, cost = null_table(9, 9, 40)
        given = quality, cost, one_cell(40), Budget(max_cost=3.0)
        alone = overfit_probability(*given, assignments=3)
        assert overfit_probability(*given, assignments=3, workers=Workers(2, "processes")) == alone

    def test_refusals(self):
        """Refuse a policy whose objective says nothing about overfitting, and no assignment."""
        with pytest.raises(StudyError, match="defined for budget and utility, not for knee"):
            overfit_probability(*null_table(8, 9, 32), one_cell(32), Knee())
        with pytest.raises(StudyError, match="assignments must be a whole number of at least 1"):
            overfit_probability(*null_table(8, 9, 32), one_cell(32), Utility(price=0.0), assignments=0)


class TestBrokenConstraint:
    def test_equals_the_definition(self):
        """Go through all 12,870 splits: take the cheapest that meets the constraint, look at the other half."""
        surplus, cost = null_table(5, 6, 40)
        surplus -= 0.5
        found = broken_constraint(surplus, cost, one_cell(40), assignments=1)
        groups = one_cell(40)
        order = ranked("block 0 ", groups.groups)
        block = np.array([order.index(group) % 16 for group in groups.groups])[groups.position]
        broken, without = [], 0
        for picked in combinations(range(16), 8):
            half = np.isin(block, picked)
            meets = np.flatnonzero(np.round(surplus[:, half].mean(axis=1), 12) >= 0)
            if not len(meets):
                without += 1
                continue
            spent = np.round(cost[meets][:, half].mean(axis=1), 12)
            cheapest = meets[spent == spent.min()]
            choice = cheapest[np.round(surplus[cheapest][:, half].mean(axis=1), 12).argmax()]
            broken.append(round(surplus[choice, ~half].mean(), 12) < 0)
        assert found.value == pytest.approx(np.mean(broken), abs=1e-12)
        assert found.without_choice == pytest.approx(without / 12870, abs=1e-12)

    def test_a_rule_with_much_to_spare(self):
        """Give 0 where the cheapest rule meets the constraint in every question, about 1/2 where none does better."""
        surplus, cost = null_table(6, 8, 64)
        assert broken_constraint(np.ones_like(surplus), cost, one_cell(64), assignments=2).value == 0
        shares = [
            broken_constraint(null_table(i, 8, 64)[0] - 0.5, cost, one_cell(64), assignments=1).value for i in range(8)
        ]
        assert 0.3 < np.mean(shares) < 0.8

    def test_nothing_meets_it(self):
        """Be undefined where no half has a choice."""
        surplus, cost = null_table(7, 3, 40)
        found = broken_constraint(surplus - 2, cost, one_cell(40), assignments=1)
        assert math.isnan(found.value)
        assert found.without_choice == 1
