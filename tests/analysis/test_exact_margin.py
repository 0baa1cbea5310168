"""The exact unconditional margin test."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial
from stoprule.analysis.exact_margin import (
    critical_score,
    exact_margin_p,
    exact_p,
    margin_score,
    tail,
    tail_naive,
)
from stoprule.trajectories.errors import StudyError

from .loss_families import LossFamily

SHARES = np.linspace(0.05, 1, 5000)


class TestMarginScore:
    def test_without_margin_it_is_mcnemar(self):
        """Give (b - g) / sqrt(b + g) at a margin of 0, and 0 where nothing is discordant."""
        assert margin_score([7, 0], [2, 0], 30, max_loss=0).tolist() == pytest.approx([5 / 3, 0])

    def test_share_of_gains_is_the_constrained_maximum_likelihood(self):
        """Give the score whose variance holds the likeliest share of gains at the margin, found by search."""
        lost, gained, n, m = 9, 4, 60, 0.05
        q = np.linspace(0, (1 - m) / 2, 400_001)[1:-1]
        likelihood = lost * np.log(q + m) + gained * np.log(q) + (n - lost - gained) * np.log(1 - 2 * q - m)
        best = q[likelihood.argmax()]
        by_search = (lost - gained - n * m) / np.sqrt(n * (2 * best + m * (1 - m)))
        assert margin_score(lost, gained, n, max_loss=m) == pytest.approx(by_search, abs=1e-5)

    @pytest.mark.parametrize("max_loss", [0.0, 0.02, 0.2, 0.7])
    @pytest.mark.parametrize("n", [1, 2, 7, 40])
    def test_rises_with_losses_and_falls_with_gains(self, n, max_loss):
        """Be monotone in both counts (Barnard's convexity), on which the maximum at the margin rests."""
        lost, gained = np.indices((n + 1, n + 1))
        score = np.where(lost + gained <= n, margin_score(lost, gained, n, max_loss=max_loss), np.nan)
        steps = np.diff(score, axis=0), -np.diff(score, axis=1)
        assert all((step[~np.isnan(step)] >= -1e-12).all() for step in steps)


class TestExactP:
    def test_all_gains_by_hand(self):
        """Give the chance that all 8 questions are gained where losses and gains are as likely: 1 / 256."""
        assert exact_p(0, 8, 8, max_loss=0) == pytest.approx(1 / 256)

    def test_nothing_discordant(self):
        """Give the chance of no loss in 30 questions, when all that differ are lost: .95 ** 30."""
        assert exact_p(0, 0, 30, max_loss=0.05) == pytest.approx(0.95**30)
        assert exact_p(0, 0, 30, max_loss=0) == 1

    @given(n=st.integers(1, 25), max_loss=st.sampled_from([0.0, 0.03, 0.2, 0.6]), data=st.data())
    @settings(max_examples=40, deadline=None)
    def test_tail_equals_the_definition(self, n, max_loss, data):
        """Sum the same tables by binomial tails as one by one, for ties and all shares."""
        lost = data.draw(st.integers(0, n))
        gained = data.draw(st.integers(0, n - lost))
        t = float(margin_score(lost, gained, n, max_loss=max_loss))
        shares = np.linspace(max_loss, 1, 7)
        np.testing.assert_allclose(tail(n, max_loss, t, shares), tail_naive(n, max_loss, t, shares), atol=1e-12)

    @pytest.mark.parametrize(("lost", "gained", "n"), [(3, 5, 75), (20, 22, 150), (0, 1, 300), (90, 95, 1000)])
    def test_the_grid_finds_the_maximum(self, lost, gained, n):
        """Come within 1e-5 of the largest of 5,000 shares."""
        p = exact_p(lost, gained, n, max_loss=0.05)
        t = float(margin_score(lost, gained, n, max_loss=0.05))
        assert p >= tail(n, 0.05, t, SHARES).max() - 1e-5

    def test_speed(self):
        """Take less than a twentieth of a second at n = 300."""
        exact_p(1, 1, 30, max_loss=0.05)  # imports scipy
        best = np.inf
        for _ in range(3):
            start = time.perf_counter()
            exact_p(20, 22, 300, max_loss=0.05)
            best = min(best, time.perf_counter() - start)
        assert best < 0.05

    def test_refusals(self):
        """Refuse counts that are none and a margin outside [0, 1)."""
        with pytest.raises(StudyError, match="5 lost and 6 gained are no counts out of 10"):
            exact_p(5, 6, 10, max_loss=0.05)
        with pytest.raises(StudyError, match=r"max_loss in \[0, 1\), not -0.1"):
            exact_p(1, 1, 10, max_loss=-0.1)


class TestExactMarginP:
    def test_counts_the_losses(self):
        """Agree with the counts, in the unit of the outcome."""
        losses = np.array([1.0, -1.0, -1.0, *[0.0] * 30])
        assert exact_margin_p(losses, max_loss=0.1) == exact_p(1, 2, 33, max_loss=0.1)
        in_points = exact_margin_p(100 * losses, max_loss=10, largest=100)
        assert in_points == pytest.approx(exact_p(1, 2, 33, max_loss=0.1))

    def test_partial_credit_is_refused(self):
        """Refuse a loss of another size and name the test that takes it."""
        with pytest.raises(StudyError, match=r"got 0.5; use the betting test"):
            exact_margin_p(np.array([0.0, 0.5]), max_loss=0.05)


class TestCriticalScore:
    @pytest.mark.parametrize(("n", "size"), [(75, 0.087), (150, 0.098), (300, 0.095)])
    def test_size(self, n, size):
        """Reject at the boundary with at most the known probability, below alpha for every share."""
        bound = critical_score(n, max_loss=0.05, alpha=0.1)
        largest = tail(n, 0.05, bound, SHARES).max()
        assert largest <= 0.1
        assert largest == pytest.approx(size, abs=5e-4)

    def test_larger_losses_reject_less(self):
        """Stay below the boundary's size inside the null hypothesis."""
        n, m = 75, 0.05
        lost, gained = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
        bound = critical_score(n, max_loss=m, alpha=0.1)
        rejects = margin_score(lost, gained, n, max_loss=m) <= bound
        tables = np.stack([lost, gained, n - lost - gained], axis=1)[rejects]
        size = tail(n, m, bound, SHARES).max()
        for mean in (0.06, 0.1, 0.2):
            for share in (mean, 0.3, 0.6, 1.0):
                p = [(share + mean) / 2, (share - mean) / 2, 1 - share]
                assert multinomial.pmf(tables, n, p).sum() < size

    def test_agrees_with_the_p_value(self):
        """Reject exactly the tables whose p-value is at most alpha."""
        bound = critical_score(40, max_loss=0.1, alpha=0.1)
        for lost in range(6):
            for gained in range(12):
                rejects = margin_score(lost, gained, 40, max_loss=0.1) <= bound
                assert rejects == (exact_p(lost, gained, 40, max_loss=0.1) <= 0.1)

    def test_too_few_questions(self):
        """Reject nothing where even gains everywhere are too likely: two of two have probability 1/4."""
        assert critical_score(2, max_loss=0.0, alpha=0.01) == -np.inf

    def test_power(self):
        """Certify a loss of 0 to within .05 in .52 of studies with 150 questions, 20% of them discordant."""
        losses = LossFamily("em", 0.2).draw((4000, 150), 0.0, np.random.default_rng(5))
        score = margin_score((losses > 0).sum(axis=1), (losses < 0).sum(axis=1), 150, max_loss=0.05)
        rejected = (score <= critical_score(150, max_loss=0.05, alpha=0.1)).mean()
        assert rejected == pytest.approx(0.517, abs=0.025)
