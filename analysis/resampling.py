"""Resampled macro means of many rules at once, and their percentile intervals.

A resample's macro mean is a sum over groups of how often each was drawn times what it contributes: for all rules and
resamples, a matrix product.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..trajectories.table import Floats, Ints
from .blas import one_thread
from .bootstrap import Strata
from .intervals import PERCENTILES
from .resampled_sums import drawn_times, summed
from .streams import stream, whole_number

AT_ONCE = 256  # rules: their sums in 1,000 resamples stay in the cache from the product to the sort


def resampled_means(values: Floats, groups: Strata, *, draws: int, seed: int) -> Floats:
    """The macro mean of every rule in every resample of the groups.

    Equal, but for the last bits, to drawing `integers(0, n, n)` in each stratum with a generator of the seed, and
    taking the macro mean of the drawn groups.

    Parameters
    ----------
    values : (K, N) float64
        Outcome or cost at the stop round of each trajectory.
    groups : Strata
        Of the same N trajectories.
    draws : int
        At least 1.
    seed : int
        At least 0.

    Returns
    -------
    (K, draws) float64

    Raises
    ------
    StudyError
        When draws or seed are out of range.
    """
    whole_number("draws", draws, least=1)
    whole_number("seed", seed, least=0)
    times = drawn_times(groups.sizes, draws=draws, seed=seed)
    means = np.empty((len(values), draws))
    for begin in range(0, len(values), AT_ONCE):
        for part in summed(values[begin : begin + AT_ONCE], groups, times):
            means[begin + part.rows] = part.scaled(part.sums)
    return means


def resampled_intervals(values: Floats, groups: Strata, *, draws: int, seed: int, jobs: int = 1) -> Floats:
    """The 2.5 and 97.5 percentiles of `resampled_means`, between draws by linear interpolation: (K, 2) float64.

    Rules of equal values are resampled once. Beside the values, memory holds a byte for each group and draw, and
    the draws of 256 rules a thread.

    Parameters
    ----------
    values, groups, draws, seed
        As `resampled_means` has them.
    jobs : int
        Threads, at least 1; no byte of the result depends on it.

    Raises
    ------
    StudyError
        When draws, seed or jobs are out of range.
    """
    whole_number("draws", draws, least=1)
    whole_number("seed", seed, least=0)
    whole_number("jobs", jobs, least=1)
    times = drawn_times(groups.sizes, draws=draws, seed=seed)
    place = np.array(PERCENTILES) / 100 * (draws - 1)
    below = np.floor(place).astype(np.int64)

    def fill(begin: int) -> None:
        for part in summed(values[distinct[begin : begin + AT_ONCE]], groups, times):
            part.sums.sort(axis=1)  # several times quicker than numpy.percentile
            lower = part.scaled(part.sums[:, below])
            upper = part.scaled(part.sums[:, np.minimum(below + 1, draws - 1)])
            intervals[begin + part.rows] = lower + (upper - lower) * (place - below)

    with one_thread(), ThreadPoolExecutor(jobs) as pool:
        distinct, equal = _distinct(values)
        intervals = np.empty((len(distinct), 2))
        list(pool.map(fill, range(0, len(distinct), AT_ONCE)))
    return intervals[equal]


def _distinct(values: Floats) -> tuple[Ints, Ints]:
    """The first of each of the distinct rows, and (K,) which of those every row is equal to.

    Equal rows have equal products with the same weights; rows that do are compared. Two that are equal may yet be
    told apart, where a product adds up the last rows in another order.
    """
    weights = stream(0, "distinct rows").random(values.shape[1])
    _, first, mark = np.unique(values @ weights, return_index=True, return_inverse=True)
    same = first[mark]
    later = np.flatnonzero(same != np.arange(len(values)))
    for begin in range(0, len(later), AT_ONCE):
        run = later[begin : begin + AT_ONCE]
        unlike = run[(values[run] != values[same[run]]).any(axis=1)]
        same[unlike] = unlike
    return np.unique(same, return_inverse=True)
