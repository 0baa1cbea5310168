"""A table of rules and their figures: which column is which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from ...trajectories.columns import as_numbers, as_text
from ...trajectories.errors import StudyError
from ...trajectories.nearest import listing, nearest
from ...trajectories.sources import Source

RULE = ("rule", "formula", "subset", "policy", "name")
QUALITY = ("quality", "f1", "em", "accuracy", "ndcg", "recall")
COST = ("cost", "calls", "rounds", "tokens")
SIDES = (("selection", "final"), ("tune", "eval"), ("dev", "test"), ("valid", "test"), ("val", "test"))
FIGURES = ("selection", "selection_cost", "final", "final_cost")
MACRO = "macro"


@dataclass(frozen=True, kw_only=True)
class FigureColumns:
    """Column names by role; None where there is no such column.

    A table of one split only has no ``selection``: it is the split that is reported on.
    """

    rule: str
    final: str
    selection: str | None = None
    final_cost: str | None = None
    selection_cost: str | None = None
    cell: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        """The columns by role."""
        return asdict(self)


def figure_columns(columns: Sequence[str], where: str, **given: str | None) -> FigureColumns:
    """Give every role its column: the one that is named, else one of a usual name.

    Usual are rule (formula, subset, ...), selection and final, or quality and cost with the splits as prefixes
    (tune_f1, eval_f1, tune_calls, eval_calls), or without (f1, calls) where there is one split. What was taken is
    printed with the result.

    Parameters
    ----------
    columns : names in their order
    where : str
        The table, for messages.
    rule, selection, final, selection_cost, final_cost, cell : str, optional

    Raises
    ------
    StudyError
        When a named column does not exist, or there is none for the rules or their final figures.
    """
    named = {role: name for role, name in given.items() if name is not None}
    for role, name in named.items():
        if name not in columns:
            raise StudyError(f"{where}: no column {name!r} for the {role}{nearest(name, columns)}: {listing(columns)}")
    usual = {"rule": _first(columns, RULE), "cell": _first(columns, ("cell",)), **_figures(columns)}
    found = {**{role: name for role, name in usual.items() if name is not None}, **named}
    for role in ("rule", "final"):
        if role not in found:
            raise StudyError(f"{where}: no column for the {role}; name one (--{role}-column) of {listing(columns)}")
    return FigureColumns(**found)


def _first(columns: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in names if name in columns), None)


def _figures(columns: Sequence[str]) -> dict[str, str | None]:
    if "selection" in columns or "final" in columns:
        return {role: _first(columns, [role]) for role in FIGURES}
    for selection, final in SIDES:
        for quality in QUALITY:
            if f"{selection}_{quality}" in columns and f"{final}_{quality}" in columns:
                return {
                    "selection": f"{selection}_{quality}",
                    "final": f"{final}_{quality}",
                    "selection_cost": _first(columns, [f"{selection}_{cost}" for cost in COST]),
                    "final_cost": _first(columns, [f"{final}_{cost}" for cost in COST]),
                }
    return {"final": _first(columns, QUALITY), "final_cost": _first(columns, COST)}


def rule_figures(source: Source, columns: FigureColumns) -> pl.DataFrame:
    """The table under its roles' names: rule and cell as text ("" without a cell column), figures as float64.

    Raises
    ------
    StudyError
        When a rule has no name, a figure is missing or no number, or a rule stands twice in a cell.
    """
    loaded = source.load(list(dict.fromkeys(name for name in columns.to_dict().values() if name is not None)))
    rule = as_text(loaded[columns.rule])[0]
    if rule.null_count():
        raise StudyError(f"{source.name}: {source.place(rule.is_null().arg_true()[0])} names no rule; fill it in")
    cell = None if columns.cell is None else as_text(loaded[columns.cell])[0].fill_null("")
    table: dict[str, Any] = {"rule": rule, "cell": cell if cell is not None else [""] * source.height}
    for role in FIGURES:
        name = getattr(columns, role)
        if name is None:
            continue
        numbers = as_numbers(loaded[name])[0].cast(pl.Float64)
        unknown = ~numbers.is_finite().fill_null(False)
        if unknown.any():
            row = unknown.arg_true()[0]
            raise StudyError(f"{source.name}: {source.place(row)}: {name} of rule {rule[row]!r} is no number; mend it")
        table[role] = numbers
    frame = pl.DataFrame(table)
    twice = frame.filter(pl.struct("rule", "cell").is_duplicated())
    if twice.height:
        first = twice.row(0, named=True)
        where = f" in cell {first['cell']!r}" if first["cell"] else ""
        raise StudyError(
            f"{source.name}: rule {first['rule']!r} stands twice{where}; name the column of cells, or drop one"
        )
    return frame
