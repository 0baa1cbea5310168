"""Betting p-values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis.betting import Bet, betting_p, betting_p_many
from stoprule.trajectories.errors import StudyError

from .loss_families import FAMILIES, LossFamily, limit

ZEROS = np.zeros(50)


class TestBettingP:
    def test_one_loss_by_hand(self):
        """Bet .9 / (1 - m) of the capital at most: one question without loss multiplies it by 1 + .9 m / (1 - m)."""
        p = betting_p(np.zeros(1), max_loss=0.1, alpha=0.1, bet=Bet(0, 0.01))
        assert p == pytest.approx(1 / 1.1, abs=1e-15)

    @pytest.mark.parametrize(
        ("losses", "variance", "p"),
        [
            (np.zeros(50), 0.02, 0.0988612795),
            (np.zeros(40), 0.05, 0.1570438674),
            ([{0: -1.0, 10: 1.0}.get(i % 20, 0.0) for i in range(150)], 0.1, 0.0868522078),
        ],
    )
    def test_check_vectors(self, losses, variance, p):
        """Give the recipe's three vectors to ten digits."""
        found = betting_p(np.array(losses), max_loss=0.05, alpha=0.1, bet=Bet(0, variance))
        assert found == pytest.approx(p, abs=5e-11)

    def test_losses_everywhere_never_reject(self):
        """Give 1 where every question loses all."""
        assert betting_p(np.ones(100), max_loss=0.05, alpha=0.1, bet=Bet(0, 0.1)) == 1

    def test_no_losses_cannot_beat_the_binomial_floor(self):
        """Never reject with n losses of zero where losing nothing has probability above alpha."""
        for n in (10, 20, 30, 45, 60):
            floor = 1 - 0.1 ** (1 / n)
            assert betting_p(np.zeros(n), max_loss=0.99 * floor, alpha=0.1, bet=Bet(0, 2 / n)) > 0.1

    def test_inputs_stay_what_they_were(self):
        """Change no array that was given, and say the same twice (case 28)."""
        losses = FAMILIES[1].draw((1, 80), 0.0, np.random.default_rng(3))
        before = losses.copy()
        first, second = (betting_p_many(losses, max_loss=0.05, alpha=0.1, choosing=losses) for _ in range(2))
        assert np.array_equal(losses, before)
        assert first == second

    @given(seed=st.integers(0, 2**32), scale=st.sampled_from([0.5, 4.0, 100.0]))
    @settings(max_examples=30)
    def test_the_unit_does_not_matter(self, seed, scale):
        """Give the same p-value for losses, margin and largest loss in another unit."""
        losses, choosing = FAMILIES[4].draw((2, 60), 0.0, np.random.default_rng(seed))
        p, scaled = (
            betting_p(
                by * losses,
                max_loss=by * 0.1,
                alpha=0.1,
                bet=Bet.from_losses(by * choosing, largest=by),
                largest=by,
            )
            for by in (1.0, scale)
        )
        assert scaled == pytest.approx(p, rel=1e-9)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"alpha": 0.0}, "alpha must lie between 0 and 1"),
            ({"alpha": 1.0}, "alpha must lie between 0 and 1"),
            ({"alpha": float("nan")}, "alpha must lie between 0 and 1"),
            ({"max_loss": 1.0}, "max_loss must be a finite number below the largest possible loss"),
            ({"largest": float("inf")}, "max_loss must be a finite number below the largest possible loss"),
            ({"losses": np.array([0.0, 1.2])}, "at most 1, got 1.2; declare the range"),
            ({"losses": np.array([0.0, np.nan])}, "losses must be finite"),
            ({"losses": np.array([0.0, -np.inf])}, "losses must be finite"),
            ({"losses": np.zeros(0)}, "there is no loss to test"),
        ],
    )
    def test_settings_out_of_range(self, change, message):
        """Refuse, with the way out, what the test is not valid for."""
        given_ = {"losses": ZEROS, "max_loss": 0.05, "alpha": 0.1, "bet": Bet(0, 0.02), **change}
        with pytest.raises(StudyError, match=message):
            betting_p(given_.pop("losses"), **given_)

    def test_rounding_is_no_excess(self):
        """Take a mean over cells that rounds to just above the largest loss."""
        losses = np.array([0.0, 1 + 1e-12])
        assert betting_p(losses, max_loss=0.05, alpha=0.1, bet=Bet(0, 0.02)) <= 1


class TestBet:
    def test_from_losses(self):
        """Take mean and variance (ddof 0) of the choosing part."""
        assert Bet.from_losses(np.array([1.0, 0.0, 0.0, -1.0])) == Bet(0.0, 0.5)

    def test_variance_is_never_below_two_questions(self):
        """Keep the variance at 2 / n_A where the choosing part shows less, in the unit of the loss squared."""
        assert Bet.from_losses(np.zeros(40)) == Bet(0.0, 0.05)
        assert Bet.from_losses(np.zeros(40), largest=10.0) == Bet(0.0, 5.0)

    def test_refusals(self):
        """Refuse a guess without variance, and a guess from nothing."""
        with pytest.raises(StudyError, match="variance above 0"):
            Bet(0.0, 0.0)
        with pytest.raises(StudyError, match="no loss to size it by"):
            Bet.from_losses(np.zeros(0))


class TestBettingPMany:
    @given(seed=st.integers(0, 2**32), family=st.sampled_from(FAMILIES), n=st.integers(1, 90))
    @settings(max_examples=40)
    def test_equals_the_definition(self, seed, family, n):
        """Give every data set the p-value of the definition."""
        rng = np.random.default_rng(seed)
        losses, choosing = family.draw((5, n), 0.0, rng), family.draw((5, 7), 0.0, rng)
        many = betting_p_many(losses, max_loss=0.05, alpha=0.1, choosing=choosing)
        each = [
            betting_p(row, max_loss=0.05, alpha=0.1, bet=Bet.from_losses(own))
            for row, own in zip(losses, choosing, strict=True)
        ]
        np.testing.assert_allclose(many, each, rtol=1e-10)

    @pytest.mark.parametrize("family", FAMILIES, ids=str)
    def test_error_at_the_boundary(self, family):
        """Reject a mean loss of just max_loss no oftener than alpha (2,000 draws; the long suite has more)."""
        rng = np.random.default_rng(11)
        losses, choosing = family.draw((2000, 75), 0.05, rng), family.draw((2000, 37), 0.05, rng)
        p = betting_p_many(losses, max_loss=0.05, alpha=0.1, choosing=choosing)
        assert (p <= 0.1).mean() <= limit(0.1, 2000)

    def test_power(self):
        """Certify a loss of 0 to within .05 in .69 of studies with 300 questions, 20% of them discordant."""
        rng = np.random.default_rng(12)
        family = LossFamily("em", 0.2)
        losses, choosing = family.draw((2000, 300), 0.0, rng), family.draw((2000, 150), 0.0, rng)
        p = betting_p_many(losses, max_loss=0.05, alpha=0.1, choosing=choosing)
        assert (p <= 0.1).mean() == pytest.approx(0.69, abs=0.035)
