"""Measures without a unit: by hand, by their properties, as scikit-learn and scipy have them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score
from stoprule.analysis.bootstrap import strata
from stoprule.analysis.separation import (
    auroc,
    average_precision,
    cohens_d,
    entropy,
    kolmogorov_smirnov,
    mean_difference,
    rank_correlation,
)


def array(*values):
    return np.array(values, dtype=float)


def own_groups(values):
    return np.arange(len(values))


@st.composite
def labelled(draw):
    """Values with ties, and labels of both kinds."""
    n = draw(st.integers(2, 40))
    values = np.array(draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), dtype=float)
    right = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    right[:2] = True, False
    return values, right


class TestEntropy:
    @pytest.mark.parametrize(
        ("values", "nats"),
        [([5, 5, 5], 0.0), ([1, 2], math.log(2)), ([1, 1, 2, 2], math.log(2)), ([1, 2, 3, 4], math.log(4))],
    )
    def test_by_hand(self, values, nats):
        """One value has none; k equally frequent ones have log k."""
        assert entropy(array(*values)) == pytest.approx(nats, abs=1e-15)

    @given(st.lists(st.integers(0, 4), min_size=1, max_size=50))
    def test_as_scipy_has_it(self, values):
        """Of the counts, in nats."""
        counts = np.unique(values, return_counts=True)[1]
        assert entropy(array(*values)) == pytest.approx(stats.entropy(counts), abs=1e-12)


class TestAuroc:
    def test_by_hand(self):
        """Pairs (right, wrong): 2 > 1, 2 < 3, 3 > 1, 3 = 3: 2.5 of 4."""
        found = auroc(array(2, 3, 1, 3), np.array([True, True, False, False]), own_groups(range(4)))
        assert found.value == 0.625

    def test_variance_by_hand(self):
        """DeLong's: placements of the right .5 and .75, of the wrong 1 and .25; their variances over 2 each."""
        found = auroc(array(2, 3, 1, 3), np.array([True, True, False, False]), own_groups(range(4)))
        variance = (0.5 - 0.75) ** 2 / 2 / 2 + (1 - 0.25) ** 2 / 2 / 2
        reach = 1.959963984540054 * math.sqrt(variance) / (0.625 * 0.375)
        ends = [1 / (1 + math.exp(-(math.log(0.625 / 0.375) + sign * reach))) for sign in (-1, 1)]
        assert [found.low, found.high] == pytest.approx(ends, rel=1e-12)

    @given(labelled())
    def test_as_scikit_learn_has_it(self, case):
        """Ties count half."""
        values, right = case
        assert auroc(values, right, own_groups(values)).value == pytest.approx(roc_auc_score(right, values), abs=1e-12)

    @given(labelled())
    def test_reads_the_order_alone(self, case):
        """Any rising map of the values changes nothing; a falling one mirrors value and interval."""
        values, right = case
        found, risen = (auroc(each, right, own_groups(values)) for each in (values, np.exp(values) * 100 - 3))
        fallen = auroc(-values, right, own_groups(values))
        assert (risen.value, risen.low, risen.high) == pytest.approx((found.value, found.low, found.high), nan_ok=True)
        mirrored = (1 - fallen.value, 1 - fallen.high, 1 - fallen.low)
        assert mirrored == pytest.approx((found.value, found.low, found.high), nan_ok=True)

    def test_of_a_constant_is_degenerate(self):
        """No resample could move it from 1/2."""
        found = auroc(array(5, 5, 5, 5), np.array([True, True, False, False]), own_groups(range(4)))
        assert (found.value, found.low, found.high, found.degenerate) == (0.5, 0.5, 0.5, True)

    @pytest.mark.parametrize(
        ("values", "right", "group", "value", "reason"),
        [
            ([1, 2], [True, True], [0, 1], math.nan, "no answer is wrong"),
            ([1, 2], [False, False], [0, 1], math.nan, "no answer is right"),
            ([3, 4, 1, 2], [True, True, False, False], [0, 1, 2, 3], 1.0, "right and wrong are parted perfectly"),
            (
                [3, 1, 2, 2],
                [True, True, False, False],
                [0, 0, 1, 2],
                0.5,
                "right or wrong answers are all of one group",
            ),
        ],
    )
    def test_says_why_there_is_no_interval(self, values, right, group, value, reason):
        """NaN has its reason."""
        found = auroc(array(*values), np.array(right), np.array(group))
        assert found.value == pytest.approx(value, nan_ok=True)
        assert (math.isnan(found.low), math.isnan(found.high), found.reason) == (True, True, reason)

    def test_variance_counts_groups(self):
        """Every row written down four times, in the group of the first: the same interval, but for its n - 1."""
        rng = np.random.default_rng(3)
        right = rng.random(80) < 0.4
        values = rng.normal(size=80) + right
        once = auroc(values, right, own_groups(values))
        four = auroc(np.repeat(values, 4), np.repeat(right, 4), np.repeat(own_groups(values), 4))
        alone = auroc(np.repeat(values, 4), np.repeat(right, 4), np.arange(320))
        assert (four.low, four.high) == pytest.approx((once.low, once.high), abs=0.002)
        assert alone.high - alone.low < 0.6 * (once.high - once.low)

    def test_agrees_with_resampling_groups(self):
        """The percentile bootstrap over groups of five rounds, whose rows depend on each other."""
        rng = np.random.default_rng(8)
        question = np.repeat(np.arange(120), 5)
        level = np.repeat(rng.normal(size=120), 5)
        right = rng.normal(size=600) + level > 0.5
        values = rng.normal(size=600) + level
        found = auroc(values, right, question)
        names = np.arange(120).astype(str).astype(object)
        sizes = strata(np.full(120, "", dtype=object), names).sizes
        assert sizes.tolist() == [120]
        rows = np.arange(600).reshape(120, 5)
        draws = []
        for _ in range(400):
            drawn = rows[rng.integers(0, 120, 120)].ravel()
            draws.append(roc_auc_score(right[drawn], values[drawn]))
        assert (found.low, found.high) == pytest.approx(np.percentile(draws, [2.5, 97.5]), abs=0.012)

    def test_covers(self):
        """The truth lies inside in 95% of 400 data sets of clustered rows, within 3.7 standard errors."""
        rng = np.random.default_rng(5)
        truth = stats.norm.cdf(1 / math.sqrt(2))
        inside = 0
        for _ in range(400):
            right = rng.random(60) < 0.5  # a question is right or wrong in all its four rounds
            values = (rng.normal(size=60) + right)[:, None].repeat(4, axis=1)
            found = auroc(values.ravel(), right.repeat(4), np.arange(60).repeat(4))
            inside += found.low <= truth <= found.high
        assert inside / 400 >= 0.95 - 3.7 * math.sqrt(0.95 * 0.05 / 400)

    def test_takes_infinite_values(self):
        """Only their order counts."""
        right = np.array([True, True, False, False])
        assert auroc(array(np.inf, 2, -np.inf, 3), right, own_groups(right)).value == 0.75


class TestAveragePrecision:
    def test_by_hand(self):
        """Right at ranks 1 and 3: (1/1 + 2/3) / 2."""
        found = average_precision(array(9, 8, 7, 6), np.array([True, False, True, False]))
        assert found == pytest.approx((1 + 2 / 3) / 2)

    @given(labelled())
    def test_as_scikit_learn_has_it(self, case):
        """Of the values themselves, ties together."""
        values, right = case
        assert average_precision(values, right) == pytest.approx(average_precision_score(right, values))

    def test_without_right_answers(self):
        """There is none."""
        assert math.isnan(average_precision(array(1, 2), np.array([False, False])))


class TestCohensD:
    def test_by_hand(self):
        """Means 3 and 1; squared deviations 2 and 2, over n - 2 = 2: s = sqrt 2."""
        values, right = array(2, 4, 0, 2), np.array([True, True, False, False])
        assert cohens_d(values, right) == pytest.approx(2 / math.sqrt(2))
        assert cohens_d(-values, right) == pytest.approx(-2 / math.sqrt(2))
        assert mean_difference(values, right) == 2

    @given(labelled(), st.sampled_from([0.5, 3.0, 64.0]), st.integers(-10, 10))
    def test_has_no_unit(self, case, factor, shift):
        """A margin in nats and in bits have the same d; their raw differences are not the same."""
        values, right = case
        moved = cohens_d(values * factor + shift, right)
        assert moved == pytest.approx(cohens_d(values, right), rel=1e-6, abs=1e-6, nan_ok=True)
        raw = mean_difference(values * factor + shift, right)
        assert raw == pytest.approx(factor * mean_difference(values, right), rel=1e-6, abs=1e-6)

    def test_is_the_t_statistic_scaled(self):
        """Student's t of two samples is d / sqrt(1/a + 1/b)."""
        rng = np.random.default_rng(0)
        values, right = rng.normal(size=50), rng.random(50) < 0.3
        t = stats.ttest_ind(values[right], values[~right]).statistic
        a, b = right.sum(), (~right).sum()
        assert cohens_d(values, right) == pytest.approx(t * math.sqrt(1 / a + 1 / b))

    @pytest.mark.parametrize(
        ("values", "right"),
        [([1, 2, 3], [True] * 3), ([1, 1, 1], [True, True, False]), ([1, 2, np.inf], [True, True, False])],
    )
    def test_is_not_defined_without_spread_or_classes(self, values, right):
        """NaN, not infinity."""
        assert math.isnan(cohens_d(array(*values), np.array(right)))


class TestKolmogorovSmirnov:
    def test_by_hand(self):
        """At 1 all of the wrong and none of the right are at or below."""
        assert kolmogorov_smirnov(array(2, 3, 0, 1), np.array([True, True, False, False])) == 1.0
        assert kolmogorov_smirnov(array(0, 2, 0, 1), np.array([True, True, False, False])) == 0.5

    @given(labelled())
    def test_is_the_largest_distance_of_the_distributions(self, case):
        """As the definition reads."""
        values, right = case
        distances = [abs((values[right] <= x).mean() - (values[~right] <= x).mean()) for x in values]
        assert kolmogorov_smirnov(values, right) == pytest.approx(max(distances), abs=1e-12)

    def test_as_scipy_has_it(self):
        """On values with ties."""
        rng = np.random.default_rng(6)
        values, right = rng.normal(size=200).round(1), rng.random(200) < 0.3
        assert kolmogorov_smirnov(values, right) == pytest.approx(stats.ks_2samp(values[right], values[~right])[0])

    def test_is_not_defined_for_one_class(self):
        """NaN."""
        assert math.isnan(kolmogorov_smirnov(array(1, 2), np.array([True, True])))


class TestRankCorrelation:
    def test_by_hand(self):
        """Any rising relation is 1, any falling one -1."""
        assert rank_correlation(array(1, 2, 30), array(0, 0.5, 0.6)) == pytest.approx(1)
        assert rank_correlation(array(1, 2, 30), array(3, 2, 1)) == pytest.approx(-1)

    def test_is_not_defined_where_nothing_varies(self):
        """NaN without a warning."""
        assert math.isnan(rank_correlation(array(1, 1, 1), array(0, 1, 0)))
        assert math.isnan(rank_correlation(array(1, 2, 3), array(0, 0, 0)))
