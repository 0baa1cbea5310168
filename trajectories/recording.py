"""What was recorded, in two steps: the structure of every row, then the values of those that are opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from .errors import TrajectoryError
from .opening import opened
from .roles import Roles, check_columns
from .sources import Rows, Source, open_source
from .structure import arrange, structural_rows
from .table import Bools, Trajectories


@dataclass(frozen=True, eq=False)
class Part:
    """One file or frame of several, and what its rows have in common.

    ``cell`` and ``split`` stand in for a column: where they are given, no such column is read.
    """

    source: Rows
    cell: str | None = None
    split: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """Trajectories whose structure is known and whose values are not looked at yet.

    Attributes
    ----------
    structure : polars frame, one row a trajectory, sorted by (cell, question, split)
        ``cell``, ``question``, ``group`` (str), ``rounds`` (int), ``split`` ("calibration", "selection",
        "final" or null), ``text`` (str or null) and ``part`` (int, the first source that it stands in).
        ``cell`` is "" without a cell column, ``group`` the question's id without a group column. A question
        that stands in two splits is two trajectories, so that an audit can find it.
    rows : polars frame, one row a recorded round
        ``trajectory`` (its row in ``structure``), ``round`` (from 1), ``part`` and ``row`` (its place in
        there), ``cell`` and ``question``.
    """

    roles: Roles
    sources: tuple[Source, ...]
    structure: pl.DataFrame
    rows: pl.DataFrame

    def __len__(self) -> int:
        return self.structure.height

    def open(self, mask: Bools | None = None) -> Trajectories:
        """Read answers, costs, signals and outcomes of some trajectories; nothing else is looked at.

        Parameters
        ----------
        mask : (n_trajectories,) bool, optional
            Which rows of ``structure`` to open; all by default.

        Raises
        ------
        TrajectoryError
            For a missing or infinite outcome or cost, a cost that falls, a quality outside the declared range
            or a value that is no number; it names the first few and the way out.
        """
        chosen = np.ones(len(self), dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
        position = np.cumsum(chosen) - 1
        at = self.rows["trajectory"].to_numpy()
        rows = self.rows.with_columns(trajectory=position[at]).filter(chosen[at])
        return opened(self.structure.filter(chosen), rows, self.sources, self.roles)


def open_parts(source: Rows | Sequence[Rows | Part]) -> list[Part]:
    """The parts of a table, their sources open; a single source is the only part.

    Raises
    ------
    TrajectoryError
        When a source cannot be read, or there is none.
    """
    given = source if isinstance(source, (list, tuple)) else [source]
    if not given:
        raise TrajectoryError("no part to read trajectories from; give a path or a frame")
    parts = [each if isinstance(each, Part) else Part(each) for each in given]
    return [replace(part, source=open_source(part.source)) for part in parts]


def record(source: Rows | Sequence[Rows | Part], roles: Roles) -> Recording:
    """Read the structure of a table and check it: question, round, cell, group, split and text of every row.

    Parameters
    ----------
    source : path, polars or pandas frame, Source, or a sequence of these or of Part
        Several parts are one table. The same question in two parts of different splits is read as two
        trajectories; rows doubled otherwise are an error.
    roles : Roles
        From ``resolve``.

    Raises
    ------
    TrajectoryError
        When a source cannot be read, lacks a column of a role or is not sound: a doubled row, a gap, a round
        that is no whole number, a missing id, a question in two groups, an unknown split, a text or split
        that changes within a trajectory. It names the first few and the way out.
    """
    parts = open_parts(source)
    sources = tuple(part.source for part in parts)
    rows = []
    for position, part in enumerate(parts):
        columns = replace(
            roles,
            cell=roles.cell if part.cell is None else None,
            split=roles.split if part.split is None else None,
        )
        check_columns(columns, part.source.columns, part.source.name)
        rows.append(structural_rows(part.source, columns, part=position, cell=part.cell, split=part.split))
    every = pl.concat(rows)
    structure, trajectory = arrange(every, sources)
    return Recording(
        roles=roles,
        sources=sources,
        structure=structure,
        rows=every.select(pl.Series("trajectory", trajectory), "round", "part", "row", "cell", "question"),
    )
