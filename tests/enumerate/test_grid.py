"""Cross products of many cuts by round masks, against replay of every rule."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import grid
from stoprule.enumerate.grid import choices, most_cells, open_grid
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.masks import Lookup
from stoprule.enumerate.replay import replayed
from stoprule.enumerate.sums import columns, figures
from stoprule.rules.text import parse

from ..rules.strategies import tables_strategy
from ..rules.tables import table

VALUES = [float("nan"), -1.0, 0.0, 1.0, 1.0, 2.0, 3.0]
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
        lookup = Lookup.of(columns(book))
        runs = [lookup.sums(*found.states(at, min(at + 7, len(found)))) for at in range(0, len(found), 7)]
        sums = np.concatenate(runs, axis=1)
        naive = replayed(rules, t, book)
        for name in ("quality", "cost", "calls", "fired", "behaviour"):
            np.testing.assert_array_equal(getattr(figures(sums, book), name), getattr(naive, name))

    def test_most_cells(self, monkeypatch):
        """Cap every cut alike until the masks of the parts fit, and the cells can be tried."""
        t = table(a=[[1]], b=[[2]])
        shape = parse("(a > ? & b > ?) | a < ?")
        assert choices(shape, [2, 3, 9]) == [2, 27]  # `a < ?` comes first in the text
        assert most_cells(shape, [9, 9, 9], t) == 729
        monkeypatch.setattr(grid, "PART_BYTES", 12)  # a byte a mask: 3 + 9
        assert most_cells(shape, [9, 9, 9], t) == 27
        monkeypatch.setattr(grid, "MOST_CELLS", 26)
        assert most_cells(shape, [9, 9, 9], t) == 8
        assert most_cells(shape, [2, 9, 9], t) == 18
