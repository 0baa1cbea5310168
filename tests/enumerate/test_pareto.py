"""Which points no other dominates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import pareto
from stoprule.enumerate.pareto import pareto_mask, pareto_mask_naive
from stoprule.trajectories.errors import SearchError


@st.composite
def clouds(draw):
    """Points on a coarse grid, so that ties and duplicates are common, with infinities; and directions."""
    objectives = draw(st.integers(1, 4))
    coordinate = st.sampled_from([-np.inf, 0.0, 1.0, 2.0, 3.0, np.inf])
    rows = draw(st.lists(st.tuples(*[coordinate] * objectives), max_size=30))
    maximise = draw(st.tuples(*[st.booleans()] * objectives))
    return np.array(rows, dtype=float).reshape(len(rows), objectives), maximise


class TestParetoMask:
    def test_case_5(self):
        """Keep equal points both; drop what costs as much for less, or more for as much."""
        quality_and_cost = [(0.5, 1), (0.5, 1), (0.5, 2), (0.6, 2)]
        assert pareto_mask(quality_and_cost).tolist() == [True, True, False, True]

    def test_directions(self):
        """Turn each objective the way it is asked for."""
        assert pareto_mask([(1, 1), (2, 2)], maximise=(True, True)).tolist() == [False, True]
        assert pareto_mask([(1, 1), (2, 2)], maximise=(False, False)).tolist() == [True, False]

    def test_no_points(self):
        """Answer an empty cloud with an empty mask."""
        assert pareto_mask(np.empty((0, 2))).tolist() == []

    @given(clouds())
    @settings(max_examples=150, deadline=None)
    def test_naive(self, cloud):
        """Agree with the definition for any number of objectives."""
        points, maximise = cloud
        np.testing.assert_array_equal(pareto_mask(points, maximise), pareto_mask_naive(points, maximise))

    @given(clouds())
    @settings(max_examples=100, deadline=None)
    def test_three_objectives_compiled(self, cloud):
        """Agree with the definition by the compiled way."""
        points, maximise = cloud
        points = np.pad(points, ((0, 0), (0, 3)))[:, :3]
        maximise = (maximise + (True,) * 3)[:3]
        np.testing.assert_array_equal(pareto_mask(points, maximise), pareto_mask_naive(points, maximise))

    @given(clouds())
    @settings(max_examples=100, deadline=None)
    def test_filtered(self, cloud):
        """Agree with the definition where strong points of a sample are tried first."""
        points, maximise = cloud
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pareto, "FILTERED", 1)
            patch.setattr(pareto, "SAMPLE", 1)
            np.testing.assert_array_equal(pareto_mask(points, maximise), pareto_mask_naive(points, maximise))

    def test_case_4(self):
        """Refuse NaN, naming the rule."""
        with pytest.raises(SearchError, match=r"`round >= 2`.*NaN"):
            pareto_mask([(0.5, 1), (np.nan, 2)], names=["round >= 1", "round >= 2"])

    def test_shape(self):
        """Refuse points whose columns are not the objectives."""
        with pytest.raises(SearchError, match=r"shape \(K, 2\)"):
            pareto_mask([1.0, 2.0])

    def test_inputs_unchanged(self):
        """Leave the points as they were."""
        points = np.array([(0.5, 1.0), (0.6, 2.0)])
        before = points.copy()
        pareto_mask(points)
        np.testing.assert_array_equal(points, before)
