"""Plateaus of cuts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.enumerate.plateaus import negates, plateaus
from stoprule.trajectories.errors import RuleError

HOLDS = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


def intervals(thresholds, op):
    found, kept = plateaus(np.array(thresholds, dtype=float), op)
    ends = zip(found.low, found.high, found.low_closed, found.high_closed, strict=True)
    return [f"{'[' if left else '('}{low:g}, {high:g}{']' if right else ')'}" for low, high, left, right in ends], kept


class TestPlateaus:
    """Thresholds part the line of cuts as the operator says."""

    def test_hand_worked(self):
        """Close intervals on the left for > and <=, on the right for >= and <."""
        for op in (">", "<="):
            assert intervals([1, 2], op)[0] == ["[-inf, 1)", "[1, 2)", "[2, inf]"]
        for op in (">=", "<"):
            assert intervals([1, 2], op)[0] == ["[-inf, 1]", "(1, 2]", "(2, inf]"]

    def test_no_threshold(self):
        """Leave the whole line when nothing was observed."""
        assert intervals([], ">") == (["[-inf, inf]"], slice(0, 1))

    def test_infinite_observations(self):
        """Drop the intervals that no cut can reach: below -inf under >, above inf under >=."""
        assert intervals([-np.inf, np.inf], ">") == (["[-inf, inf)", "[inf, inf]"], slice(1, 3))
        assert intervals([-np.inf, np.inf], ">=") == (["[-inf, -inf]", "(-inf, inf]"], slice(0, 2))
        assert intervals([-np.inf, 3], ">=")[0] == ["[-inf, -inf]", "(-inf, 3]", "(3, inf]"]

    def test_written(self):
        """Write always and never as infinities, the others as short decimals."""
        assert list(plateaus(np.array([0.237, 0.291]), ">")[0].written()) == [-np.inf, 0.26, np.inf]
        assert list(plateaus(np.array([-np.inf, 3]), ">=")[0].written()) == [-np.inf, 3, np.inf]

    def test_small_scores(self):
        """Keep the cuts between scores of 1e-7 apart."""
        assert list(plateaus(np.array([1e-7, 2e-7, 3e-7]), ">=")[0].written()) == [
            -np.inf,
            2e-7,
            3e-7,
            np.inf,
        ]

    def test_equality(self):
        """Refuse == and !=, which have no plateaus."""
        with pytest.raises(RuleError, match="not ==: give the cuts as values"):
            negates("==")

    @given(
        st.lists(st.integers(-3, 3) | st.just(np.inf) | st.just(-np.inf), min_size=1),
        st.sampled_from(sorted(HOLDS)),
    )
    def test_a_cut_behaves_like_its_plateau(self, observed, op):
        """Tell apart exactly the cuts that hold for other observations, and write a cut of each."""
        observed = np.array(observed, dtype=float)
        found, _ = plateaus(np.unique(observed), op)
        seen = [tuple(HOLDS[op](observed, cut)) for cut in found.written()]
        assert len(set(seen)) == len(seen)
        cuts = np.array([-np.inf, np.inf, *np.arange(-4, 4.5, 0.5)])
        for cut, home in zip(cuts, found.at(cuts), strict=True):
            assert tuple(HOLDS[op](observed, cut)) == seen[home]
