"""What a signal's own values betray: figures by signal and cell, of one opened split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from ...trajectories.table import Floats, Trajectories
from .likeness import likeness

FLOAT32 = 2.0**-23  # spacing of float32 values near 1
DECIMALS = range(1, 9)
FEW_LEVELS = 20
FEWEST_ROUNDS = 3  # of two rounds z-scores are always -1 and 1: nothing can be told


@dataclass(frozen=True, kw_only=True)
class Tell:
    """Figures of one signal in one cell.

    Attributes
    ----------
    signal, cell : str
    known, distinct : int
        Finite values, and different ones among them.
    unit : float
        Unit of storage: how far rounding may have moved a value.
    mean, sd, low, high : float or None
        Of the known values (ddof 0); None when there is none.
    at_low, at_high : int
        Values at each end.
    judged : int
        Questions of at least three rounds, all known and not all equal.
    zero_sum, one_sum, same_sum : float
        Shares of the judged questions whose values sum to 0, to 1, to the median sum.
    unit_range : float
        Share whose smallest value is 0 and largest 1.
    ranked : float
        Share whose values are one set of different numbers in varying order, as ranks are.
    repeated : int
        Questions with at least two known values.
    static : float
        Share of those in which the values are all equal.
    auroc : float
        How well the signal tells better from worse values of an outcome, in [.5, 1]; .5 where that is unknown.
    auroc_of, level_of : str or None
        That outcome; an outcome of which every level of the signal has one value.
    """

    signal: str
    cell: str
    known: int
    distinct: int
    unit: float
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    at_low: int
    at_high: int
    judged: int
    zero_sum: float
    one_sum: float
    same_sum: float
    unit_range: float
    ranked: float
    repeated: int
    static: float
    auroc: float
    auroc_of: str | None
    level_of: str | None

    @property
    def continuous(self) -> bool:
        """Whether there are levels enough for coincidences of a few integers to be ruled out."""
        return self.distinct > FEW_LEVELS

    def to_dict(self) -> dict[str, Any]:
        """The figures for evaluation.json."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The figures of a `to_dict`."""
        return cls(**entry)


def tells(t: Trajectories, signals: Iterable[str]) -> tuple[Tell, ...]:
    """The figures of some signals in every cell of a table."""
    parts = [(name, t.take(t.cell_index == i)) for i, name in enumerate(t.cell_names)]
    return tuple(_tell(signal, cell, part) for signal in sorted(signals) for cell, part in parts)


def _tell(signal: str, cell: str, t: Trajectories) -> Tell:
    values = np.where(np.isfinite(t.signals[signal]), t.signals[signal], np.nan)
    known = values[~np.isnan(values)]
    distinct = len(np.unique(known))
    unit = storage_unit(known)
    whole, length = _judged(values, t)
    again = values[(~np.isnan(values)).sum(axis=1) >= 2]
    like = likeness(values, t.outcomes, t.recorded)
    low, high = (float(known.min()), float(known.max())) if known.size else (None, None)
    return Tell(
        signal=signal,
        cell=cell,
        known=known.size,
        distinct=distinct,
        unit=unit,
        mean=float(known.mean()) if known.size else None,
        sd=float(known.std()) if known.size else None,
        low=low,
        high=high,
        at_low=int((known == low).sum()),
        at_high=int((known == high).sum()),
        judged=len(whole),
        **_sums(whole, length, unit),
        unit_range=_share(_spans_unit(whole)),
        ranked=_ranked(whole, length),
        repeated=len(again),
        static=_share(np.nanmin(again, axis=1) == np.nanmax(again, axis=1)) if len(again) else 0.0,
        auroc=like.auroc,
        auroc_of=like.auroc_of,
        level_of=like.level_of,
    )


def storage_unit(known: Floats) -> float:
    """How far storing may have moved a value: float32, or half of the last decimal when all have few decimals.

    Parameters
    ----------
    known : (n,) finite float64
    """
    if not known.size:
        return 0.0
    fine = FLOAT32 * float(np.abs(known).max())
    for digits in DECIMALS:
        if (np.abs(np.round(known, digits) - known) <= FLOAT32 * np.abs(known)).all():
            return max(fine, 0.5 * 10.0**-digits)
    return fine


def _judged(values: Floats, t: Trajectories) -> tuple[Floats, Floats]:
    """The questions whose rounds can be judged together, (J, R) with NaN beyond the length, and their lengths."""
    complete = (~np.isnan(values)).sum(axis=1) == t.length
    rows = np.flatnonzero(complete & (t.length >= FEWEST_ROUNDS))
    whole = values[rows]
    varied = np.nanmin(whole, axis=1) < np.nanmax(whole, axis=1) if len(whole) else np.zeros(0, bool)
    return whole[varied], t.length[rows][varied].astype(np.float64)


def _share(hits: Any) -> float:
    return float(np.mean(hits)) if len(hits) else 0.0


def _sums(whole: Floats, length: Floats, unit: float) -> dict[str, float]:
    sums = np.nansum(whole, axis=1)

    def near(constant: float) -> float:
        return _share(np.abs(sums - constant) <= length * unit)

    return {
        "zero_sum": near(0.0),
        "one_sum": near(1.0),
        "same_sum": near(float(np.median(sums))) if len(sums) else 0.0,
    }


def _spans_unit(whole: Floats) -> Any:
    if not len(whole):
        return whole[:, :0]
    return (np.abs(np.nanmin(whole, axis=1)) <= FLOAT32) & (np.abs(np.nanmax(whole, axis=1) - 1) <= FLOAT32)


def _ranked(whole: Floats, length: Floats) -> float:
    """Share of questions that hold the set of values most common at their length, where its order varies."""
    hits = 0
    for rounds in np.unique(length).astype(int):
        rows = whole[length == rounds, :rounds]
        ordered = np.sort(rows, axis=1)
        different = (np.diff(ordered, axis=1) > 0).all(axis=1)
        if not different.any():
            continue
        sets, which, counts = np.unique(ordered[different], axis=0, return_inverse=True, return_counts=True)
        common = rows[different][which.reshape(-1) == counts.argmax()]
        if (common != common[0]).any():
            hits += len(common)
        del sets
    return hits / len(whole) if len(whole) else 0.0
