"""Paired bootstrap: strata, draws, intervals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis import bootstrap
from stoprule.analysis.bootstrap import drawn_groups, paired_bootstrap, strata
from stoprule.analysis.intervals import Estimate
from stoprule.trajectories.errors import StudyError


def objects(text: str) -> np.ndarray:
    """An object array out of blank-separated words."""
    return np.array(text.split(), dtype=object)


def one_cell(count: int) -> bootstrap.Strata:
    """Questions that are their own groups, in one cell."""
    return strata(np.array([""] * count, dtype=object), np.array([f"{i:04}" for i in range(count)], object))


class TestStrata:
    CELL = objects("bm25 bm25 bm25 bm25 dense dense dense")
    GROUP = objects("a b b c b c d")

    def test_by_hand(self):
        """Sort strata by their cells, groups within them, and weigh groups equally in a cell."""
        units = strata(self.CELL, self.GROUP)
        assert units.cells == (("bm25",), ("bm25", "dense"), ("dense",))
        assert units.groups == ("a", "b", "c", "d")
        assert units.sizes.tolist() == [1, 2, 1]
        assert units.position.tolist() == [0, 1, 1, 2, 1, 2, 3]
        sixth = 1 / 6  # two cells of three groups
        assert units.weight == pytest.approx([sixth, sixth / 2, sixth / 2, *[sixth] * 4])

    def test_groups_weigh_equally(self):
        """Count the two questions of group b in bm25 as one: ((0 + 1/2 + 0) / 3 + (0 + 0 + 1) / 3) / 2."""
        units = strata(self.CELL, self.GROUP)
        values = np.array([0, 1, 0, 0, 0, 0, 1.0])
        assert units.macro_mean(values) == pytest.approx(0.25)
        assert units.contributions(values).sum() == pytest.approx(0.25)

    def test_the_order_of_rows_does_not_matter(self):
        """Give the same groups, strata and figures for shuffled rows (case 3)."""
        values, shuffle = np.arange(7.0), np.array([6, 2, 4, 0, 5, 1, 3])
        units, shuffled = strata(self.CELL, self.GROUP), strata(self.CELL[shuffle], self.GROUP[shuffle])
        assert (shuffled.groups, shuffled.cells) == (units.groups, units.cells)
        assert shuffled.contributions(values[shuffle]) == pytest.approx(units.contributions(values))

    def test_where_groups_are_questions_it_is_the_exact_macro_mean(self):
        """Count calls of 1 as a mean of exactly 1, for cells of awkward sizes."""
        cell = np.array(["x"] * 49 + ["y"] * 99, dtype=object)
        group = np.array([f"{i}" for i in range(148)], dtype=object)
        assert strata(cell, group).macro_mean(np.ones(148)) == 1.0


class TestDraws:
    @pytest.mark.parametrize("sizes", [[5], [1], [3, 7, 1, 20], [1, 1], [148]])
    def test_equal_successive_calls(self, sizes):
        """Draw what one call a stratum and draw would, to the number."""
        rng = np.random.default_rng(42)
        first = np.cumsum(sizes) - sizes
        expected = [
            np.concatenate([start + rng.integers(0, n, n) for start, n in zip(first, sizes, strict=True)])
            for _ in range(50)
        ]
        (drawn,) = drawn_groups(np.array(sizes), draws=50, seed=42)
        assert np.array_equal(drawn, expected)

    def test_chunks_are_one_stream(self, monkeypatch):
        """Bound the memory without changing a number."""
        values = {"x": np.arange(7.0)}
        whole = paired_bootstrap(one_cell(7), values, draws=100).draws
        monkeypatch.setattr(bootstrap, "LARGEST_CHUNK", 30)
        assert [len(chunk) for chunk in drawn_groups(np.array([7]), draws=10, seed=0)] == [4, 4, 2]
        assert np.array_equal(paired_bootstrap(one_cell(7), values, draws=100).draws, whole)

    def test_the_seed_decides(self):
        """Repeat a seed, differ with another, and leave the global generator alone (case 21)."""
        values = {"x": np.arange(20.0)}
        before = np.random.get_state()[1].tolist()  # noqa: NPY002
        first, again, other = (paired_bootstrap(one_cell(20), values, draws=50, seed=seed).draws for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)
        assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


class TestIntervals:
    def test_the_published_bootstrap(self):
        """Equal the direct loop with default_rng(42), 1000 draws, percentiles 2.5 and 97.5, to 1e-9."""
        values = np.random.default_rng(0).integers(0, 4, (2, 150)) / 3.0
        rng = np.random.default_rng(42)
        differences, ratios = [], []
        for _ in range(1000):
            drawn = rng.integers(0, 150, 150)
            differences.append(values[0][drawn].mean() - values[1][drawn].mean())
            ratios.append(values[0][drawn].mean() / values[1][drawn].mean())

        result = paired_bootstrap(one_cell(150), {"rule": values[0], "other": values[1]}, draws=1000, seed=42)
        for estimate, draws in (
            (result.difference("rule", "other"), differences),
            (result.ratio("rule", "other", of="other"), ratios),
        ):
            assert (estimate.low, estimate.high) == pytest.approx(np.percentile(draws, [2.5, 97.5]), abs=1e-9)
        assert result.difference("rule", "other").value == pytest.approx((values[0] - values[1]).mean())

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(
            st.tuples(st.sampled_from("xyz"), st.sampled_from("abcdef"), st.integers(0, 3)),
            min_size=1,
            max_size=20,
        )
    )
    def test_equals_the_naive_loop_over_groups_and_cells(self, rows):
        """Average group means within cells, then cells, over the groups drawn in each stratum."""
        cell, group = (np.array([row[i] for row in rows], dtype=object) for i in (0, 1))
        value = np.array([float(row[2]) for row in rows])
        appears = {g: tuple(sorted({c for c, h, _ in rows if h == g})) for g in set(group)}
        rng, expected = np.random.default_rng(7), []
        for _ in range(20):
            drawn = []
            for where in sorted(set(appears.values())):
                members = sorted(g for g in appears if appears[g] == where)
                drawn += [members[i] for i in rng.integers(0, len(members), len(members))]
            cell_means = [
                np.mean([value[(cell == c) & (group == g)].mean() for g in drawn if c in appears[g]])
                for c in sorted(set(cell))
            ]
            expected.append(np.mean(cell_means))
        result = paired_bootstrap(strata(cell, group), {"x": value}, draws=20, seed=7)
        assert result.draws[:, 0] == pytest.approx(np.array(expected), abs=1e-12)

    def test_a_constant_difference_is_degenerate(self):
        """Make the interval of a constant that constant, and say so, rounding or not (case 9)."""
        base = np.random.default_rng(0).random(40)
        result = paired_bootstrap(one_cell(40), {"rule": base + 0.1, "other": base, "double": 2 * base})
        difference = result.difference("rule", "other")
        assert difference.degenerate
        assert difference.low == difference.value == difference.high == pytest.approx(0.1)
        assert result.difference("rule", "rule") == Estimate(0.0, 0.0, 0.0, degenerate=True)
        assert result.ratio("double", "other", of="other").degenerate
        assert not result.mean("other").degenerate

    def test_one_group_cannot_be_resampled(self):
        """Mark the interval of a single group as degenerate rather than narrow."""
        assert paired_bootstrap(one_cell(1), {"x": np.array([0.3])}).mean("x").degenerate

    def test_a_rare_difference_is_not_taken_for_a_constant(self):
        """Keep the interval that the draws give when they all miss the one question that differs."""
        rare = np.zeros(1000)
        rare[0] = 1
        estimate = paired_bootstrap(one_cell(1000), {"x": rare}, draws=1, seed=1).mean("x")
        assert not estimate.degenerate

    def test_a_ratio_to_nothing_has_a_reason(self):
        """Leave the ratio to a figure that is not positive undefined: null with a reason (case 22)."""
        result = paired_bootstrap(one_cell(3), {"x": np.ones(3), "none": np.zeros(3), "rare": np.eye(3)[0]})
        undefined = result.ratio("x", "none", of="the quality of fixed(5)").to_dict()
        assert undefined["value"] is undefined["low"] is undefined["high"] is None
        assert undefined["reason"].startswith("the quality of fixed(5) is 0:")
        unsteady = result.ratio("x", "rare", of="the quality of fixed(5)")
        assert unsteady.value == pytest.approx(3)
        assert math.isnan(unsteady.low)
        assert "is not positive in" in unsteady.reason

    def test_the_mistakes(self):
        """Refuse an interval that is not offered, a number of draws or a seed that is none."""
        with pytest.raises(StudyError, match="interval 'bayes' is not offered"):
            paired_bootstrap(one_cell(2), {"x": np.ones(2)}, interval="bayes")
        for draws in (0, -1, 2.5, True):
            with pytest.raises(StudyError, match="draws must be a whole number of at least 1"):
                paired_bootstrap(one_cell(2), {"x": np.ones(2)}, draws=draws)
        with pytest.raises(StudyError, match="seed must be a whole number of at least 0, not -1"):
            paired_bootstrap(one_cell(2), {"x": np.ones(2)}, seed=-1)
