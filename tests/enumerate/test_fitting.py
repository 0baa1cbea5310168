"""Which cross products of cuts fit."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.enumerate import fitting, memory
from stoprule.enumerate.expand import expand
from stoprule.enumerate.families import Family
from stoprule.enumerate.fitting import Crossing, refuse_too_many
from stoprule.enumerate.grid import grid_bytes
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.space import space
from stoprule.enumerate.workers import ALONE, Workers
from stoprule.rules.text import parse
from stoprule.trajectories.errors import SearchError

from ..rules.tables import table

T = table(a=[[1, 2], [2, 3]], b=[[2, 0], [4, 1]], c=[[5, 6], [7, 8]])
AND, NESTED = parse("a > ? & b > ? & c > ?"), parse("(a > ? & b > ?) | c > ?")


@pytest.fixture
def opened(monkeypatch):
    """Open all but the smallest grids once for all runs."""
    monkeypatch.setattr(fitting, "OPENED", 5)


@pytest.mark.usefixtures("opened")
class TestCrossing:
    def test_size(self):
        """Hold all grids, while the one that takes most is opened; once more in every process."""
        found = Crossing([AND, NESTED, AND], [[2, 3, 4], [3, 3, 3], [1, 1, 5]], T)
        (and_held, and_most), (nested_held, nested_most) = grid_bytes(AND, [2, 3, 4], T), grid_bytes(NESTED, [3] * 3, T)
        assert found.cells == [24, 27, 5]  # the last is opened when it is asked for
        most = max(and_most - and_held, nested_most - nested_held)
        assert found.size(0) == and_held + nested_held + most
        assert found.size(3) == found.size(0) + 3 * max(and_most, nested_most)

    @given(
        st.lists(
            st.tuples(st.sampled_from([AND, NESTED]), st.lists(st.integers(1, 40), min_size=3, max_size=3)), min_size=1
        ),
        st.integers(1, 5000),
        st.integers(0, 3),
    )
    def test_cap(self, grids, cap, processes):
        """Cross to no more than the cap, and take no more for a lower one: the largest is found by halving."""
        crossing = Crossing([shape for shape, _ in grids], [counts for _, counts in grids], T)
        capped = crossing.capped(cap)
        assert all(cells <= max(cap, 1) for cells in capped.cells)
        assert crossing.capped(prod([40] * 3)).counts == crossing.counts
        assert capped.size(processes) <= crossing.capped(cap + 1).size(processes) <= crossing.size(processes)

    def test_without_a_cut(self):
        """Leave alone what has no cut."""
        assert Crossing([parse("a > 1")], [[]], T).capped(3).cells == [1]


@pytest.mark.usefixtures("opened")
class TestRefuseTooMany:
    @pytest.mark.parametrize("workers", [ALONE, Workers(2), Workers(2, "processes")])
    def test_cap(self, workers, monkeypatch):
        """Name a cap that fits, which depends on how many processes hold the masks."""
        crossing = Crossing([AND, NESTED], [[30] * 3, [20] * 3], T)
        size = crossing.size(2 if workers.backend == "processes" else 0)
        monkeypatch.setattr(memory, "available", lambda: size)
        refuse_too_many("family f", crossing, workers, listed=False)
        monkeypatch.setattr(memory, "available", lambda: size - 8)
        with pytest.raises(
            SearchError, match=r"^family f: its cuts cross to 35,000 cells, which take at least"
        ) as told:
            refuse_too_many("family f", crossing, workers, listed=False)
        cap = int(str(told.value).rpartition(" = ")[2])
        assert cap < 27_000
        refuse_too_many("family f", crossing.capped(cap), workers, listed=False)

    def test_listed(self, monkeypatch):
        """Name no cap where the cuts are listed one by one: it would not thin them out."""
        monkeypatch.setattr(fitting, "MOST_CELLS", 100)
        with pytest.raises(
            SearchError,
            match=r"cross to 1,000 cells, which take more than some minutes .*; list fewer, for 64 at most$",
        ):
            refuse_too_many("`x`", Crossing([AND], [[10] * 3], T), ALONE, listed=True)

    def test_workers_of_a_search(self, monkeypatch):
        """Count the processes that a search is made by."""
        monkeypatch.setattr("stoprule.enumerate.expand.MOST_LISTED", 10)
        family = Family("f", (AND,), space([{"rule": "a > ?", "cuts": "linspace(9)"}], T).families[0].cuts)
        size = Crossing([AND], [[9] * 3], T).size(0)
        monkeypatch.setattr(memory, "available", lambda: size)
        assert expand([family], T, ledger(T), Workers(2)).listed == 729
        with pytest.raises(SearchError, match="of memory where"):
            expand([family], T, ledger(T), Workers(2, "processes"))
