"""Cross products of many cuts by round masks, against replay of every rule."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import grid
from stoprule.enumerate.grid import open_grid, sweep_grid
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.masks import Lookup
from stoprule.enumerate.pareto import pareto_mask
from stoprule.enumerate.replay import replayed
from stoprule.enumerate.sums import columns, figures
from stoprule.rules.text import parse
from stoprule.trajectories.errors import SearchError

from ..rules.strategies import tables_strategy
from ..rules.tables import table

VALUES = st.sampled_from([float("nan"), -1.0, 0.0, 1.0, 1.0, 2.0, 3.0])
SHAPES = [
    "a > ?",
    "a > ? & b > ? & repeat(answer)",
    "a > ? & b <= ? | a >= ? & repeat(answer) | b == ?",
    "(a > ? | repeat(answer)) & (b <= ? | round >= ?)",
    "at_least(2, a > ?, b > ?, repeat(answer), b < ? & a < 1)",
    "at_least(2, a > 0, b > 0, at_least(1, a < ?, repeat(answer)))",
    "total(a > ?, b) > ? | b > ?",
]
CUTS = np.array([-np.inf, 0.0, 1.0, 1.5])


def front(batch):
    points = np.stack([batch.figures.quality, batch.figures.cost], axis=1)
    return {tuple(words) for words in batch.figures.behaviour[:, pareto_mask(points)].T.tolist()}


class TestGrid:
    """Every choice of the cuts of a shape."""

    def test_order(self):
        """Number the candidates with the last cut running fastest."""
        t = table(a=[[1, 2]], b=[[1, 2]])
        found = open_grid(parse("a > ? | b > ?"), [np.array([0.0, 1]), np.array([5.0, 6, 7])], t)
        assert len(found) == 6
        assert [str(rule) for rule in found.rules(np.array([0, 1, 3]))] == [
            "a > 0 | b > 5",
            "a > 0 | b > 6",
            "a > 1 | b > 5",
        ]

    @given(st.sampled_from(SHAPES), tables_strategy(values=VALUES))
    @settings(max_examples=60, deadline=None)
    def test_equals_replay(self, shape, t):
        """Carry the figures of a replay of every rule."""
        parsed, book = parse(shape), ledger(t)
        cuts = [CUTS[: 2 + hole] for hole in range(parsed.holes)]
        found = open_grid(parsed, cuts, t)
        rules = [parsed.fill(each) for each in product(*cuts)]
        assert list(found.rules(np.arange(len(found)))) == rules
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grid, "RUN", 7)
            sums = found.sums(Lookup.of(columns(book)), 0, len(found))
        naive = replayed(rules, t, book)
        for name in ("quality", "cost", "calls", "fired", "behaviour"):
            np.testing.assert_array_equal(getattr(figures(sums, book), name), getattr(naive, name))

    @given(st.sampled_from(SHAPES), tables_strategy(values=VALUES), st.integers(1, 2))
    @settings(max_examples=30, deadline=None)
    def test_streamed(self, shape, t, jobs):
        """Keep the front of all choices, whoever works them out."""
        parsed, book = parse(shape), ledger(t)
        cuts = [CUTS[: 2 + hole] for hole in range(parsed.holes)]
        all_of_them = sweep_grid(parsed, cuts, t, book)
        assert len(all_of_them.rules) == all_of_them.tried
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grid, "ALL_KEPT", 0)
            patch.setattr(grid, "STRIP", 5)
            kept = sweep_grid(parsed, cuts, t, book, jobs=jobs)
        assert (kept.tried, kept.distinct) == (all_of_them.tried, all_of_them.distinct)
        assert front(kept) == front(all_of_them)

    def test_too_many_choices(self, monkeypatch):
        """Name the part whose choices do not fit."""
        monkeypatch.setattr(grid, "PART_BYTES", 5)
        with pytest.raises(SearchError, match=r"`a > \? & b > \?`: this part of a rule alone has 6 choices"):
            open_grid(parse("(a > ? & b > ?) | a < 1"), [np.arange(2.0), np.arange(3.0)], table(a=[[1]], b=[[2]]))
