"""Figures of the report as text, and the candidates behind the frontier, by hand."""

import polars as pl
import pytest
from stoprule.analysis.report.charts import BINS, POINTS_TO, candidate_cloud
from stoprule.analysis.report.final import final_tables
from stoprule.analysis.report.front import thinned
from stoprule.analysis.report.tables import Units, figures, interval, number


def estimate(value, low, high, *, degenerate=False, reason=None):
    """As evaluation.json writes it."""
    return {"value": value, "low": low, "high": high, "degenerate": degenerate, "reason": reason}


class TestInterval:
    def test_is_a_figure_with_its_ends_and_sorts_by_its_value(self):
        """Scaled, with a sign where it is a difference."""
        told = Units("f1", "calls", percent=True).of_quality(estimate(0.025, -0.004, 0.0565), "+")
        assert (told.text, told.number) == ("+2.50 [-0.40, +5.65]", 2.5)

    def test_has_no_ends_without_spread_and_a_reason_without_a_value(self):
        """Neither is a number that was never worked out."""
        assert interval(estimate(1.0, 1.0, 1.0, degenerate=True)).text == "1.000"
        assert interval(estimate(None, None, None, reason="the baseline is zero")).text == "the baseline is zero"
        assert interval(None).text == "–"

    def test_of_a_missing_number_is_a_dash(self):
        """A count keeps its digits."""
        assert [number(value).text for value in (None, float("nan"), 12345, 0.123456)] == ["–", "–", "12,345", "0.1235"]


class TestFigures:
    def test_are_named_by_the_way_to_them(self):
        """Through objects and lists; an estimate is one figure."""
        found = figures({"money": {"per_question": estimate(2.0, 1.0, 3.0)}, "of": "fixed(5)", "points": [{"p": 0.5}]})
        assert [(name, entry.text) for name, entry in found] == [
            ("money · per question", "2 [1, 3]"),
            ("of", "fixed(5)"),
            ("points · 1 · p", "0.5"),
        ]


class TestFinalTables:
    @pytest.mark.parametrize(("cost", "columns"), [("calls", ["calls"]), ("tokens", ["tokens", "calls"])])
    def test_tell_calls_once(self, cost, columns):
        """The learned stopper's calls have a column of their own where they are not the cost."""
        early = {"n": 0, "of": 0, "outcomes": {}}
        rest = {"depths": [], "baselines": {}, "outcomes": {}, "early_stops": early, "breakdown": {}, "transfer": None}
        figures = {"price": 0.1, "quality": estimate(0.5, 0.4, 0.6), "cost": estimate(9, 8, 10), "calls": None}
        content = {**rest, "learned": {"chosen": 0, "frontier": [figures]}}
        (found,) = final_tables(content, Units("f1", cost, percent=False))
        assert list(found.columns) == ["price", "", "f1", *columns]
        assert [len(row) for row in found.rows] == [len(found.columns)]


class TestCandidateCloud:
    def test_is_every_distinct_point_while_they_are_few(self):
        """Qualities scaled."""
        frame = pl.DataFrame({"cost": [1.0, 2.0, 1.0], "quality": [0.5, 0.75, 0.5]})
        assert candidate_cloud(frame, 100.0) == (
            [{"cost": 1.0, "quality": 50.0}, {"cost": 2.0, "quality": 75.0}],
            False,
        )

    @pytest.mark.parametrize("k", [POINTS_TO + 1, 50_000])
    def test_is_a_bounded_grid_of_counts_where_they_are_many(self, k):
        """Nobody is left out."""
        frame = pl.DataFrame({"cost": [i % 997 / 10 for i in range(k)], "quality": [i % 89 / 89 for i in range(k)]})
        cloud, is_density = candidate_cloud(frame, 1.0)
        assert is_density
        assert len(cloud) <= BINS[0] * BINS[1]
        assert sum(each["count"] for each in cloud) == k


class TestThinned:
    def test_puts_the_preferred_of_equal_points_first(self):
        """Cheapest first; among equals fewer atoms, then the text."""
        frame = pl.DataFrame(
            {
                "rule": ["b > 1 & c > 1", "b > 2", "a > 2", "a > 1"],
                "cost": [1.0, 1.0, 1.0, 0.5],
                "quality": [0.5, 0.5, 0.5, 0.25],
            }
        )
        assert thinned(frame, "a > 1", 10)["rule"].to_list() == ["a > 1", "a > 2", "b > 2", "b > 1 & c > 1"]

    def test_keeps_the_ends_and_the_locked_rule_of_a_long_front(self):
        """Evenly spaced, no more than there is room for."""
        k = 5000
        frame = pl.DataFrame(
            {"rule": [f"a > {i}" for i in range(k)], "cost": range(k), "quality": range(k)},
            schema_overrides={"cost": pl.Float64, "quality": pl.Float64},
        )
        kept = thinned(frame, "a > 1234", 10)["rule"].to_list()
        assert len(kept) <= 1001
        assert {"a > 0", "a > 1234", f"a > {k - 1}"} <= set(kept)
        assert len(thinned(frame, "a > 1234", 10_000)) <= 16
