"""Shapes that a sweep knows, against replay."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import pairs, shapes
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.pareto import pareto_mask
from stoprule.enumerate.replay import replay_naive, replayed, states, stop_rounds
from stoprule.enumerate.shapes import open_shape, sweep_shape
from stoprule.enumerate.sweeps import sweep_naive
from stoprule.rules.text import parse
from stoprule.trajectories.errors import SearchError

from ..rules.strategies import tables_strategy
from ..rules.tables import MISSING, table

VALUES = [float("nan"), -1.0, 0.0, 1.0, 1.0, 2.0, 3.0]
ONE = [
    "a > ?",
    "a >= ?",
    "a < ?",
    "a <= ?",
    "round >= ?",
    "repeat(answer) & a > ?",
    "repeat(answer) | a <= ?",
    "round >= 2 & ~(b < 1) & a > ?",
    "b > 0 & a > ? | repeat(answer)",
    "at_least(2, a >= ?, b > 0, repeat(answer))",
    "total(a, b) > ? & ~repeat(answer)",
    "change(a) < ?",
    "missing(a) | so_far_max(a) >= ?",
]
TWO = [
    "a > ? & b > ?",
    "a > ? | b < ?",
    "repeat(answer) & a > ? | b >= ?",
    "a > ? & round >= 2 | b > ?",
    "a > ? & a <= ?",
    "at_least(2, a > ?, b > ?, repeat(answer))",
    "(a > ? | repeat(answer)) & (b <= ? | round >= 3)",
]
FIGURES = ("quality", "cost", "calls", "fired", "behaviour")


class TestOneCut:
    """Every behaviour of a shape with one `?`."""

    def test_by_hand(self):
        """Write -inf for always, inf for never, and short decimals between."""
        t = table(a=[[0.2, 0.5, 0.9]], quality=[[1, 2, 4]])
        swept = sweep_shape(parse("a > ?"), t, ledger(t))
        assert [str(rule) for rule in swept.rules] == ["a > -inf", "a > 0.3", "a > inf"]
        assert swept.figures.quality.tolist() == [1, 2, 4]

    def test_missing_margin(self):
        """Need a known value even where the cut is -inf."""
        t = table(a=[[MISSING, 0.5, 0.7]], quality=[[1, 2, 4]])
        assert sweep_shape(parse("a > ?"), t, ledger(t)).figures.quality.tolist() == [2, 4]

    def test_small_scores(self):
        """Keep the cuts between scores of 1e-7 apart."""
        t = table(a=[[1e-7, 0], [2e-7, 0], [3e-7, 0]])
        cuts = sweep_shape(parse("a > ?"), t, ledger(t)).rules.cuts[:, 0]
        assert cuts.tolist() == [-np.inf, 1e-7, 2e-7, np.inf]

    @given(st.sampled_from(ONE), tables_strategy(values=VALUES))
    @settings(max_examples=120, deadline=None)
    def test_equals_the_definition(self, shape, t):
        """Give the rules and the figures of the naive sweep, which replays every cut."""
        swept, naive = sweep_shape(parse(shape), t, ledger(t)), sweep_naive(parse(shape), t, ledger(t))
        assert [str(rule) for rule in swept.rules] == [str(rule) for rule in naive.rules]
        for name in FIGURES:
            np.testing.assert_array_equal(getattr(swept.figures, name), getattr(naive.figures, name))
        assert swept.tried == swept.distinct == len(naive.rules)

    @given(st.sampled_from(ONE), tables_strategy(values=VALUES))
    @settings(max_examples=50, deadline=None)
    def test_equals_the_live_stopper(self, shape, t):
        """Stop where the decisions of the definition do."""
        swept = sweep_shape(parse(shape), t, ledger(t))
        naive = np.array([replay_naive(rule, t).state for rule in swept.rules])
        for name in FIGURES:
            np.testing.assert_array_equal(
                getattr(swept.figures, name), getattr(shapes.figures(_sums(naive, t), ledger(t)), name)
            )

    def test_cap(self):
        """Thin the cuts out evenly, always and never kept."""
        t = table(a=[[value, value] for value in range(100)])
        rules = sweep_shape(parse("a > ?"), t, ledger(t), max_cells=5).rules
        assert [rule.cut for rule in rules] == [-np.inf, 24, 49, 74, np.inf]


def _sums(states, t):
    tables = shapes.columns(ledger(t))
    return np.stack([tables[:, np.arange(len(t)), state].sum(axis=1) for state in states], axis=1)


class TestTwoCuts:
    """The pairs of cuts of a shape with two `?`."""

    @given(st.sampled_from(TWO), tables_strategy(values=VALUES))
    @settings(max_examples=50, deadline=None)
    def test_equals_the_definition(self, shape, t):
        """Carry the figures of a replay, and miss no behaviour that the naive cross finds."""
        swept, naive = sweep_shape(parse(shape), t, ledger(t)), sweep_naive(parse(shape), t, ledger(t))
        replays = replayed(list(swept.rules), t, ledger(t))
        for name in FIGURES:
            np.testing.assert_array_equal(getattr(swept.figures, name), getattr(replays, name))
        assert _distinct(swept) == _distinct(naive)
        assert swept.distinct == len(_distinct(naive))

    @given(st.sampled_from(TWO), tables_strategy(values=VALUES))
    @settings(max_examples=50, deadline=None)
    def test_streamed(self, shape, t):
        """Keep the front of the whole grid, with true figures, where not all is kept."""
        with pytest.MonkeyPatch.context() as patch:
            whole = sweep_shape(parse(shape), t, ledger(t))
            patch.setattr(pairs, "ALL_KEPT", 0)
            patch.setattr(pairs, "STRIP", 5)
            swept = sweep_shape(parse(shape), t, ledger(t))
        assert (swept.tried, swept.distinct) == (whole.tried, whole.distinct)
        assert _front(swept) == _front(whole)
        replays = replayed(list(swept.rules), t, ledger(t))
        for name in FIGURES:
            np.testing.assert_array_equal(getattr(swept.figures, name), getattr(replays, name))

    @given(st.sampled_from(TWO), tables_strategy(values=VALUES))
    @settings(max_examples=50, deadline=None)
    def test_written_cuts(self, shape, t):
        """Write a cut of the front as its plateau says, the other cut held."""
        opened, swept = open_shape(parse(shape), t), sweep_shape(parse(shape), t, ledger(t))
        for k in np.flatnonzero(_front_mask(swept)):
            cuts = swept.rules.cuts[k].tolist()
            second = opened.sweep_one(1, cuts).behaviours()
            assert cuts[1] == second.take(second.at(np.array([cuts[1]]))).written()[0]
            stops = stop_rounds(states([swept.rules[int(k)]], t), t.length)[0]
            assert stops.tolist() == stop_rounds(opened.states(cuts), t.length).tolist()

    def test_too_many(self, monkeypatch):
        """Say how many cells there are, and the cap that fits."""
        monkeypatch.setattr(pairs, "MOST_CELLS", 6)
        t = table(a=[[1, 2]], b=[[2, 1]])
        with pytest.raises(
            SearchError,
            match=r"cross to 9 cells, which take more than some minutes to go through; cap them, as in max_cells = 6",
        ):
            sweep_shape(parse("a > ? & b > ?"), t, ledger(t))
        assert sweep_shape(parse("a > ? & b > ?"), t, ledger(t), max_cells=6).tried <= 6


def _distinct(batch):
    return {tuple(words) for words in batch.figures.behaviour.T.tolist()}


def _front_mask(batch):
    return pareto_mask(np.stack([batch.figures.quality, batch.figures.cost], axis=1))


def _front(batch):
    return {tuple(words) for words in batch.figures.behaviour[:, _front_mask(batch)].T.tolist()}


class TestOpenShape:
    """Which shapes a sweep knows."""

    @pytest.mark.parametrize(
        "shape", ["a > 1", "a == ?", "a != ? & b > 1", "total(a > ?, b) > 1", "a > ? & missing(total(b > ?))"]
    )
    def test_unknown(self, shape):
        """Know no equality, and no `?` inside a total."""
        assert open_shape(parse(shape), table(a=[[1]], b=[[1]])) is None

    def test_three(self):
        """Open any number of cuts, but sweep two at most."""
        t = table(a=[[1, 2]], b=[[1, 2]])
        shape = parse("a > ? & b > ? | a < ?")
        assert open_shape(shape, t).fires.shape == (2, 2, 2, 1, 2)
        assert sweep_shape(shape, t, ledger(t)) is None
