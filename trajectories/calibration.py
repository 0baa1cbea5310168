"""Calibrated signals: a raw signal mapped to the outcome that it foretells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from .errors import CalibrationError
from .fingerprints import fingerprint_rows
from .knots import Knots, Method, fit_knots
from .nearest import listing, nearest
from .table import Bools, Floats, Trajectories

By = Literal["round", "pooled"]


@dataclass(frozen=True, kw_only=True)
class Calibrator:
    """A calibrated signal, as data: nothing is needed to apply it but its knots.

    Attributes
    ----------
    name, signal, target : str
        ``name`` = ``method`` (``signal`` -> ``target``).
    method : "isotonic" or "sigmoid"
    by : "round" or "pooled"
        Whether each round of a cell has a curve of its own, beside the one over all its rounds.
    missing : float or None
        The calibrated value where the signal is missing; None leaves it missing.
    borrow : tuple of (cell, other cell)
        Cells that are calibrated with another's curves.
    fitted_on : str
        Fingerprint of the rows that it was fitted on.
    fits : tuple of Knots
        Sorted by cell; within a cell the pooled curve first, then by round.
    """

    name: str
    signal: str
    target: str
    method: Method
    by: By
    missing: float | None
    borrow: tuple[tuple[str, str], ...]
    fitted_on: str
    fits: tuple[Knots, ...]

    @cached_property
    def _index(self) -> Mapping[tuple[str, int | None], Knots]:
        return {(fit.cell, fit.round): fit for fit in self.fits}

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells that it can be applied to, borrowing ones included, sorted."""
        return tuple(sorted({fit.cell for fit in self.fits} | {cell for cell, _ in self.borrow}))

    @property
    def range(self) -> tuple[float, float] | None:
        """Lowest and highest finite signal value that it was fitted on, over all cells."""
        lows = [fit.low for fit in self.fits if fit.low is not None]
        highs = [fit.high for fit in self.fits if fit.high is not None]
        return (min(lows), max(highs)) if lows and highs else None

    def knots(self, cell: str, round: int) -> Knots:
        """The curve of a cell and round: the round's own, else the cell's pooled one.

        Raises
        ------
        CalibrationError
            When the cell was not fitted and borrows from none.
        """
        donor = dict(self.borrow).get(cell, cell)
        pooled = self._index.get((donor, None))
        if pooled is None:
            raise CalibrationError(
                f'{self.name}: no curve for the cell "{cell}"{nearest(cell, self.cells)}, only for '
                f"{listing(self.cells)}; let it borrow one (calibration_from), or give it calibration rows"
            )
        return self._index.get((donor, round), pooled)

    def apply(self, t: Trajectories) -> Floats:
        """Calibrated values of a table, (N, R) float64; NaN where the signal is missing, if it is not filled.

        Raises
        ------
        CalibrationError
            When the table lacks the signal or has a cell without a fit.
        """
        calibrated = np.full((len(t), t.rounds), np.nan)
        for rows, column, knots, values in self._columns(t):
            calibrated[rows, column] = knots.at(values)
        if self.missing is not None:
            calibrated[t.recorded & np.isnan(calibrated)] = self.missing
        return calibrated

    def value(self, x: float | None, *, cell: str = "", round: int) -> float:
        """What `apply` gives for one value (None or NaN where it is missing), bit for bit."""
        if x is None or math.isnan(x):
            self.knots(cell, round)  # a cell without a fit is an error here too
            return math.nan if self.missing is None else self.missing
        return float(self.knots(cell, round).at(np.array([x], dtype=np.float64))[0])

    def outside(self, t: Trajectories) -> Bools:
        """(N, R) true where a known signal lies outside the range that its curve was fitted on."""
        outside = np.zeros((len(t), t.rounds), dtype=np.bool_)
        for rows, column, knots, values in self._columns(t):
            outside[rows, column] = knots.outside(values)
        return outside

    def clipped(self, t: Trajectories) -> int:
        """Rounds of a table that are `outside`."""
        return int(self.outside(t).sum())

    def notes(self) -> tuple[str, ...]:
        """A sentence for each curve that is a constant, and why."""
        return tuple(self._note(fit) for fit in self.fits if fit.levels == 1)

    def _note(self, fit: Knots) -> str:
        where = f"cell {fit.cell}, " if fit.cell else ""
        where += "all rounds" if fit.round is None else f"round {fit.round}"
        if fit.kind == "constant":
            why = f"constant, from {fit.known} known values (fewer than 5, or no variance)"
        else:
            why = f"1 level left of {fit.known} known values; {self.target} does not rise with {self.signal}"
        return f"{self.name}, {where}: {why}"

    def _columns(self, t: Trajectories) -> Iterator[tuple[Bools, int, Knots, Floats]]:
        """The signal by cell and round, with the curve of each."""
        if self.signal not in t.signals:
            raise CalibrationError(_unknown(self.name, "signal", self.signal, t.signals))
        for position, cell in enumerate(t.cell_names):
            rows = t.cell_index == position
            for column in range(t.rounds):
                yield rows, column, self.knots(cell, column + 1), t.signals[self.signal][rows, column]

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; floats survive JSON exactly."""
        return {
            **asdict(self),
            "borrow": dict(self.borrow),
            "fits": [fit.to_dict() for fit in self.fits],
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The calibrator of a `to_dict`, equal to the one that wrote it.

        Raises
        ------
        CalibrationError
            When an entry is missing or not known.
        """
        try:
            return cls(
                **{
                    **entry,
                    "borrow": tuple(sorted(entry["borrow"].items())),
                    "fits": tuple(Knots.from_dict(fit) for fit in entry["fits"]),
                }
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CalibrationError(f"a stored calibrator is broken ({error!r}); search again") from error


def fit(
    t: Trajectories,
    *,
    name: str,
    signal: str,
    target: str,
    method: Method = "isotonic",
    by: By = "round",
    missing: float | None = None,
    borrow: Mapping[str, str] | None = None,
) -> Calibrator:
    """Fit a calibrated signal on a table: the rows of the calibration split.

    Parameters
    ----------
    t : Trajectories
        Not changed. Its fingerprint goes into the calibrator.
    name : str
        Of the calibrated signal.
    signal, target : str
        A signal of the table, and an outcome whose values lie in [0, 1].
    method : "isotonic" or "sigmoid"
        Isotonic regression (scikit-learn: y_min 0, y_max 1, increasing, clipped), or Platt's sigmoid.
    by : "round" or "pooled"
        One curve for each cell and round, and the cell's pooled one for rounds that it never saw; or that
        alone.
    missing : float, optional
        The calibrated value of a missing signal. It stays missing by default.
    borrow : cell -> other cell, optional
        Cells to be calibrated with another's curves; rows of their own are not used.

    Raises
    ------
    CalibrationError
        When there are no rows, a column or cell is not known, or the target is no outcome in [0, 1].
    """
    _check(t, name, signal=signal, target=target, missing=missing)
    for key, value, choices in (("method", method, ("isotonic", "sigmoid")), ("by", by, ("round", "pooled"))):
        if value not in choices:
            raise CalibrationError(f'{name}: {key} = "{value}" is not known; choose {" or ".join(choices)}')
    lent = dict(borrow or {})
    fitted = [cell for cell in t.cell_names if cell not in lent]
    for cell, other in lent.items():
        if other not in fitted:
            raise CalibrationError(
                f'{name}: cell "{cell}" borrows from "{other}"{nearest(other, fitted)}, which has no curve '
                f"of its own; borrow from one of {listing(fitted) or 'none'}"
            )
    return Calibrator(
        name=name,
        signal=signal,
        target=target,
        method=method,
        by=by,
        missing=missing if missing is None else float(missing),
        borrow=tuple(sorted(lent.items())),
        fitted_on=fingerprint_rows(t),
        fits=tuple(_fits(t, fitted, signal=signal, target=target, method=method, by=by)),
    )


def _fits(
    t: Trajectories, cells: Iterable[str], *, signal: str, target: str, method: Method, by: By
) -> Iterator[Knots]:
    for cell in cells:
        in_cell = (t.cell == cell)[:, None] & t.recorded
        rounds = np.flatnonzero(in_cell.any(axis=0)) + 1 if by == "round" else ()
        for round in (None, *(int(round) for round in rounds)):
            rows = in_cell if round is None else in_cell & (np.arange(1, t.rounds + 1) == round)
            yield fit_knots(t.signals[signal][rows], t.outcomes[target][rows], cell=cell, round=round, method=method)


def _check(t: Trajectories, name: str, *, signal: str, target: str, missing: float | None) -> None:
    if not len(t):
        raise CalibrationError(f"{name}: there are no rows to fit on; give it a calibration split")
    if name in t.signals or name in t.outcomes:
        raise CalibrationError(f'{name}: the table has a column "{name}" already; choose another name')
    if signal not in t.signals:
        raise CalibrationError(_unknown(name, "signal", signal, t.signals))
    if target not in t.outcomes:
        raise CalibrationError(_unknown(name, "outcome", target, t.outcomes))
    known = t.outcomes[target][t.recorded]
    if known.min() < 0 or known.max() > 1:
        raise CalibrationError(
            f"{name}: the target {target} runs from {known.min():g} to {known.max():g}; "
            "a target must lie in [0, 1], choose another outcome"
        )
    if missing is not None and not math.isfinite(missing):
        raise CalibrationError(f"{name}: missing = {missing} is not finite; give a number, or leave it out")


def _unknown(name: str, kind: str, given: str, known: Iterable[str]) -> str:
    return (
        f'{name}: the table has no {kind} "{given}"{nearest(given, known)}; '
        f"choose one of {listing(sorted(known)) or 'none'}"
    )
