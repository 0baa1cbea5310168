"""Profiles of signals: figures by scope, sentences, and what the published study would have read in them."""

import json
import math

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from stoprule.analysis.reliability import brier
from stoprule.analysis.separation import auroc
from stoprule.analysis.signals import signal_profiles, signals_frame
from stoprule.analysis.target import target_of
from stoprule.trajectories.errors import TrajectoryError


def profile(t, **settings):
    """The one signal of a table."""
    (found,) = signal_profiles(t, **settings)
    return found


@pytest.fixture
def noisy(table):
    """100 questions of up to three rounds in two cells; margins rise with em, some are missing."""
    rng = np.random.default_rng(11)
    length = rng.integers(1, 4, 100)
    em = [(rng.random(n) < 0.4).astype(float).tolist() for n in length]
    margin = [[math.nan if rng.random() < 0.1 else rng.normal() + y for y in row] for row in em]
    cells = ["bm25", "dense"] * 50
    return table(em, margin=margin, name="em", cell=cells, question=[f"q{i // 2}" for i in range(100)])


class TestTarget:
    def test_is_the_quality_where_that_is_right_or_wrong(self, table):
        """0 and 1 alone: above 0 is right."""
        target = target_of(table([[0.0, 1.0]], name="em"))
        assert (target.name, target.text, target.answers) == ("em", "em", "right answers (em)")

    def test_is_the_first_outcome_that_is_right_or_wrong(self, table):
        """Before a graded quality."""
        t = table([[0.2, 0.7]])
        object.__setattr__(t, "outcomes", {**t.outcomes, "em": np.array([[0.0, 1.0]])})
        assert target_of(t).name == "em"

    def test_parts_a_graded_quality_at_its_median(self, table):
        """Above it counts as right, and the text says so."""
        t = table([[0.0, 0.25, 0.5, 1.0]])
        target = target_of(t)
        assert target.text == "f1 > 0.375"
        assert target.right(t).tolist() == [[False, False, True, True]]

    def test_parts_below_the_best_where_half_are_best(self, table):
        """Else no answer would be right."""
        t = table([[0.0, 0.5, 1.0, 1.0, 1.0]])
        assert target_of(t).text == "f1 > 0.5"

    def test_takes_a_cut(self, table):
        """Stated for any outcome."""
        t = table([[0.0, 0.5, 1.0]])
        assert target_of(t, "f1", above=0.9).right(t).tolist() == [[False, False, True]]

    def test_names_the_nearest_outcome(self, table):
        """What is wrong, and what there is."""
        with pytest.raises(TrajectoryError, match=r"no outcome 'f2'.*f1"):
            target_of(table([[0.0, 1.0]]), "f2")


class TestFigures:
    def test_by_hand(self, table):
        """Confidence 5, 5, 5, 4, one missing; the 4 is wrong, one 5 is too."""
        t = table([[1.0, 1.0], [0.0, 0.0], [1.0]], margin=[[5, 5], [5, 4], [math.nan]], name="em")
        found = profile(t).whole
        assert (found.n, found.missing, found.distinct) == (5, 1, 2)
        assert (found.mode, found.mode_share) == (5.0, 0.75)
        assert found.entropy == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
        assert found.entropy_max == pytest.approx(math.log(2))
        assert found.base_rate == 0.5
        assert found.auroc.value == 0.75  # of four pairs two won, two tied
        assert found.mean_difference == 0.5
        assert found.levels == 1  # four known values are too few for a curve
        assert found.forecast is None  # 5 is no probability

    def test_of_a_scope_are_those_of_its_rows(self, noisy):
        """By round and by cell, as on the rows alone."""
        found = profile(noisy)
        values, right = noisy.signals["margin"], noisy.quality > 0
        for r, figures in found.rounds.items():
            rows = noisy.length >= r
            known = rows & ~np.isnan(values[:, r - 1])
            direct = auroc(values[known, r - 1], right[known, r - 1], noisy.group[known].astype(str))
            assert figures.auroc == direct
            assert (figures.n, figures.missing) == (rows.sum(), (rows & ~known).sum())
        assert found.cells.keys() == {"bm25", "dense"}
        assert sum(figures.n for figures in found.cells.values()) == found.whole.n == noisy.length.sum()

    def test_compare_a_margin_and_a_confidence_without_their_units(self, noisy):
        """The margin in other units: every unit-free figure stays, the raw difference does not."""
        bits = noisy.with_signal("bits", noisy.signals["margin"] / math.log(2))
        by_name = {each.name: each.whole for each in signal_profiles(bits)}
        nats, other = by_name["margin"], by_name["bits"]
        for name in ("average_precision", "cohens_d", "ks", "rank_correlation"):
            assert getattr(other, name) == pytest.approx(getattr(nats, name))
        assert other.auroc == nats.auroc
        assert other.mean_difference == pytest.approx(nats.mean_difference / math.log(2))

    def test_of_a_probability_have_a_brier_score(self, noisy):
        """As it is, and calibrated out of fold; a signal outside [0, 1] has only the second."""
        t = noisy.with_signal("share", 1 / (1 + np.exp(-noisy.signals["margin"])))
        by_name = {each.name: each.whole for each in signal_profiles(t)}
        known = ~np.isnan(t.signals["share"])
        assert by_name["share"].forecast.brier == brier(t.signals["share"][known], (t.quality > 0)[known])
        assert by_name["margin"].forecast is None
        assert by_name["margin"].calibrated is not None

    def test_do_not_depend_on_the_order_of_rows(self, noisy):
        """Nor change what they are given."""
        before = {name: values.copy() for name, values in noisy.signals.items()}
        turned = noisy.take(np.arange(len(noisy))[::-1])
        first, second = (signals_frame(signal_profiles(t)) for t in (noisy, turned))
        assert_frame_equal(first, second, rel_tol=1e-12)
        assert np.array_equal(noisy.signals["margin"], before["margin"], equal_nan=True)


class TestSentence:
    def test_of_a_verbalised_confidence(self, table):
        """5 in 96 of 100 rows, each other value once: it cannot separate."""
        rng = np.random.default_rng(2)
        confidence = [[float(value)] for value in [1, 2, 3, 4] + [5] * 96]
        em = [[float(rng.random() < 0.5)] for _ in confidence]
        said = profile(table(em, margin=confidence, name="em")).sentence
        assert said.startswith("margin is 5 in 96% of rows: 0.22 of 1.61 nats; it cannot separate")

    def test_of_a_telling_signal(self, noisy):
        """Direction, AUROC with its interval and range by round, d, the raw difference as such."""
        said = profile(noisy).sentence
        assert said.startswith("margin is missing in 10% of rows and is higher for right answers (em): AUROC 0.80 [")
        assert "by round, d +" in said
        assert said.endswith("in its own unit)")

    def test_of_an_inverted_signal(self, noisy):
        """Isotonic calibration collapses: the levels that are left are named (case 7)."""
        turned = noisy.with_signal("margin", -noisy.signals["margin"])
        said = profile(turned).sentence
        assert "is lower for right answers (em)" in said
        left = profile(turned).whole.levels
        assert f"isotonic calibration leaves {left} level" in said
        assert left <= 3

    @pytest.mark.parametrize(
        ("margin", "em", "said"),
        [
            ([[7.0], [7.0]], [[1.0], [0.0]], "margin is 7 wherever it is known: it cannot separate"),
            ([[math.nan], [math.nan]], [[1.0], [0.0]], "margin is missing in every row"),
            ([[1.0], [2.0]], [[0.0], [0.0]], "margin has nothing to separate: no answer is right"),
        ],
    )
    def test_of_what_tells_nothing(self, table, margin, em, said):
        """And why."""
        assert profile(table(em, margin=margin, name="em")).sentence == said


class TestFrame:
    def test_has_a_row_a_scope(self, noisy):
        """All, three rounds, two cells; nothing that CSV or JSON cannot hold."""
        profiles = signal_profiles(noisy)
        frame = signals_frame(profiles)
        assert frame.select("cell", "round").rows() == [
            (None, None), (None, 1), (None, 2), (None, 3), ("bm25", None), ("dense", None),
        ]  # fmt: skip
        assert set(frame["target"]) == {"em"}
        numbers = frame.select(pl.selectors.float())
        assert not any(numbers.select(pl.all().is_nan().any()).row(0))
        json.dumps([each.to_dict() for each in profiles], allow_nan=False)

    def test_counts_clipped_rows_of_calibrated_signals(self, noisy):
        """Case 8; null for the others."""
        clipped = noisy.recorded & (noisy.signals["margin"] > 1.5)
        frame = signals_frame(signal_profiles(noisy, clipped={"margin": clipped}))
        assert frame["clipped"][0] == clipped.sum()
        assert frame["clipped"][1:4].sum() == clipped.sum()
        assert signals_frame(signal_profiles(noisy))["clipped"].null_count() == 6
