"""The front of a frame of candidates: its rules, the volume that it dominates, its knee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import polars as pl

from ..enumerate.pareto import pareto_mask
from ..trajectories.errors import SearchError
from ..trajectories.table import Bools, Floats

Objectives = Mapping[str, Literal["max", "min"]]
QUALITY_AND_COST: Objectives = MappingProxyType({"quality": "max", "cost": "min"})


def _points(frame: pl.DataFrame, objectives: Objectives) -> Floats:
    odd = [f"{name} = {way!r}" for name, way in objectives.items() if way not in ("max", "min")]
    if odd or not objectives:
        raise SearchError(f"objectives: each needs 'max' or 'min', got {', '.join(odd) or 'none'}")
    absent = [name for name in objectives if name not in frame.columns]
    if absent:
        raise SearchError(f"objective {absent[0]!r} is no column; there are {', '.join(frame.columns)}")
    return frame.select(pl.col(list(objectives)).cast(pl.Float64)).to_numpy()


def _gains(frame: pl.DataFrame, objectives: Objectives) -> Floats:
    signs = [1.0 if way == "max" else -1.0 for way in objectives.values()]
    return _points(frame, objectives) * signs


def front_mask(candidates: pl.DataFrame, objectives: Objectives = QUALITY_AND_COST) -> Bools:
    """Mark the candidates that no other dominates (`enumerate.pareto.pareto_mask`); equal ones all stay.

    Parameters
    ----------
    candidates : polars.DataFrame
        One row a rule: a column ``rule`` and one for each objective.
    objectives : name -> "max" or "min"
        Any number of them.

    Returns
    -------
    (K,) bool

    Raises
    ------
    SearchError
        When an objective is no column or is missing for some rule, which is named.
    """
    maximise = [way == "max" for way in objectives.values()]
    return pareto_mask(_points(candidates, objectives), maximise, names=candidates["rule"].to_list())


def front(candidates: pl.DataFrame, objectives: Objectives = QUALITY_AND_COST) -> pl.DataFrame:
    """The candidates that no other dominates, from the cheapest to the dearest (the last objective leads)."""
    keys = list(objectives)[::-1]
    descending = [objectives[key] == "max" for key in keys]
    kept = candidates.filter(pl.Series(front_mask(candidates, objectives)))
    return kept.sort([*keys, "rule"], descending=[*descending, False])


def chord_distance(quality: Floats, cost: Floats) -> Floats:
    """How far each point of a front lies above the chord between its ends, both axes scaled to [0, 1].

    Parameters
    ----------
    quality, cost : (K,) float64
        Points of one front.

    Returns
    -------
    (K,) float64
        Zero at both ends, negative below the chord, in units of the scaled plane.
    """
    spans = np.ptp(quality), np.ptp(cost)
    if min(spans) == 0:  # one point, and its equals
        return np.zeros(len(quality))
    gained = (quality - quality.min()) / spans[0]
    spent = (cost - cost.min()) / spans[1]
    # the chord runs from (0, 0) to (1, 1); digits below 1e-12 are rounding, and would decide ties
    distance: Floats = np.round((gained - spent) / np.sqrt(2), 12)
    return distance


def knee(candidates: pl.DataFrame) -> pl.DataFrame:
    """The rules of the quality-cost front that lie farthest above its chord; several when they tie.

    A front of one or two points, or without a bulge, has no inner knee: its ends tie.
    """
    points = front(candidates)
    distance = chord_distance(points["quality"].to_numpy(), points["cost"].to_numpy())
    return points.filter(pl.Series(distance == distance.max(initial=-np.inf)))


@dataclass(frozen=True)
class Hypervolume:
    """The volume between a front and its reference point.

    Attributes
    ----------
    value : float
        In the product of the objectives' units.
    reference : name -> float
        The worst baseline in each objective.
    warning : str or None
        Why the value is 0.
    """

    value: float
    reference: Mapping[str, float]
    warning: str | None

    def __str__(self) -> str:
        where = ", ".join(f"{name} {value:.6g}" for name, value in self.reference.items())
        text = f"hypervolume {self.value:.6g} against the worst baseline ({where})"
        return text if self.warning is None else f"{text}; warning: {self.warning}"

    def to_dict(self) -> dict[str, Any]:
        """The volume for JSON."""
        return {"value": self.value, "reference": dict(self.reference), "warning": self.warning}


def hypervolume(
    candidates: pl.DataFrame, baselines: pl.DataFrame, objectives: Objectives = QUALITY_AND_COST
) -> Hypervolume:
    """Volume that the candidates dominate, against the worst baseline (Zitzler and Thiele 1998).

    Parameters
    ----------
    candidates, baselines : polars.DataFrame
        Rows of the same kind. The reference point takes in each objective the worst figure of any baseline,
        so that it lies on the far side of all of them.
    objectives : name -> "max" or "min"

    Raises
    ------
    SearchError
        As `front_mask`, and when there is no baseline.
    """
    if baselines.is_empty():
        raise SearchError("hypervolume: the worst baseline is the reference point, so name at least one")
    front_mask(baselines, objectives)  # refuses a missing figure by the rule's name
    worst = _gains(baselines, objectives).min(axis=0)
    gains = _gains(candidates.filter(pl.Series(front_mask(candidates, objectives))), objectives)
    value = dominated_volume(gains - worst)
    reference = {
        name: float(gain if way == "max" else -gain)
        for (name, way), gain in zip(objectives.items(), worst, strict=True)
    }
    warning = None
    if value == 0:
        warning = "no candidate is better than the reference point in every objective"
    return Hypervolume(value, reference, warning)


def dominated_volume(gains: Floats) -> float:
    """Volume of the union of the boxes from the origin to each of (K, M) points; M >= 1, more is better.

    Points that are not positive in every coordinate add nothing. Slices along the last coordinate, down to
    the plane, where one sweep does (While et al. 2006, "A faster algorithm for calculating hypervolume", the
    HSO method); meant for a front and a few objectives.
    """
    inside = gains[(gains > 0).all(axis=1)]
    if not len(inside):
        return 0.0
    if inside.shape[1] == 1:
        return float(inside.max())
    if inside.shape[1] == 2:
        width, height = inside[np.lexsort((inside[:, 1], -inside[:, 0]))].T
        # from the widest box on, each adds the height by which it rises above all wider ones
        tallest = np.maximum.accumulate(height)
        return float((width * np.diff(tallest, prepend=0.0)).sum())
    slices = inside[np.argsort(-inside[:, -1], kind="stable")]
    depth = slices[:, -1] - np.append(slices[1:, -1], 0.0)
    return float(sum(d * dominated_volume(slices[: i + 1, :-1]) for i, d in enumerate(depth) if d > 0))
