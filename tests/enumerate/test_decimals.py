"""How a cut is written: the shortest decimal of its interval."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate.decimals import shortest_decimals


def one(lower, upper, closed="left"):
    return float(shortest_decimals(np.array([lower]), np.array([upper]), closed)[0])


def by_definition(lower, upper, closed):
    """Coarser grids first; on the first grid that has a point inside, the point nearest to the middle."""
    if lower < 0 < upper or (lower, closed) == (0, "left") or (upper, closed) == (0, "right"):
        return 0.0
    middle = (Fraction(lower) + Fraction(upper)) / 2
    for exponent in range(20, -40, -1):
        grid = Fraction(10) ** exponent
        inside = []
        for integer in (middle // grid, middle // grid + 1):
            value = float(integer * grid)
            if lower < value < upper or value == (lower if closed == "left" else upper):
                inside.append((value, float(abs(integer * grid - middle))))
        if inside:
            (low, near), (high, nearer) = inside[0], inside[-1]
            return high if nearer < near * (1 - 1e-9) else low
    raise AssertionError


class TestShortestDecimals:
    @pytest.mark.parametrize(
        ("lower", "upper", "written"),
        [
            (0.24, 0.31, 0.3),
            (0.241, 0.259, 0.25),
            (99.0, 101.0, 100.0),
            (1200.0, 1900.0, 1500.0),
            (-0.3, 0.2, 0.0),
            (-0.7, -0.4, -0.6),
            (0.2, 0.5, 0.3),
            (1.1e-7, 1.9e-7, 1.5e-7),
            (5.0, 105.0, 100.0),
        ],
    )
    def test_by_hand(self, lower, upper, written):
        """Take the coarsest grid of powers of ten with a point inside, then its point nearest the middle."""
        assert one(lower, upper) == written

    def test_closed_end(self):
        """Take the end that belongs to the interval, never the other."""
        assert one(1.0, 2.0, "left") == 1.0
        assert one(1.0, 2.0, "right") == 2.0

    def test_neighbouring_floats(self):
        """Give the only float between neighbours, at any magnitude."""
        for value in (0.1, 1e-7, 1e-300, 5e-324, 12345.678, -3e17, 1.7e308):
            assert one(value, np.nextafter(value, np.inf), "left") == value
            assert one(np.nextafter(value, -np.inf), value, "right") == value

    def test_infinite_ends(self):
        """Write an interval without end as its infinite end, always before never."""
        assert one(-np.inf, 0.5) == -np.inf
        assert one(0.5, np.inf) == np.inf
        assert one(-np.inf, np.inf) == -np.inf

    @given(
        st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=2, max_size=8, unique=True),
        st.sampled_from(["left", "right"]),
    )
    @settings(max_examples=100, deadline=None)
    def test_definition(self, values, closed):
        """Equal the definition in exact fractions, and lie inside."""
        edges = np.unique(np.array([value for value in values if abs(value) > 1e-9 or value == 0] + [2e6, 3e6]))
        written = shortest_decimals(edges[:-1], edges[1:], closed)
        for lower, upper, value in zip(edges[:-1], edges[1:], written, strict=True):
            assert lower <= value <= upper
            assert value == by_definition(float(lower), float(upper), closed)
