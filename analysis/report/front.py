"""The front as the page shows it: a row a rule, with its figures by cell and where it stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...rules.text import parse
from .material import Material
from .tables import Entry, Table, number, table, text
from .words import rule_in_words

if TYPE_CHECKING:
    import polars as pl

MOST_RULES = 1000
MOST_NUMBERS = 150_000  # of stop rounds and figures by cell, so that the page stays small
MOST_ALIASES, MOST_ALIAS_TEXT = 12, 600
Row = dict[str, Any]


def thinned(front: pl.DataFrame, locked: str, numbers_each: int) -> pl.DataFrame:
    """The front from the cheapest to the dearest rule; of a very long one evenly spaced rules, and the locked one.

    Parameters
    ----------
    front : polars.DataFrame
    locked : str
    numbers_each : int
        How many numbers a rule brings with it, or text of that length (a number takes about five characters, and
        the text of a rule stands on the page seven times).
    """
    import polars as pl

    # equal points: the one that a policy would take first
    ties = pl.Series([parse(rule).atoms for rule in front["rule"]], dtype=pl.Int64)
    ordered = front.with_columns(ties.alias("atoms")).sort(
        "cost", "quality", "atoms", "rule", descending=[False, True, False, False]
    )
    most = max(2, min(MOST_RULES, MOST_NUMBERS // max(numbers_each, 1)))
    if len(ordered) <= most:
        return ordered
    kept = {round(i * (len(ordered) - 1) / (most - 1)) for i in range(most)}
    return ordered.with_row_index("i").filter(pl.col("i").is_in(sorted(kept)) | (pl.col("rule") == locked)).drop("i")


def front_rows(material: Material) -> list[Row]:
    """The rules of the front for the chart, its table and what a click shows.

    Returns
    -------
    list of dict
        i, rule, id, family, words, quality (scaled as it is printed), cost, calls, fired, stability, aliases (the
        first few), more (how many others), locked; cells: cell -> [n, quality, cost, calls, fired, stops], empty
        where the search kept none.
    """
    cells = _cells(material)
    numbers = max((sum(5 + len(one[-1]) for one in each.values()) for each in cells.values()), default=0)
    texts = float(material.front["rule"].str.len_chars().mean() or 0)  # type: ignore[arg-type]
    locked = str(material.lock.rule)
    rows = []
    for i, each in enumerate(thinned(material.front, locked, numbers + round(1.5 * texts)).iter_rows(named=True)):
        aliases, more = _first(each["equivalents"] or [])
        rows.append(
            {
                "i": i,
                "rule": each["rule"],
                "id": each["id"],
                "family": each["family"],
                "words": rule_in_words(parse(each["rule"])),
                "quality": material.units.scale * each["quality"],
                "cost": each["cost"],
                "calls": each["calls"],
                "fired": each["fired"],
                "stability": each["stability"],
                "aliases": aliases,
                "more": more,
                "locked": each["rule"] == locked,
                "cells": cells.get(each["rule"], {}),
            }
        )
    return rows


def _first(aliases: list[str]) -> tuple[list[str], int]:
    kept: list[str] = []
    for alias in aliases[:MOST_ALIASES]:
        if kept and sum(map(len, kept)) + len(alias) > MOST_ALIAS_TEXT:
            break
        kept.append(alias)
    return kept, len(aliases) - len(kept)


def _cells(material: Material) -> Mapping[str, Mapping[str, list[Any]]]:
    """Figures by rule and cell, qualities scaled."""
    found: dict[str, dict[str, list[Any]]] = {}
    if material.stopping is None:
        return found
    columns = ("n", "quality", "cost", "calls", "fired", "stops")
    for each in material.stopping.iter_rows(named=True):
        figures = [each[name] for name in columns]
        figures[1] *= material.units.scale
        figures[1:4] = [round(value, 6) for value in figures[1:4]]
        found.setdefault(each["rule"], {})[each["cell"]] = figures
    return found


def macro_points(material: Material) -> dict[str, tuple[float, float, float]]:
    """Macro (quality scaled, cost, calls) of what was replayed beside the front: baselines and the oracle, by text."""
    points = {}
    for rule, cells in _cells(material).items():
        quality, cost, calls = (sum(one[k] for one in cells.values()) / len(cells) for k in (1, 2, 3))
        points[rule] = (quality, cost, calls)
    return points


def front_table(material: Material, rows: list[Row]) -> Table:
    """The table behind the chart: each rule can be shown from it."""
    units = material.units
    stability = any(row["stability"] is not None for row in rows)
    note = "" if len(rows) == len(material.front) else f"{len(rows):,} of {len(material.front):,}; all in front.csv."

    def cells(row: Row) -> list[Entry]:
        return [
            Entry(row["rule"], row["i"], "choose"),
            text("locked" if row["locked"] else ""),
            number(row["quality"], f".{units.digits}f"),
            *(number(row[name], ",.3f") for name in units.costs.values()),
            *([number(row["stability"], ".2f")] if stability else []),
            number(row["fired"]),
            number(len(row["aliases"]) + row["more"]),
            Entry(row["id"], kind="id"),
        ]

    columns = (
        "rule",
        "",
        units.quality_label,
        *units.costs,
        *(["stability"] if stability else []),
        "fired",
        "aliases",
        "id",
    )
    return table("Rules of the frontier, selection split", columns, map(cells, rows), note)
