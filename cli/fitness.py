"""Whether a column can play the role that its name suggests."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..trajectories.columns import as_numbers, as_text, no_text
from ..trajectories.opening import LARGEST
from ..trajectories.sources import Source
from ..trajectories.splits import SIDES


def unfit(role: str, roles: Mapping[str, str | None], source: Source) -> str | None:
    """Why the column of a role cannot play it, in a few words; None when it can, or no value decides it.

    Parameters
    ----------
    roles : role -> column or None
        The other roles say which rows belong together.
    """
    column = roles[role]
    if column is None:
        return None
    match role:
        case "cost":
            return unfit_numbers(source, column) or _falls(source, column, roles)
        case "split":
            return _no_split(source, column)
        case "group" | "text":
            return _changes(source, column, roles["question"])
    return None


def unfit_numbers(source: Source, column: str) -> str | None:
    """Why a column is no outcome or cost, which need a finite number in every row; None when it is."""
    values, no_number = as_numbers(source.load([column])[column])
    numbers = values.cast(pl.Float64)
    if no_number.any():
        return "holds what is no number"
    if numbers.null_count():
        return "is missing in some rows"
    return None if (numbers.abs() <= LARGEST).all() else "is infinite in some rows"


def _falls(source: Source, column: str, roles: Mapping[str, str | None]) -> str | None:
    ids = [named for named in (roles["cell"], roles["question"]) if named is not None]
    if roles["round"] is None:
        return None
    loaded = source.load(list(dict.fromkeys([*ids, roles["round"], column])))
    rows = pl.DataFrame(
        {
            **{f"id{i}": as_text(loaded[named])[0] for i, named in enumerate(ids)},
            "round": as_numbers(loaded[roles["round"]])[0].cast(pl.Float64),
            "cost": as_numbers(loaded[column])[0].cast(pl.Float64),
        }
    ).sort(pl.all())
    follows = pl.all_horizontal(pl.lit(True), *(pl.col(f"id{i}") == pl.col(f"id{i}").shift() for i in range(len(ids))))
    fallen = rows.select((follows & (pl.col("cost") < pl.col("cost").shift())).any()).item()
    return "falls between the rounds of a question" if fallen else None


def _no_split(source: Source, column: str) -> str | None:
    values = set(as_text(source.load([column])[column])[0].unique())
    return None if values <= set(SIDES) else f"says something else than {', '.join(SIDES)}"


def _changes(source: Source, column: str, question: str | None) -> str | None:
    values = source.load([column])[column]
    if no_text(values).any():
        return "holds what is no text"
    if question is None:
        return None
    pairs = pl.DataFrame({"id": as_text(source.load([question])[question])[0], "value": as_text(values)[0]})
    distinct = pairs.drop_nulls().unique()["id"]
    return "changes between the rows of a question" if distinct.is_duplicated().any() else None
