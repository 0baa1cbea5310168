"""Resampled macro means of many rules at once."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis import resampling
from stoprule.analysis.bootstrap import paired_bootstrap, strata
from stoprule.analysis.resampled_sums import contributions
from stoprule.analysis.resampling import resampled_intervals, resampled_means
from stoprule.trajectories.errors import StudyError


def one_cell(n):
    return strata(np.full(n, "", object), np.array([f"q{i:04}" for i in range(n)], object))


def drawn_sums(values, draws, seed):
    """Sums over the drawn questions of one cell, one draw after another."""
    rng, n = np.random.default_rng(seed), values.shape[1]
    return np.array([values[:, rng.integers(0, n, n)].sum(axis=1) for _ in range(draws)]).T


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

    @given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 7), st.integers(0, 13))
    @settings(max_examples=100, deadline=None)
    def test_sums_that_share_a_number(self, seed, n, rules, bits):
        """Add up whole numbers exactly, whether their sums stay below what two of them share, or not."""
        rng = np.random.default_rng(seed)
        largest = 2**bits // n
        values = rng.integers(-largest, largest + 1, (rules, n)) * rng.integers(0, 2, (rules, n)).astype(float)
        values[rng.random((rules, n)) < 0.2] = largest
        means = resampled_means(values, one_cell(n), draws=30, seed=4)
        assert means.tobytes() == (drawn_sums(values, 30, 4) * (1.0 / n) + 0.0).tobytes()

    def test_a_full_digit(self):
        """Keep apart two rules whose sums are as large as may share a number, of either sign."""
        values = np.array([[2047.0], [-2047.0], [2047.0], [0.0], [-1.0], [-2047.0], [-2047.0]])
        for order in (slice(None), slice(None, None, -1)):
            assert (
                resampled_means(values[order], one_cell(1), draws=2, seed=0)[:, 1].tolist() == values[order, 0].tolist()
            )

    @given(st.integers(0, 2**32), st.integers(1, 6))
    @settings(max_examples=60, deadline=None)
    def test_any_company(self, seed, some):
        """Give the same bytes for a rule of whole numbers, whichever rule shares its row, and for no difference."""
        rng = np.random.default_rng(seed)
        values = rng.integers(-1, 2, (11, 8)) * rng.integers(0, 2, (11, 1)).astype(float)
        all_of_them = resampled_means(values, one_cell(8), draws=20, seed=0)
        chosen = rng.permutation(11)[:some]
        assert resampled_means(values[chosen], one_cell(8), draws=20, seed=0).tobytes() == all_of_them[chosen].tobytes()

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

    @given(st.integers(0, 2**32), st.integers(1, 40), st.sampled_from([1e-300, 1.0, 1e12]))
    @settings(max_examples=60, deadline=None)
    def test_equals_the_paired_bootstrap(self, seed, draws, scale):
        """Give the interval that each rule has alone, where rules are alike, and for any number of threads."""
        rng = np.random.default_rng(seed)
        groups = strata(rng.choice(["a", "b"], 12).astype(object), rng.choice(["p", "q", "r"], 12).astype(object))
        unlike = np.concatenate([rng.integers(-1, 2, (3, 12)), rng.integers(-3, 4, (3, 12)) / 7]) * scale
        values = unlike[rng.integers(0, 6, 20)]
        for where in (groups, one_cell(12)):
            found = resampled_intervals(values, where, draws=draws, seed=5)
            one = paired_bootstrap(where, dict(enumerate(values)), draws=draws, seed=5)
            alone = np.percentile(one.draws, [2.5, 97.5], axis=0).T
            np.testing.assert_allclose(found, alone, rtol=0, atol=1e-13 * scale)
            for jobs in (2, 3):
                again = resampled_intervals(values, where, draws=draws, seed=5, jobs=jobs)
                assert again.tobytes() == found.tobytes()

    @pytest.mark.parametrize("draws", [1, 2, 41, 1000])
    def test_many_alike(self, draws):
        """Give every rule what it has by itself: more rules than are taken at once, most of them alike."""
        rng = np.random.default_rng(3)
        unlike = np.concatenate([rng.random((400, 5)), rng.integers(-1, 2, (400, 5))])
        values = unlike[rng.integers(0, 800, 3000)]
        found = resampled_intervals(values, one_cell(5), draws=draws, seed=1, jobs=2)
        expected = np.percentile(resampled_means(values, one_cell(5), draws=draws, seed=1), [2.5, 97.5], axis=1).T
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
        apart = resampled_intervals(unlike[[700, 20]], one_cell(5), draws=draws, seed=1)
        for one, row in zip(apart, unlike[[700, 20]], strict=True):
            assert (found[(values == row).all(axis=1)] == one).all()

    def test_rules_that_a_product_does_not_tell_apart(self, monkeypatch):
        """Keep rules apart that differ, whatever was taken for a sign that they are alike."""
        rng = np.random.default_rng(8)
        values = rng.integers(-1, 2, (5, 4))[rng.integers(0, 5, 700)].astype(float)
        expected = resampled_intervals(values, one_cell(4), draws=90, seed=0)
        for weights in (np.zeros(4), np.array([1.0, 1.0, 0.0, 0.0])):
            monkeypatch.setattr(
                resampling, "stream", lambda *_, weights=weights: SimpleNamespace(random=lambda _: weights)
            )
            assert resampled_intervals(values, one_cell(4), draws=90, seed=0).tobytes() == expected.tobytes()

    def test_memory(self):
        """Take no more memory for ten times as many rules than what tells them apart and their intervals."""
        rng = np.random.default_rng(0)
        values = rng.random((26_280, 300))
        values[::2] = rng.integers(-2, 3, (13_140, 300))

        def peak(some):
            tracemalloc.start()
            resampled_intervals(some, one_cell(300), draws=1000, seed=42, jobs=2)
            taken = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return taken

        few, many = peak(values[:2628]), peak(values)
        assert few < 24e6
        assert many < few + 200 * len(values)

    def test_no_threads(self):
        """Refuse no threads."""
        with pytest.raises(StudyError, match="jobs"):
            resampled_intervals(np.ones((1, 2)), one_cell(2), draws=1, seed=0, jobs=0)

    def test_half_width(self):
        """Add right and wrong answers exactly: the mean of a resample is a whole number of questions."""
        values = np.random.default_rng(2).integers(-1, 2, (5, 2000)).astype(float)
        means = resampled_means(values, one_cell(2000), draws=20, seed=1) * 2000
        np.testing.assert_allclose(means, np.rint(means), rtol=0, atol=1e-9)
