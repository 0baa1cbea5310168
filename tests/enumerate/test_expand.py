"""From families to candidates."""

from dataclasses import replace

import numpy as np
import pytest
from stoprule.enumerate.combined import Combination
from stoprule.enumerate.cuts import Exact, Given, Linspace, Quantiles, Tuned
from stoprule.enumerate.expand import expand
from stoprule.enumerate.families import Family
from stoprule.enumerate.gather import rules_of
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.sources import Crossed, Listed
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError, SearchError

from ..rules.tables import MISSING, table

# Fires at round 1 (quality 0), 2 (quality 1) or 3 (quality 0.5) as the cut rises.
RISING = table(
    margin=[[0.1, 0.5, 0.9], [0.1, 0.5, 0.9]],
    gap=[[3, 2, 1], [1, 2, 3]],
    quality=[[0, 1, 0.5], [0, 1, 0.5]],
)


def listing(t, *families):
    return expand(families, t, ledger(t))


def family(rule, cuts, **more):
    return Family("rule", (parse(rule),), cuts, **more)


class TestExpand:
    def test_crossed(self):
        """Cross the cuts of several `?`, each by its own term."""
        found = listing(RISING, family("gap > ? & margin > ?", Linspace(2)))
        assert list(map(str, found.rules)) == [
            "gap > 1 & margin > 0.1",
            "gap > 1 & margin > 0.9",
            "gap > 3 & margin > 0.1",
            "gap > 3 & margin > 0.9",
        ]

    def test_listed_once(self):
        """Keep a rule once, with the first family that lists it."""
        one, other = Family("one", (parse("margin > 1"),)), Family("other", (parse("margin > 1"),))
        found = listing(RISING, one, other)
        assert (found.listed, found.rules) == (2, {parse("margin > 1"): "one"})

    def test_exact(self):
        """Hand shapes with exact cuts to a sweep, and rules without a `?` to replay."""
        found = listing(RISING, Family("f", (parse("margin > ?"), parse("round >= 2")), Exact(), max_cells=9))
        assert [(shape.family, str(shape.rule), shape.max_cells) for shape in found.shapes] == [("f", "margin > ?", 9)]
        assert list(map(str, found.rules)) == ["round >= 2"]

    def test_unusable(self):
        """Leave out shapes whose cuts cannot be read off the table, with one note each."""
        t = table(flat=[[1, 1]], margin=[[1, 2]])
        found = listing(t, family("flat > ?", Quantiles(3)), family("flat < ? | margin > ?", Exact()))
        assert not found.rules
        assert not found.shapes
        assert found.notes == ("`flat` is the same value everywhere on the selection split: left out",)
        assert len(listing(t, family("flat > ?", Given((0.5,)))).rules) == 1

    def test_capped(self):
        """Take fewer quantiles where a cap bites, and refuse listed cuts over it."""
        found = listing(RISING, family("gap > ? & margin > ?", Linspace(9), max_cells=10))
        assert len(found.rules) == 9
        with pytest.raises(SearchError, match="cross to 4 candidates, over max_cells = 3"):
            listing(RISING, family("gap > ? & margin > ?", Given((1.0, 2.0)), max_cells=3))

    def test_streams(self, monkeypatch):
        """Let a family stream that would list too many rules, later ones too while they do not fit."""
        monkeypatch.setattr("stoprule.enumerate.expand.MOST_LISTED", 10)
        crossed = family("gap > ? & margin > ?", Linspace(3))
        found = listing(RISING, crossed, crossed, family("margin > ?", Given((0.5,))))
        kinds = [(type(item.sources[0]), len(item), item.whole) for item in found.items]
        assert kinds == [(Listed, 9, True), (Crossed, 9, True), (Listed, 1, True)]
        assert found.listed == 19

    def test_too_many(self, monkeypatch):
        """Refuse more rules than can be tried, naming the ways out."""
        monkeypatch.setattr("stoprule.enumerate.expand.MOST_LISTED", 10)
        for module in ("expand", "fitting"):
            monkeypatch.setattr(f"stoprule.enumerate.{module}.MOST_CELLS", 100)
        several = Family("several", (parse("gap > ? & margin > ?"), parse("gap > ? | margin > ?")), Linspace(9))
        with pytest.raises(
            SearchError,
            match=r"^family several: its cuts cross to 162 cells, which take more than some minutes.* max_cells = 49$",
        ):
            listing(RISING, several)
        assert listing(RISING, replace(several, max_cells=49)).listed == 98
        with pytest.raises(
            SearchError, match=r"or: 120 rules take more than some minutes to go through; list fewer signals"
        ):
            listing(RISING, Family("or", Combination("or", (parse("gap > ?"), parse("margin > ?"))), Linspace(10)))
        monkeypatch.setattr("stoprule.enumerate.fitting.OPENED", 10)
        monkeypatch.setattr("stoprule.enumerate.fitting.MOST_CELLS", 30)
        with pytest.raises(SearchError, match=r"`gap > \? & margin > \?`: its cuts cross to 81 cells.*max_cells = 25"):
            listing(RISING, family("gap > ? & margin > ?", Linspace(9)))

    def test_without_a_cut(self, monkeypatch):
        """Let a shape without a `?` stream beside those that have one."""
        # its rules could not be told
        monkeypatch.setattr("stoprule.enumerate.expand.MOST_LISTED", 10)
        both = Family("both", (parse("margin > ?"), parse("round >= 2")), Linspace(11))
        (stream,) = listing(RISING, both).items
        assert [len(source) for source in stream.sources] == [11, 1]
        assert [str(rule) for rule in rules_of(stream, np.array([10, 11]))] == ["margin > 0.9", "round >= 2"]

    def test_nested_holes(self):
        """Read no cuts off a term that has a `?` itself."""
        shape = "total(margin > ?, gap) > ?"
        with pytest.raises(SearchError, match="hang on another"):
            listing(RISING, family(shape, Quantiles(2)))
        assert len(listing(RISING, family(shape, Given((1.0, 2.0)))).rules) == 4

    def test_unknown_signal(self):
        """Refuse a shape that the table cannot answer."""
        with pytest.raises(RuleError, match="margin"):
            listing(RISING, family("margn > ?", Exact()))


class TestTuned:
    def test_best_within_budget(self):
        """Take the best cut of the comparison alone that costs no more than the budget."""
        (rule,) = listing(RISING, family("round >= 2 & margin > ?", Tuned(2.0))).rules
        assert str(rule) == "margin > 0.3 & round >= 2"  # stops at round 2, in the middle of [0.1, 0.5)

    def test_over_budget(self):
        """Take the cheapest cut, and say so, when none is within the budget."""
        t = table(margin=[[MISSING, 0.5, 0.9, 1]], quality=[[0, 1, 0, 0]])
        found = listing(t, family("margin > ?", Tuned(1.0)))
        assert list(map(str, found.rules)) == ["margin > 0.7"]
        assert "no cut costs at most 1; the cheapest is taken, `margin > 0.7` at 3" in found.notes[0]

    def test_no_difference(self):
        """Leave out a signal of which no finite cut makes a difference."""
        t = table(margin=[[MISSING, 0.5], [MISSING, 0.9]])
        found = listing(t, family("margin > ?", Tuned(1.0)))
        assert not found.rules
        assert "no cut makes a difference" in found.notes[0]

    def test_ties(self):
        """Prefer the cheaper of equally good cuts."""
        t = table(margin=[[0.1, 0.5, 0.7, 0.9]], quality=[[0, 1, 1, 0]])
        (rule,) = listing(t, family("margin > ?", Tuned(np.inf))).rules
        assert str(rule) == "margin > 0.3"
