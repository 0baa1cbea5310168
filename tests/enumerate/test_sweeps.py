"""Exact cuts by their definition: every cut filled in and replayed."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.replay import replayed, states, stop_rounds
from stoprule.enumerate.sweeps import even_cap, exact_grid, sweep, sweep_naive
from stoprule.rules.text import parse

from ..rules.strategies import tables_strategy
from ..rules.tables import table

FINITE = [float("nan"), -1.0, 0.0, 1.0, 1.0, 2.0, 3.0]
SHAPES = [
    "a > ?",
    "a >= ?",
    "a < ?",
    "a <= ?",
    "repeat(answer) & a > ?",
    "repeat(answer) | a <= ?",
    "round >= 2 & ~(b < 1) & a > ?",
    "at_least(2, a >= ?, b > 0, repeat(answer))",
    "total(a > ?, b) > 1",
]


def texts(batch):
    return [str(rule) for rule in batch.rules]


class TestSweepNaive:
    def test_by_hand(self):
        """Give one cut for each way of stopping, always and never included."""
        t = table(a=[[0.2, 0.5, 0.9]])
        assert texts(sweep_naive(parse("a > ?"), t, ledger(t))) == ["a > -inf", "a > 0.3", "a > inf"]
        # From 0.5 on, firing at the last round and never firing are the same stop.

    def test_joined_under_a_condition(self):
        """Join cuts that the condition makes alike, and write them anew."""
        t = table(a=[[0.2, 0.4, 0.9, 0]], answer=[[0, 1, 1, 2]])
        found = texts(sweep_naive(parse("repeat(answer) & a > ?"), t, ledger(t)))
        assert found == ["a > -inf & repeat(answer)", "a > inf & repeat(answer)"]

    @given(st.sampled_from(SHAPES), tables_strategy(values=FINITE), st.floats(-2, 4))
    @settings(max_examples=80, deadline=None)
    def test_complete(self, shape, t, cut):
        """Stop as any cut whatever does at just one of the cuts."""
        batch = sweep(parse(shape), t, ledger(t))
        swept = stop_rounds(states(batch.rules, t), t.length)
        for tried in (cut, 0.0, 1.0, -np.inf, np.inf):
            wanted = stop_rounds(states([parse(shape).fill([tried])], t), t.length)
            assert (swept == wanted).all(axis=1).sum() == 1

    @given(st.sampled_from([*SHAPES, "a > ? & b < ?"]), tables_strategy(values=FINITE))
    @settings(max_examples=60, deadline=None)
    def test_figures(self, shape, t):
        """Carry the figures that a replay of each rule has."""
        batch = sweep(parse(shape), t, ledger(t))
        figures = replayed(batch.rules, t, ledger(t))
        for name in ("quality", "cost", "calls", "fired", "behaviour"):
            np.testing.assert_array_equal(getattr(batch.figures, name), getattr(figures, name))

    def test_two_cuts(self):
        """Cross the exact cuts of both."""
        t = table(a=[[1, 2]], b=[[5, 5]])
        batch = sweep_naive(parse("a > ? & b < ?"), t, ledger(t))
        assert len(batch.rules) == 3 * 2

    def test_one_cut_capped(self):
        """Thin the cuts of one `?` to quantiles, too."""
        t = table(a=[[value, value] for value in range(100)], quality=[[1, 0]] * 100)
        assert len(sweep_naive(parse("a > ?"), t, ledger(t)).rules) == 101
        assert len(sweep_naive(parse("a > ?"), t, ledger(t), max_cells=9).rules) == 9


class TestExactGrid:
    def test_cap(self):
        """Take quantiles where the exact cuts cross to too many; leave short lists exact."""
        t = table(a=[range(100)], b=[[0, 1] * 50])
        a, b = exact_grid(parse("a > ? & b > ?"), t, max_cells=30)
        assert b == (-np.inf, 0, np.inf)
        assert len(a) == 10
        assert np.isfinite(a).all()


class TestEvenCap:
    def test_most(self):
        """Be the largest even share of the cells."""
        for counts, cells in product([[3, 100], [10, 10], [2, 2, 2], [1]], [1, 7, 30, 1000]):
            most = even_cap(counts, cells)
            fit = [n for n in range(1, max(counts) + 1) if np.prod(np.minimum(counts, n)) <= cells]
            assert most == max(fit, default=1)
