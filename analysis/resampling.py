"""Resampled macro means of many rules at once: one matrix product in integers.

A resample's macro mean is a sum over groups of how often each was drawn times what it contributes. As integers
whose sums stay below 2**53, the contributions add up exactly, in whatever order a matrix product takes them: the
same bytes for any number of threads. Whole numbers of equal weight, such as right and wrong answers or rounds, need
half the width.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Bools, Floats, Ints
from .bootstrap import Strata, drawn_groups
from .intervals import PERCENTILES
from .streams import whole_number

BITS = 52  # of 53, for rounding moves every term by a half at most
HALF_WIDTH = 24  # bits of float32


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
    means = np.empty((len(values), draws))
    for part in _resampled(values, groups, draws=draws, seed=seed):
        means[part.rows] = part.scaled(part.sums)
    return means


def resampled_intervals(values: Floats, groups: Strata, *, draws: int, seed: int) -> Floats:
    """The 2.5 and 97.5 percentiles of `resampled_means`, between draws by linear interpolation: (K, 2) float64.

    Parameters
    ----------
    values, groups, draws, seed
        As `resampled_means` has them.

    Raises
    ------
    StudyError
        When draws or seed are out of range.
    """
    intervals = np.empty((len(values), 2))
    place = np.array(PERCENTILES) / 100 * (draws - 1)
    below = np.floor(place).astype(np.int64)
    for part in _resampled(values, groups, draws=draws, seed=seed):
        part.sums.sort(axis=1)  # several times quicker than numpy.percentile
        lower = part.scaled(part.sums[:, below])
        upper = part.scaled(part.sums[:, np.minimum(below + 1, draws - 1)])
        intervals[part.rows] = lower + (upper - lower) * (place - below)
    return intervals


@dataclass(frozen=True, eq=False)
class _Part:
    """Rules whose contributions are integers of one width.

    Attributes
    ----------
    rows : (k,) int64
        Which rules they are.
    integers : (k, G) float64 or float32
        Contributions in units.
    unit, exponent : float and (k,) int64
        A unit is ``unit * 2**-exponent``.
    sums : (k, draws) as integers
        Resampled, in units.
    """

    rows: Ints
    integers: NDArray[Any]
    unit: float
    exponent: Ints
    sums: NDArray[Any]

    def scaled(self, sums: NDArray[Any]) -> Floats:
        """Some of the sums as means."""
        return np.ldexp(sums.astype(np.float64) * self.unit, -self.exponent[:, None])


def _resampled(values: Floats, groups: Strata, *, draws: int, seed: int) -> Iterator[_Part]:
    whole_number("draws", draws, least=1)
    whole_number("seed", seed, least=0)
    whole = _whole_sums(values, groups)
    parts = []
    if whole.any():
        parts.append(_counted(np.flatnonzero(whole), values, groups, draws))
    if not whole.all():
        parts.append(_scaled(np.flatnonzero(~whole), values, groups, draws))
    done = 0
    for drawn in drawn_groups(groups.sizes, draws=draws, seed=seed):
        chunk, size = drawn.shape
        cells = (drawn + np.arange(chunk)[:, None] * size).ravel()
        times = np.bincount(cells, minlength=chunk * size).reshape(chunk, size)
        for part in parts:
            np.matmul(part.integers, times.T.astype(part.integers.dtype), out=part.sums[:, done : done + chunk])
        done += chunk
    yield from parts


def _whole_sums(values: Floats, groups: Strata) -> Bools:
    """(K,) rules whose resamples add up whole numbers, below 2**24, of equal weight."""
    equal = len(groups.groups) == len(groups.weight) and groups.weight.min() == groups.weight.max()
    if not equal:
        return np.zeros(len(values), dtype=bool)
    whole: Bools = (values == np.rint(values)).all(axis=1)
    small: Bools = np.abs(values).max(axis=1) * len(groups.weight) < 2.0**HALF_WIDTH
    return whole & small


def _counted(rows: Ints, values: Floats, groups: Strata, draws: int) -> _Part:
    by_group = np.argsort(groups.position)
    return _Part(
        rows=rows,
        integers=values[rows].astype(np.float32)[:, by_group],
        unit=float(groups.weight[0]),
        exponent=np.zeros(len(rows), dtype=np.int64),
        sums=np.empty((len(rows), draws), dtype=np.float32),
    )


def _scaled(rows: Ints, values: Floats, groups: Strata, draws: int) -> _Part:
    contribution = contributions(values[rows], groups)
    starts = np.cumsum(groups.sizes) - groups.sizes
    # at worst a resample takes the largest contribution of each stratum every time
    largest = np.maximum.reduceat(np.abs(contribution), starts, axis=1)
    exponent = BITS - np.frexp(largest @ groups.sizes.astype(np.float64))[1].astype(np.int64)
    return _Part(
        rows=rows,
        integers=np.rint(np.ldexp(contribution, exponent[:, None])),
        unit=1.0,
        exponent=exponent,
        sums=np.empty((len(rows), draws)),
    )
