"""Intervals out of resamples: percentile, and bias-corrected and accelerated (BCa)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..trajectories.table import Floats

Method = Literal["percentile", "bca"]
METHODS: tuple[Method, ...] = ("percentile", "bca")
PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95% interval.

    Attributes
    ----------
    value, low, high : float
        NaN where undefined; ``reason`` then says why.
    degenerate : bool
        No resample can move the figure: the interval is the figure itself.
    reason : str or None
    """

    value: float
    low: float
    high: float
    degenerate: bool = False
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The estimate for JSON, null for NaN."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        return {
            **{name: None if math.isnan(number) else number for name, number in numbers.items()},
            "degenerate": self.degenerate,
            "reason": self.reason,
        }

    @classmethod
    def undefined(cls, reason: str, value: float = math.nan) -> Estimate:
        """No interval, or no figure at all, and why."""
        return cls(value, math.nan, math.nan, reason=reason)


def percentile_interval(value: float, draws: Floats) -> Estimate:
    """Efron's percentile interval: 2.5 to 97.5 of the (B,) resampled figures."""
    low, high = np.percentile(draws, PERCENTILES)
    return Estimate(value, float(low), float(high))


def bca_interval(value: float, draws: Floats, influence: Floats, *, rounding: float = 0.0) -> Estimate:
    """The bias-corrected and accelerated interval (Efron, JASA 82, 1987; Efron and Tibshirani, 1993, ch. 14).

    Parameters
    ----------
    value : float
    draws : (B,) float64
        The figure in every resample.
    influence : (G,) float64
        What each group does to the figure, from leaving it out; the sum of cubes over the sum of squares gives
        the acceleration.
    rounding : float
        Figures this close are equal. Right or wrong outcomes tie often: half of the ties count as below.

    Returns
    -------
    Estimate
        Undefined, with a reason, where every resample lies on one side of the figure, or the acceleration is too
        large for these percentiles.
    """
    from scipy.special import ndtr, ndtri

    below = np.count_nonzero(draws < value - rounding)
    tied = np.count_nonzero(np.abs(draws - value) <= rounding)
    share = (below + tied / 2) / len(draws)
    if not 0 < share < 1:
        side = "above" if share == 0 else "below"
        return Estimate.undefined(
            f"BCa is undefined where all {len(draws)} resamples lie {side} the figure; take more draws, or percentile",
            value,
        )
    bias = ndtri(share)
    acceleration = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    ends = []
    for z in ndtri(np.array(PERCENTILES) / 100):
        left = 1 - acceleration * (bias + z)
        if not left > 0:  # the correction runs over its pole, or a group left out leaves no figure
            return Estimate.undefined(
                f"BCa is undefined at an acceleration of {acceleration:.3g}; take percentile", value
            )
        ends.append(ndtr(bias + (bias + z) / left))
    low, high = np.percentile(draws, [100 * end for end in ends])
    return Estimate(value, float(low), float(high))
