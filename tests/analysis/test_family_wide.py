"""The maximum over a family of rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest
from stoprule.analysis import family_wide as module
from stoprule.analysis.differences import MatrixDifferences
from stoprule.analysis.family_wide import family_wide
from stoprule.analysis.streams import random_signs, stream
from stoprule.trajectories.errors import StudyError

from .loss_families import limit


def result_of(rows, **settings):
    return family_wide(MatrixDifferences([np.array(rows, dtype=np.float64)]), **{"seed": 1, "draws": 199, **settings})


def null_family(rng: np.random.Generator, rules: int, groups: int) -> np.ndarray:
    """Rules that answer a question differently from the baseline, for better or worse alike, and often together."""
    outcome = rng.choice([-1.0, 1.0], groups)
    shared = rng.random((rules // 5, groups)) < 0.2
    return outcome * (np.repeat(shared, 5, axis=0) & (rng.random((rules, groups)) < 0.7))


class TestFamilyWide:
    def test_one_rule_by_hand(self):
        """Give T = 2 for four gains of one size, and about the 1/16 of four like signs."""
        result = result_of([[1, 1, 1, 1]], draws=9999)
        assert result.statistic.tolist() == [2]
        assert result.p == pytest.approx(1 / 16, abs=0.01)

    def test_identical_rules_are_left_out_and_counted(self):
        """Give no p-value to 0 / 0."""
        result = result_of([[0, 0, 0], [1, 2, 0]])
        assert np.isnan(result.statistic).tolist() == [True, False]
        assert result.left_out == 1
        assert not result.better(1.0)[0]

    def test_no_rule_differs(self):
        """Give p = 1 where every rule is the baseline."""
        assert result_of(np.zeros((3, 5))).p == 1

    def test_two_questions_cannot_dominate(self):
        """Bound the statistic of a rule that differs in two groups by the root of 2."""
        assert result_of([[5, 7, 0, 0, 0, 0, 0, 0]]).statistic[0] <= np.sqrt(2)

    def test_every_rule_is_found(self):
        """Return all where all are better (case 11)."""
        result = result_of(1 + np.random.default_rng(1).random((6, 40)))
        assert result.better(0.05).all()
        assert (result.adjusted == 1 / 200).all()

    def test_null_p_values_spread(self):
        """Spread over [0, 1] under the null, and are not just 0 and 1 (case 10)."""
        rng = np.random.default_rng(2)
        p = [result_of(null_family(rng, 20, 60), seed=i).p for i in range(300)]
        assert kstest(p, "uniform").pvalue > 0.001
        assert np.mean(np.array(p) <= 0.05) <= limit(0.05, 300)

    def test_power(self):
        """Find the one rule that gains, among 100 that do not."""
        rng = np.random.default_rng(3)
        rows = null_family(rng, 100, 200)
        rows[17] = rng.choice([0.0, 1.0, -1.0], 200, p=[0.6, 0.32, 0.08])
        assert np.flatnonzero(result_of(rows, draws=999).better(0.05)).tolist() == [17]

    @given(st.integers(0, 2**32), st.integers(1, 6), st.sampled_from([0.05, 0.2, 0.5]))
    @settings(max_examples=30, deadline=None)
    def test_step_down_equals_masking(self, seed, rules, alpha):
        """Find what masking the rules already found, until none is added, finds."""
        rng = np.random.default_rng(seed)
        rows = rng.integers(-1, 3, (rules, 12)).astype(np.float64)
        result = result_of(rows, seed=5)
        signs = random_signs(stream(5, "family-wide"), 199, 12)
        with np.errstate(invalid="ignore"):
            scale = np.sqrt((rows**2).sum(axis=1))
            observed, flipped = rows.sum(axis=1) / scale, signs @ rows.T / scale
        left = scale > 0
        found = np.zeros(rules, bool)
        while left.any():
            most = flipped[:, left].max(axis=1)
            p = (1 + (most[:, None] >= observed - 1e-9).sum(axis=0)) / 200
            new = left & (p <= alpha)
            if not new.any():
                break
            found |= new
            left &= ~new
        assert result.better(alpha).tolist() == found.tolist()

    def test_adjusted_p_values_are_monotone(self):
        """Give no rule a smaller p-value than one with a larger statistic."""
        result = result_of(np.random.default_rng(4).normal(0.1, 1, (30, 50)))
        by_statistic = result.adjusted[np.argsort(-result.statistic)]
        assert (np.diff(by_statistic) >= 0).all()

    def test_blocks_and_chunks_do_not_matter(self, monkeypatch):
        """Give the same p-values for one block or three, and few draws at a time (case 21)."""
        rows = np.random.default_rng(5).integers(-1, 2, (9, 30)).astype(np.float64)
        once = result_of(rows)
        monkeypatch.setattr(module, "AT_ONCE", 40)
        again = family_wide(MatrixDifferences([rows[:2], rows[2:3], rows[3:]]), seed=1, draws=199)
        assert once.adjusted.tobytes() == again.adjusted.tobytes()

    def test_any_source_of_sums_will_do(self):
        """Take differences from whatever gives weighted sums, such as a sweep."""
        rows = np.random.default_rng(6).integers(-1, 2, (5, 30)).astype(np.float64)

        class OneAtATime:
            groups = 30

            def sums(self, weights):
                return np.array([[float(sum(w * rows[k])) for k in range(5)] for w in weights])

            def squares(self, weights):
                return np.array([[float(sum(w * rows[k] ** 2)) for k in range(5)] for w in weights])

        assert family_wide(OneAtATime(), seed=1, draws=199).adjusted.tolist() == result_of(rows).adjusted.tolist()


class TestMatrixDifferences:
    def test_sums(self):
        """Weigh differences, their squares, and whether there is one."""
        differences = MatrixDifferences([np.array([[1.0, -2.0, 0.0]]), np.array([[0.0, 0.0, 3.0]])])
        weights = np.array([[1.0, 1.0, 1.0], [2.0, 1.0, -1.0]])
        assert differences.sums(weights).tolist() == [[-1, 3], [0, -3]]
        assert differences.squares(weights).tolist() == [[5, 9], [6, -9]]
        assert differences.nonzero(weights).tolist() == [[2, 1], [3, -1]]

    def test_refusals(self):
        """Refuse no block, blocks over other groups and what is not finite."""
        for blocks in ([], [np.zeros((1, 2)), np.zeros((1, 3))]):
            with pytest.raises(StudyError, match="the same groups"):
                MatrixDifferences(blocks)
        with pytest.raises(StudyError, match="not finite"):
            MatrixDifferences([np.array([[np.nan]])])
