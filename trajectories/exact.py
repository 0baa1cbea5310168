"""Sums that do not depend on their order: outcomes and costs as scaled integers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .table import Floats, Ints

LARGEST_EXACT_WEIGHT = 2**52
LARGEST_EXPONENT = 960  # the divisor, at most 2**52 times 2**this, stays finite for the smallest values
LARGEST_LOSS = 1e-12  # of the greatest mean that any rule can have


@dataclass(frozen=True, eq=False)
class MacroIntegers:
    """Integer shares of a macro mean: any sum of them is exact, in int64 and in float64 matrix products.

    The macro mean over cells of the values v_q picked for each trajectory q is
    ``sum_q integers[q, .] / divisor``.

    Attributes
    ----------
    integers : (N, R) int64
        Zero where the values were NaN (beyond a trajectory's length).
    divisor : float
    """

    integers: Ints
    divisor: float


def cell_weights(cell_index: Ints) -> tuple[Ints | None, Floats, int]:
    """Weights that turn a plain sum into the unweighted mean of cell means.

    Returns
    -------
    exact : (N,) int64 or None
        L / n_c with L the least common multiple of the cells' sizes; None where L is too large to be exact.
    share : (N,) float64
        1 / (C n_c), the weights as fractions.
    divisor : int
        L C, the sum of the exact weights; 1 where there are none.
    """
    sizes = np.bincount(cell_index)
    share = 1.0 / (len(sizes) * sizes[cell_index])
    least = math.lcm(*(int(size) for size in sizes))
    if least * len(sizes) > LARGEST_EXACT_WEIGHT:
        return None, share, 1
    return least // sizes[cell_index], share, least * len(sizes)


def macro_integers(values: Floats, cell_index: Ints) -> MacroIntegers:
    """Scale (N, R) values by the largest power of two that keeps every weighted sum below 2**53, and round.

    Values that need no rounding (right or wrong, counts, halves) keep exact weights, so that ties across
    unequal cells are ties. Other values share the 53 bits with the weights; where that could cost a mean more
    than 1e-12 of the greatest one, the weighted values are rounded instead, and then only equal values of one
    cell tie.

    Parameters
    ----------
    values : (N, R) float64
        Finite; NaN beyond a trajectory's length.
    cell_index : (N,) int64
        Every cell 0..C-1 occurs.
    """
    known = np.nan_to_num(values, nan=0.0)
    exact, share, divisor = cell_weights(cell_index)
    if exact is not None:
        exponent = _exponent(known, exact)
        scaled = np.ldexp(known, exponent)
        greatest = (np.abs(scaled).max(axis=1, initial=0.0) * exact).sum()
        loss = (np.abs(np.rint(scaled) - scaled).max(axis=1, initial=0.0) * exact).sum()
        # weights of 1 take no bits from the values, so that nothing is gained by rounding later
        if loss <= LARGEST_LOSS * greatest or exact.max() == 1:
            return _integers(known, exact, exponent, divisor)
    weighted = known * share[:, None]
    ones = np.ones_like(cell_index)
    return _integers(weighted, ones, _exponent(weighted, ones), 1)


def _exponent(values: Floats, weight: Ints) -> int:
    """The power of two that brings the greatest weighted sum, one value a row, into [2**52, 2**53)."""
    largest = np.abs(values).max(axis=1, initial=0.0)
    top = math.frexp(largest.max(initial=0.0))[1]
    bound = float((np.ldexp(largest, -top) * weight).sum())  # of values below 1, so that it stays finite
    return min(53 - math.frexp(bound)[1] - top, LARGEST_EXPONENT)


def _integers(values: Floats, weight: Ints, exponent: int, divisor: int) -> MacroIntegers:
    while True:
        integers = np.rint(np.ldexp(values, exponent)).astype(np.int64) * weight[:, None]
        if int(np.abs(integers).max(axis=1, initial=0).sum()) < 2**53:
            return MacroIntegers(integers, math.ldexp(float(divisor), exponent))
        exponent -= 1  # rounding up reached the limit
