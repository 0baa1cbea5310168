"""What a learned stopper may look at: the rounds so far, and nothing of the rounds to come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..rules.arrays import term_values
from ..rules.expression import Change, Signal, SoFarMax, SoFarMin
from ..trajectories.table import Floats, Trajectories

LARGEST = 1e30  # stands for infinity, which trees cannot bin


def features(t: Trajectories, signals: Sequence[str]) -> Floats:
    """The history of every round as numbers: (N, R, F) float64, NaN where missing and beyond the length.

    For each signal its value, its change since the round before, and its largest and smallest value so far; then
    what has been spent, and, where there are answers, how many rounds the answer has stood and how many different
    ones there were. The number of rounds a trajectory has is not among them, nor anything that depends on it.

    Parameters
    ----------
    t : Trajectories
    signals : sequence of str
    """
    terms = [kind for name in signals for kind in _terms(Signal(name))]
    columns = [term_values(term, t) for term in terms] + [t.cost]
    if t.answer is not None:
        columns += [_stood(t.answer), _different(t.answer)]
    stacked = np.clip(np.stack(columns, axis=2), -LARGEST, LARGEST)
    return np.where(t.recorded[:, :, None], stacked, np.nan)


def _terms(signal: Signal) -> tuple[Signal, Change, SoFarMax, SoFarMin]:
    return signal, Change(signal), SoFarMax(signal), SoFarMin(signal)


def _stood(answer: NDArray[np.int32]) -> Floats:
    """(N, R) how many rounds in a row have given this answer; 0 where it is missing."""
    stood = (answer >= 0).astype(np.float64)
    for r in range(1, answer.shape[1]):
        stood[:, r] += np.where(answer[:, r] == answer[:, r - 1], stood[:, r - 1], 0.0) * (stood[:, r] > 0)
    return stood


def _different(answer: NDArray[np.int32]) -> Floats:
    """(N, R) how many different answers there were so far."""
    new = [(answer[:, r] >= 0) & (answer[:, :r] != answer[:, r : r + 1]).all(axis=1) for r in range(answer.shape[1])]
    return np.cumsum(np.stack(new, axis=1), axis=1).astype(np.float64)
