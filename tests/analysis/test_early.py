"""What stopping early lost and saved."""

import numpy as np
import polars as pl
import pytest
from stoprule.analysis.baselines import stops
from stoprule.analysis.early import Later, early_stops, stops_frame
from stoprule.rules.named import fixed
from stoprule.rules.text import parse


@pytest.fixture
def small(table):
    """Five questions; `margin > 0.5` stops at rounds 1 1 2 1 and at the end of the last."""
    return table(
        [[1.0, 0.5, 0.0], [0.5, 0.5, 1.0], [0.0, 1.0, 0.9], [0.2, 0.1, 0.2], [0.0, 1.0]],
        margin=[[0.9, 0, 0], [0.9, 0, 0], [0.1, 0.9, 0], [0.9, 0, 0], [0.1, 0.1]],
        outcomes={"em": [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [0, 1]]},
        labels={"kind": ["bridge", "bridge", "bridge", "", "comparison"]},
        declared=(0, 1),
    )


class TestLater:
    def test_by_hand(self):
        """Count what would have risen, stayed and fallen, and the mean change."""
        found = Later.of(np.array([0.0, 1.0, 0.5, 0.5]), np.array([1.0, 0.0, 0.5, 1.0]))
        assert (found.better, found.same, found.worse) == (2, 1, 1)
        assert found.change == pytest.approx((1 - 1 + 0 + 0.5) / 4)

    def test_without_early_stops(self):
        """A mean over nothing is 0, not NaN (case 22)."""
        assert Later.of(np.zeros(0), np.zeros(0)) == Later(better=0, same=0, worse=0, change=0.0)


class TestEarlyStops:
    def test_by_hand(self, small):
        """Four of five stop early; compare each with its next and its last round, by every outcome."""
        found = early_stops(small, stops(parse("margin > 0.5"), small))
        assert (found.n, found.of) == (4, 5)
        f1 = found.next["f1"], found.last["f1"]
        assert [(one.better, one.same, one.worse) for one in f1] == [(0, 1, 3), (1, 1, 2)]
        assert f1[1].change == pytest.approx((-1 + 0.5 - 0.1 + 0) / 4)
        em = found.next["em"], found.last["em"]
        assert [(one.better, one.same, one.worse) for one in em] == [(0, 2, 2), (1, 1, 2)]
        assert found.above_zero == {"f1": 4, "em": 2}
        assert (found.right_then_wrong, found.wrong_then_right) == (2, 1)

    def test_the_next_round_of_two_is_the_last(self, table):
        """Agree with the controller's question: would the one remaining call have helped?"""
        t = table([[0.4, 0.6], [0.6, 0.4], [0.5, 0.5]])
        found = early_stops(t, stops(fixed(1), t))
        assert found.next == found.last

    def test_a_rule_that_runs_to_the_end_has_none(self, small):
        """Nothing was lost and nothing saved."""
        found = early_stops(small, stops(fixed(3), small))
        assert (found.n, found.right_then_wrong, found.wrong_then_right) == (0, 0, 0)

    def test_without_a_range_nobody_knows_what_is_right(self, table):
        """Say null rather than guess."""
        t = table([[1.0, 0.0]])
        found = early_stops(t, stops(fixed(1), t)).to_dict()
        assert found["right_then_wrong"] is found["wrong_then_right"] is None


class TestStopsFrame:
    def test_by_hand(self, small):
        """One row a trajectory, with what stopping did to it."""
        frame = stops_frame(small, stops(parse("margin > 0.5"), small))
        assert frame["stopping"].to_list() == ["saved", "lost", "saved", "same", ""]
        assert frame["stop_round"].to_list() == [1, 1, 2, 1, 2]
        assert frame["fired"].to_list() == [True] * 4 + [False]
        assert frame["f1_next"].to_list() == [0.5, 0.5, 0.9, 0.1, None]
        assert frame["em_last"].to_list() == [0, 1, 0, 0, 1]
        assert frame["best_round"].to_list() == [1, 3, 2, 1, 2]
        assert frame["right_at_stop"].to_list() == [True, False, True, False, True]
        assert frame["kind"].to_list() == ["bridge", "bridge", "bridge", "", "comparison"]

    def test_adds_up_to_the_counts(self, small):
        """The table and the counts say the same."""
        rule = stops(parse("margin > 0.5"), small)
        frame, counts = stops_frame(small, rule), early_stops(small, rule)
        early = frame.filter(pl.col("stopping") != "")
        assert len(early) == counts.n
        assert early.filter("right_at_stop", ~pl.col("right_at_last")).height == counts.right_then_wrong
        assert (early["stopping"] == "lost").sum() == counts.last["f1"].better
