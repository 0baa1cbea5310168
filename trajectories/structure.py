"""Which rounds of which question stand where, and whether that is sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import polars as pl

from .columns import LARGEST_WHOLE, as_numbers, as_text, no_text, shown
from .errors import TrajectoryError
from .nearest import listing, nearest
from .roles import Roles
from .sources import Source
from .splits import SIDES
from .table import Ints

NO_SPLIT = -1
KEY = ("cell", "question", "split_rank")
OFFENDERS_NAMED = 3
Offender = TypeVar("Offender")


def named(row: dict[str, Any]) -> str:
    """``cell 'bm25', question '17', round 2`` of a row or trajectory, for messages."""
    cell = f"cell {row['cell']!r}, " if row.get("cell") else ""
    return f"{cell}question {row['question']!r}" + (f", round {row['round']}" if "round" in row else "")


def few(offenders: Sequence[Offender], describe: Callable[[Offender], str]) -> str:
    """The first few offenders described, and how many more there are."""
    rest = len(offenders) - OFFENDERS_NAMED
    first = "; ".join(describe(each) for each in offenders[:OFFENDERS_NAMED])
    return first + (f"; and {rest} more" if rest > 0 else "")


def place(sources: Sequence[Source], row: dict[str, Any]) -> str:
    """``row 3``, with the file's name where there are several."""
    source = sources[row["part"]]
    inside = source.place(row["row"])
    return f"{source.name} {inside}" if len(sources) > 1 else inside


def split_rank(split: str, where: str) -> int:
    """The position of a split in ``SIDES``."""
    if split not in SIDES:
        raise TrajectoryError(
            f"{where} {split!r}{nearest(split, SIDES)}; the splits are {listing(SIDES)}; split='' reads none"
        )
    return SIDES.index(split)


def structural_rows(source: Source, roles: Roles, *, part: int, cell: str | None, split: str | None) -> pl.DataFrame:
    """The structure of one source, its rows checked one by one.

    Parameters
    ----------
    roles : Roles
        Without a cell or split column where ``cell`` or ``split`` says it for all rows.
    part : int
        Position of the source.

    Returns
    -------
    polars frame, one row a row of the source
        ``cell``, ``question``, ``group``, ``text`` (str), ``split_rank`` (position in ``SIDES`` or -1),
        ``round``, ``part`` and ``row`` (int).

    Raises
    ------
    TrajectoryError
        For ids that are missing or no text, rounds that are no whole numbers, and unknown splits.
    """
    wanted = (roles.question, roles.round, roles.cell, roles.group, roles.split, roles.text)
    loaded = source.load(list(dict.fromkeys(column for column in wanted if column is not None)))
    question = _ids(source, loaded[roles.question])
    rank = NO_SPLIT if split is None else split_rank(split, f"{source.name}: is said to be the split")
    return pl.DataFrame(
        {
            "cell": _ids(source, loaded[roles.cell]) if roles.cell is not None else cell or "",
            "question": question,
            "group": _ids(source, loaded[roles.group]) if roles.group is not None else question,
            "split_rank": _split_ranks(source, loaded[roles.split]) if roles.split is not None else rank,
            "text": _wording(source, loaded[roles.text]) if roles.text is not None else None,
            "round": _rounds(source, loaded[roles.round], question),
            "part": part,
            "row": np.arange(source.height),
        },
        schema_overrides={"text": pl.String, "split_rank": pl.Int64, "part": pl.Int64},
    )


def _ids(source: Source, column: pl.Series) -> pl.Series:
    text, unfit = as_text(column)
    if unfit.any():
        offenders = few(unfit.arg_true().to_list(), lambda i: f"{shown(column, i)} at {source.place(i)}")
        raise TrajectoryError(
            f"{source.name}: column {column.name!r} has {offenders}; "
            "ids are text or whole numbers below 2**53, so write them as text"
        )
    if text.null_count():
        offenders = few(text.is_null().arg_true().to_list(), source.place)
        raise TrajectoryError(
            f"{source.name}: column {column.name!r} is empty at {offenders}; fill it in or leave the rows out"
        )
    return text


def _wording(source: Source, column: pl.Series) -> pl.Series:
    bad = no_text(column)
    if bad.any():
        offenders = few(bad.arg_true().to_list(), lambda i: f"{shown(column, i)} at {source.place(i)}")
        raise TrajectoryError(
            f"{source.name}: column {column.name!r} has {offenders}; a question's wording is text, so write it as "
            "text, or name no column as text=''"
        )
    return as_text(column)[0]


def _split_ranks(source: Source, column: pl.Series) -> pl.Series:
    splits = _ids(source, column)
    for split in sorted(splits.unique()):
        if split not in SIDES:
            first = source.place(int((splits == split).arg_max() or 0))
            split_rank(split, f"{source.name}: column {column.name!r} has at {first} the split")
    return splits.replace_strict({split: rank for rank, split in enumerate(SIDES)}, return_dtype=pl.Int64)


def _rounds(source: Source, column: pl.Series, question: pl.Series) -> pl.Series:
    numbers = as_numbers(column)[0]
    if numbers.dtype == pl.Boolean:
        numbers = numbers.clear(len(numbers)).cast(pl.Float64)
    whole = (numbers == numbers.round()) & (numbers.abs() < LARGEST_WHOLE)
    unfit = ~whole.fill_null(False)
    if unfit.any():
        offenders = few(
            unfit.arg_true().to_list(),
            lambda i: f"{shown(column, i)} at {source.place(i)} (question {question[i]!r})",
        )
        raise TrajectoryError(f"{source.name}: round is {offenders}; rounds are whole numbers 1, 2, 3, ...")
    return numbers.cast(pl.Int64)


def arrange(rows: pl.DataFrame, sources: Sequence[Source]) -> tuple[pl.DataFrame, Ints]:
    """Gather rows into trajectories and check each.

    Parameters
    ----------
    rows : polars frame
        What ``structural_rows`` gave for every source, one below the other.

    Returns
    -------
    structure : polars frame, one row a trajectory, sorted by (cell, question, split)
        Columns as ``Recording.structure`` has them.
    trajectory : (n_rows,) int64
        The trajectory of each row.

    Raises
    ------
    TrajectoryError
        For doubled rows, missing rounds, a question in two groups, and a text or split that changes within a
        trajectory.
    """
    where = " + ".join(source.name for source in sources)
    structure = (
        rows.group_by(KEY)
        .agg(
            pl.col("group").first(),
            pl.len().cast(pl.Int64).alias("rounds"),
            pl.col("text").min(),
            pl.col("text").max().alias("other_text"),
            pl.col("part").min(),
        )
        .sort(KEY)
        .with_row_index("trajectory")
    )
    trajectory = (
        rows.select(KEY)
        .join(structure.select(*KEY, "trajectory"), on=KEY, how="left", maintain_order="left")["trajectory"]
        .to_numpy()
        .astype(np.int64)
    )
    _check_rounds(rows, structure, trajectory, sources, where)
    _check_groups(rows, where)
    changing = structure.filter(pl.col("text") != pl.col("other_text"))
    if changing.height:
        offenders = few(
            changing.rows(named=True),
            lambda each: f"{named(each)} has {each['text']!r} and {each['other_text']!r}",
        )
        raise TrajectoryError(
            f"{where}: the text of a question changes between its rounds: {offenders}; "
            "name the column of the question's wording as text, or none as text=''"
        )
    split = structure["split_rank"].replace_strict(dict(enumerate(SIDES)), default=None, return_dtype=pl.String)
    return structure.select("cell", "question", "group", "rounds", split.alias("split"), "text", "part"), trajectory


def _check_rounds(
    rows: pl.DataFrame, structure: pl.DataFrame, trajectory: Ints, sources: Sequence[Source], where: str
) -> None:
    """Rounds run 1, 2, ... once each: sorted, every row follows the one before or opens a trajectory."""
    round_ = rows["round"].to_numpy()
    order = np.lexsort((round_, trajectory))
    t, r = trajectory[order], round_[order]
    opens = np.diff(t, prepend=-1) != 0
    before = np.where(opens, 0, np.roll(r, 1))

    def at(i: int) -> dict[str, Any]:
        return rows.row(int(order[i]), named=True)

    doubled = np.flatnonzero(~opens & (r == before)).tolist()
    if doubled:
        offenders = few(
            doubled,
            lambda i: f"{named(at(i))} at {place(sources, at(i - 1))} and {place(sources, at(i))}",
        )
        raise TrajectoryError(
            f"{where}: doubled rows: {offenders}; keep one for each cell, question and round, "
            "or name the column that tells them apart as cell"
        )
    broken = np.flatnonzero(r != before + 1)
    if not len(broken):
        return
    alone = structure.select(pl.struct("cell", "question").is_unique()).to_series().to_numpy()
    torn = broken[opens[broken] & ~alone[t[broken]]].tolist()
    if torn:
        offenders = few(torn, lambda i: f"{named(at(i))} at {place(sources, at(i))}")
        raise TrajectoryError(
            f"{where}: the split changes between the rounds of a question: {offenders}; "
            "give all rounds of a question the same split"
        )

    def gap(i: int) -> str:
        found = at(i)
        if before[i] == 0 and found["round"] < 1:
            return f"{named(found)} at {place(sources, found)} comes before round 1"
        return f"{named({**found, 'round': int(before[i]) + 1})} is missing before round {found['round']}"

    raise TrajectoryError(
        f"{where}: {few(broken.tolist(), gap)}; rounds run 1, 2, 3, ... without gaps, so add or renumber"
    )


def _check_groups(rows: pl.DataFrame, where: str) -> None:
    torn = (
        rows.group_by("question")
        .agg(pl.col("group").min(), pl.col("group").max().alias("other"))
        .filter(pl.col("group") != pl.col("other"))
        .sort("question")
    )
    if torn.height:
        offenders = few(
            torn.rows(named=True),
            lambda each: f"{named(each)} is in {each['group']!r} and {each['other']!r}",
        )
        raise TrajectoryError(
            f"{where}: {offenders}; a question is in one group, the same in every cell, so mend the column"
        )
