"""How far a signal's values differ between right and wrong answers, in measures that have no unit."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Bools, Floats, Ints
from .bootstrap import Estimate

Z_95 = 1.959963984540054
FEWEST_GROUPS = 2


def entropy(values: Floats) -> float:
    """Shannon entropy of the distinct values, in nats; 0 of one value, the logarithm of their number at most."""
    share = np.unique(values, return_counts=True)[1] / max(len(values), 1)
    return abs(float(-(share * np.log(share)).sum()))


def auroc(values: Floats, right: Bools, group: NDArray[np.generic]) -> Estimate:
    """The probability that a right answer's value exceeds a wrong one's, ties as half, with its 95% interval.

    Parameters
    ----------
    values : (n,) float64
        Known values.
    right : (n,) bool
    group : (n,)
        Rows of one group may depend on each other; groups are taken as independent.

    Returns
    -------
    Estimate
        Its interval is symmetric in log-odds, so that it stays inside (0, 1). Not defined without right or
        without wrong answers; no interval where either are all of one group, or the two are parted perfectly.

    Notes
    -----
    The variance is that of DeLong, DeLong and Clarke-Pearson (1988) for clustered data: Obuchowski,
    "Nonparametric analysis of clustered ROC curve data", Biometrics 53 (1997), in her letters. The placement
    values come from ranks, as Sun and Xu (2014) found.
    """
    from scipy.special import expit, logit
    from scipy.stats import rankdata

    m, n = int(right.sum()), int((~right).sum())
    if not m or not n:
        return _without(f"no answer is {'right' if not m else 'wrong'}")
    ranks = rankdata(values)
    above = np.empty(len(values))  # X: share of the wrong below; Y: share of the right above
    above[right] = (ranks[right] - rankdata(values[right])) / n
    above[~right] = 1 - (ranks[~right] - rankdata(values[~right])) / m
    theta = float(above[right].mean())

    cluster = np.unique(group, return_inverse=True)[1]
    x, in_x = _deviations(above - theta, cluster, right)
    y, in_y = _deviations(above - theta, cluster, ~right)
    if min(in_x, in_y) < FEWEST_GROUPS:
        return Estimate(theta, math.nan, math.nan, reason="right or wrong answers are all of one group")
    s10 = in_x / ((in_x - 1) * m) * (x @ x)
    s01 = in_y / ((in_y - 1) * n) * (y @ y)
    s11 = len(x) / (len(x) - 1) * (x @ y)
    variance = s10 / m + s01 / n + 2 * s11 / (m * n)
    if theta in (0.0, 1.0):
        return Estimate(theta, math.nan, math.nan, reason="right and wrong are parted perfectly")
    if variance == 0:
        return Estimate(theta, theta, theta, degenerate=True)
    reach = Z_95 * math.sqrt(variance) / (theta * (1 - theta))
    return Estimate(theta, float(expit(logit(theta) - reach)), float(expit(logit(theta) + reach)))


def _deviations(deviation: Floats, cluster: Ints, rows: Bools) -> tuple[Floats, int]:
    """Sums of the rows' deviations by cluster, and how many clusters have such rows."""
    sums = np.zeros(int(cluster.max()) + 1)
    np.add.at(sums, cluster[rows], deviation[rows])
    return sums, len(np.unique(cluster[rows]))


def _without(reason: str) -> Estimate:
    return Estimate(math.nan, math.nan, math.nan, reason=reason)


def average_precision(values: Floats, right: Bools) -> float:
    """Precision averaged over recall, of the answers from the highest value down; NaN without right answers.

    Read it beside the share of right answers, which a signal without information has.
    """
    from scipy.stats import rankdata
    from sklearn.metrics import average_precision_score

    # of values only the order counts, and ranks are finite
    return float(average_precision_score(right, rankdata(values))) if right.any() else math.nan


def cohens_d(values: Floats, right: Bools) -> float:
    """Mean of the right minus mean of the wrong, over the pooled standard deviation.

    Cohen (1988), section 2.5: s^2 = ((n_A - 1) s_A^2 + (n_B - 1) s_B^2) / (n_A + n_B - 2). Positive where the
    right have the higher values; NaN where a class is empty, neither varies, or a value is infinite.
    """
    a, b = values[right], values[~right]
    if not len(a) or not len(b) or len(values) < 3 or not np.isfinite(values).all():
        return math.nan
    squares = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
    pooled = math.sqrt(squares / (len(values) - 2))
    return float(a.mean() - b.mean()) / pooled if pooled > 0 else math.nan


def kolmogorov_smirnov(values: Floats, right: Bools) -> float:
    """Largest distance between the distribution functions of the right and the wrong; NaN where a class is empty.

    The distance alone: rows of a question depend on each other, so that its usual p-value would be too small.
    """
    if right.all() or not right.any():
        return math.nan
    at = np.unique(values)
    a, b = (np.searchsorted(np.sort(values[part]), at, side="right") / part.sum() for part in (right, ~right))
    return float(np.abs(a - b).max())


def mean_difference(values: Floats, right: Bools) -> float:
    """Mean of the right minus mean of the wrong, in the signal's own unit; NaN as for `cohens_d`."""
    a, b = values[right], values[~right]
    if not len(a) or not len(b) or not np.isfinite(values).all():
        return math.nan
    return float(a.mean() - b.mean())


def rank_correlation(values: Floats, outcome: Floats) -> float:
    """Spearman's rho of values and outcome; NaN where either never varies."""
    from scipy.stats import spearmanr

    if len(values) < 2 or np.ptp(outcome) == 0 or len(np.unique(values)) == 1:
        return math.nan
    return float(spearmanr(values, outcome).statistic)
