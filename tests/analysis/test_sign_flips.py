"""The sign-flip test of one rule."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from stoprule.analysis import sign_flips
from stoprule.analysis.sign_flips import sign_flip_test
from stoprule.trajectories.errors import StudyError


class TestSignFlipTest:
    def test_by_hand(self):
        """Give 2/8 two-sided and 1/8 one-sided for 1, 2 and 4: one pattern of eight has so large a sum."""
        differences = np.array([1.0, 2.0, 4.0, 0.0])
        assert sign_flip_test(differences, seed=1).p == 2 / 8
        assert sign_flip_test(differences, seed=1, alternative="greater").p == 1 / 8
        assert sign_flip_test(differences, seed=1, alternative="less").p == 1

    def test_ties_count(self):
        """Count patterns that sum to the same: 1 + 2 - 3 = 0, so no pattern is smaller two-sided."""
        result = sign_flip_test(np.array([1.0, 2.0, -3.0]), seed=1)
        assert (result.p, result.method, result.nonzero) == (1, "exact", 3)

    def test_thirds_tie(self):
        """See .1 + .2 and .3 as equal sizes of a sum."""
        greater = sign_flip_test(np.array([0.1, 0.2, -0.3]), seed=1, alternative="greater")
        assert greater.p == sign_flip_test(np.array([1.0, 2.0, -3.0]), seed=1, alternative="greater").p

    def test_right_or_wrong_is_binomial_at_any_n(self):
        """Give McNemar's exact p-value for 130 gains and 100 losses among 5,000 questions."""
        differences = np.repeat([1.0, -1.0, 0.0], [130, 100, 4770])
        result = sign_flip_test(differences, seed=1)
        assert result.method == "binomial"
        assert result.p == pytest.approx(binomtest(130, 230).pvalue)

    def test_zeros_carry_nothing(self):
        """Stay exact with 20 non-zero differences, whatever n."""
        sizes = np.linspace(-1, 2, 20)
        few, many = (sign_flip_test(np.append(sizes, np.zeros(n)), seed=1) for n in (0, 4000))
        assert few == many
        assert few.method == "exact"

    def test_nothing_differs(self):
        """Give 1, not NaN, where all differences are zero."""
        assert sign_flip_test(np.zeros(9), seed=1).p == 1

    def test_drawn_is_near_the_truth(self):
        """Come near the exact p-value, and never give 0."""
        differences = np.random.default_rng(1).normal(0.4, 1, 21)
        exact = np.abs(sign_flips._all_sums(np.abs(differences))) >= abs(differences.sum()) - 1e-9
        drawn = sign_flip_test(differences, seed=1)
        assert (drawn.method, drawn.draws) == ("drawn", 10_000)
        assert drawn.p == pytest.approx(exact.mean(), abs=0.01)
        assert sign_flip_test(np.linspace(1, 2, 60), seed=1, draws=99).p == 1 / 100

    def test_the_seed_decides_and_chunks_do_not(self, monkeypatch):
        """Give the same p-value twice, however many signs are drawn at a time (case 21)."""
        differences = np.random.default_rng(2).normal(0.1, 1, 50)
        once = sign_flip_test(differences, seed=3, draws=500)
        monkeypatch.setattr(sign_flips, "AT_ONCE", 333)
        assert sign_flip_test(differences, seed=3, draws=500) == once
        assert sign_flip_test(differences, seed=4, draws=500) != once

    @given(st.lists(st.integers(-3, 3), max_size=8))
    @settings(max_examples=50)
    def test_equals_the_definition(self, differences):
        """Count all patterns of signs one by one, on integers that tie."""
        sizes = np.abs(differences)
        sums = [float(np.dot(signs, sizes)) for signs in itertools.product([-1, 1], repeat=len(sizes))]
        values = np.array(differences, dtype=np.float64)
        two_sided = np.mean([abs(s) >= abs(sum(differences)) for s in sums])
        greater = np.mean([s >= sum(differences) for s in sums])
        assert sign_flip_test(values, seed=1).p == pytest.approx(two_sided)
        assert sign_flip_test(values, seed=1, alternative="greater").p == pytest.approx(greater)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"alternative": "larger"}, "alternative 'larger' is not offered"),
            ({"draws": 0}, "draws must be a whole number of at least 1"),
            ({"differences": np.array([np.nan])}, "a difference is not finite"),
        ],
    )
    def test_refusals(self, settings, message):
        """Refuse settings out of range and missing outcomes."""
        given_ = {"differences": np.array([1.0, 2.0]), "seed": 1, **settings}
        with pytest.raises(StudyError, match=message):
            sign_flip_test(given_.pop("differences"), **given_)
