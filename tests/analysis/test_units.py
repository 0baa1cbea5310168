"""Cells and groups as independent units."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.analysis.betting import Bet, betting_p_many
from stoprule.analysis.bootstrap import strata
from stoprule.analysis.units import independent_units, ranked, units_by_cell
from stoprule.trajectories.errors import StudyError

from .loss_families import LossFamily, limit


def rows(*pairs: str) -> tuple[np.ndarray, np.ndarray]:
    """Cells and groups of trajectories written as "cell group"."""
    cell, group = zip(*(pair.split() for pair in pairs), strict=True)
    return np.array(cell, dtype=object), np.array(group, dtype=object)


def by_unit(units, losses) -> dict:
    return dict(zip(units.members, units.values(np.array(losses, dtype=np.float64)).tolist(), strict=True))


class TestRanked:
    def test_order_of_a_hash(self):
        """Sort the distinct ids by blake2b of the word and the id, whatever order they come in."""
        ids = [f"q{i}" for i in range(30)]
        expected = sorted(ids, key=lambda one: hashlib.blake2b(f"guarantee{one}".encode()).digest())
        assert ranked("guarantee", reversed(ids + ids)) == expected
        assert ranked("certify", ids) != expected


class TestOneCell:
    def test_a_question_is_a_unit(self):
        """Give every loss as it is, in the order of the hash."""
        units = independent_units(*rows("c a", "c b", "c d"))
        assert by_unit(units, [1, -1, 0.5]) == {("a",): 1, ("b",): -1, ("d",): 0.5}
        assert [member for (member,) in units.members] == ranked("certify", "abd")
        assert str(units) == "3 groups"

    def test_a_group_is_its_mean(self):
        """Weigh groups equally: the mean within the group, however many questions it has (case 25)."""
        units = independent_units(*rows("c a", "c a", "c a", "c b"))
        assert by_unit(units, [1, 0, 0.5, -1]) == {("a",): 0.5, ("b",): -1}


class TestSharedCells:
    def test_a_group_is_its_mean_over_cells(self):
        """Give each question the mean over cells of its losses."""
        units = independent_units(*rows("c a", "c b", "d a", "d b", "d b"))
        assert units.recipe == "shared"
        assert by_unit(units, [1, 0, 0, 1, 0]) == {("a",): 0.5, ("b",): 0.25}


class TestPartlySharedCells:
    def test_only_common_groups_count(self):
        """Leave out what is not in every cell, and say how many are left."""
        units = independent_units(*rows("c a", "c b", "c e", "d a", "d b", "d f"))
        assert by_unit(units, [1, 0, 9, 0, 1, 9]) == {("a",): 0.5, ("b",): 0.5}
        assert str(units) == "the 2 of 4 groups that are in every cell"

    def test_none_common(self):
        """Fall back to tuples, and claim nothing for finite samples where they share a question."""
        units = independent_units(*rows("c a", "c b", "d b", "d e", "f e", "f a"))
        assert units.recipe == "disjoint"
        assert not units.independent
        assert "no finite-sample claim" in str(units)


class TestDisjointCells:
    def test_tuples_take_as_many_of_each_cell_as_there_are(self):
        """Pair 2 groups of a cell of 2 with 2 each of a cell of 5, and leave the surplus out."""
        units = independent_units(*rows("c a", "c b", *(f"d {x}" for x in "uvwxy")))
        assert units.recipe == "disjoint"
        assert units.independent
        assert [len(members) for members in units.members] == [3, 3]
        order = ranked("certify", "uvwxy")
        assert [set(members) - {"a", "b"} for members in units.members] == [set(order[:2]), set(order[2:4])]
        assert str(units) == "2 tuples over the cells of 6 of 7 groups"

    def test_a_tuple_is_the_mean_over_cells_of_means(self):
        """Weigh cells equally in every tuple."""
        units = independent_units(*rows("c a", "d x", "d y"))
        assert by_unit(units, [1, 0, 0.5]) == {("a", *ranked("certify", "xy")): (1 + 0.25) / 2}

    def test_cells_that_differ_are_no_gift(self):
        """Keep the error under alpha where a good cell is larger than one that loses, macro at the margin."""
        rng = np.random.default_rng(6)
        cell, group = rows(*(f"good g{i}" for i in range(200)), *(f"poor p{i}" for i in range(100)))
        losses = np.hstack(
            [LossFamily("em", 0.1).draw((2000, 200), -0.05, rng), LossFamily("em", 0.2).draw((2000, 100), 0.15, rng)]
        )
        values = independent_units(cell, group).values(losses)
        p = betting_p_many(values, max_loss=0.05, alpha=0.1, choosing=values[::-1, :50])
        assert values.shape == (2000, 100)
        assert (p <= 0.1).mean() <= limit(0.1, 2000)


class TestUnits:
    @given(st.lists(st.tuples(st.sampled_from("cde"), st.sampled_from("abfgh")), min_size=1, max_size=25))
    def test_the_order_of_the_rows_does_not_matter(self, pairs):
        """Give the same units and values for shuffled rows (case 3)."""
        cell, group = rows(*(f"{c} {g}" for c, g in pairs))
        losses = np.sin(np.arange(len(pairs)))
        one, other = independent_units(cell, group), independent_units(cell[::-1], group[::-1])
        assert one.members == other.members
        np.testing.assert_allclose(one.values(losses), other.values(losses[::-1]), atol=1e-15)

    @given(st.integers(1, 6), st.integers(1, 3), st.integers(1, 3))
    def test_the_mean_is_macro(self, groups, cells, times):
        """Have the macro mean of the table as the mean over units where every group is in every cell."""
        names = [f"{c} {g}" for c in range(cells) for g in range(groups) for _ in range(times)]
        cell, group = rows(*names)
        losses = np.cos(np.arange(len(names)))
        units = independent_units(cell, group)
        assert units.values(losses).mean() == pytest.approx(strata(cell, group).macro_mean(losses))

    def test_many_rules_at_once(self):
        """Give each row of losses its sequence."""
        cell, group = rows("c a", "c b", "d a", "d b")
        losses = np.arange(8.0).reshape(2, 4)
        units = independent_units(cell, group)
        np.testing.assert_array_equal(units.values(losses), [units.values(losses[0]), units.values(losses[1])])

    def test_a_bound_stays_a_bound(self):
        """Keep the mean of largest losses testable: 1 up to rounding."""
        cell, group = rows(*(f"{c} a" for c in "cdefgh"), *(f"{c} b" for c in "cdefgh"))
        values = independent_units(cell, group).values(np.ones((1, 12)))
        assert betting_p_many(values, max_loss=0.05, alpha=0.1, choosing=values).tolist() == [1]
        assert Bet.from_losses(values[0]).mean == pytest.approx(1)

    def test_nothing(self):
        """Refuse a table without trajectories."""
        empty = np.array([], dtype=object)
        with pytest.raises(StudyError, match="no group to test"):
            independent_units(empty, empty)


class TestUnitsByCell:
    def test_every_cell_by_itself(self):
        """Give each cell its own groups and nothing of the others."""
        cell, group = rows("c a", "c b", "d b", "d e")
        units = units_by_cell(cell, group)
        assert by_unit(units["c"], [1, 2, 3, 4]) == {("a",): 1, ("b",): 2}
        assert by_unit(units["d"], [1, 2, 3, 4]) == {("b",): 3, ("e",): 4}
