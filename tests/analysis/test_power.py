"""The smallest loss that can be certified."""

import math

import numpy as np
import pytest
from stoprule.analysis.betting import betting_p_many
from stoprule.analysis.power import certifiable_loss
from stoprule.trajectories.errors import StudyError

from .loss_families import LossFamily


def right_or_wrong(share: float, n: int = 100) -> np.ndarray:
    """Losses of which a share is 1."""
    return np.repeat([1.0, 0.0], [round(share * n), n - round(share * n)])


class TestCertifiableLoss:
    @pytest.mark.parametrize(
        ("share", "certifying", "max_loss"), [(0.07, 99, 0.078), (0.2, 150, 0.087), (0.4, 300, 0.083)]
    )
    def test_known_figures(self, share, certifying, max_loss):
        """Come near what 80% power took in larger simulations (alpha .1)."""
        found = certifiable_loss(right_or_wrong(share), certifying, alpha=0.1, seed=7)
        assert found.max_loss == pytest.approx(max_loss, abs=0.004)
        assert found.sd == pytest.approx(math.sqrt(share))

    def test_it_has_that_power(self):
        """Certify the margin that was found in about .8 of fresh studies without a true loss."""
        family, rng = LossFamily("f1", 0.2), np.random.default_rng(8)
        found = certifiable_loss(family.draw((60,), 0.0, rng), 120, alpha=0.1, seed=7)
        at_hand = family.draw((4000, 180), 0.0, rng)
        p = betting_p_many(at_hand[:, 60:], max_loss=found.max_loss, alpha=0.1, choosing=at_hand[:, :60])
        assert (p <= 0.1).mean() == pytest.approx(0.8, abs=0.12)  # the 60 losses are themselves a sample

    def test_floor(self):
        """Never go below the margin at which losing nothing has probability alpha, whatever the spread."""
        found = certifiable_loss(np.zeros(50), 99, alpha=0.1, seed=7)
        assert found.floor == pytest.approx(0.023, abs=5e-4)
        assert found.floor < found.max_loss < 1.2 * found.floor

    def test_sentence(self):
        """Say it in points."""
        found = certifiable_loss(right_or_wrong(0.08), 99, alpha=0.1, seed=7)
        assert found.sentence().startswith("99 certifying questions, sd 0.28: 8.")
        assert found.sentence().endswith("points at 80% power; never below 2.3")

    def test_nothing_can_be_certified(self):
        """Say so where one question that is lost half of the time would have to do."""
        found = certifiable_loss(np.ones(50), 1, alpha=0.1, seed=7)
        assert math.isnan(found.max_loss)
        assert "nothing at 80% power" in found.sentence()

    def test_the_seed_decides(self):
        """Give the same figure twice, in any unit of the loss."""
        once, again = (certifiable_loss(right_or_wrong(0.2), 60, alpha=0.1, seed=7) for _ in range(2))
        assert once == again
        points = certifiable_loss(100 * right_or_wrong(0.2), 60, alpha=0.1, seed=7, largest=100)
        assert points.max_loss == pytest.approx(100 * once.max_loss, abs=0.02)

    def test_refusals(self):
        """Refuse counts, powers and losses out of range."""
        with pytest.raises(StudyError, match="certifying must be a whole number of at least 1"):
            certifiable_loss(np.zeros(5), 0, alpha=0.1, seed=7)
        with pytest.raises(StudyError, match="power must lie between 0 and 1"):
            certifiable_loss(np.zeros(5), 9, alpha=0.1, seed=7, power=1.0)
        with pytest.raises(StudyError, match="at most 1, got 2"):
            certifiable_loss(np.array([-2.0]), 9, alpha=0.1, seed=7)
