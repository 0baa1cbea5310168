"""Simultaneous intervals and the band of the frontier."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from stoprule.analysis import simultaneous as module
from stoprule.analysis.differences import MatrixDifferences
from stoprule.analysis.simultaneous import Simultaneous, frontier_band, simultaneous
from stoprule.trajectories.errors import StudyError


def intervals(quality, cost=None, sizes=None, **changed) -> Simultaneous:
    quality = np.array(quality, dtype=np.float64)
    cost = np.zeros_like(quality) if cost is None else np.array(cost, dtype=np.float64)
    return simultaneous(
        MatrixDifferences([quality]),
        MatrixDifferences([cost]),
        np.array([quality.shape[1]] if sizes is None else sizes),
        **{"alpha": 0.1, "seed": 1, "draws": 500, **changed},
    )


class TestSimultaneous:
    def test_the_mean_and_its_error(self):
        """Give the mean over groups and sd / sqrt(G) where many groups differ."""
        d = np.resize([1.0, -1.0, 2.0], 90)
        found = intervals([d]).quality
        assert found.mean.tolist() == pytest.approx([d.mean()])
        assert found.error.tolist() == pytest.approx([d.std() / np.sqrt(90)])

    def test_a_rule_that_hardly_differs_has_the_floor(self):
        """Take sd = g sqrt(20 / G) for 2 differences of size 3 among 80 groups."""
        d = np.zeros(80)
        d[:2] = 3.0, -3.0
        assert intervals([d]).quality.error.tolist() == pytest.approx([3 * np.sqrt(20 / 80) / np.sqrt(80)])

    def test_nothing_differs(self):
        """Give the point 0 where no rule differs from the baseline in any group, not NaN (case 9)."""
        found = intervals(np.zeros((3, 30)))
        assert found.quality.low.tolist() == found.quality.high.tolist() == [0, 0, 0]

    def test_strata_remove_what_lies_between_them(self):
        """Have no spread where groups of a stratum are alike, but for the floor."""
        d = np.repeat([1.0, 3.0], 40)
        floor = np.sqrt(5 * 20 / 80) / np.sqrt(80)
        assert intervals([d], sizes=[40, 40]).quality.error.tolist() == pytest.approx([floor])
        assert intervals([d], sizes=[40, 40]).critical == 0

    def test_more_rules_widen(self):
        """Ask more standard errors for 200 independent rules than for one, whose are about 1.64."""
        rows = np.random.default_rng(1).normal(0, 1, (200, 100))
        assert intervals(rows[:1]).critical == pytest.approx(1.64, abs=0.15)
        assert intervals(rows).critical > 2.5

    def test_one_sided(self):
        """Give lower ends of quality and upper ends of cost, nearer than two-sided ones."""
        rows = np.random.default_rng(2).normal(0, 1, (2, 20, 100))
        two, one = intervals(*rows), intervals(*rows, one_sided=True)
        assert (one.quality.low > two.quality.low).all()
        assert (one.cost.high < two.cost.high).all()
        assert np.isinf(one.quality.high).all()
        assert np.isinf(one.cost.low).all()

    @pytest.mark.parametrize("one_sided", [False, True])
    def test_coverage(self, one_sided):
        """Hold for all of 60 rules at once in about 1 - alpha of 100 studies (asymptotic: 3 errors of slack)."""
        rng, held = np.random.default_rng(3), 0
        for i in range(100):
            outcome = rng.choice([-1.0, 1.0], (2, 1, 150))
            rows = outcome * (rng.random((2, 60, 150)) < np.linspace(0.02, 0.5, 60)[:, None])
            found = intervals(*rows, draws=200, seed=i, one_sided=one_sided)
            ends = found.quality.low <= 0, found.quality.high >= 0, found.cost.low <= 0, found.cost.high >= 0
            held += all(end.all() for end in ends)
        assert held / 100 >= 0.9 - 3 * np.sqrt(0.1 * 0.9 / 100)

    def test_the_seed_decides_and_chunks_do_not(self, monkeypatch):
        """Give the same ends for blocks of rules and few draws at a time (case 21)."""
        rows = np.random.default_rng(4).integers(-2, 3, (7, 50)).astype(np.float64)
        once = intervals(rows)
        monkeypatch.setattr(module, "AT_ONCE", 100)
        blocks = MatrixDifferences([rows[:3], rows[3:]])
        again = simultaneous(blocks, MatrixDifferences([0 * rows]), np.array([50]), alpha=0.1, seed=1, draws=500)
        assert once.quality.low.tobytes() == again.quality.low.tobytes()
        assert intervals(rows, seed=2).critical != once.critical

    def test_refusals(self):
        """Refuse an alpha out of range and strata of other groups."""
        with pytest.raises(StudyError, match="alpha must lie between 0 and 1"):
            intervals(np.ones((1, 9)), alpha=0)
        with pytest.raises(StudyError, match="9 groups do not fit strata of 8"):
            intervals(np.ones((1, 9)), sizes=[8])


class TestFrontierBand:
    def test_two_rules_by_hand(self):
        """Start the lower staircase at upper costs and the upper one at lower costs, each a maximum so far."""
        rng = np.random.default_rng(5)
        quality = np.array([[0.0], [1.0]]) + 0.1 * rng.normal(0, 1, (2, 100))
        cost = np.array([[-2.0], [3.0]]) + 0.1 * rng.normal(0, 1, (2, 100))
        found = intervals(quality, cost)
        band = frontier_band(found)
        assert band.low_cost.tolist() == found.cost.high.tolist()
        assert band.high.tolist() == found.quality.high.tolist()
        low, high = band.at(np.array([-9.0, 0.0, 9.0]))
        assert low.tolist() == [-np.inf, found.quality.low[0], found.quality.low[1]]
        assert high.tolist() == [-np.inf, found.quality.high[0], found.quality.high[1]]

    def test_a_step_holds_at_its_own_cost(self):
        """Take the new height at the very cost of a step."""
        band = frontier_band(intervals(np.eye(3, 30), 2 * np.eye(3, 30)))
        assert band.at(band.low_cost)[0].tolist() == band.low.tolist()

    @given(arrays(np.int64, (2, 5, 8), elements=st.integers(-2, 2)))
    @settings(max_examples=40, deadline=None)
    def test_equals_the_definition(self, differences):
        """Give max{low quality : high cost <= c} and max{high quality : low cost <= c} at every c."""
        found = intervals(*differences, draws=20)
        costs = np.concatenate([found.cost.low, found.cost.high, [-99.0, 99.0]])
        low, high = frontier_band(found).at(costs)
        for c, lower, upper in zip(costs, low, high, strict=True):
            assert lower == max(found.quality.low[found.cost.high <= c], default=-np.inf)
            assert upper == max(found.quality.high[found.cost.low <= c], default=-np.inf)

    def test_it_holds_the_true_frontier(self):
        """Cover the frontier of true means at every cost in about 1 - alpha of 100 studies."""
        rng, held = np.random.default_rng(6), 0
        true_cost, true_quality = np.linspace(-3, 0, 30), np.linspace(-0.2, 0.1, 30) - 0.05 * (np.arange(30) % 3)
        for i in range(100):
            quality = true_quality[:, None] + rng.normal(0, 0.5, (30, 120))
            cost = true_cost[:, None] + rng.normal(0, 1, (30, 120))
            low, high = frontier_band(intervals(quality, cost, draws=200, seed=i)).at(true_cost)
            frontier = np.maximum.accumulate(true_quality)
            held += bool((low <= frontier).all() and (frontier <= high).all())
        assert held / 100 >= 0.9 - 3 * np.sqrt(0.1 * 0.9 / 100)

    def test_one_sided_intervals_are_refused(self):
        """Refuse to draw half a band."""
        with pytest.raises(StudyError, match="leave one_sided out"):
            frontier_band(intervals(np.eye(3, 30), one_sided=True))
