"""Which cuts a `?` stands for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate.cuts import (
    Exact,
    Given,
    Linspace,
    Quantiles,
    Tuned,
    exact_cuts,
    holes,
    observed,
    parse_cuts,
    unusable,
)
from stoprule.rules.evaluate import HOLDS
from stoprule.rules.expression import Signal
from stoprule.rules.text import parse
from stoprule.trajectories.errors import SearchError

from ..rules.tables import MISSING, table

OPERATORS = [">", ">=", "<", "<="]


def cuts_of(kind, rule, t):
    (hole,) = holes(parse(rule))
    return kind.of(hole, t)


class TestParseCuts:
    @pytest.mark.parametrize(
        ("spelled", "cuts"),
        [
            ("exact", Exact()),
            ("linspace(21)", Linspace(21)),
            (" quantiles( 20 ) ", Quantiles(20)),
            ("tuned(3.0)", Tuned(3.0)),
            ([0.2, 0.1, 0.2], Given((0.1, 0.2))),
            ([1], Given((1.0,))),
            (0.5, Given((0.5,))),
        ],
    )
    def test_spellings(self, spelled, cuts):
        """Read what a study may hold, and cuts that are read already."""
        assert parse_cuts(spelled) == cuts
        assert parse_cuts(cuts) == cuts

    @pytest.mark.parametrize("cuts", [Exact(), Linspace(21), Quantiles(20), Tuned(2.5)])
    def test_round_trip(self, cuts):
        """Print as a study spells them."""
        assert parse_cuts(str(cuts)) == cuts

    @pytest.mark.parametrize(
        ("spelled", "message"),
        [
            ("quantile(20)", "did you mean quantiles"),
            ("exact(3)", "is no way to choose cuts"),
            ("tuned", "is no way to choose cuts"),
            ("linspace(1)", "a whole number from 2"),
            ("quantiles(2.5)", "a whole number from 1"),
            ("tuned(-1)", "a cost above 0"),
            ("tuned(nan)", "a cost above 0"),
            ([], "at least one cut"),
            ([float("nan")], "is no cut"),
            ([True], "is no cut"),
            (None, "is no cut"),
        ],
    )
    def test_errors(self, spelled, message):
        """Say what is wrong and what may be written."""
        with pytest.raises(SearchError, match=message):
            parse_cuts(spelled)


class TestHoles:
    def test_order(self):
        """List the comparisons from left to right, as they are filled, inside totals too."""
        rule = parse("b < ? | total(a > ?, b) >= ? | c > 1")
        found = [str(hole) for hole in holes(rule)]
        assert found == ["b < ?", "a > ?", "total(a > ?, b) >= ?"]
        assert str(rule.fill([1, 2, 3])) == "b < 1 | c > 1 | total(a > 2, b) >= 3"


class TestObserved:
    def test_recorded_rounds(self):
        """Take distinct known values of recorded rounds, ascending."""
        t = table(a=[[2, MISSING, 1], [2]])
        assert observed(Signal("a"), t).tolist() == [1, 2]

    @pytest.mark.parametrize(
        ("values", "reason"),
        [
            ([[MISSING, MISSING]], "missing everywhere"),
            ([[1, 1], [1]], "the same value everywhere"),
            ([[1, np.inf]], "infinite somewhere"),
            ([[1, 2]], None),
        ],
    )
    def test_unusable(self, values, reason):
        """Say why no cut can be read off a signal."""
        assert unusable(Signal("a"), table(a=values)) == reason


class TestExactCuts:
    @pytest.mark.parametrize("op", OPERATORS)
    def test_by_hand(self, op):
        """Write the shortest decimal of each plateau, with always and never."""
        cuts, plateaus = exact_cuts(np.array([[0.237, 0.291], [np.nan, 0.237]]), op)
        assert cuts.tolist() == [-np.inf, 0.26, np.inf]
        assert plateaus.low.tolist() == [-np.inf, 0.237, 0.291]
        assert plateaus.high.tolist() == [0.237, 0.291, np.inf]

    def test_small_scores(self):
        """Keep every cut of scores as small as 1e-7."""
        cuts, _ = exact_cuts(np.array([1e-7, 2e-7, 3e-7]), ">")
        assert cuts.tolist() == [-np.inf, 1e-7, 2e-7, np.inf]

    @given(
        st.lists(st.floats(-5, 5) | st.integers(-2, 2).map(float), min_size=1, max_size=12),
        st.lists(st.floats(-6, 6) | st.integers(-2, 2).map(float), min_size=1, max_size=12),
        st.sampled_from(OPERATORS),
    )
    @settings(max_examples=100, deadline=None)
    def test_complete(self, values, tried, op):
        """Hold at the same values as any cut of the same plateau, and differ from every other plateau."""
        values = np.array(values)
        cuts, plateaus = exact_cuts(values, op)
        patterns = [tuple(HOLDS[op](values, cut)) for cut in cuts]
        assert len(set(patterns)) == len(patterns)
        for cut in [*tried, *values, -np.inf, np.inf]:
            home = plateaus.at(np.array([cut]))[0]
            assert patterns[home] == tuple(HOLDS[op](values, cut))

    def test_equality(self):
        """Refuse == and !=, whose equivalent cuts are no intervals."""
        with pytest.raises(SearchError, match="not for =="):
            exact_cuts(np.array([1.0]), "==")


class TestLinspace:
    def test_by_hand(self):
        """Span the known values evenly, ends included."""
        t = table(a=[[0, 1, MISSING], [0.2]])
        assert cuts_of(Linspace(5), "a > ?", t) == (0, 0.25, 0.5, 0.75, 1)


class TestQuantiles:
    def test_by_hand(self):
        """Write the median of 0.1 ... 0.4 as the shortest decimal that behaves like it."""
        t = table(a=[[0.101, 0.199, 0.301, 0.402]])
        assert cuts_of(Quantiles(1), "a > ?", t) == (0.2,)  # the plateau [0.199, 0.301) holds 0.2 and 0.3
        assert cuts_of(Quantiles(1), "a >= ?", t) == (0.2,)

    def test_doubles(self):
        """Keep one of several quantiles of a plateau, and none that always or never holds."""
        t = table(a=[[1, 1, 1, 1, 1, 2]])
        assert cuts_of(Quantiles(10), "a > ?", t) == (1,)
        assert cuts_of(Quantiles(10), "a >= ?", t) == (2,)

    @given(
        st.lists(st.integers(0, 9).map(float), min_size=2, max_size=20),
        st.integers(1, 12),
        st.sampled_from(OPERATORS),
    )
    @settings(max_examples=100, deadline=None)
    def test_plain_quantiles(self, values, n, op):
        """Hold at the values at which the plain quantiles hold, always and never apart."""
        t = table(a=[values])
        plain = np.quantile(values, np.arange(1, n + 1) / (n + 1))
        patterns = {tuple(HOLDS[op](np.array(values), cut)) for cut in plain}
        patterns -= {(True,) * len(values), (False,) * len(values)}
        found = [tuple(HOLDS[op](np.array(values), cut)) for cut in cuts_of(Quantiles(n), f"a {op} ?", t)]
        assert set(found) == patterns
        assert len(found) == len(patterns)

    def test_own_term(self):
        """Take the values of the compared term, here of the change."""
        t = table(a=[[0, 1, 3, 6]])
        assert cuts_of(Quantiles(1), "change(a) > ?", t) == (2,)
