"""Cross products of many cuts by round masks, against replay of every rule."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import compiled, grid
from stoprule.enumerate.grid import choices, grid_bytes, open_grid
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

    def test_choices(self):
        """Count the choices of each part, in the order of the text."""
        assert choices(parse("(a > ? & b > ?) | a < ?"), [2, 3, 9]) == [2, 27]  # `a < ?` comes first

    def test_runs(self, monkeypatch):
        """Make the masks of parts that have parts in runs, to the same states."""
        t = table(a=[[1, 2, 3], [3, 1, 2]], b=[[2, 1, 3], [0, 1, 1]])
        cuts = [np.arange(4.0), np.arange(3.0), np.arange(5.0)]
        for shape in ("(a > ? & b > ?) | a < ?", "at_least(2, a > ? | b > ?, a < ?, b > 1)"):
            whole = open_grid(parse(shape), cuts, t).states(0, 60)
            with monkeypatch.context() as patch:
                patch.setattr(grid, "MOST_IN_RUN", 5)
                runs = open_grid(parse(shape), cuts, t).states(0, 60)
            np.testing.assert_array_equal(runs[0], whole[0])


class TestGridBytes:
    """The real peak of opening a grid, and what it holds, against what is reckoned."""

    @pytest.mark.parametrize("takes", [0, np.inf], ids=["compiled", "numpy"])
    @pytest.mark.parametrize(
        ("shape", "counts", "size"),
        [
            ("a > ? & b > ? & a < ?", [900, 900, 900], (1000, 8)),
            ("a > ? | b > ? | a < ?", [900, 900, 900], (4000, 8)),
            ("(a > ? & b > ?) | a < ?", [150, 90, 90], (1000, 8)),
            ("(a > ? | b > ?) & a < ?", [100, 90, 90], (1000, 20)),
            ("at_least(2, a > ?, b > ?, (a < ? | b < ?) & a <= ?)", [30, 30, 20, 10, 10], (1000, 8)),
            ("total(a > ?, b) > ? | b > ?", [30, 30, 90], (8000, 8)),
        ],
    )
    def test_bound(self, shape, counts, size, takes, monkeypatch):
        """Reckon with no less, and with three times as much at most."""
        monkeypatch.setattr(compiled, "COMPILES_IN", takes)
        a, b = np.random.default_rng(3).random((2, *size))
        t, parsed = table(a=a, b=b), parse(shape)
        cuts = [np.linspace(0, 1, count) for count in counts]
        open_grid(parsed, [each[:2] for each in cuts], t)  # compiles
        held, most = grid_bytes(parsed, counts, t)
        tracemalloc.start()
        found = open_grid(parsed, cuts, t)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak <= most <= 3 * peak
        assert held == (found.masks if found.one_enough is None else found.one_enough).nbytes
