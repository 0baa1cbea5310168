"""The front of candidates, its hypervolume and its knee."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.analysis.front import (
    chord_distance,
    dominated_volume,
    front,
    front_mask,
    hypervolume,
    knee,
)
from stoprule.trajectories.errors import SearchError


def frame(*points: tuple[float, float], **more: list[float]) -> pl.DataFrame:
    """Candidates of (quality, cost), named r0, r1, ..."""
    quality, cost = (column for column in np.array(points, dtype=np.float64).T)
    return pl.DataFrame({"rule": [f"r{i}" for i in range(len(points))], "quality": quality, "cost": cost, **more})


class TestFront:
    def test_equal_points_both_stay(self):
        """Keep 0, 1 and 3 of case 5: equal points do not dominate each other."""
        candidates = frame((0.5, 1), (0.5, 1), (0.5, 2), (0.6, 2))
        assert front_mask(candidates).tolist() == [True, True, False, True]

    def test_rows_run_from_cheap_to_dear(self):
        """Sort the front by cost, whatever the order of the candidates."""
        candidates = frame((0.9, 5), (0.5, 1), (0.4, 2), (0.7, 3))
        assert front(candidates)["rule"].to_list() == ["r1", "r3", "r0"]

    def test_a_missing_figure_is_refused_by_name(self):
        """Refuse NaN and null before the filter and say whose they are (case 4)."""
        for missing in (float("nan"), None):
            with pytest.raises(SearchError, match="rule `r1`"):
                front(frame((0.5, 1), (missing, 2)))

    def test_any_number_of_objectives(self):
        """Let a third objective save a rule that two would drop, and one objective keep the best alone."""
        candidates = frame((0.5, 1), (0.5, 2), (0.4, 3), latency=[9.0, 2.0, 3.0])
        three = {"quality": "max", "cost": "min", "latency": "min"}
        assert front_mask(candidates, three).tolist() == [True, True, False]
        assert front_mask(candidates, {"cost": "min"}).tolist() == [True, False, False]

    def test_an_objective_has_a_column_and_a_direction(self):
        """Name the column that is not there, and the way that is none."""
        with pytest.raises(SearchError, match="'recall' is no column"):
            front(frame((0.5, 1)), {"recall": "max"})
        with pytest.raises(SearchError, match="cost = 'least'"):
            front(frame((0.5, 1)), {"cost": "least"})

    def test_no_candidate_has_an_empty_front(self):
        """Give an empty front back for no candidates."""
        assert front(frame((0.5, 1)).clear()).is_empty()


class TestKnee:
    def test_by_hand(self):
        """Take (3, .8), which bulges farthest over the chord from (1, .2) to (5, 1)."""
        candidates = frame((0.2, 1), (0.5, 2), (0.8, 3), (1.0, 5), (0.1, 4))
        assert knee(candidates)["rule"].to_list() == ["r2"]
        distance = chord_distance(np.array([0.2, 0.5, 0.8, 1.0]), np.array([1.0, 2.0, 3.0, 5.0]))
        assert distance == pytest.approx(np.array([0, 0.125, 0.25, 0]) / np.sqrt(2))

    def test_axes_are_scaled(self):
        """Choose alike when cost is counted in tokens and quality in percent."""
        points = [(0.2, 1), (0.5, 2), (0.8, 3), (1.0, 5)]
        scaled = frame(*((100 * quality, 7e6 * cost) for quality, cost in points))
        assert knee(scaled)["rule"].to_list() == knee(frame(*points))["rule"].to_list()

    def test_one_point_is_its_own_knee(self):
        """Return the one point, and each of its equals."""
        assert knee(frame((0.5, 1)))["rule"].to_list() == ["r0"]
        assert knee(frame((0.5, 1), (0.5, 1)))["rule"].to_list() == ["r0", "r1"]

    def test_without_a_bulge_the_ends_tie(self):
        """Prefer either end to a point below the chord."""
        assert knee(frame((0.2, 1), (0.3, 3), (1.0, 5)))["rule"].to_list() == ["r0", "r2"]


def area_by_strips(points: np.ndarray) -> float:
    """Area of the union of boxes from the origin, one strip between neighbouring widths at a time."""
    edges = sorted({0.0, *points[:, 0]})
    return sum(
        (right - left) * max(height for width, height in points if width >= right)
        for left, right in itertools.pairwise(edges)
    )


class TestHypervolume:
    def test_by_hand(self):
        """Count 3 x 1 and 1 x 1 over the corner (0, 5)."""
        candidates, baselines = frame((1, 2), (2, 4), (0.5, 4.5)), frame((0, 1), (3, 5))
        volume = hypervolume(candidates, baselines)
        assert volume.value == 3 * 1 + 1 * 1
        assert volume.reference == {"quality": 0, "cost": 5}
        assert volume.warning is None
        assert "worst baseline (quality 0, cost 5)" in str(volume)

    def test_zero_comes_with_a_warning(self):
        """Say why the volume is 0 where no candidate beats the reference (case 23)."""
        volume = hypervolume(frame((0.1, 9)), frame((0.2, 5)))
        assert volume.value == 0
        assert volume.warning is not None
        assert "warning" in str(volume)

    def test_the_worst_baseline_is_needed(self):
        """Refuse to invent a reference point."""
        with pytest.raises(SearchError, match="baseline"):
            hypervolume(frame((1, 2)), frame((1, 2)).clear())

    @given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=12))
    def test_equals_the_sum_of_strips(self, points):
        """Agree with strips on integers chosen to tie."""
        gains = np.array(points, dtype=np.float64)
        assert dominated_volume(gains) == area_by_strips(gains)

    @given(
        st.integers(1, 4).flatmap(
            lambda m: st.lists(st.lists(st.integers(-1, 4), min_size=m, max_size=m), min_size=1, max_size=8)
        )
    )
    def test_equals_a_count_of_unit_cubes(self, points):
        """Agree in up to four dimensions with counting the unit cubes that some box holds."""
        gains = np.array(points, dtype=np.float64)
        cubes = itertools.product(range(1, 5), repeat=gains.shape[1])
        held = sum(bool((gains >= corner).all(axis=1).any()) for corner in cubes)
        assert dominated_volume(gains) == held
