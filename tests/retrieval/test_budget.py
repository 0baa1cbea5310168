import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.retrieval.budget import Amounts, Budget
from stoprule.retrieval.errors import RetrievalError

AMOUNTS = st.builds(Amounts, **{name: st.integers(0, 9) for name in ("calls", "rows", "units", "iterations")})


class TestAmounts:
    def test_worked(self) -> None:
        """Add and take away each count by itself."""
        call = Amounts(calls=1, rows=3, units=2, iterations=1)
        assert call + call == Amounts(calls=2, rows=6, units=4, iterations=2)
        assert Budget().remaining(call) == Amounts(calls=1, rows=3, units=4, iterations=1)

    @given(AMOUNTS, AMOUNTS)
    def test_taking_away_undoes_adding(self, one: Amounts, other: Amounts) -> None:
        """Hold (a + b) - b = a."""
        assert (one + other) - other == one

    @given(AMOUNTS)
    def test_a_call_needs_something_of_everything(self, left: Amounts) -> None:
        """Allow no call once any one count is spent."""
        assert left.allows_a_call == all((left.calls, left.rows, left.units, left.iterations))


class TestBudget:
    def test_chapter_defaults(self) -> None:
        """Allow 2 calls, 6 rows, 6 units, 2 iterations; 4 units and 4,000 characters in the packet."""
        budget = Budget()
        assert budget.allowance == Amounts(calls=2, rows=6, units=6, iterations=2)
        assert (budget.packet_units, budget.packet_characters) == (4, 4000)

    def test_covering_a_schedule(self) -> None:
        """Cover every row of a longer schedule."""
        budget = Budget.covering([("lexical", 3), ("dense", 3), ("web", 4)], packet_units=8)
        assert budget.allowance == Amounts(calls=3, rows=10, units=10, iterations=3)
        assert budget.packet_units == 8

    @pytest.mark.parametrize("value", [-1, 1.5, True, "2"])
    def test_not_a_count(self, value: int) -> None:
        """Refuse what is no whole number from 0, by name."""
        with pytest.raises(RetrievalError, match="budget calls"):
            Budget(calls=value)
