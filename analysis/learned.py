"""A learned stopper, as a yardstick: gradient-boosted trees fitted by backward induction.

Never a candidate: it cannot be written in a line, and nobody audits its trees. It says what the signals could give
to somebody who learns from them; what one model reaches on a few hundred questions is a lower bound on that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trajectories.table import Bools, Floats, Ints, Trajectories
from .bootstrap import strata
from .learned_features import features
from .units import ranked

FOLDS = 3
MOST_DECISIONS = 8  # rounds with a model of their own; a longer trajectory is decided at so many, evenly spaced
SHARES = (0.0, 0.01, 0.03, 0.1, 0.3)  # prices: of a standard deviation of quality for a mean step of cost
LEAST_LEAF = 20
MODEL: dict[str, Any] = {
    "max_iter": 30,
    "max_leaf_nodes": 8,
    "max_bins": 64,
    "learning_rate": 0.1,
    "min_samples_leaf": LEAST_LEAF,
    "early_stopping": False,
    "random_state": 0,
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned:
    """A stopper for each price.

    Attributes
    ----------
    signals : tuple of str
        What it reads, beside cost and answers.
    decisions : tuple of int
        The rounds after which it may stop before the last.
    prices : tuple of float
        Quality given up for a unit of cost.
    models : tuple of tuple
        For each price the model of each decision round: the expected gain of going on.
    quality, cost : (P,) float64
        Macro means on the selection split, cross-fitted: every question decided by models that did not see it.
    fingerprint : str
        Sha256 of where the models stop the selection split: the same models again give the same one.
    """

    signals: tuple[str, ...]
    decisions: tuple[int, ...]
    prices: tuple[float, ...]
    models: tuple[tuple[_Model, ...], ...]
    quality: Floats
    cost: Floats
    fingerprint: str

    def nearest(self, cost: float) -> int:
        """The price whose cross-fitted cost is nearest; of several the lowest."""
        return int(np.abs(self.cost - cost).argmin())

    def stop_rounds(self, t: Trajectories, which: int) -> Ints:
        """(N,) where the stopper of a price stops the trajectories of a table."""
        with _one_thread():
            return _stop_rounds(self.models[which], self.decisions, features(t, self.signals), t.length)


def learn(selection: Trajectories, signals: Sequence[str], prices: Sequence[float] | None = None) -> Learned:
    """Fit a stopper for every price on the selection split.

    Backward from the last decision round, a model of each round predicts what going on is worth more than
    stopping: the *realised* net value (quality - price x cost) of the policy already fitted for later rounds, as
    in Longstaff and Schwartz (Review of Financial Studies 14, 2001). The decisions behind a question's realised
    value come from models that did not see its group, in folds that keep all rounds and cells of a group
    together; a maximum of predictions carried backward would grow with every round.

    Parameters
    ----------
    selection : Trajectories
    signals : sequence of str
        None that was calibrated on these rows.
    prices : sequence of float, optional
        By default five, from 0 to .3 of a standard deviation of quality for the mean step of cost.
    """
    given = tuple(_prices(selection) if prices is None else prices)
    decisions = decision_rounds(selection.rounds)
    history = features(selection, signals)
    fold = folds(selection)
    units = strata(selection.cell, selection.group)
    rows = np.arange(len(selection))
    models, quality, cost, digest = [], [], [], hashlib.sha256()
    with _one_thread():
        for price in given:
            fitted, stop = _backward(selection, history, price=price, decisions=decisions, fold=fold)
            models.append(fitted)
            quality.append(units.macro_mean(selection.quality[rows, stop - 1]))
            cost.append(units.macro_mean(selection.cost[rows, stop - 1]))
            digest.update(_stop_rounds(fitted, decisions, history, selection.length).astype("<i8").tobytes())
    return Learned(
        signals=tuple(signals),
        decisions=decisions,
        prices=given,
        models=tuple(models),
        quality=np.array(quality),
        cost=np.array(cost),
        fingerprint=digest.hexdigest(),
    )


def decision_rounds(rounds: int) -> tuple[int, ...]:
    """The rounds after which a learned stopper may stop, of 1..R - 1: all, or eight of them."""
    count = min(rounds - 1, MOST_DECISIONS)
    return tuple(sorted({round(r) for r in np.linspace(1, rounds - 1, count).tolist()})) if count else ()


def folds(t: Trajectories) -> Ints:
    """(N,) the fold of each trajectory: groups dealt out in the order of a hash, whole."""
    place = {group: i % FOLDS for i, group in enumerate(ranked("learned", t.group))}
    return np.array([place[group] for group in t.group], dtype=np.int64)


def _prices(t: Trajectories) -> Iterator[float]:
    steps = np.diff(t.cost, axis=1)[t.recorded[:, 1:]]
    step = float(steps.mean()) if len(steps) else 0.0
    spread = float(t.quality[t.recorded].std())
    unit = spread / step if step > 0 and spread > 0 else 1.0
    yield from (share * unit for share in SHARES)


def _backward(
    t: Trajectories, history: Floats, *, price: float, decisions: Sequence[int], fold: Ints
) -> tuple[tuple[_Model, ...], Ints]:
    """The models of the decision rounds, and where cross-fitted decisions stop each trajectory."""
    net = t.quality - price * t.cost
    value = net[np.arange(len(t)), t.length - 1]
    stop = t.length.copy()
    models: list[_Model] = []
    for r in reversed(decisions):
        open_ = np.flatnonzero(t.length > r)  # at its last round a trajectory has nothing to decide
        seen, now = history[open_, r - 1], net[open_, r - 1]
        gain = value[open_] - now
        unseen = np.empty(len(open_))
        for k in range(FOLDS):
            held = fold[open_] == k
            unseen[held] = _fit(seen[~held], gain[~held]).predict(seen[held])
        stops = open_[unseen <= 0]
        value[stops], stop[stops] = net[stops, r - 1], r
        models.append(_fit(seen, gain))
    return tuple(reversed(models)), stop


@dataclass(frozen=True, eq=False)
class _Model:
    """Trees over the columns that vary; the mean gain where there is nothing to split."""

    columns: Bools
    trees: Any
    mean: float

    def predict(self, seen: Floats) -> Floats:
        if self.trees is None:
            return np.full(len(seen), self.mean)
        return np.asarray(self.trees.predict(seen[:, self.columns]), np.float64)


def _fit(seen: Floats, gain: Floats) -> _Model:
    low, high = np.fmin.reduce(seen, axis=0, initial=np.inf), np.fmax.reduce(seen, axis=0, initial=-np.inf)
    columns = low < high
    mean = float(gain.mean()) if len(gain) else 0.0
    if len(gain) < 2 * LEAST_LEAF or not columns.any():
        return _Model(columns, None, mean)
    from sklearn.ensemble import HistGradientBoostingRegressor

    return _Model(columns, HistGradientBoostingRegressor(**MODEL).fit(seen[:, columns], gain), mean)


def _stop_rounds(models: Sequence[_Model], decisions: Sequence[int], history: Floats, length: Ints) -> Ints:
    stop = length.copy()
    open_: Bools = np.ones(len(length), dtype=np.bool_)
    for r, model in zip(decisions, models, strict=True):
        rows = np.flatnonzero(open_ & (length > r))
        if not len(rows):
            break
        stopped = rows[model.predict(history[rows, r - 1]) <= 0]
        stop[stopped], open_[stopped] = r, False
    return stop


@contextmanager
def _one_thread() -> Iterator[None]:
    """Small trees: threads that wait for one another cost more than they save, a hundredfold on a busy machine."""
    import sklearn.ensemble  # noqa: F401 only libraries that are loaded can be limited
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="openmp"):
        yield
