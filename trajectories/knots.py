"""One fitted curve as data: its knots, and how to read a value off them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

import numpy as np

from .table import Bools, Floats

Kind = Literal["constant", "isotonic", "sigmoid"]
Method = Literal["isotonic", "sigmoid"]

FEWEST_KNOWN = 5
LARGEST_FINITE = 2.0**1000  # beyond it a value counts as infinite, so that differences of values stay finite


@dataclass(frozen=True, kw_only=True)
class Knots:
    """A curve from the raw to the calibrated signal, of one cell and round.

    Attributes
    ----------
    cell : str
    round : int or None
        None for the fit over all rounds of the cell.
    kind : "constant", "isotonic" or "sigmoid"
        A constant has one ``y`` and no ``x``. An isotonic curve is linear between its knots, flat beyond.
        A sigmoid is a line in log-odds through its two knots, 1 / (1 + exp(-line(x))), and has no end.
    x, y : tuple of float
        The knots; ``x`` rises strictly.
    known : int
        Known signal values that it was fitted on.
    low, high : float or None
        Range of the finite ones; None where there are none.
    """

    cell: str
    round: int | None
    kind: Kind
    x: tuple[float, ...]
    y: tuple[float, ...]
    known: int
    low: float | None
    high: float | None

    @property
    def levels(self) -> int | None:
        """Distinct calibrated values of the fitted signal; None where each signal value has its own."""
        level = len(set(self.y))
        return None if self.kind == "sigmoid" and level > 1 else level

    def at(self, values: Floats) -> Floats:
        """Calibrated values, of the shape of ``values``; NaN where they are."""
        if self.kind == "constant":
            curve = np.full(np.shape(values), self.y[0])
        elif self.kind == "isotonic":
            curve = np.interp(values, self.x, self.y)
        else:
            curve = _sigmoid_at(values, self.x, self.y)
        return np.where(np.isnan(values), np.nan, curve)

    def outside(self, values: Floats) -> Bools:
        """Where a known value lies outside the range that the curve was fitted on."""
        low, high = (math.inf, -math.inf) if self.low is None or self.high is None else (self.low, self.high)
        return np.asarray((values < low) | (values > high), dtype=np.bool_)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; floats survive JSON exactly."""
        return {**asdict(self), "x": list(self.x), "y": list(self.y)}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The curve of a `to_dict`."""
        floats = {key: tuple(float(value) for value in entry[key]) for key in ("x", "y")}
        return cls(**{**entry, **floats})


def fit_knots(values: Floats, target: Floats, *, cell: str, round: int | None, method: Method) -> Knots:
    """Fit one curve.

    Parameters
    ----------
    values : (n,) float64
        The raw signal, NaN where missing. An infinite value counts as the farthest finite one on its side.
        (So it does in `Knots.at` for an isotonic curve; a sigmoid has its limit there.)
    target : (n,) float64
        The outcome, in [0, 1].
    method : "isotonic" or "sigmoid"

    Notes
    -----
    With fewer than 5 known values, or where the known values are all the same, or all outcomes are, the curve
    is the mean outcome of all n rows.
    """
    known = ~np.isnan(values)
    finite = values[known & (np.abs(values) <= LARGEST_FINITE)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (None, None)
    kind: Kind
    x: tuple[float, ...]
    y: tuple[float, ...]
    if known.sum() < FEWEST_KNOWN or low == high or target.min() == target.max():
        kind, (x, y) = "constant", ((), (math.fsum(target) / len(target),))
    else:
        curve = _isotonic if method == "isotonic" else _sigmoid
        kind, (x, y) = method, curve(np.clip(values[known], low, high), target[known])
    return Knots(cell=cell, round=round, kind=kind, x=x, y=y, known=int(known.sum()), low=low, high=high)


def _isotonic(signal: Floats, target: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, increasing=True, out_of_bounds="clip")
    fitted.fit(signal, target)
    return tuple(fitted.X_thresholds_.tolist()), tuple(fitted.y_thresholds_.tolist())


def _sigmoid(signal: Floats, target: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Fit 1 / (1 + exp(A f + B)) by maximum likelihood to Platt's smoothed targets.

    Platt, "Probabilistic outputs for support vector machines" (1999), section 2.2: right answers count as
    t+ = (N+ + 1) / (N+ + 2) and wrong ones as t- = 1 / (N- + 2). A fractional outcome y is y of a right
    answer and 1 - y of a wrong one. Logistic regression takes such targets as weights of both classes.
    """
    from sklearn.linear_model import LogisticRegression

    low, high = signal.min(), signal.max()
    share = (signal - low) / (high - low)  # so that neither unit nor zero of the signal matters
    right, wrong = target.sum(), (1 - target).sum()
    smoothed = target * (right + 1) / (right + 2) + (1 - target) / (wrong + 2)
    fitted = LogisticRegression(C=np.inf, solver="lbfgs", tol=1e-8, max_iter=1000).fit(
        np.concatenate([share, share])[:, None],
        np.repeat([1, 0], len(share)),
        sample_weight=np.concatenate([smoothed, 1 - smoothed]),
    )
    start, rise = float(fitted.intercept_[0]), float(fitted.coef_[0, 0])
    return (float(low), float(high)), (start, start + rise)


def _sigmoid_at(values: Floats, x: tuple[float, ...], y: tuple[float, ...]) -> Floats:
    from scipy.special import expit  # one value at a time, so that a value alone has the same bits

    rise = y[1] - y[0]
    if rise == 0.0:
        return np.full(np.shape(values), expit(y[0]))
    with np.errstate(over="ignore"):  # to the limit of the sigmoid
        return np.asarray(expit(y[0] + rise * ((values - x[0]) / (x[1] - x[0]))), dtype=np.float64)
