"""Leaks that a signal's own values betray: each kind, and the recorded signal that is none."""

from dataclasses import replace

import numpy as np
import pytest
from stoprule.analysis.audit.leaks import future_leak, outcome_leak, scale_leaks
from stoprule.analysis.audit.prefixes import prefix_changes, until
from stoprule.analysis.audit.tells import Tell, storage_unit, tells
from stoprule.rules.text import parse

ROUNDS = 5


@pytest.fixture
def recorded(table):
    """60 questions of 3 to 5 rounds with binary and partial outcomes; the test adds signals."""
    rng = np.random.default_rng(4)
    lengths = rng.integers(3, ROUNDS + 1, 60)
    return table([rng.choice([0.0, 0.5, 1.0], length) for length in lengths], cell=["a", "b"] * 30)


def with_signal(t, values, where=slice(None)):
    """The table with a signal x; NaN outside ``where`` and beyond the length."""
    kept = np.full(t.cost.shape, np.nan)
    kept[where] = np.where(t.recorded, values, np.nan)[where]
    return replace(t, signals={"x": kept})


def normal(t, seed=0):
    """A recorded signal."""
    return np.where(t.recorded, np.random.default_rng(seed).normal(3, 2, t.cost.shape), np.nan)


def z(values, ddof=0):
    """Standardised over the rounds of each question."""
    return (values - np.nanmean(values, axis=1, keepdims=True)) / np.nanstd(values, axis=1, keepdims=True, ddof=ddof)


def ranks(values):
    """1 to R in the order of the values."""
    return np.where(np.isnan(values), np.nan, np.argsort(np.argsort(values, axis=1), axis=1) + 1.0)


def unit(values):
    """From 0 to 1 over the rounds of each question."""
    low, high = np.nanmin(values, axis=1, keepdims=True), np.nanmax(values, axis=1, keepdims=True)
    return (values - low) / (high - low)


def said(t):
    """What future_leak says of each cell."""
    return [future_leak(each)[1] for each in tells(t, ["x"])]


class TestStorageUnit:
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([0.123, 2.5], 0.5e-3),
            ([1.0, 3.0], 0.05),
            ([np.float32(0.1), np.float32(2.7)], 0.05),
            ([np.pi, 100.0], 2.0**-23 * 100),
            ([], 0.0),
        ],
        ids=["three decimals", "whole numbers", "float32 of decimals", "as they come", "none"],
    )
    def test_follows_the_decimals_or_float32(self, values, expected):
        """Half a unit of the last decimal, else the spacing of float32."""
        assert storage_unit(np.array(values, dtype=float)) == pytest.approx(expected)


class TestFutureLeak:
    """Case 30, and its kind."""

    @pytest.mark.parametrize(
        ("scaled", "word"),
        [
            (z, "zero"),
            (lambda x: z(x, ddof=1), "zero"),
            (lambda x: z(x).round(3), "zero"),
            (lambda x: z(x).astype(np.float32), "zero"),
            (lambda x: np.exp(x) / np.nansum(np.exp(x), axis=1, keepdims=True), "one"),
            (lambda x: x / np.nansum(x, axis=1, keepdims=True) * 7.3, "one sum"),
            (ranks, "ranks"),
            (unit, "least value is 0"),
        ],
        ids=["z", "z, ddof 1", "z, 3 decimals", "z, float32", "softmax", "share of a total", "ranks", "min-max"],
    )
    def test_finds(self, recorded, scaled, word):
        """Values that can be known only when the last round is over, in every question of every cell."""
        found = said(with_signal(recorded, scaled(normal(recorded))))
        assert all(word in each and "100%" in each for each in found)

    def test_finds_it_in_one_cell(self, recorded):
        """A pipeline that scales in one cell only."""
        values = normal(recorded)
        one = np.where((recorded.cell == "b")[:, None], z(values), values)
        assert [each is not None for each in said(with_signal(recorded, one))] == [False, True]

    @pytest.mark.parametrize(
        "values",
        [
            normal,
            lambda t: normal(t).round(1),
            lambda t: np.fmax.accumulate(normal(t), axis=1),
            lambda t: np.broadcast_to(np.arange(1.0, t.rounds + 1), t.cost.shape),
            lambda t: np.random.default_rng(1).integers(-1, 2, t.cost.shape).astype(float),
            lambda t: (normal(t) > 3).astype(float),
            lambda t: np.full(t.cost.shape, 0.0),
            lambda t: np.where(np.random.default_rng(2).random(t.cost.shape) < 0.4, np.nan, z(normal(t))),
        ],
        ids=["recorded", "1 decimal", "best so far", "round", "-1, 0, 1", "flag", "zero", "z with gaps"],
    )
    def test_lets_pass(self, recorded, values):
        """What is known in time, and what coincidence does: few levels, constants, questions with a gap."""
        assert said(with_signal(recorded, values(recorded))) == [None, None]

    def test_cannot_judge_two_rounds(self, recorded):
        """Of two rounds z-scores are always -1 and 1."""
        short = until(recorded, 2)
        assert said(with_signal(short, z(normal(short)))) == [None, None]


class TestOutcomeLeak:
    @pytest.mark.parametrize(
        ("leak", "word"),
        [
            (lambda y, _: y, "one f1"),
            (lambda y, noise: -y + 1e-3 * noise, "AUROC"),
            (lambda y, noise: (y == 1) + 0.2 * noise, "AUROC"),
            (lambda y, _: np.select([y == 0, y == 0.5], [2.0, 0.0], 1.0), "one f1"),
        ],
        ids=["the outcome", "upside down with noise", "whether it is full", "a code"],
    )
    def test_finds(self, recorded, leak, word):
        """A column that parts good from bad, or has one outcome a level."""
        noise = np.random.default_rng(3).normal(size=recorded.cost.shape)
        noise = np.clip(noise, -2, 2)
        for each in tells(with_signal(recorded, leak(recorded.quality, noise)), ["x"]):
            assert word in outcome_leak(each)

    @pytest.mark.parametrize(
        "values",
        [
            lambda t: t.quality + 0.5 * normal(t),
            normal,
            lambda t: np.where(t.quality > 0, 1.0, np.random.default_rng(1).integers(0, 2, t.cost.shape)),
            lambda t: np.full(t.cost.shape, 0.5),
        ],
        ids=["a good signal", "noise", "one clean level", "a constant"],
    )
    def test_lets_pass(self, recorded, values):
        """Signals that know something, and not all."""
        assert [outcome_leak(each) for each in tells(with_signal(recorded, values(recorded)), ["x"])] == [None, None]


def opened(t, values, sides):
    """Tells by side of a table whose rows are dealt out to sides."""
    whole = with_signal(t, values)
    return {name: tells(whole.take(np.flatnonzero(sides == name)), ["x"]) for name in dict.fromkeys(sides.tolist())}


class TestScaleLeaks:
    """Case 31."""

    @pytest.fixture
    def sides(self, recorded):
        """Rows dealt out in turn."""
        return np.array(["calibration", "selection", "final"])[np.arange(len(recorded)) // 2 % 3]

    @staticmethod
    def standardised(values, rows):
        """With the mean and spread of some rows."""
        own = values[rows]
        return (values - np.nanmean(own)) / np.nanstd(own)

    @pytest.mark.parametrize(
        "over",
        [
            ["final"],
            ["final", "selection"],
            ["final", "calibration"],
            ["calibration", "selection", "final"],
        ],
    )
    @pytest.mark.parametrize("stored", [lambda x: x, lambda x: x.round(4), lambda x: x.astype(np.float32)])
    def test_finds(self, recorded, sides, over, stored):
        """Standardised over the final split, or a union with it, however it was stored."""
        values = stored(self.standardised(normal(recorded), np.isin(sides, over)))
        scaled, spread = scale_leaks(opened(recorded, values, sides), aside=())
        assert (list(scaled), list(spread)) == (["x"], [])

    def test_finds_it_in_one_cell(self, recorded, sides):
        """Each cell by itself."""
        values = normal(recorded)
        cell = recorded.cell == "a"
        values[cell] = self.standardised(values, cell & (sides == "final"))[cell]
        scaled, _ = scale_leaks(opened(recorded, values, sides), aside=())
        assert "cell a" in scaled["x"]

    @pytest.mark.parametrize("over", [["selection"], ["calibration"], ["calibration", "selection"]])
    def test_lets_pass_what_other_rows_scale(self, recorded, sides, over):
        """The mean and spread of rows that are known before."""
        values = self.standardised(normal(recorded), np.isin(sides, over))
        assert scale_leaks(opened(recorded, values, sides), aside=()) == ({}, {})

    def test_marks_min_max(self, recorded, sides):
        """From exactly 0 to exactly 1, each reached once; a share reaches them often."""
        values = normal(recorded)
        low, high = np.nanmin(values), np.nanmax(values)
        assert list(scale_leaks(opened(recorded, (values - low) / (high - low), sides), aside=())[1]) == ["x"]
        share = np.clip(values / 5, 0, 1)
        assert scale_leaks(opened(recorded, share, sides), aside=()) == ({}, {})


class TestTell:
    def test_comes_back_from_json(self, recorded):
        """evaluation.json keeps it."""
        for each in tells(with_signal(recorded, normal(recorded)), ["x"]):
            assert Tell.from_dict(each.to_dict()) == each

    def test_of_a_signal_that_is_never_known(self, recorded):
        """Nothing to tell, and no NaN."""
        for each in tells(with_signal(recorded, np.full(recorded.cost.shape, np.nan)), ["x"]):
            assert (each.known, each.mean, each.low, future_leak(each), outcome_leak(each)) == (
                0,
                None,
                None,
                (0.0, None),
                None,
            )


class Peeking:
    """A derived signal that looks at the last round."""

    name = "y"

    def apply(self, t):
        last = t.signals["x"][np.arange(len(t)), t.length - 1]
        return np.broadcast_to(last[:, None], t.cost.shape)


class SoFar(Peeking):
    """A derived signal that looks back only."""

    def apply(self, t):
        return np.fmax.accumulate(t.signals["x"], axis=1)


class TestPrefixChanges:
    def test_counts_the_trajectories_that_decide_otherwise(self, recorded):
        """A value that depends on later rounds moves when they are taken away."""
        t = with_signal(recorded, normal(recorded))
        assert prefix_changes(parse("y > 3"), [Peeking()], t) > len(t) / 2
        assert prefix_changes(parse("y > 3"), [SoFar()], t) == 0

    @pytest.mark.parametrize("rule", ["change(x) > 0", "so_far_min(x) < 1 | missing(x)", "round >= 2 & x > 3"])
    def test_no_rule_of_ours_changes(self, recorded, rule):
        """By construction."""
        assert prefix_changes(parse(rule), [], with_signal(recorded, normal(recorded))) == 0
