"""Reliability, Brier score and calibration out of fold: by hand, and as scikit-learn and scipy have them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss
from stoprule.analysis.reliability import (
    bins_of,
    brier,
    calibrated_out_of_fold,
    folds_of,
    reliability,
    share_interval,
)


@st.composite
def forecasts(draw):
    """Forecasts, often equal, and what came."""
    n = draw(st.integers(1, 60))
    levels = draw(st.sampled_from([3, 7, 1000]))
    forecast = np.array(draw(st.lists(st.integers(0, levels), min_size=n, max_size=n))) / levels
    return forecast, np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))


class TestBrier:
    def test_by_hand(self):
        """Two forecasts .8 (one right, one wrong) and two .2 (both wrong)."""
        found = brier(np.array([0.8, 0.8, 0.2, 0.2]), np.array([True, False, False, False]))
        assert found.score == pytest.approx((0.04 + 0.64 + 0.04 + 0.04) / 4)
        assert found.reliability == pytest.approx((2 * 0.3**2 + 2 * 0.2**2) / 4)
        assert found.resolution == pytest.approx(0.25**2)
        assert found.uncertainty == pytest.approx(0.25 * 0.75)
        assert found.within == pytest.approx(0, abs=1e-15)

    @given(forecasts())
    def test_parts_add_up(self, case):
        """score = reliability - resolution + uncertainty + within, whatever the bins hide."""
        found = brier(*case)
        parts = found.reliability - found.resolution + found.uncertainty + found.within
        assert parts == pytest.approx(found.score, abs=1e-12)

    @given(forecasts())
    def test_as_scikit_learn_has_it(self, case):
        """The score itself."""
        forecast, right = case
        assert brier(forecast, right).score == pytest.approx(brier_score_loss(right, forecast, labels=[False, True]))

    @given(forecasts())
    def test_hides_nothing_where_each_forecast_has_a_bin(self, case):
        """Murphy's three parts are then all."""
        forecast, right = case
        if len(np.unique(forecast)) <= 10:
            assert brier(forecast, right).within == pytest.approx(0, abs=1e-12)


class TestReliability:
    def test_by_hand(self):
        """A bin for each of two forecasts: .9 comes true in half of the cases, .1 never."""
        found = reliability(np.array([0.9, 0.1, 0.9, 0.1]), np.array([True, False, False, False]), np.arange(4))
        assert found.forecast.tolist() == [0.1, 0.9]
        assert found.share.tolist() == [0.0, 0.5]
        assert found.rows.tolist() == [2, 2]
        assert found.calibration_error == pytest.approx((2 * 0.1 + 2 * 0.4) / 4)

    def test_bins_as_scikit_learn_has_them(self):
        """The quantile strategy of calibration_curve."""
        rng = np.random.default_rng(2)
        forecast = rng.beta(2, 5, 500)
        right = rng.random(500) < forecast
        found = reliability(forecast, right, np.arange(500))
        share, mean = calibration_curve(right, forecast, n_bins=10, strategy="quantile")
        assert found.share == pytest.approx(share)
        assert found.forecast == pytest.approx(mean)

    @given(forecasts())
    def test_keeps_every_row_and_equal_forecasts_together(self, case):
        """Bins ascend, hold all rows, at most ten, and an interval holds its share."""
        forecast, right = case
        found = reliability(forecast, right, np.arange(len(right)))
        assert found.rows.sum() == len(right)
        assert len(found.rows) <= 10
        assert (np.diff(found.forecast) > 0).all()
        assert ((found.low <= found.share + 1e-12) & (found.share <= found.high + 1e-12)).all()
        for value in np.unique(forecast):
            assert len(set(bins_of(forecast)[forecast == value])) == 1


class TestShareInterval:
    @pytest.mark.parametrize(("hits", "rows"), [(3, 10), (50, 100), (0, 8), (8, 8)])
    def test_is_wilsons_where_rows_are_alone(self, hits, rows):
        """As scipy has it, but for the n - 1 in the variance of the groups."""
        low, high = share_interval(np.arange(rows) < hits, np.arange(rows))
        effective = rows if hits in (0, rows) else rows - 1
        share = hits / rows
        wilson = binomtest(hits, rows).proportion_ci(method="wilson")
        assert (low, high) == pytest.approx((wilson.low, wilson.high), abs=0.5 / effective * (0 < share < 1) + 1e-9)

    def test_widens_with_groups(self):
        """Ten questions, each right in all of five rounds or in none, count as ten rows and not as fifty."""
        right = np.repeat([True, False] * 5, 5)
        low, high = share_interval(right, np.repeat(np.arange(10), 5))
        alone = share_interval(np.array([True, False] * 5), np.arange(10))
        assert (low, high) == pytest.approx(alone)

    def test_holds_the_share(self):
        """At 0 and at 1 too, where rounding would put an end of the interval on the wrong side of it."""
        for rows in range(1, 60):
            for hits in {0, 1, rows - 1, rows}:
                right = np.arange(rows) < hits
                low, high = share_interval(right, np.arange(rows) // 2)
                assert 0 <= low <= right.mean() <= high <= 1

    def test_of_one_group(self):
        """Says next to nothing."""
        low, high = share_interval(np.array([True, True, False]), np.zeros(3))
        assert high - low > 0.7


class TestFolds:
    def test_keep_a_group_together_and_spread_every_cell(self, table):
        """Over all cells; of eleven groups the folds have two or three."""
        questions = [f"q{i}" for i in range(11)]
        t = table([[0.0]] * 22, cell=["a"] * 11 + ["b"] * 11, question=questions * 2)
        folds = folds_of(t)
        assert folds[:11].tolist() == folds[11:].tolist()
        assert sorted(np.bincount(folds[:11]).tolist()) == [2, 2, 2, 2, 3]

    def test_do_not_depend_on_the_order_of_rows(self, table):
        """They are a function of the ids."""
        t = table([[0.0]] * 8)
        turned = t.take(np.arange(7, -1, -1))
        assert dict(zip(t.group, folds_of(t), strict=True)) == dict(zip(turned.group, folds_of(turned), strict=True))


class TestCalibratedOutOfFold:
    def test_never_sees_its_own_group(self, table):
        """A question's own outcome moves the calibrated values of others, never its own."""
        rng = np.random.default_rng(1)
        values, right = rng.normal(size=(60, 1)), (rng.random((60, 1)) < 0.5).astype(float)
        t = table(right.tolist())
        before = calibrated_out_of_fold(values, right, t)
        flipped = right.copy()
        flipped[7] = 1 - flipped[7]
        after = calibrated_out_of_fold(values, flipped, t)
        same_fold = folds_of(t) == folds_of(t)[7]
        assert before[same_fold].tolist() == after[same_fold].tolist()
        assert (before != after).any()

    def test_keeps_missing_values_missing(self, table):
        """And the shape."""
        values = np.array([[math.nan], *[[float(i)] for i in range(19)]])
        right = np.array([[float(i % 2)] for i in range(20)])
        calibrated = calibrated_out_of_fold(values, right, table(right.tolist()))
        assert np.isnan(calibrated).tolist() == np.isnan(values).tolist()

    def test_gains_nothing_from_noise(self, table):
        """A signal without information, calibrated in sample, looks better than the base rate; not out of fold."""
        rng = np.random.default_rng(4)
        values, right = rng.normal(size=(300, 1)), (rng.random((300, 1)) < 0.4).astype(float)
        t = table(right.tolist())
        calibrated = calibrated_out_of_fold(values, right, t)
        assert brier(calibrated.ravel(), right.ravel() > 0).score >= right.mean() * (1 - right.mean())
