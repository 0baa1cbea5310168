"""A recording of the controller: its columns, and its two tables on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from .errors import RetrievalError
from .measures import MEASURES

CELL = "controller"
COSTS = ("calls", "rows", "units", "characters")
SCHEMA: dict[str, pl.DataType] = {
    "question": pl.String(),
    "cell": pl.String(),
    "round": pl.Int64(),
    "text": pl.String(),
    "packet": pl.String(),
    "best": pl.String(),
    "coverage": pl.Float64(),
    "missing_terms": pl.Int64(),
    "identifier_match": pl.Boolean(),
    "top_score": pl.Float64(),
    "gap": pl.Float64(),
    "overlap": pl.Float64(),
    "new_units": pl.Int64(),
    **dict.fromkeys(COSTS, pl.Int64()),
    **dict.fromkeys(MEASURES, pl.Float64()),
}


@dataclass(frozen=True, eq=False)
class Recorded:
    """The recording of one controller.

    Attributes
    ----------
    rounds : DataFrame
        Cell `controller`: a row a question and search of the schedule, what stopping there would give. These
        are the rounds of `always`; a rule such as ``coverage >= 0.8`` on them is `adaptive`.
    beside : DataFrame
        A cell a tool, of one round each: one search that may spend all the rows. No prefix of the schedule,
        hence for comparison only, never candidates.

    Both hold question, cell, round, text (only when asked for), packet (a JSON list of unit ids), best (the unit
    that the coverage is of), then signals, costs so far (calls, rows, units, characters read) and outcomes.
    """

    rounds: pl.DataFrame
    beside: pl.DataFrame

    def write(self, path: str | Path) -> None:
        """Write both as Parquet, each whole or not at all: the rounds at ``path``, the rest at `beside_path`."""
        for frame, target in ((self.beside, beside_path(path)), (self.rounds, Path(path))):
            part = target.with_name(f".{target.name}.{os.getpid()}")
            try:
                frame.write_parquet(part)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)

    @classmethod
    def read(cls, path: str | Path) -> Recorded:
        """Read what `write` wrote."""
        for each in (Path(path), beside_path(path)):
            if not each.is_file():
                raise RetrievalError(f"{each}: no such recording; record the controller first")
        return cls(pl.read_parquet(path), pl.read_parquet(beside_path(path)))


def beside_path(path: str | Path) -> Path:
    """Where the one-round cells stand: ``trajectories.beside.parquet`` beside ``trajectories.parquet``."""
    return Path(path).with_suffix(f".beside{Path(path).suffix}")
