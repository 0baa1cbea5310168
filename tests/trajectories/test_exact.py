"""Macro means as sums of integers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.trajectories.exact import LARGEST_EXACT_WEIGHT, cell_weights, macro_integers


def cells(*sizes):
    """The cell index of cells of these sizes."""
    return np.repeat(np.arange(len(sizes)), sizes)


def naive_mean(values, cell):
    """The unweighted mean of cell means, as it is defined."""
    return np.mean([values[cell == c].mean() for c in np.unique(cell)])


def mean(integers, column=0):
    """The macro mean of one column, from the integers."""
    return int(integers.integers[:, column].sum()) / integers.divisor


def assert_close(values, cell, tolerance=1e-12):
    """Every column's mean equals the naive one."""
    integers = macro_integers(values, cell)
    for column in range(values.shape[1]):
        expected = naive_mean(values[:, column], cell)
        assert mean(integers, column) == pytest.approx(expected, rel=tolerance, abs=0)


@st.composite
def tables(draw, values):
    """(N, 3) values in up to six cells of one to forty trajectories."""
    cell = cells(*draw(st.lists(st.integers(1, 40), min_size=1, max_size=6)))
    rows = draw(st.lists(st.tuples(values, values, values), min_size=len(cell), max_size=len(cell)))
    return np.array(rows, dtype=np.float64), cell


class TestCellWeights:
    def test_hand_worked(self):
        """Weigh a trajectory by the least common multiple over its cell's size."""
        exact, share, divisor = cell_weights(cells(2, 3))
        assert exact.tolist() == [3, 3, 2, 2, 2]
        assert divisor == exact.sum() == 12
        assert share.tolist() == [1 / 4, 1 / 4, 1 / 6, 1 / 6, 1 / 6]

    def test_single_and_equal_cells_weigh_one(self):
        """Take no bits from the values where all trajectories count alike."""
        assert set(cell_weights(cells(7))[0]) == {1}
        assert set(cell_weights(cells(7, 7, 7))[0]) == {1}

    def test_too_large_a_multiple(self):
        """Have no exact weights when they would leave no bit for the values."""
        primes = (211, 223, 227, 229, 233, 239, 241)
        assert np.prod(primes, dtype=object) > LARGEST_EXACT_WEIGHT
        exact, share, divisor = cell_weights(cells(*primes))
        assert exact is None
        assert divisor == 1
        assert share.sum() == pytest.approx(1)


class TestMacroIntegers:
    def test_hand_worked(self):
        """Give the mean of cell means, not the mean over trajectories."""
        values = np.array([[1.0], [0.0], [1.0], [1.0], [1.0], [1.0]])
        assert mean(macro_integers(values, cells(2, 4))) == 0.75

    def test_beyond_the_length_is_zero(self):
        """Read NaN as nothing."""
        integers = macro_integers(np.array([[1.0, np.nan], [1.0, 2.0]]), cells(2))
        assert integers.integers[0, 1] == 0

    @given(tables(st.floats(0, 1, allow_subnormal=False).map(lambda x: x if x > 1e-6 else 0.0)))
    @settings(max_examples=150, deadline=None)
    def test_equals_naive_mean(self, table):
        """Lose no more than 1e-12 of the greatest mean that a rule could have."""
        values, cell = table
        integers = macro_integers(values, cell)
        greatest = naive_mean(values.max(axis=1), cell)
        for column in range(3):
            error = abs(mean(integers, column) - naive_mean(values[:, column], cell))
            assert error <= 1e-12 * greatest

    @given(tables(st.floats(-1e6, 1e6)))
    @settings(max_examples=100, deadline=None)
    def test_stays_below_2_to_the_53(self, table):
        """Keep every sum of one entry a trajectory exact in float64."""
        values, cell = table
        integers = macro_integers(values, cell).integers
        assert int(np.abs(integers).max(axis=1).sum()) < 2**53
        picked = integers[:, 0].astype(np.float64)
        assert int(picked @ np.ones(len(picked))) == int(integers[:, 0].sum())

    @given(tables(st.integers(0, 4)), st.randoms(use_true_random=False))
    @settings(max_examples=100, deadline=None)
    def test_no_order(self, table, random):
        """Give the same sum, of the same integers, for the trajectories in any order."""
        values, cell = table
        order = list(range(len(cell)))
        random.shuffle(order)
        plain, shuffled = macro_integers(values, cell), macro_integers(values[order], cell[order])
        assert shuffled.divisor == plain.divisor
        assert (shuffled.integers == plain.integers[order]).all()

    @given(tables(st.integers(0, 4).map(lambda x: x / 4)))
    @settings(max_examples=150, deadline=None)
    def test_ties_are_ties(self, table):
        """Order quarters by their macro mean as rational arithmetic does, in unequal cells too."""
        values, cell = table
        integers = macro_integers(values, cell)
        sizes = np.bincount(cell)
        exact = [sum(Fraction(v) / int(sizes[c]) for v, c in zip(column, cell, strict=True)) for column in values.T]
        sums = [int(total) for total in integers.integers.sum(axis=0)]
        for i in range(3):
            for j in range(3):
                assert (sums[i] < sums[j]) == (exact[i] < exact[j])
                assert (sums[i] == sums[j]) == (exact[i] == exact[j])

    def test_tie_across_unequal_cells(self):
        """Equal 1 of 3 right answers to 19 of 57, among cells whose least multiple takes 27 bits."""
        cell = cells(3, 57, 1009, 1013)
        values = np.zeros((len(cell), 2))
        values[0, 0] = 1
        values[3:22, 1] = 1
        one, other = macro_integers(values, cell).integers.sum(axis=0)
        assert one == other

    @pytest.mark.parametrize("sizes", [(5,), (495, 495), (7, 11), (240, 247), (719, 727), (1009, 1013, 997)])
    def test_unequal_cells(self, sizes):
        """Regression: weights of 20 bits left 33 to values such as 1/3, an error of 1e-10."""
        cell = cells(*sizes)
        values = np.stack([np.full(len(cell), 1 / 3), np.linspace(0.1, 0.9, len(cell))], axis=1)
        assert_close(values, cell)

    def test_large_multiple(self):
        """Round the weighted values where no exact weights exist."""
        cell = cells(211, 223, 227, 229, 233, 239, 241)
        values = np.random.default_rng(3).random((len(cell), 2))
        assert_close(values, cell)

    @pytest.mark.parametrize("scale", [1e-250, 1e-30, 1e30, 1e300, 1.7e308])
    def test_tiny_and_huge(self, scale):
        """Regression: the sum of the largest values overflowed, and the integers were garbage."""
        cell = cells(2, 3)
        values = np.array([[1.0], [0.5], [0.25], [1.0], [0.75]]) * scale
        expected = naive_mean(values / scale, cell) * scale
        assert mean(macro_integers(values, cell)) == pytest.approx(expected, rel=1e-12, abs=0)

    def test_all_zero(self):
        """Give zero for zeros."""
        assert mean(macro_integers(np.zeros((4, 1)), cells(4))) == 0

    def test_inputs_stay(self):
        """Change no input."""
        values = np.array([[0.3, np.nan], [0.7, 0.1]])
        before = values.copy()
        macro_integers(values, cells(1, 1))
        np.testing.assert_array_equal(values, before)
