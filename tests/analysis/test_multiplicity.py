"""Bonferroni, Holm, fixed sequences, intersection-union."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.analysis.multiplicity import bonferroni, every_one, fixed_sequence, holm
from stoprule.trajectories.errors import StudyError

p_values = st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.2, 1.0]), max_size=6)


class TestBonferroni:
    def test_by_hand(self):
        """Multiply by the number of claims, up to 1."""
        assert bonferroni([0.01, 0.4, 0.03]).tolist() == pytest.approx([0.03, 1, 0.09])


class TestHolm:
    def test_by_hand(self):
        """Multiply the smallest by 3, the next by 2, and never fall below the one before."""
        assert holm([0.01, 0.03, 0.012]).tolist() == pytest.approx([0.03, 0.03, 0.03])
        assert holm([0.04, 0.01]).tolist() == pytest.approx([0.04, 0.02])

    def test_nothing(self):
        """Adjust no p-value to none."""
        assert holm([]).tolist() == []

    @given(p_values, st.sampled_from([0.01, 0.05, 0.1]))
    def test_equals_the_definition(self, p, alpha):
        """Reject from the smallest on, each at alpha over how many are left, until one is kept."""
        rejected = np.zeros(len(p), bool)
        for step, k in enumerate(np.argsort(p, kind="stable")):
            if p[k] * (len(p) - step) > alpha:
                break
            rejected[k] = True
        assert (holm(p) <= alpha).tolist() == rejected.tolist()

    @given(p_values)
    def test_between_raw_and_bonferroni(self, p):
        """Never go below the raw p-value or above Bonferroni's."""
        assert (np.asarray(p) <= holm(p)).all()
        assert (holm(p) <= bonferroni(p)).all()


class TestFixedSequence:
    def test_ends_at_the_first_failure(self):
        """Keep nothing of .2 .01 .01 and the first alone of .01 .2 .01 (case 12)."""
        assert fixed_sequence([0.2, 0.01, 0.01], alpha=0.1) == 0
        assert fixed_sequence([0.01, 0.2, 0.01], alpha=0.1) == 1

    def test_all_hold(self):
        """Keep all where none fails, alpha itself included, and none of none."""
        assert fixed_sequence([0.01, 0.1], alpha=0.1) == 2
        assert fixed_sequence([], alpha=0.1) == 0

    def test_refusals(self):
        """Refuse an alpha and a p-value that are none, NaN too."""
        with pytest.raises(StudyError, match="alpha must lie between 0 and 1"):
            fixed_sequence([0.1], alpha=1.0)
        for p in (1.2, float("nan")):
            with pytest.raises(StudyError, match=r"p-values lie in \[0, 1\]"):
                fixed_sequence([0.01, p], alpha=0.1)


class TestEveryOne:
    def test_the_largest(self):
        """Give the claim for every cell the p-value of the worst."""
        assert every_one([0.01, 0.04, 0.02]) == 0.04

    def test_of_nothing(self):
        """Refuse to combine nothing."""
        with pytest.raises(StudyError, match="no p-value to combine"):
            every_one([])
