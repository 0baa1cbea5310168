"""Exact test of a margin for right or wrong outcomes: Tango's score, its unconditional null distribution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats, Ints
from .betting import refuse_unfit

GRID = 90  # shares of discordant questions, and as many again between the neighbours of the best
TIE = 1e-9  # scores this close are one


def exact_margin_p(losses: Floats, *, max_loss: float, largest: float = 1.0) -> float:
    """P-value of H0: the mean loss is ``max_loss`` or more, for losses of -1, 0 and 1 times ``largest``.

    Neither an order of the questions nor a seed plays a part. See `exact_p`.

    Parameters
    ----------
    losses : (n,) float64, n >= 1
        Of questions that are independent; one cell.
    max_loss : float
        In [0, largest).
    largest : float
        What a right answer counts, 1 for EM as a fraction.

    Raises
    ------
    StudyError
        When a setting is out of its range or a loss is of another size.
    """
    refuse_unfit(losses, max_loss=max_loss, alpha=0.5, largest=largest)
    size = losses / largest
    odd = losses[~np.isin(size, (-1.0, 0.0, 1.0))]
    if len(odd):
        raise StudyError(
            f"the exact margin test needs losses of -{largest:g}, 0 or {largest:g}, got {odd[0]:g}; "
            "use the betting test, which takes any size"
        )
    return exact_p(int((size > 0).sum()), int((size < 0).sum()), len(losses), max_loss=max_loss / largest)


def exact_p(lost: int, gained: int, n: int, *, max_loss: float) -> float:
    """P-value of H0: P(lost) - P(gained) is ``max_loss`` or more, from counts.

    The largest P(T <= t) over the nuisance parameter, the share of discordant questions, with the difference
    at the margin (Hsueh, Liu and Chen, Biometrics 57, 2001, 478-483). Tango's score falls with every gain and
    rises with every loss (Barnard's convexity), so that no difference above the margin gives more.

    Parameters
    ----------
    lost, gained : int
        Questions on which the rule is wrong and the baseline right, and the reverse.
    n : int
        All questions.
    max_loss : float
        In [0, 1).
    """
    _refuse_margin(max_loss)
    if not (lost >= 0 and gained >= 0 and lost + gained <= n and n >= 1):
        raise StudyError(f"{lost} lost and {gained} gained are no counts out of {n} questions")
    return exact_p_of_score(float(margin_score(lost, gained, n, max_loss=max_loss)), n, max_loss=max_loss)


def exact_p_of_score(score: float, n: int, *, max_loss: float) -> float:
    """`exact_p` of any table of n questions with this `margin_score`; it rises with the score."""
    return _largest_tail(n, max_loss, score)


def critical_score(n: int, *, max_loss: float, alpha: float) -> float:
    """The largest score of n questions whose p-value is at most alpha: the whole test at once, for simulations.

    Returns
    -------
    float
        Reject where `margin_score` is at most this; -inf where nothing rejects.
    """
    _refuse_margin(max_loss)
    lost, gained = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
    scores = np.unique(margin_score(lost, gained, n, max_loss=max_loss))
    below, above = -1, len(scores)  # p rises with the score: the last that rejects, the first that does not
    while above - below > 1:
        middle = (below + above) // 2
        if _largest_tail(n, max_loss, float(scores[middle])) <= alpha:
            below = middle
        else:
            above = middle
    return float(scores[below]) + TIE if below >= 0 else -math.inf


def margin_score(lost: ArrayLike, gained: ArrayLike, n: int, *, max_loss: float) -> Floats:
    """Tango's score T (Statistics in Medicine 17, 1998, 891-908, equations 3 and 4): small speaks against H0.

    Parameters
    ----------
    lost, gained : array-like of int, one shape
    n : int
    max_loss : float
        In [0, 1).

    Returns
    -------
    float64, the same shape
        0 where no question is discordant and the margin is 0.
    """
    b, g, m = np.asarray(lost, np.float64), np.asarray(gained, np.float64), max_loss
    A, B, C = 2 * n, -b - g + (2 * n - b + g) * m, -g * m * (1 - m)
    q = (np.sqrt(B**2 - 4 * A * C) - B) / (2 * A)  # P(gained), its maximum likelihood at the margin
    variance = n * (2 * q + m * (1 - m))
    return np.divide(b - g - n * m, np.sqrt(variance), out=np.zeros_like(b), where=variance > 0)


def tail(n: int, max_loss: float, t: float, share: Floats) -> Floats:
    """P(T <= t) at the margin, for (S,) shares of discordant questions in [max_loss, 1].

    For every count of losses the tables with T <= t are those with enough gains, so that the sum over gains
    is a binomial tail, an incomplete beta function.
    """
    from scipy.special import betainc, gammaln, xlog1py, xlogy

    lost = np.arange(n + 1)
    least = _fewest_gains(n, max_loss, t)
    possible = least <= n - lost
    lost, least = lost[possible], least[possible]
    p_lost, p_gained = (share[:, None] + max_loss) / 2, (share[:, None] - max_loss) / 2
    log_choose = gammaln(n + 1) - gammaln(lost + 1) - gammaln(n - lost + 1)
    density = np.exp(log_choose + xlogy(lost, p_lost) + xlog1py(n - lost, -p_lost))
    given_not_lost = np.minimum(p_gained / (1 - p_lost), 1.0)
    enough = betainc(np.maximum(least, 1), n - lost - np.maximum(least, 1) + 1, given_not_lost)
    return np.asarray((density * np.where(least == 0, 1.0, enough)).sum(axis=1), np.float64)


def tail_naive(n: int, max_loss: float, t: float, share: Floats) -> Floats:
    """`tail` as its definition reads: the sum of the trinomial probabilities of all tables with T <= t."""
    from scipy.stats import multinomial

    lost, gained = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
    small = margin_score(lost, gained, n, max_loss=max_loss) <= t + TIE
    lost, gained = lost[small], gained[small]
    tables = np.stack([lost, gained, n - lost - gained], axis=1)
    p = [[(rho + max_loss) / 2, (rho - max_loss) / 2, 1 - rho] for rho in share.tolist()]
    return np.array([multinomial.pmf(tables, n, each).sum() for each in p])


def _fewest_gains(n: int, max_loss: float, t: float) -> Ints:
    """(n + 1,) for every count of losses the fewest gains with T <= t, by bisection; one too many where none."""
    lost = np.arange(n + 1)
    low, high = np.zeros(n + 1, np.int64), n - lost + 1
    while (low < high).any():
        middle = (low + high) // 2
        # at low = high = n - lost + 1 there is no such table, and nothing moves any more
        small = margin_score(lost, middle, n, max_loss=max_loss) <= t + TIE
        high, low = np.where(small, middle, high), np.where(small | (low == high), low, middle + 1)
    return low


def _largest_tail(n: int, max_loss: float, t: float) -> float:
    # even steps in the arcsine of the root are even in standard deviations of the share
    angle = np.linspace(math.asin(math.sqrt(max_loss)), math.pi / 2, GRID)
    share = np.clip(np.sin(angle) ** 2, max_loss, 1.0)
    coarse = tail(n, max_loss, t, share)
    best = int(coarse.argmax())
    fine = np.linspace(share[max(best - 1, 0)], share[min(best + 1, GRID - 1)], GRID)
    return min(1.0, float(max(coarse.max(), tail(n, max_loss, t, fine).max())))


def _refuse_margin(max_loss: float) -> None:
    if not 0 <= max_loss < 1:
        raise StudyError(f"the exact margin test needs max_loss in [0, 1), not {max_loss!r}")
