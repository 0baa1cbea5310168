"""Resampled macro means of many rules at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis.bootstrap import paired_bootstrap, strata
from stoprule.analysis.resampling import contributions, resampled_intervals, resampled_means
from stoprule.trajectories.errors import StudyError


def one_cell(n):
    return strata(np.full(n, "", object), np.array([f"q{i:04}" for i in range(n)], object))


class TestResampledMeans:
    def test_direct_loop(self):
        """Equal a loop over draws of one generator, to 1e-9, in the order of the groups."""
        values = np.random.default_rng(1).random((5, 40))
        rng = np.random.default_rng(42)
        drawn = [rng.integers(0, 40, 40) for _ in range(1000)]
        direct = np.array([[row[once].mean() for once in drawn] for row in values])
        means = resampled_means(values, one_cell(40), draws=1000, seed=42)
        np.testing.assert_allclose(means, direct, rtol=0, atol=1e-9)

    @given(st.integers(0, 2**32), st.integers(1, 12), st.sampled_from([1e-300, 1e-7, 1.0, 1e12]))
    @settings(max_examples=60, deadline=None)
    def test_equals_the_paired_bootstrap(self, seed, n, scale):
        """Give what the bootstrap of one rule gives, with groups in several cells."""
        rng = np.random.default_rng(seed)
        cell = rng.choice(["a", "b"], n).astype(object)
        groups = strata(cell, rng.choice(["p", "q", "r", "s"], n).astype(object))
        values = rng.integers(-3, 4, (4, n)) * scale
        means = resampled_means(values, groups, draws=7, seed=3)
        one = paired_bootstrap(groups, dict(enumerate(values)), draws=7, seed=3)
        np.testing.assert_allclose(means, one.draws.T, rtol=0, atol=1e-12 * scale)
        np.testing.assert_allclose(contributions(values, groups), one.contributions, rtol=0, atol=1e-15 * scale)

    def test_any_order_of_rules(self):
        """Give the same bytes for a rule, whichever others are resampled with it."""
        values = np.random.default_rng(5).random((300, 77))
        all_of_them = resampled_means(values, one_cell(77), draws=50, seed=0)
        some = resampled_means(values[[200, 3]], one_cell(77), draws=50, seed=0)
        assert some.tobytes() == all_of_them[[200, 3]].tobytes()

    def test_no_draws(self):
        """Refuse no draws."""
        with pytest.raises(StudyError, match="draws"):
            resampled_means(np.ones((1, 2)), one_cell(2), draws=0, seed=0)


class TestResampledIntervals:
    @given(st.integers(0, 2**32), st.integers(1, 60), st.sampled_from([1, 1 / 7]))
    @settings(max_examples=60, deadline=None)
    def test_equals_numpy(self, seed, draws, noise):
        """Give numpy's percentiles of the resampled means, of whole numbers and of others."""
        rng = np.random.default_rng(seed)
        values = rng.integers(-3, 4, (4, 9)) + noise * rng.integers(0, 2, (4, 1)) * rng.random((4, 9)).round(3)
        means = resampled_means(values, one_cell(9), draws=draws, seed=5)
        found = resampled_intervals(values, one_cell(9), draws=draws, seed=5)
        np.testing.assert_allclose(found, np.percentile(means, [2.5, 97.5], axis=1).T, rtol=0, atol=1e-14)

    def test_half_width(self):
        """Add right and wrong answers exactly: the mean of a resample is a whole number of questions."""
        values = np.random.default_rng(2).integers(-1, 2, (5, 2000)).astype(float)
        means = resampled_means(values, one_cell(2000), draws=20, seed=1) * 2000
        np.testing.assert_allclose(means, np.rint(means), rtol=0, atol=1e-9)
