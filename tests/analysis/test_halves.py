"""What is chosen on one half of the blocks, against the straightforward way."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis import halves as module
from stoprule.analysis.blocks import Blocks, pair_means
from stoprule.analysis.bootstrap import Strata, strata
from stoprule.analysis.halves import Behaviours
from stoprule.analysis.overfitting import broken_constraint, overfit_probability
from stoprule.analysis.selection import Budget, Utility

from .null_fixture import one_cell
from .overfitting_twin import broken_twin, figures, inside, overfit_twin


def study_of(first: int, second: int, both: int, copies: int) -> Strata:
    """Groups of the one cell, of the other and of both; every third is there ``copies`` times."""
    names = [("c", f"c{i}") for i in range(first)] + [("d", f"d{i}") for i in range(second)]
    names += [(cell, f"b{i}") for i in range(both) for cell in "cd"]
    names = [name for i, name in enumerate(names) for _ in range(1 if i % 3 else copies)]
    return strata(*(np.array(column, dtype=object) for column in zip(*names, strict=True)))


@st.composite
def studies(draw):
    """Distinct behaviours of whole figures, so that they tie: some are always cheap, some never, some far worse."""
    groups = study_of(
        draw(st.integers(0, 20)), draw(st.integers(0, 20)), draw(st.integers(16, 24)), draw(st.integers(1, 2))
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    k, n = draw(st.integers(8, 14)), len(groups.pair)
    quality = rng.integers(0, draw(st.integers(2, 4)), (k, n)) + rng.integers(-3, 2, (k, 1)) * draw(st.integers(0, 1))
    cost = rng.integers(1, draw(st.integers(3, 6)), (k, n)) + rng.integers(0, 4, (k, 1)) * draw(st.integers(0, 1))
    quality[k // 2] = quality[0]  # of the same aim everywhere
    cost[k // 2 + 1] = cost[1]
    rows = np.sort(np.unique(np.hstack([quality, cost]), axis=0, return_index=True)[1])
    return quality[rows] / 4, cost[rows] / 2, groups


class TestOverfitting:
    @given(study=studies(), share=st.floats(-0.1, 1.1))
    @settings(max_examples=40, deadline=None)
    def test_budget_equals_the_straightforward_way(self, study, share):
        """Find the same to the last bit: ties, uneven blocks, cells that share groups, halves without a choice."""
        quality, cost, groups = study
        means = np.sort(cost.mean(axis=1))
        policy = Budget(max_cost=round(float(means[0] + share * (means[-1] - means[0])) * 4) / 4)
        found = overfit_probability(quality, cost, groups, policy, assignments=2)
        by_assignment, over, without = overfit_twin(quality, cost, groups, policy, 2)
        assert found.by_assignment == by_assignment
        assert found.behaviours == len(quality)
        if by_assignment:
            assert (found.over_budget, found.without_choice) == (over, without)
        else:
            assert found.reason == "no behaviour is within the budget on any half"

    @given(study=studies(), price=st.sampled_from([0.0, 0.5, 0.1, 3.0]))
    @settings(max_examples=20, deadline=None)
    def test_utility_equals_the_straightforward_way(self, study, price):
        """Find the same to the last bit where all behaviours may be chosen."""
        quality, cost, groups = study
        found = overfit_probability(quality, cost, groups, Utility(price=price), assignments=2)
        assert (found.by_assignment, None, found.without_choice) == overfit_twin(*study, Utility(price=price), 2)

    @given(study=studies(), least=st.sampled_from([-0.5, 0.0, 0.25, 0.4, 0.5, 9.0]))
    @settings(max_examples=40, deadline=None)
    def test_constraints_equal_the_straightforward_way(self, study, least):
        """Find the same to the last bit where the cheapest that meets a constraint is chosen."""
        quality, cost, groups = study
        found = broken_constraint(quality - least, cost, groups, assignments=2)
        assert (found.by_assignment, found.without_choice) == broken_twin(quality - least, cost, groups, 2)

    @pytest.mark.parametrize(("at_once", "least"), [(1, 7), (1, 128), (2**13, 1)])
    def test_chunks_do_not_matter(self, monkeypatch, at_once, least):
        """Give the same however many splits are looked at together."""
        rng = np.random.default_rng(1)
        study = rng.integers(0, 2, (12, 40)) * 1.0, rng.integers(1, 6, (12, 40)) * 1.0, one_cell(40)
        once = overfit_probability(*study, Budget(max_cost=3.0), assignments=1)
        monkeypatch.setattr(module, "AT_ONCE", at_once)
        monkeypatch.setattr(module, "LEAST_SPLITS", least)
        assert overfit_probability(*study, Budget(max_cost=3.0), assignments=1) == once


class TestBehaviours:
    def test_every_sort_of_behaviour_is_told_apart(self):
        """Leave out what is never within the limit, and rank, but never choose, what is worse than another always."""
        rng = np.random.default_rng(3)
        aim = np.repeat([1.0, 0.0, 1.0, 0.0, 1.0], 4)[:, None] + rng.random((20, 40)) / 4
        cost = np.repeat([1.0, 1.0, 2.5, 2.5, 5.0], 4)[:, None] + rng.random((20, 40))
        groups = one_cell(40)
        behaviours = Behaviours(pair_means(aim, groups), pair_means(cost, groups), 3.0)
        ranked = module._Sorted.out(behaviours, Blocks.dealt(groups, 0), ranks=True)
        assert sorted(ranked.row.tolist()) == list(range(16))
        assert set(ranked.row[: ranked.contenders].tolist()) == {*range(4), *range(8, 12)}
        assert set(ranked.row[ranked.unsure].tolist()) == set(range(8, 16))
        alone = module._Sorted.out(behaviours, Blocks.dealt(groups, 0), ranks=False)
        assert alone.row.tolist() == ranked.row[: ranked.contenders].tolist()

    def test_ties_at_nothing(self):
        """Take the first of those that cost nothing: regression, what rounding left of 0 was no tie with 0."""
        rng = np.random.default_rng(4)
        cost = rng.integers(-1, 2, (8, 48)) / 10.0
        aim = np.zeros((8, 48))
        groups = study_of(0, 0, 24, 1)
        chosen = Behaviours(pair_means(aim, groups), pair_means(cost, groups), math.inf).chosen(groups, 0)
        each = np.round(figures(cost, groups, 0), 9)
        then = figures(cost, groups, 0)[::-1][np.arange(12870), each.argmin(axis=1)]
        np.testing.assert_allclose(np.sort(chosen.cost), np.sort(then), atol=1e-12)


class TestBlocks:
    @given(study=studies())
    @settings(max_examples=20, deadline=None)
    def test_figures_and_bounds(self, study):
        """Make the macro figures of all halves, none outside the bounds, which even blocks reach."""
        quality, _, groups = study
        blocks = Blocks.dealt(groups, 1)
        sums = blocks.sums(pair_means(quality, groups))
        (half, other), *rest = blocks.halves(10**6)
        assert not rest
        found = np.hstack([sums @ half, sums @ other])
        expected = figures(quality, groups, 1)
        np.testing.assert_allclose(np.sort(found, axis=1), np.sort(expected.T, axis=1), atol=1e-12)
        np.testing.assert_allclose((sums @ half)[:, 0], expected[inside()[:, :8].all(axis=1)][0], atol=1e-12)
        low, high = blocks.bounds(sums)
        assert (low <= found.min(axis=1) + 1e-12).all()
        assert (high >= found.max(axis=1) - 1e-12).all()
        if len(blocks.sizes) == 1 and len(set(blocks.sizes[0])) == 1:
            np.testing.assert_allclose([low, high], [found.min(axis=1), found.max(axis=1)], atol=1e-12)
