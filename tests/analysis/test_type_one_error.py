"""Simulated errors and powers: every method that claims a finite sample keeps its level at the boundary.

The long suite of the statistics. A share of rejections is compared with the most that a valid test shows but
once in 10,000 such simulations (`loss_families.limit`); the seeds are fixed.
"""

from collections.abc import Callable

import numpy as np
import pytest
from stoprule.analysis.betting import betting_p_many
from stoprule.analysis.differences import MatrixDifferences
from stoprule.analysis.exact_margin import critical_score, margin_score
from stoprule.analysis.family_wide import family_wide
from stoprule.analysis.multiplicity import fixed_sequence
from stoprule.analysis.optimism import cross_validated_optimism, out_of_bag_optimism
from stoprule.analysis.other_pvalues import hoeffding_bentkus_p, t_p
from stoprule.analysis.sign_flips import sign_flip_test
from stoprule.analysis.streams import stream

from .loss_families import FAMILIES, LossFamily, limit
from .null_fixture import TRUE_QUALITY, NullFixture, one_cell
from .raw_signed import raw_signed

pytestmark = pytest.mark.long

DRAWS = 20_000
AT_ONCE = 4_000  # data sets; 32 MB of losses at n = 1000
MAX_LOSS = 0.05
SIZES = (75, 150, 300, 1000)
ALPHAS = (0.1, 0.05)
RIGHT_OR_WRONG = [family for family in FAMILIES if family.kind == "em"]

Test = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


def betting(losses, choosing, alpha):
    return betting_p_many(losses, max_loss=MAX_LOSS, alpha=alpha, choosing=choosing) <= alpha


def exact(losses, _, alpha):
    n = losses.shape[1]
    score = margin_score((losses > 0).sum(axis=1), (losses < 0).sum(axis=1), n, max_loss=MAX_LOSS)
    return score <= critical_score(n, max_loss=MAX_LOSS, alpha=alpha)


def rescaled(losses, _, alpha):
    return hoeffding_bentkus_p(losses, max_loss=MAX_LOSS) <= alpha


def student(losses, _, alpha):
    return t_p(losses, max_loss=MAX_LOSS) <= alpha


def rejected(test: Test, family: LossFamily, n: int, alpha: float, *, mean: float, draws: int = DRAWS) -> float:
    """Share of studies that reject: n questions certify, half as many choose the bets."""
    rng = stream(2024, f"{test.__name__} {family} {n} {alpha} {mean}")
    count = 0
    for done in range(0, draws, AT_ONCE):
        sets = min(AT_ONCE, draws - done)
        losses, choosing = family.draw((sets, n), mean, rng), family.draw((sets, n // 2), mean, rng)
        count += int(test(losses, choosing, alpha).sum())
    return count / draws


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("alpha", ALPHAS)
class TestErrorAtTheBoundary:
    @pytest.mark.parametrize("family", FAMILIES, ids=str)
    def test_betting(self, family, alpha, n):
        """Keep the level in every family, however rare or large the losses."""
        assert rejected(betting, family, n, alpha, mean=MAX_LOSS) <= limit(alpha, DRAWS)

    @pytest.mark.parametrize("family", RIGHT_OR_WRONG, ids=str)
    def test_exact(self, family, alpha, n):
        """Keep the level where outcomes are right or wrong."""
        assert rejected(exact, family, n, alpha, mean=MAX_LOSS) <= limit(alpha, DRAWS)

    @pytest.mark.parametrize("family", FAMILIES, ids=str)
    def test_hoeffding_bentkus(self, family, alpha, n):
        """Keep the level on rescaled losses."""
        draws = 2_000
        assert rejected(rescaled, family, n, alpha, mean=MAX_LOSS, draws=draws) <= limit(alpha, draws)


class TestControls:
    def test_raw_signed_hoeffding_bentkus_fails(self):
        """Show that the simulation can see an invalid test: above .20 at a nominal .10 (case 13)."""
        losses = LossFamily("em", 0.4).draw((2_000, 300), MAX_LOSS, stream(2024, "raw"))
        assert (raw_signed(losses, MAX_LOSS) <= 0.1).mean() > 0.2

    def test_t_fails(self):
        """Show that it can see an asymptotic one: above .09 at a nominal .05 for rare losses and n = 150."""
        assert rejected(student, LossFamily("em", 0.05), 150, 0.05, mean=MAX_LOSS) > 0.09


class TestPower:
    def test_betting(self):
        """Certify a rule without true loss in more than .65 of studies (EM, 20% discordant, n = 300)."""
        assert rejected(betting, LossFamily("em", 0.2), 300, 0.1, mean=0.0, draws=5_000) > 0.65

    def test_exact_is_stronger(self):
        """Certify it in more than .70 by the exact test."""
        assert rejected(exact, LossFamily("em", 0.2), 300, 0.1, mean=0.0, draws=5_000) > 0.70


class TestFixedSequence:
    @pytest.mark.parametrize("n", [75, 150])
    def test_the_last_that_passed(self, n):
        """Lock a rule that truly loses more than max_loss in at most alpha of studies, the order chosen on A."""
        studies, rules, alpha = 2_000, 40, 0.1
        rng = stream(2024, f"sequence {n}")
        share, true_loss = np.linspace(0.04, 0.4, rules), np.linspace(0.0, 0.12, rules)
        lost = (1 + np.minimum(true_loss / share, 1.0)) / 2
        true_loss = share * (2 * lost - 1)
        wrong = certified = 0
        for _ in range(studies):
            differs, worse = rng.random((2, 1, n + n // 2))  # rules differ on the same questions
            losses = (differs < share[:, None]) * np.where(worse < lost[:, None], 1.0, -1.0)
            choosing, tested = losses[:, : n // 2], losses[:, n // 2 :]
            order = np.argsort(choosing.mean(axis=1), kind="stable")
            p = betting_p_many(tested[order], max_loss=MAX_LOSS, alpha=alpha, choosing=choosing[order])
            passed = fixed_sequence(p, alpha=alpha)
            certified += passed > 0
            wrong += passed > 0 and bool(true_loss[order[passed - 1]] > MAX_LOSS)
        assert wrong / studies <= limit(alpha, studies)
        assert certified / studies > 0.2


class TestSignFlips:
    @pytest.mark.parametrize("family", [FAMILIES[1], FAMILIES[4]], ids=str)
    def test_one_rule(self, family):
        """Keep the level for symmetric differences: binomial for right and wrong, drawn for F1."""
        draws, rng = 2_000, stream(2024, f"flips {family}")
        p = [sign_flip_test(family.draw((100,), 0.0, rng), seed=i, draws=199).p for i in range(draws)]
        assert np.mean(np.array(p) <= 0.05) <= limit(0.05, draws)

    @pytest.mark.parametrize("n", [100, 300])
    def test_family_wide(self, n):
        """Find a rule better than the last round in at most alpha of null studies with 400 rules."""
        draws, rng, found = 2_000, stream(2024, f"family {n}"), 0
        for i in range(draws):
            study = NullFixture.draw(rng, n, cuts=20)
            last = study.quality[-1]  # stops at the last round but where both signals are high
            result = family_wide(MatrixDifferences([study.quality - last]), seed=i, draws=199)
            found += result.p <= 0.05
        assert found / draws <= limit(0.05, draws)


class TestOptimism:
    @pytest.mark.parametrize(("n", "studies"), [(100, 200), (300, 200), (1000, 20)])
    def test_cross_validated_choice(self, n, studies):
        """Come within .02 of the true gap on average over null studies with 2,025 rules."""
        rng = stream(2024, f"optimism {n}")
        gaps, estimates = np.empty((2, studies))
        for i in range(studies):
            study = NullFixture.draw(rng, n)
            found = cross_validated_optimism(
                one_cell(n),
                lambda rows, study=study: study.best_within(3.0, rows),
                lambda k, rows, study=study: study.quality[k, rows],
                seed=i,
            )
            gaps[i], estimates[i] = found.selection - TRUE_QUALITY, found.optimism
        assert estimates.mean() == pytest.approx(gaps.mean(), abs=0.02)

    def test_out_of_bag_is_too_high(self):
        """Say more than the true gap, which is why it only stands beside (n = 100)."""
        rng = stream(2024, "out of bag")
        gaps, estimates = np.empty((2, 100))
        for i in range(100):
            study = NullFixture.draw(rng, 100)
            callables = (
                lambda rows, study=study: study.best_within(3.0, rows),
                lambda k, rows, study=study: study.quality[k, rows],
            )
            gaps[i] = study.quality[callables[0](np.arange(100))].mean() - TRUE_QUALITY
            estimates[i] = out_of_bag_optimism(one_cell(100), *callables, seed=i, draws=25)
        assert estimates.mean() > gaps.mean() + 0.01
