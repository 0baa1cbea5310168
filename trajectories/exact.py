"""Sums that do not depend on their order: outcomes and costs as scaled integers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .table import Floats, Ints

LARGEST_EXACT_WEIGHT = 2**20
LARGEST_EXPONENT = 900  # the divisor stays finite for the smallest values


@dataclass(frozen=True, eq=False)
class MacroIntegers:
    """Integer shares of a macro mean: any sum of them is exact, in int64 and in float64 matrix products.

    The macro mean over cells of the values v_q picked for each trajectory q is ``sum_q integers[q, .] / divisor``.

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
    least = math.lcm(*(int(size) for size in sizes)) if len(sizes) else 1
    if least * len(sizes) > max(LARGEST_EXACT_WEIGHT, len(cell_index)):
        return None, share, 1
    return least // sizes[cell_index], share, least * len(sizes)


def macro_integers(values: Floats, cell_index: Ints) -> MacroIntegers:
    """Scale (N, R) values by the largest power of two that keeps every weighted sum below 2**53, and round.

    Parameters
    ----------
    values : (N, R) float64
        Finite; NaN beyond a trajectory's length.
    cell_index : (N,) int64
        Every cell 0..C-1 occurs.
    """
    exact, share, divisor = cell_weights(cell_index)
    known = np.nan_to_num(values, nan=0.0)
    weight = share if exact is None else exact.astype(np.float64)
    bound = float((np.abs(known).max(axis=1, initial=0.0) * weight).sum())
    exponent = min(53 - math.frexp(bound)[1], LARGEST_EXPONENT)
    while True:
        if exact is None:
            integers = np.rint(np.ldexp(known * share[:, None], exponent)).astype(np.int64)
        else:
            integers = np.rint(np.ldexp(known, exponent)).astype(np.int64) * exact[:, None]
        if int(np.abs(integers).max(axis=1, initial=0).sum()) < 2**53:
            return MacroIntegers(integers, math.ldexp(float(divisor), exponent))
        exponent -= 1  # rounding up reached the limit
