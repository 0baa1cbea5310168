"""Reading a whole table at once."""

from __future__ import annotations

from collections.abc import Sequence

from .recording import Part, Recording, open_parts, record
from .roles import Normaliser, resolve
from .sources import Rows, open_source
from .table import Trajectories

__all__ = ["Part", "Recording", "open_parts", "open_source", "read_trajectories", "record"]


def read_trajectories(
    source: Rows | Sequence[Rows | Part],
    *,
    question: str | None = None,
    round: str | None = None,
    quality: str | None = None,
    cell: str | None = None,
    group: str | None = None,
    answer: str | None = None,
    text: str | None = None,
    split: str | None = None,
    cost: str | None = None,
    outcomes: Sequence[str] = (),
    signals: Sequence[str] | None = None,
    range: Sequence[float] | None = None,
    normalise: Normaliser | None = None,
    preset: str | None = None,
    by: Sequence[str] = (),
    measures: Sequence[str] = (),
) -> Trajectories:
    """Read recorded trajectories, one row per (cell, question, round), and check them.

    Parameters
    ----------
    source : path, polars frame, pandas frame, or a sequence of these or of Part
        Parquet (.parquet), Arrow (.arrow, .feather, .ipc), CSV (.csv, .csv.gz) or JSON Lines (.jsonl,
        .ndjson). Several parts are one table.
    question, round, quality, cell, group, answer, text, split, cost : str, optional
        Column names. A role that is not named takes the column of its own name where there is one; question,
        round and quality must exist. ``""`` leaves a role without a column.
    outcomes : column names
        Outcomes beside the quality; no rule may read them.
    signals : column names, optional
        What rules may read. Without a list every remaining column of numbers or Booleans, sorted by name.
    range : (low, high), optional
        The lowest and highest possible quality.
    normalise : {"robust", "squad", "tasr", "exact"}, default "robust"
        How answers are compared; see ``normalise``.
    preset : {"tasr"}, optional
        The column names of the published package.
    by : column names, optional
        What figures may be broken down by: columns with one value a trajectory, such as a question's type.
    measures : column names, optional
        Numbers that a cost model is made of, such as the tokens of a round.

    Returns
    -------
    Trajectories
        Sorted by (cell, question), whatever the order of the rows.

    Raises
    ------
    TrajectoryError
        When the source cannot be read or is not sound; it names the first few offenders and the way out.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"question": ["a", "a"], "round": [2, 1], "f1": [1, 0], "margin": [0.5, None]})
    >>> read_trajectories(frame, quality="f1").signals["margin"]
    array([[nan, 0.5]])
    """
    parts = open_parts(source)
    roles = resolve(
        parts[0].source.columns,
        where=parts[0].source.name,
        question=question,
        round=round,
        quality=quality,
        cell=cell,
        group=group,
        answer=answer,
        text=text,
        split=split,
        cost=cost,
        outcomes=outcomes,
        signals=signals,
        range=range,
        normalise=normalise,
        preset=preset,
        by=by,
        measures=measures,
    )
    return record(parts, roles).open()
