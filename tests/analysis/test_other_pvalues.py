"""Hoeffding-Bentkus and t, and why the betting test is the default."""

import math

import numpy as np
import pytest
from scipy import stats
from stoprule.analysis.other_pvalues import hoeffding_bentkus_p, t_p
from stoprule.trajectories.errors import StudyError

from .loss_families import FAMILIES, LossFamily, limit
from .raw_signed import raw_signed


class TestHoeffdingBentkus:
    def test_by_hand(self):
        """Take the smaller bound for 20 losses in [0, 1] without any loss: (1 - m) ** n, Hoeffding's."""
        p = hoeffding_bentkus_p(np.zeros(20), max_loss=0.1, least=0.0)
        assert p == pytest.approx(0.9**20)

    def test_bentkus_can_be_the_smaller(self):
        """Take e P(Binomial <= losses) where it is below Hoeffding's bound."""
        losses = np.repeat([0.0, 1.0], [180, 20])
        bentkus = math.e * stats.binom.cdf(20, 200, 0.2)
        assert hoeffding_bentkus_p(losses, max_loss=0.2, least=0.0) == pytest.approx(bentkus)

    def test_signed_losses_are_rescaled(self):
        """Give differences in [-1, 1] the p-value of (1 + d) / 2."""
        losses = FAMILIES[4].draw((40, 120), 0.0, np.random.default_rng(1))
        shifted = hoeffding_bentkus_p((1 + losses) / 2, max_loss=0.7, least=0.0)
        np.testing.assert_allclose(hoeffding_bentkus_p(losses, max_loss=0.4), shifted)

    def test_error_at_the_boundary(self):
        """Stay under alpha, on just the losses on which the raw formulas do not (case 13)."""
        losses = LossFamily("em", 0.4).draw((2000, 300), 0.05, np.random.default_rng(2))
        assert (hoeffding_bentkus_p(losses, max_loss=0.05) <= 0.1).mean() <= limit(0.1, 2000)
        assert (raw_signed(losses, 0.05) <= 0.1).mean() > 0.2

    def test_losses_outside_the_range(self):
        """Refuse a loss above and one below the declared range."""
        for loss in (1.5, -1.5):
            with pytest.raises(StudyError, match="declare the range"):
                hoeffding_bentkus_p(np.array([loss, 0.0]), max_loss=0.05)


class TestT:
    def test_equals_scipy(self):
        """Give scipy's one-sided p-value."""
        losses = FAMILIES[4].draw((3, 50), 0.0, np.random.default_rng(4))
        expected = stats.ttest_1samp(losses, 0.05, axis=1, alternative="less").pvalue
        np.testing.assert_allclose(t_p(losses, max_loss=0.05), expected)

    def test_without_spread(self):
        """Take the limit, not NaN, for a constant difference (case 9)."""
        assert t_p(np.array([[0.0] * 5, [0.2] * 5]), max_loss=0.05).tolist() == [0, 1]

    def test_rejects_too_often(self):
        """Show that it is asymptotic: .126 at a nominal .05 for rare losses and 150 questions."""
        losses = LossFamily("em", 0.05).draw((4000, 150), 0.05, np.random.default_rng(3))
        assert (t_p(losses, max_loss=0.05) <= 0.05).mean() > 0.09

    def test_one_loss_is_too_few(self):
        """Refuse a single loss."""
        with pytest.raises(StudyError, match="2 losses or more"):
            t_p(np.zeros(1), max_loss=0.05)
