"""Betting p-values: is the mean loss below a margin? Finite-sample, with no assumption but a largest loss."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats

SHARE_AT_RISK = 0.9  # of the capital, so that one loss leaves at least a tenth of it
PRIOR_WEIGHT = 20.0  # questions that the first guess of mean and variance counts for
LEAST_LOSSES = 2.0  # the first guess never says that fewer questions than these lose all
ROUNDING = 1e-9  # of the largest loss; a mean over cells may exceed it by as much


@dataclass(frozen=True)
class Bet:
    """A first guess of the loss's mean and variance, from data that the test does not see.

    The guess sizes the bets and decides the power; the test is valid whatever it is.

    Attributes
    ----------
    mean : float
    variance : float
        Above 0 (ddof 0).
    """

    mean: float
    variance: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean) and math.isfinite(self.variance) and self.variance > 0):
            raise StudyError(
                f"bet: needs a finite mean and a variance above 0, got {self.mean:g} and {self.variance:g}"
            )

    @classmethod
    def from_losses(cls, losses: Floats, *, largest: float = 1.0) -> Bet:
        """The guess that (n,) losses of the choosing part give, n >= 1."""
        if not len(losses):
            raise StudyError("bet: there is no loss to size it by; give the choosing part a group")
        return cls(float(losses.mean()), float(_floored_variance(losses, largest)))


def betting_p(losses: Floats, *, max_loss: float, alpha: float, bet: Bet, largest: float = 1.0) -> float:
    """P-value of H0: the mean loss is ``max_loss`` or more.

    A capital of 1 is bet on every loss in turn, K_i = K_(i-1) (1 + lambda_i (m - d_i)) with
    0 <= lambda_i <= .9 / (u - m), which under H0 is a supermartingale; by Ville's inequality
    1 / max K is a p-value (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting,
    JRSS-B 2024, section 4). Each bet aims at a capital of 1 / alpha by the last loss, from the mean and
    variance so far: the target-recalculating principle of Voracek and Orabona (arXiv 2505.22422, STaR).

    Parameters
    ----------
    losses : (n,) float64, n >= 1
        Independent, of one distribution, at most ``largest``, with no lower end; in an order that was fixed
        before they were known.
    max_loss : float
        Below ``largest``; m.
    alpha : float
        In (0, 1). The bets aim at just this level, so that the p-value is no measure of strength.
    bet : Bet
    largest : float
        The greatest loss that there can be, by declaration, not by observation; u.

    Raises
    ------
    StudyError
        When a setting is out of its range or a loss exceeds the declared largest one.
    """
    refuse_unfit(losses, max_loss=max_loss, alpha=alpha, largest=largest)
    n, m = len(losses), max_loss
    most = SHARE_AT_RISK / (largest - m)
    capital = top = 1.0
    total, weight, squares = PRIOR_WEIGHT * bet.mean, PRIOR_WEIGHT, PRIOR_WEIGHT * bet.variance
    for i, loss in enumerate(losses.tolist()):
        missing = math.log(1 / alpha) - math.log(capital)
        if missing <= 0:
            break  # the target is reached: stop betting
        capital *= 1 + min(most, math.sqrt(2 * missing / ((n - i) * squares / weight))) * (m - loss)
        top = max(top, capital)
        total += loss
        weight += 1
        squares += (loss - total / weight) ** 2
    return min(1.0, 1 / top)


def betting_p_many(losses: Floats, *, max_loss: float, alpha: float, choosing: Floats, largest: float = 1.0) -> Floats:
    """`betting_p` of many data sets at once, for simulations: the same to a few units of rounding.

    Parameters
    ----------
    losses : (D, n) float64
        A row is a data set.
    max_loss, alpha, largest : float
    choosing : (D, n_A) float64
        The losses that size the bets of each.

    Returns
    -------
    (D,) float64
    """
    refuse_unfit(losses, max_loss=max_loss, alpha=alpha, largest=largest)
    sets, n = losses.shape
    most = SHARE_AT_RISK / (largest - max_loss)
    capital, top = np.ones(sets), np.ones(sets)
    total, weight = PRIOR_WEIGHT * choosing.mean(axis=1), PRIOR_WEIGHT
    squares = PRIOR_WEIGHT * _floored_variance(choosing, largest)
    for i, loss in enumerate(np.ascontiguousarray(losses.T)):
        missing = np.maximum(math.log(1 / alpha) - np.log(capital), 0.0)
        capital *= 1 + np.minimum(most, np.sqrt(2 * missing / ((n - i) * squares / weight))) * (max_loss - loss)
        np.maximum(top, capital, out=top)
        total += loss
        weight += 1
        squares += (loss - total / weight) ** 2
    return np.minimum(1.0, 1 / top)


def refuse_unfit(losses: Floats, *, max_loss: float, alpha: float, largest: float) -> None:
    """Refuse what no bounded-loss test is valid for.

    Raises
    ------
    StudyError
    """
    if not 0 < alpha < 1:
        raise StudyError(f"alpha must lie between 0 and 1, not {alpha!r}; the usual values are 0.05 and 0.1")
    if not (math.isfinite(largest) and math.isfinite(max_loss) and max_loss < largest):
        raise StudyError(
            f"max_loss must be a finite number below the largest possible loss, {largest!r}, not {max_loss!r}"
        )
    if not losses.size:
        raise StudyError("there is no loss to test; give the certifying part a group")
    worst = float(losses.max())  # NaN where one is
    if not worst <= largest + ROUNDING * abs(largest) or not math.isfinite(losses.min()):
        raise StudyError(
            f"losses must be finite and at most {largest:g}, got {worst:g}; declare the range of the outcome "
            "in full, as in range = [0, 1]"
        )


def _floored_variance(losses: Floats, largest: float) -> Floats:
    floor = LEAST_LOSSES / losses.shape[-1] * largest**2
    return np.asarray(np.maximum(losses.var(axis=-1), floor), np.float64)
