"""What each signal tells of the outcome: over all rounds, by round and by cell, and in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..trajectories.table import Bools, Trajectories
from .reliability import calibrated_out_of_fold
from .signal_figures import SignalFigures, signal_figures
from .signal_words import sentence
from .target import Target, target_of

if TYPE_CHECKING:
    import polars as pl

NO_CLIPS: Mapping[str, Bools] = MappingProxyType({})


@dataclass(frozen=True, eq=False, kw_only=True)
class SignalProfile:
    """One signal of a table.

    Attributes
    ----------
    name : str
    target : Target
    whole : SignalFigures
        Over all rounds and cells, every row with one weight.
    rounds : round -> SignalFigures
        Over all cells.
    cells : cell -> SignalFigures
        Over all rounds; empty without a cell column.
    """

    name: str
    target: Target
    whole: SignalFigures
    rounds: Mapping[int, SignalFigures]
    cells: Mapping[str, SignalFigures]

    @property
    def strength(self) -> float:
        """Distance of the AUROC from 1/2, in either direction; -1 where it is not defined."""
        distance = abs(self.whole.auroc.value - 0.5)
        return distance if distance == distance else -1.0  # noqa: PLR0124 - NaN alone differs from itself

    @property
    def sentence(self) -> str:
        """What the signal is worth, in plain words."""
        return sentence(self.name, self.whole, self.rounds, self.target)

    def to_dict(self) -> dict[str, Any]:
        """The profile for JSON."""
        return {
            "sentence": self.sentence,
            **self.whole.to_dict(),
            "rounds": {str(r): figures.to_dict() for r, figures in self.rounds.items()},
            "cells": {cell: figures.to_dict() for cell, figures in self.cells.items()},
        }


def signal_profiles(
    t: Trajectories, target: Target | None = None, *, clipped: Mapping[str, Bools] = NO_CLIPS
) -> tuple[SignalProfile, ...]:
    """Profile every signal of a table, in the order of their names.

    Parameters
    ----------
    t : Trajectories
    target : Target, optional
        `target_of` the table by default.
    clipped : name -> (N, R) bool
        For calibrated signals, where the raw one lay outside the range that it was fitted on.

    Notes
    -----
    "Calibrated" figures are of isotonic curves fitted without the row's own group (`calibrated_out_of_fold`), so
    that they say what calibration would do on other questions.
    """
    asked = target_of(t) if target is None else target
    return tuple(_profile(name, t, asked, clipped.get(name)) for name in sorted(t.signals))


def _profile(name: str, t: Trajectories, target: Target, clipped: Bools | None) -> SignalProfile:
    values, right, outcome = t.signals[name], target.right(t), t.outcomes[target.name]
    group = np.repeat(np.unique(t.group.astype(str), return_inverse=True)[1][:, None], t.rounds, axis=1)
    calibrated = calibrated_out_of_fold(values, right.astype(np.float64), t)
    levels = len(np.unique(values[t.recorded & ~np.isnan(values)]))

    def on(rows: Bools) -> SignalFigures:
        return signal_figures(
            values[rows],
            right[rows],
            outcome[rows],
            group[rows],
            levels=levels,
            calibrated=calibrated[rows],
            clipped=None if clipped is None else int(clipped[rows].sum()),
        )

    round_of = np.broadcast_to(np.arange(1, t.rounds + 1), values.shape)
    named = t.named_cells
    return SignalProfile(
        name=name,
        target=target,
        whole=on(t.recorded),
        rounds={r: on(t.recorded & (round_of == r)) for r in range(1, t.rounds + 1)},
        cells={cell: on(t.recorded & (t.cell == cell)[:, None]) for cell in named},
    )


def signals_frame(profiles: Sequence[SignalProfile]) -> pl.DataFrame:
    """One row a signal and scope: signal, cell and round (null for all of them), then the figures.

    The sentence stands in the row of all rounds and cells.
    """
    import polars as pl

    return pl.DataFrame(
        [row for profile in profiles for row in _rows(profile)],
        infer_schema_length=None,
        schema_overrides={"cell": pl.String, "round": pl.Int64, "clipped": pl.Int64},
    )


def _rows(profile: SignalProfile) -> Iterator[dict[str, Any]]:
    scopes: list[tuple[str | None, int | None, SignalFigures]] = [(None, None, profile.whole)]
    scopes += [(None, r, figures) for r, figures in profile.rounds.items()]
    scopes += [(cell, None, figures) for cell, figures in profile.cells.items()]
    for cell, r, figures in scopes:
        said = profile.sentence if cell is None and r is None else None
        yield {
            "signal": profile.name,
            "cell": cell,
            "round": r,
            "target": profile.target.text,
            **figures.numbers(),
            "sentence": said,
        }
