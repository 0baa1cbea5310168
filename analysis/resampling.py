"""Resampled macro means of many rules at once: one matrix product in integers.

A resample's macro mean is a sum over groups of how often each was drawn times what it contributes. As integers
whose sums stay below 2**53, the contributions add up exactly, in whatever order a matrix product takes them: the
same bytes for any number of threads.
"""

from __future__ import annotations

import numpy as np

from ..trajectories.table import Floats, Ints
from .bootstrap import Strata, drawn_groups
from .intervals import PERCENTILES
from .streams import whole_number

MANTISSA = 53


def contributions(values: Floats, groups: Strata) -> Floats:
    """(K, G) what each group adds to the macro means of K rules.

    Parameters
    ----------
    values : (K, N) float64
        Outcome or cost at the stop round of each trajectory.
    groups : Strata
        Of the same N trajectories.
    """
    order = np.argsort(groups.position, kind="stable")
    weighted = values[:, order] * groups.weight[order]
    if len(order) == len(groups.groups):
        return weighted
    starts = np.searchsorted(groups.position[order], np.arange(len(groups.groups)))
    return np.add.reduceat(weighted, starts, axis=1)


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
    integers, exponent = _as_integers(contributions(values, groups), groups.sizes)
    means = np.empty((len(values), draws))
    done = 0
    for drawn in drawn_groups(groups.sizes, draws=draws, seed=seed):
        chunk, size = drawn.shape
        cells = (drawn + np.arange(chunk)[:, None] * size).ravel()
        times = np.bincount(cells, minlength=chunk * size).reshape(chunk, size).astype(np.float64)
        np.matmul(integers, times.T, out=means[:, done : done + chunk])
        done += chunk
    return np.ldexp(means, -exponent[:, None], out=means)


def _as_integers(contribution: Floats, sizes: Ints) -> tuple[Floats, Ints]:
    """Contributions times 2**exponent, rounded, so that no resample of a rule sums up to 2**53 or more."""
    starts = np.cumsum(sizes) - sizes
    # at worst a resample takes the largest contribution of each stratum every time
    largest = np.maximum(
        np.maximum.reduceat(contribution, starts, axis=1), -np.minimum.reduceat(contribution, starts, axis=1)
    )
    bound = largest @ sizes.astype(np.float64)
    # one bit to spare: rounding moves every term by a half at most
    exponent = MANTISSA - 1 - np.frexp(bound)[1]
    return np.rint(np.ldexp(contribution, exponent[:, None])), exponent.astype(np.int64)


def percentile_intervals(means: Floats) -> Floats:
    """(K, 2) the 2.5 and 97.5 percentiles of (K, draws) resampled means, between draws by linear interpolation."""
    ordered = np.sort(means, axis=1)  # several times quicker than numpy.percentile
    place = np.array(PERCENTILES) / 100 * (means.shape[1] - 1)
    below = np.floor(place).astype(np.int64)
    lower, upper = ordered[:, below], ordered[:, np.minimum(below + 1, means.shape[1] - 1)]
    ends: Floats = lower + (upper - lower) * (place - below)
    return ends
