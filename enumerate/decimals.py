"""The shortest decimal of an interval: how a cut is written."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..trajectories.table import Bools, Floats, Ints

Closed = Literal["left", "right"]

DIGITS = 17  # that many tell any two float64 apart
EXACT_POWER = 22  # 10**22 is the largest power of ten that is a float64
EQUALLY_NEAR = 1 - 1e-9  # 0.3 and 0.4 are, to the middle of 0.2 and 0.5, though not as float64
SMALLEST_POWER = -323  # below it a power of ten is zero
STEPS = np.array([[-1.0], [0.0], [1.0], [2.0]])  # from the floor of a quotient, which is rounded and may be one off


def _inside(points: Floats, lower: Floats, upper: Floats, closed: Closed) -> Bools:
    if closed == "left":
        return (lower <= points) & (points < upper)
    return (lower < points) & (points <= upper)


def _decimal(integer: Floats, exponent: Ints) -> Floats:
    """``integer * 10**exponent``, correctly rounded: (S, K) out of S integers for each of K exponents."""
    power = np.power(10.0, np.minimum(np.abs(exponent), EXACT_POWER))
    value = np.where(exponent < 0, integer / power, integer * power)
    for i in np.flatnonzero(np.abs(exponent) > EXACT_POWER):
        value[:, i] = [float(f"{each:.0f}e{exponent[i]}") for each in integer[:, i]]
    return value + 0.0


def shortest_decimals(lower: Floats, upper: Floats, closed: Closed) -> Floats:
    """One number for each interval: the shortest decimal inside it, and of those the nearest to its middle.

    Shortest means a multiple of the largest power of ten that has a multiple inside; 0 is the shortest of
    all. Of two that are equally near, as decimals are, the lower is taken. An interval that reaches -inf is
    written -inf, otherwise one that reaches inf is written inf.

    Parameters
    ----------
    lower, upper : (K,) float64
        ``lower < upper``.
    closed : {"left", "right"}
        The end that belongs to the interval.

    Returns
    -------
    (K,) float64
    """
    result = lower.copy() if closed == "left" else upper.copy()
    result[np.isposinf(upper)] = np.inf
    result[np.isneginf(lower)] = -np.inf
    pending = np.flatnonzero(np.isfinite(lower) & np.isfinite(upper))
    zero = _inside(np.zeros(len(pending)), lower[pending], upper[pending], closed)
    result[pending[zero]] = 0.0
    pending = pending[~zero]
    largest = np.maximum(np.abs(lower[pending]), np.abs(upper[pending]))
    exponent = np.floor(np.log10(largest)).astype(np.int64) + 1
    for _ in range(DIGITS + 2):
        low, high = lower[pending], upper[pending]
        middle = low / 2 + high / 2
        below = np.floor(middle / _decimal(np.ones((1, len(pending))), exponent))
        candidates = _decimal(below + STEPS, exponent)
        away = np.abs(candidates - middle)
        away[~_inside(candidates, low, high, closed)] = np.inf
        nearest = away.min(axis=0)
        first = (away * EQUALLY_NEAR <= nearest).argmax(axis=0)
        found = np.isfinite(nearest)
        result[pending[found]] = candidates[first[found], np.flatnonzero(found)]
        pending, exponent = pending[~found], np.maximum(exponent[~found] - 1, SMALLEST_POWER)
        if not len(pending):
            break
    return result  # what no decimal of so few digits meets keeps its closed end
