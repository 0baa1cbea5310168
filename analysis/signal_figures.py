"""The figures of one signal on some rows."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trajectories.knots import fit_knots
from ..trajectories.table import Bools, Floats
from .bootstrap import Estimate
from .reliability import Brier, Reliability, brier, reliability
from .separation import (
    auroc,
    average_precision,
    cohens_d,
    entropy,
    kolmogorov_smirnov,
    mean_difference,
    rank_correlation,
)

UNIT_FREE = ("average_precision", "cohens_d", "ks", "rank_correlation")


@dataclass(frozen=True, eq=False, kw_only=True)
class Forecast:
    """Values in [0, 1] read as the probability of a right answer."""

    brier: Brier
    curve: Reliability

    def numbers(self) -> dict[str, float]:
        """Brier score, its parts, and the expected calibration error."""
        parts = asdict(self.brier)
        return {"brier": parts.pop("score"), **parts, "ece": self.curve.calibration_error}


PARTS = ("brier", "reliability", "resolution", "uncertainty", "within", "ece")


@dataclass(frozen=True, eq=False, kw_only=True)
class SignalFigures:
    """One signal on the rows of a scope; NaN or None where a figure is not defined.

    Attributes
    ----------
    n, missing : int
        Rows, and those without a value. Every other figure is of the known ones.
    distinct : int
    mode : float
        The most frequent value, the smallest of several.
    mode_share : float
    entropy, entropy_max : float
        In nats; the most that so many rows could have with the distinct values of the whole table.
    base_rate : float
        Share of right answers.
    auroc : Estimate
        With its interval, by group.
    average_precision, cohens_d, ks, rank_correlation : float
        Without a unit, and so comparable between signals.
    mean_difference : float
        Right minus wrong, in the signal's own unit: not comparable.
    levels : int or None
        Distinct values that isotonic regression on these rows leaves; 1 where the signal does not rise with
        the outcome.
    forecast : Forecast or None
        The signal as it is; None unless all its values lie in [0, 1].
    calibrated : Forecast or None
        The signal calibrated out of fold.
    clipped : int or None
        Rows outside the range that a calibrated signal was fitted on.
    """

    n: int
    missing: int
    distinct: int
    mode: float
    mode_share: float
    entropy: float
    entropy_max: float
    base_rate: float
    auroc: Estimate
    average_precision: float
    cohens_d: float
    ks: float
    rank_correlation: float
    mean_difference: float
    levels: int | None
    forecast: Forecast | None
    calibrated: Forecast | None
    clipped: int | None

    @property
    def entropy_share(self) -> float:
        """Entropy as a share of the most it could be; NaN where that is 0."""
        return self.entropy / self.entropy_max if self.entropy_max > 0 else math.nan

    def numbers(self) -> dict[str, float | int | None]:
        """All figures on one level, None for what is not defined: a row of signals.csv."""
        counts = ("n", "missing", "distinct", "mode", "mode_share", "entropy", "entropy_max", "entropy_share")
        figures = {
            **{name: getattr(self, name) for name in (*counts, "base_rate")},
            "auroc": self.auroc.value,
            "auroc_low": self.auroc.low,
            "auroc_high": self.auroc.high,
            **{name: getattr(self, name) for name in (*UNIT_FREE, "mean_difference")},
            **(self.forecast.numbers() if self.forecast else dict.fromkeys(PARTS)),
            "isotonic_levels": self.levels,
            **{
                f"calibrated_{name}": value
                for name, value in (self.calibrated.numbers() if self.calibrated else dict.fromkeys(PARTS)).items()
            },
            "clipped": self.clipped,
        }
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in figures.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON, with the reason for an absent AUROC and the reliability diagrams."""
        return {
            **self.numbers(),
            "auroc_reason": self.auroc.reason,
            "curve": self.forecast.curve.to_dict() if self.forecast else None,
            "calibrated_curve": self.calibrated.curve.to_dict() if self.calibrated else None,
        }


def signal_figures(
    values: Floats,
    right: Bools,
    outcome: Floats,
    group: NDArray[np.generic],
    *,
    levels: int,
    calibrated: Floats,
    clipped: int | None = None,
) -> SignalFigures:
    """The figures of one signal.

    Parameters
    ----------
    values : (n,) float64
        NaN where missing.
    right : (n,) bool
    outcome : (n,) float64
        What the ranks are correlated with.
    group : (n,)
        Rows of one group may depend on each other.
    levels : int
        Distinct values in the whole table.
    calibrated : (n,) float64
        The signal calibrated by curves that did not see the row's group, NaN where there is none.
    clipped : int, optional
    """
    known = ~np.isnan(values)
    x, truth = values[known], right[known]
    distinct, counts = np.unique(x, return_counts=True)
    some = len(x) > 0
    both = bool(truth.any() and not truth.all())
    return SignalFigures(
        n=len(values),
        missing=int(len(values) - len(x)),
        distinct=len(distinct),
        mode=float(distinct[counts.argmax()]) if some else math.nan,
        mode_share=float(counts.max() / len(x)) if some else math.nan,
        entropy=entropy(x) if some else math.nan,
        entropy_max=math.log(min(levels, len(x))) if some else math.nan,
        base_rate=float(truth.mean()) if some else math.nan,
        auroc=auroc(x, truth, group[known]),
        average_precision=average_precision(x, truth),
        cohens_d=cohens_d(x, truth),
        ks=kolmogorov_smirnov(x, truth),
        rank_correlation=rank_correlation(x, outcome[known]),
        mean_difference=mean_difference(x, truth),
        levels=_levels(x, truth) if both else None,
        forecast=_forecast(values, right, group),
        calibrated=_forecast(calibrated, right, group),
        clipped=clipped,
    )


def _levels(values: Floats, right: Bools) -> int | None:
    return fit_knots(values, right.astype(np.float64), cell="", round=None, method="isotonic").levels


def _forecast(values: Floats, right: Bools, group: NDArray[np.generic]) -> Forecast | None:
    known = ~np.isnan(values)
    x = values[known]
    if not len(x) or x.min() < 0 or x.max() > 1:
        return None
    return Forecast(brier=brier(x, right[known]), curve=reliability(x, right[known], group[known]))
