"""Forecasts against outcomes: the reliability diagram, the Brier score and its parts, and calibration out of fold."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trajectories.knots import fit_knots
from ..trajectories.table import Bools, Floats, Ints, Trajectories
from .separation import Z_95

BINS = 10
FOLDS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class Reliability:
    """Forecasts in B bins of about the same number of rows, ascending.

    Attributes
    ----------
    forecast : (B,) float64
        Mean forecast of each bin.
    share : (B,) float64
        Share of right answers.
    low, high : (B,) float64
        Its 95% interval.
    rows : (B,) int64
    """

    forecast: Floats
    share: Floats
    low: Floats
    high: Floats
    rows: Ints

    @property
    def calibration_error(self) -> float:
        """Expected calibration error (ECE): mean distance of share and forecast, by rows, in [0, 1]."""
        return float((self.rows * np.abs(self.share - self.forecast)).sum() / self.rows.sum())

    def to_dict(self) -> dict[str, Any]:
        """The bins for JSON, one list an attribute."""
        return {name: getattr(self, name).tolist() for name in ("forecast", "share", "low", "high", "rows")}


@dataclass(frozen=True, kw_only=True)
class Brier:
    """The Brier score and its parts: score = reliability - resolution + uncertainty + within.

    Attributes
    ----------
    score : float
        Mean squared distance of forecast and outcome: 0 of a perfect forecast.
    reliability : float
        Mean squared distance of a bin's share of right answers from its mean forecast: 0 is best.
    resolution : float
        Variance of the share over bins: more is better.
    uncertainty : float
        Score of the share of all rows as everyone's forecast.
    within : float
        What the bins hide: 0 where every bin has one forecast (Murphy 1973), else the variance within bins
        less twice the covariance with the outcome (Stephenson, Coelho and Jolliffe 2008).
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


def bins_of(forecast: Floats, bins: int = BINS) -> Ints:
    """Bin of each forecast, equal ones together: the quantile strategy of scikit-learn's calibration_curve.

    Forecasts of at most ``bins`` distinct values have a bin each.
    """
    distinct, level = np.unique(forecast, return_inverse=True)
    if len(distinct) <= bins:
        return level.astype(np.int64)
    edges = np.quantile(forecast, np.linspace(0, 1, bins + 1))
    position = np.searchsorted(edges[1:-1], forecast)
    return np.unique(position, return_inverse=True)[1].astype(np.int64)


def reliability(forecast: Floats, right: Bools, group: NDArray[np.generic], *, bins: int = BINS) -> Reliability:
    """The reliability diagram of forecasts.

    Parameters
    ----------
    forecast : (n,) float64
        In [0, 1], n >= 1.
    right : (n,) bool
    group : (n,)
        Rows of a group may depend on each other, and widen the intervals.
    bins : int
        At most; equal forecasts share one.
    """
    position = bins_of(forecast, bins)
    rows = np.bincount(position)
    ends = [share_interval(right[position == b], group[position == b]) for b in range(len(rows))]
    return Reliability(
        forecast=np.bincount(position, weights=forecast) / rows,
        share=np.bincount(position, weights=right) / rows,
        low=np.array([low for low, _ in ends]),
        high=np.array([high for _, high in ends]),
        rows=rows.astype(np.int64),
    )


def share_interval(right: Bools, group: NDArray[np.generic]) -> tuple[float, float]:
    """The 95% interval of a share whose rows come in groups.

    Wilson's score interval at the effective number of rows, p (1 - p) over the variance of the share by group
    (Korn and Graubard 1998; Dean and Pagano 2015), which is at most the number of rows. Where groups do not
    differ, as when all are right, each counts as one row.
    """
    share, rows = float(right.mean()), len(right)
    cluster = np.unique(group, return_inverse=True)[1]
    groups = int(cluster.max()) + 1
    deviation = np.bincount(cluster, weights=right - share)
    variance = groups / max(groups - 1, 1) * float((deviation**2).sum()) / rows**2
    effective = min(share * (1 - share) / variance, rows) if variance > 0 else groups
    z2 = Z_95**2 / effective
    centre = (share + z2 / 2) / (1 + z2)
    reach = Z_95 / (1 + z2) * math.sqrt(share * (1 - share) / effective + z2 / (4 * effective))
    # the interval holds the share; at 0 and 1, where it ends there, rounding may say otherwise
    return min(share, max(0.0, centre - reach)), max(share, min(1.0, centre + reach))


def brier(forecast: Floats, right: Bools, *, bins: int = BINS) -> Brier:
    """The Brier score of (n,) forecasts in [0, 1] and its parts over the bins of `reliability`."""
    position = bins_of(forecast, bins)
    outcome = right.astype(np.float64)
    share_of_rows = np.bincount(position) / len(position)
    mean_forecast = np.bincount(position, weights=forecast) / np.bincount(position)
    mean_outcome = np.bincount(position, weights=outcome) / np.bincount(position)
    base = outcome.mean()
    spread, surprise = forecast - mean_forecast[position], outcome - mean_outcome[position]
    return Brier(
        score=float(((forecast - outcome) ** 2).mean()),
        reliability=float((share_of_rows * (mean_forecast - mean_outcome) ** 2).sum()),
        resolution=float((share_of_rows * (mean_outcome - base) ** 2).sum()),
        uncertainty=float(base * (1 - base)),
        within=float((spread**2).mean() - 2 * (spread * surprise).mean()),
    )


def folds_of(t: Trajectories, folds: int = FOLDS) -> Ints:
    """(N,) fold of each trajectory, a group in one fold: groups in the order of a hash, dealt out in turn.

    Groups of the same cells are dealt together, so that every cell has trajectories in as many folds as it can.
    """
    cells: defaultdict[str, set[str]] = defaultdict(set)
    for group, cell in zip(t.group, t.cell, strict=True):
        cells[group].add(cell)

    def place(group: str) -> tuple[list[str], bytes]:
        return sorted(cells[group]), hashlib.blake2b(group.encode(), digest_size=8).digest()

    fold = {group: i % folds for i, group in enumerate(sorted(cells, key=place))}
    return np.array([fold[group] for group in t.group], dtype=np.int64)


def calibrated_out_of_fold(values: Floats, right: Floats, t: Trajectories, *, folds: int = FOLDS) -> Floats:
    """A signal mapped to the share of right answers, each value by curves that did not see its group.

    Isotonic, one curve a cell and round, as `trajectories.calibration` fits them.

    Parameters
    ----------
    values : (N, R) float64
        NaN where missing, and so is the result.
    right : (N, R) float64
        0 or 1 at the recorded rounds.

    Returns
    -------
    (N, R) float64
        NaN, too, where a cell's groups are too few to leave any for a curve.
    """
    fold = folds_of(t, folds)
    calibrated = np.full(values.shape, np.nan)
    for position, cell in enumerate(t.cell_names):
        for column in range(t.rounds):
            here = (t.cell_index == position) & t.recorded[:, column]
            for one in np.unique(fold[here]):
                seen, held_out = here & (fold != one), here & (fold == one)
                if seen.any():
                    curve = fit_knots(
                        values[seen, column], right[seen, column], cell=cell, round=column + 1, method="isotonic"
                    )
                    calibrated[held_out, column] = curve.at(values[held_out, column])
    return calibrated
