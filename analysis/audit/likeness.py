"""Does a signal know the outcome? Separation of better from worse, and levels that have one outcome each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...trajectories.table import Bools, Floats

MOST_LEVELS = 20
FEWEST_A_CLASS = 10  # rows; by chance fewer are separated too often
ROWS_A_LEVEL = 5  # on average; a level of one row has one outcome in any table


@dataclass(frozen=True)
class Likeness:
    """How much a signal resembles the outcomes: the best AUROC, and an outcome that its levels determine."""

    auroc: float
    auroc_of: str | None
    level_of: str | None


def likeness(values: Floats, outcomes: Mapping[str, Floats], recorded: Bools) -> Likeness:
    """Compare a signal with every outcome over all recorded rounds.

    Parameters
    ----------
    values : (N, R) float64
        The signal, NaN where unknown.
    outcomes : name -> (N, R) float64
    recorded : (N, R) bool
    """
    known = recorded & ~np.isnan(values)
    signal = values[known]
    best, best_of, level_of = 0.5, None, None
    for name, outcome in outcomes.items():
        auroc = _separation(signal, outcome[known])
        if auroc > best:
            best, best_of = auroc, name
        if level_of is None and _determines(signal, outcome[known]):
            level_of = name
    return Likeness(best, best_of, level_of)


def _separation(signal: Floats, outcome: Floats) -> float:
    """The largest AUROC of the signal, in either direction, over the ways to part better from worse outcomes."""
    from scipy.stats import rankdata

    levels = np.unique(outcome)
    if len(levels) > MOST_LEVELS:
        levels = np.unique(np.quantile(outcome, np.linspace(0, 1, MOST_LEVELS + 1), method="lower"))
    better = outcome[:, None] >= levels[1:]
    many = better.sum(axis=0)
    few = len(outcome) - many
    usable = np.minimum(many, few) >= FEWEST_A_CLASS
    if not usable.any():
        return 0.5
    better, many, few = better[:, usable], many[usable], few[usable]
    # Mann-Whitney: the rank sum of one class, less the least that it can be
    won = rankdata(signal) @ better - many * (many + 1) / 2
    auroc = won / (many * few)
    return float(np.maximum(auroc, 1 - auroc).max())


def _determines(signal: Floats, outcome: Floats) -> bool:
    levels, at = np.unique(signal, return_inverse=True)
    if not 2 <= len(levels) <= MOST_LEVELS or len(signal) < ROWS_A_LEVEL * len(levels):
        return False
    lowest, highest = np.full(len(levels), np.inf), np.full(len(levels), -np.inf)
    np.minimum.at(lowest, at, outcome)
    np.maximum.at(highest, at, outcome)
    return bool((lowest == highest).all() and len(np.unique(outcome)) > 1)
