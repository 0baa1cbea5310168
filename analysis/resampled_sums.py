"""Contributions of rules summed over resamples, exactly, by matrix products as narrow as the sums allow.

As integers whose sums stay below 2**53 they add up exactly in float64, in whatever order a product takes them: the
same bytes for any number of threads. Whole numbers of equal weight, such as right and wrong answers or rounds, need
half the width; where their sums stay below 2**11, two rules share one row of the product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Floats, Ints
from .bootstrap import Strata, drawn_groups

Times = Sequence[NDArray[np.unsignedinteger[Any]]]

BITS = 52  # of 53, for rounding moves every term by a half at most
HALF_WIDTH = 24  # bits of float32
DIGIT = 12  # bits of a sum that shares a float32 with another: a sign and 11


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


def drawn_times(sizes: Ints, *, draws: int, seed: int) -> Times:
    """How often each group is in each resample: (G, b) chunks of draws, in as few bytes as it takes."""
    chunks = []
    for drawn in drawn_groups(sizes, draws=draws, seed=seed):
        chunk, size = drawn.shape
        cells = np.multiply(drawn, chunk, out=drawn)
        cells += np.arange(chunk)[:, None]
        times = np.bincount(cells.ravel(), minlength=chunk * size).reshape(size, chunk)
        chunks.append(times.astype(np.min_scalar_type(times.max())))
    return chunks


@dataclass(frozen=True, eq=False)
class Sums:
    """Resampled sums of the rules of one width.

    Attributes
    ----------
    rows : (k,) int64
        Which of the rules they are.
    sums : (k, draws) float64 or float32
        Integers, in units.
    unit, exponent : float and (k,) int64
        A unit is ``unit * 2**-exponent``.
    """

    rows: Ints
    sums: NDArray[Any]
    unit: float
    exponent: Ints

    def scaled(self, sums: NDArray[Any]) -> Floats:
        """Some of the sums as means; none of them is -0.0, which depends on the rule that a row was shared with."""
        return np.ldexp(sums.astype(np.float64) * self.unit, -self.exponent[:, None]) + 0.0


def summed(values: Floats, groups: Strata, times: Times) -> Iterator[Sums]:
    """Add up the contributions of K rules in every resample.

    Parameters
    ----------
    values : (K, N) float64
        Outcome or cost at the stop round of each trajectory.
    groups : Strata
        Of the same N trajectories.
    times : as `drawn_times`
    """
    largest = _whole_sums(values, groups)
    shared, whole = largest < 2.0 ** (DIGIT - 1), largest < 2.0**HALF_WIDTH
    for which, kind in ((shared, _shared), (whole & ~shared, _counted), (~whole, _scaled)):
        rows = np.flatnonzero(which)
        if len(rows):
            yield kind(rows, values[rows], groups, times)


def _whole_sums(values: Floats, groups: Strata) -> Floats:
    """(K,) bounds of resampled sums of whole numbers of equal weight; infinite for other numbers."""
    equal = len(groups.groups) == len(groups.weight) and groups.weight.min() == groups.weight.max()
    if not equal:
        return np.full(len(values), np.inf)
    whole = (values == np.rint(values)).all(axis=1)
    return np.where(whole, np.maximum(values.max(axis=1), -values.min(axis=1)) * len(groups.weight), np.inf)


def _shared(rows: Ints, values: Floats, groups: Strata, times: Times) -> Sums:
    """Two digits of base 2**DIGIT: the sum of one rule, and that of another 2**DIGIT times."""
    by_group, half = np.argsort(groups.position), -(-len(rows) // 2)
    integers = values[:half, by_group].astype(np.float32) * 2.0**DIGIT
    integers[: len(rows) - half] += values[half:, by_group]
    both = _product(integers, times)
    sums = np.empty((2 * half, both.shape[1]), dtype=np.float32)
    np.rint(both * 2.0**-DIGIT, out=sums[:half])
    np.subtract(both, sums[:half] * 2.0**DIGIT, out=sums[half:])
    return Sums(rows, sums[: len(rows)], float(groups.weight[0]), np.zeros(len(rows), dtype=np.int64))


def _counted(rows: Ints, values: Floats, groups: Strata, times: Times) -> Sums:
    integers = values[:, np.argsort(groups.position)].astype(np.float32)
    return Sums(rows, _product(integers, times), float(groups.weight[0]), np.zeros(len(rows), dtype=np.int64))


def _scaled(rows: Ints, values: Floats, groups: Strata, times: Times) -> Sums:
    integers = contributions(values, groups)
    starts = np.cumsum(groups.sizes) - groups.sizes
    # at worst a resample takes the largest contribution of each stratum every time
    largest = np.maximum.reduceat(np.abs(integers), starts, axis=1)
    exponent = BITS - np.frexp(largest @ groups.sizes.astype(np.float64))[1].astype(np.int64)
    # twice, for the power itself need not be finite; ldexp would take ten times as long
    for part in (exponent // 2, exponent - exponent // 2):
        integers *= np.ldexp(1.0, part)[:, None]
    np.rint(integers, out=integers)
    return Sums(rows, _product(integers, times), 1.0, exponent)


def _product(integers: NDArray[Any], times: Times) -> NDArray[Any]:
    """(k, draws) sums of (k, G) integers in every resample."""
    sums = np.empty((len(integers), sum(chunk.shape[1] for chunk in times)), dtype=integers.dtype)
    done = 0
    for chunk in times:
        here = slice(done, done + chunk.shape[1])
        np.matmul(integers, chunk.astype(integers.dtype), out=sums[:, here])
        done = here.stop
    return sums
