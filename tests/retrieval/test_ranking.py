import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from stoprule.retrieval.ranking import best_eligible
from stoprule.retrieval.units import Collection, Snapshot, Unit

COLLECTION = Collection(Unit(f"u{place:03}", "text") for place in range(60))
ALL = Snapshot.of(COLLECTION)


class TestBestEligible:
    def test_worked(self) -> None:
        """Order by falling score, ties by id."""
        scores = np.zeros(60)
        scores[[3, 7, 5]] = [2.0, 2.0, 9.0]
        hits = best_eligible(scores, COLLECTION, rows=4, view=ALL, above=0.0)
        assert [(hit.unit.id, hit.score) for hit in hits] == [("u005", 9.0), ("u003", 2.0), ("u007", 2.0)]

    @given(
        st.lists(st.integers(0, 3), min_size=60, max_size=60),
        st.integers(1, 9),
        st.sets(st.integers(0, 59)),
        st.sampled_from([-1.0, 0.0, 1.0]),
    )
    def test_equals_a_full_sort(self, given_scores: list[int], rows: int, hidden: set[int], above: float) -> None:
        """Equal the naive way: sort everything, drop what is hidden or too low, take the first."""
        view = Snapshot.of(unit for place, unit in enumerate(COLLECTION) if place not in hidden)
        order = sorted(range(60), key=lambda place: (-given_scores[place], place))
        expected = [place for place in order if place not in hidden and given_scores[place] > above][:rows]
        hits = best_eligible(np.array(given_scores, float), COLLECTION, rows=rows, view=view, above=above)
        assert [hit.unit.id for hit in hits] == [f"u{place:03}" for place in expected]
