"""Intervals out of resamples, and leaving a group out in closed form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap as scipy_bootstrap
from scipy.stats import norm
from stoprule.analysis.bootstrap import Strata, paired_bootstrap, strata
from stoprule.analysis.intervals import bca_interval, percentile_interval


def one_cell(count: int) -> Strata:
    """Questions that are their own groups, in one cell."""
    return strata(np.array([""] * count, dtype=object), np.array([f"{i:04}" for i in range(count)], object))


def scipys(data, statistic, **settings) -> tuple[float, float]:
    """The BCa interval of scipy with the published seed."""
    found = scipy_bootstrap(data, statistic, n_resamples=1000, method="BCa", rng=np.random.default_rng(42), **settings)
    return tuple(map(float, found.confidence_interval))


class TestPercentile:
    def test_by_hand(self):
        """Interpolate between the sorted draws: 2.5% of the way from 0 to 40 is 1."""
        interval = percentile_interval(20.0, np.arange(41.0))
        assert (interval.low, interval.high) == pytest.approx((1, 39))


class TestBca:
    def test_without_bias_and_acceleration_it_is_the_percentile_interval(self):
        """Symmetric draws and influences correct nothing."""
        draws = np.linspace(-1, 1, 1001)
        corrected = bca_interval(0.0, draws, np.array([-1.0, 1.0]))
        plain = percentile_interval(0.0, draws)
        assert (corrected.low, corrected.high) == pytest.approx((plain.low, plain.high))

    def test_bias_by_hand(self):
        """Three of four draws below: z0 = .6745, and the ends are taken at Phi(2 z0 -+ 1.96)."""
        draws = np.array([0.0, 0.0, 0.0, 2.0]).repeat(250) + np.linspace(0, 1e-3, 1000)
        interval = bca_interval(1.0, draws, np.array([-1.0, 1.0]))
        ends = norm.cdf(2 * norm.ppf(0.75) + np.array([-1.959964, 1.959964]))
        assert (interval.low, interval.high) == pytest.approx(np.quantile(draws, ends), abs=1e-6)

    def test_half_of_the_ties_count_as_below(self):
        """Draws of which most equal the figure have no bias when as many lie on either side (EM)."""
        draws = np.array([0.4] * 10 + [0.5] * 80 + [0.6] * 10)
        shaken = draws + np.tile([1e-16, -1e-16], 50)  # sums of thirds do not tie to the last bit
        for each in (draws, shaken):
            interval = bca_interval(0.5, each, np.array([-1.0, 1.0]), rounding=1e-12)
            assert (interval.low, interval.high) == pytest.approx((0.4, 0.6))

    def test_undefined_with_a_reason(self):
        """All draws on one side, or a correction beyond its pole: no interval, never NaN without a word."""
        one_sided = bca_interval(0.0, np.ones(50), np.array([-1.0, 1.0]))
        assert "all 50 resamples lie above the figure" in one_sided.reason
        unsteady = bca_interval(0.0, np.linspace(-1, 1, 101), np.array([np.nan, 1.0]))
        assert (unsteady.value, "acceleration" in unsteady.reason) == (0.0, True)


class TestAgainstScipy:
    @pytest.fixture
    def columns(self):
        """Two skewed columns of 60 questions."""
        rng = np.random.default_rng(3)
        return {"rule": rng.gamma(1.0, size=60), "other": 0.5 + rng.gamma(2.0, size=60)}

    @pytest.fixture
    def ours(self, columns):
        """Both resampled together."""
        return paired_bootstrap(one_cell(60), columns, draws=1000, seed=42, interval="bca")

    def test_a_mean(self, columns, ours):
        """Equal scipy on one sample, draws and all."""
        found = ours.mean("rule")
        assert (found.low, found.high) == pytest.approx(scipys((columns["rule"],), np.mean), abs=1e-9)

    def test_a_difference(self, columns, ours):
        """Equal scipy on the differences."""
        found = ours.difference("rule", "other")
        expected = scipys((columns["rule"] - columns["other"],), np.mean)
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)

    def test_a_ratio(self, columns, ours):
        """Equal scipy's paired samples, whose jackknife is a loop."""
        found = ours.ratio("rule", "other", of="other")
        expected = scipys(
            (columns["rule"], columns["other"]),
            lambda x, y, axis: x.mean(axis=axis) / y.mean(axis=axis),
            paired=True,
            vectorized=True,
        )
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)

    def test_right_or_wrong(self):
        """Equal scipy on 64 outcomes of 0 and 1, where many resamples tie with the figure."""
        right = (np.arange(64) % 8 == 0).astype(float)
        found = paired_bootstrap(one_cell(64), {"em": right}, draws=1000, interval="bca").mean("em")
        assert (found.low, found.high) == pytest.approx(scipys((right,), np.mean), abs=1e-9)

    def test_several_strata(self):
        """Equal scipy's several samples: cells of their own questions, macro over both."""
        rng = np.random.default_rng(8)
        x, y = rng.gamma(1.0, size=12), rng.gamma(1.0, size=20)
        cell = np.array(["x"] * 12 + ["y"] * 20, dtype=object)
        units = strata(cell, np.array([f"{c}{i:02}" for i, c in enumerate(cell)], dtype=object))
        left_out = units.left_out(0.0, units.contributions(np.concatenate([x, y])))
        naive = [np.delete(x, i).mean() / 2 - x.mean() / 2 for i in range(12)]
        naive += [np.delete(y, i).mean() / 2 - y.mean() / 2 for i in range(20)]
        assert left_out == pytest.approx(naive)

        # scipy draws sample by sample, so that only what follows from the draws can be compared
        draws = paired_bootstrap(units, {"f1": np.concatenate([x, y])}, draws=4000, interval="bca")
        found = draws.mean("f1")
        expected = scipy_bootstrap(
            (x, y), lambda x, y, axis: (x.mean(axis=axis) + y.mean(axis=axis)) / 2, n_resamples=4000, rng=1
        ).confidence_interval
        assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.03)
        influence = units.influence(left_out)
        u_x, u_y = ((len(v) - 1) * (np.mean(part) - part) for v, part in ((x, left_out[:12]), (y, left_out[12:])))
        assert influence == pytest.approx(np.concatenate([u_x / 12, u_y / 20]))


class TestLeavingOut:
    @settings(max_examples=50, deadline=None)
    @given(st.data())
    def test_equals_the_table_without_the_group(self, data):
        """Shared questions in every cell: the closed form is the macro mean of the table without the group."""
        questions, cells = data.draw(st.integers(2, 6)), data.draw(st.integers(1, 3))
        values = np.array(
            data.draw(st.lists(st.integers(0, 4), min_size=questions * cells, max_size=questions * cells))
        )
        cell = np.repeat([f"c{c}" for c in range(cells)], questions).astype(object)
        group = np.tile([f"g{q}" for q in range(questions)], cells).astype(object)
        units = strata(cell, group)
        left_out = units.left_out(units.macro_mean(values), units.contributions(values.astype(float)))
        for q, name in enumerate(units.groups):
            rest = group != name
            assert left_out[q] == pytest.approx(strata(cell[rest], group[rest]).macro_mean(values[rest]))

    def test_a_group_alone_in_its_stratum_moves_nothing(self):
        """It is in every resample."""
        units = strata(np.array(["x", "x", "y"], object), np.array(["a", "b", "c"], object))
        left_out = units.left_out(0.5, units.contributions(np.array([0.0, 1.0, 0.5])))
        assert left_out.tolist() == [0.75, 0.25, 0.5]
        assert units.influence(left_out)[2] == 0


class TestDegenerate:
    @pytest.mark.parametrize("interval", ["percentile", "bca"])
    def test_a_constant_difference(self, interval):
        """The interval of a constant is that constant (case 9), for BCa as well."""
        base = np.random.default_rng(0).random(40)
        both = paired_bootstrap(one_cell(40), {"rule": base + 0.1, "other": base}, draws=200, interval=interval)
        difference = both.difference("rule", "other")
        assert difference.degenerate
        assert difference.low == difference.value == difference.high == pytest.approx(0.1)

    def test_a_ratio_that_leaving_one_out_would_undo(self):
        """Say that BCa has no meaning when the denominator rests on one question that every draw happens to hold."""
        columns = {"x": np.ones(2), "rare": np.array([1.0, 0.0])}
        found = paired_bootstrap(one_cell(2), columns, draws=1, seed=1, interval="bca").ratio("x", "rare", of="rare")
        assert (found.value, "acceleration" in found.reason) == (2.0, True)
