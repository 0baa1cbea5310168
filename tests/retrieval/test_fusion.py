from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from stoprule.retrieval.fusion import RRF_K, reciprocal_rank

RANKINGS = st.lists(st.lists(st.integers(0, 6), unique=True, max_size=6), max_size=4)


class TestReciprocalRank:
    def test_worked(self) -> None:
        """Add 1 / (60 + rank): c has 1/63 + 1/61, b 1/62 + 1/63, a 1/61, d 1/62."""
        assert reciprocal_rank([["a", "b", "c"], ["c", "d", "b"]]) == ["c", "b", "a", "d"]

    def test_one_ranking_stays(self) -> None:
        """Leave a single ranking as it is."""
        assert reciprocal_rank([["b", "a"]]) == ["b", "a"]

    def test_ties_keep_the_first_appearance(self) -> None:
        """Put the first search's unit before the second's at the same rank."""
        assert reciprocal_rank([["a", "b"], ["x", "y"]]) == ["a", "x", "b", "y"]

    def test_double_counts_once(self) -> None:
        """Count an item once a ranking, at its best rank."""
        assert reciprocal_rank([["a", "a", "b"], ["b"]]) == ["b", "a"]

    @given(RANKINGS)
    def test_equals_the_definition(self, rankings: list[list[int]]) -> None:
        """Order by the exact sums, as fractions."""
        exact = {
            item: sum(Fraction(1, RRF_K + ranking.index(item) + 1) for ranking in rankings if item in ranking)
            for ranking in rankings
            for item in ranking
        }
        fused = reciprocal_rank(rankings)
        assert sorted(fused) == sorted(exact)
        assert all(exact[one] >= exact[two] for one, two in pairwise(fused))
