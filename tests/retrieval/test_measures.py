from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.retrieval.measures import outcomes

QRELS = {"q": {"a": 3, "b": 1, "z": 2}, "none": {"a": 0, "b": -1}}


def ndcg(ranked: list[str], grades: dict[str, int], cutoff: int) -> float:
    """The definition: gains are grades, discounts 1 / log2(rank + 1)."""
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:cutoff]
    gains = [max(grades.get(unit, 0), 0) for unit in ranked[:cutoff]]
    ideal = sum(gain / log2(rank + 1) for rank, gain in enumerate(best, start=1))
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1)) / ideal if ideal else 0.0


class TestOutcomes:
    def test_worked(self) -> None:
        """Score b, x, a by hand: DCG 1 + 3 / 2, ideal 3 + 2 / log2 3 + 1 / 2."""
        scores = outcomes({"q": ["b", "x", "a"]}, QRELS)["q"]
        assert scores["ndcg4"] == pytest.approx((1 + 3 / 2) / (3 + 2 / log2(3) + 1 / 2), abs=1e-12)
        assert scores["recall4"] == pytest.approx(2 / 3)
        assert scores["any_relevant"] == 1.0

    def test_cutoffs(self) -> None:
        """Look at three places for nDCG@3 and at four for the rest."""
        scores = outcomes({"q": ["x", "y", "w", "a"]}, QRELS)["q"]
        assert scores["ndcg3"] == 0.0
        assert scores["ndcg4"] > 0.0
        assert scores["any_relevant"] == 1.0

    def test_absence_stays_in_the_mean(self) -> None:
        """Score 0 where nothing relevant exists, nothing was judged or nothing was packed."""
        run = {"q": [], "none": ["a", "b"], "unjudged": ["a"]}
        assert outcomes(run, QRELS) == {
            query: {"ndcg4": 0.0, "ndcg3": 0.0, "recall4": 0.0, "any_relevant": 0.0} for query in run
        }

    @given(
        st.permutations(list("abcdefg")).flatmap(lambda order: st.integers(0, 7).map(lambda n: order[:n])),
        st.dictionaries(st.sampled_from("abcdefg"), st.integers(-1, 4)),
    )
    def test_equals_the_definition(self, ranked: list[str], grades: dict[str, int]) -> None:
        """Agree with the definition for any packet and any grades."""
        scores = outcomes({"q": ranked}, {"q": grades})["q"]
        assert scores["ndcg4"] == pytest.approx(ndcg(ranked, grades, 4), abs=1e-12)
        assert scores["ndcg3"] == pytest.approx(ndcg(ranked, grades, 3), abs=1e-12)
