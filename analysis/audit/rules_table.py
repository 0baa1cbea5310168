"""A table of rules that comes without trajectories: its figures by cell and macro, and the rule that is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ...enumerate.pareto import pareto_mask
from ...trajectories.errors import SelectionError, StudyError
from ...trajectories.nearest import nearest
from ...trajectories.table import Bools
from ..selection import ROUNDING
from .figure_columns import MACRO


@dataclass(frozen=True, eq=False, kw_only=True)
class RulesTable:
    """Figures of rules on one split or two.

    Attributes
    ----------
    cells : polars frame
        One row a rule and cell: rule, cell, final and, where known, final_cost, selection, selection_cost.
    macro : polars frame
        One row a rule; the macro rows of the table, else means over its cells.
    chosen : str or None
        The rule that is judged: the locked one, else the one that the selection figures choose.
    max_cost : float or None
    """

    cells: pl.DataFrame
    macro: pl.DataFrame
    chosen: str | None
    max_cost: float | None

    @property
    def has_selection(self) -> bool:
        """Whether the table knows a split on which rules may be chosen."""
        return "selection" in self.macro.columns

    @property
    def has_costs(self) -> bool:
        """Whether every quality has its cost beside it."""
        return "final_cost" in self.macro.columns and (not self.has_selection or "selection_cost" in self.macro.columns)

    @property
    def own(self) -> Mapping[str, Any]:
        """The figures of the chosen rule."""
        return self.macro.filter(pl.col("rule") == self.chosen).row(0, named=True)

    def affordable(self, side: str) -> pl.DataFrame:
        """The rules within the budget by the costs of one side; all without a budget or costs."""
        if self.max_cost is None or f"{side}_cost" not in self.macro.columns:
            return self.macro
        return self.macro.filter(pl.col(f"{side}_cost") <= self.max_cost * (1 + ROUNDING))

    def tied(self) -> pl.DataFrame:
        """The affordable rules with the best selection figure, the cheapest first, then by text.

        Raises
        ------
        SelectionError
            When no rule is within the budget.
        """
        within = self.affordable("selection")
        if within.is_empty():
            raise SelectionError(f"no rule of the table costs at most {self.max_cost:g}; raise --max-cost")
        order = ["selection_cost", "rule"] if self.has_costs else ["rule"]
        return within.filter(pl.col("selection") == within["selection"].max()).sort(order)

    def on_front(self, side: str) -> Bools:
        """(K,) which rules no other dominates by the figures of one side."""
        return pareto_mask(self.macro.select(side, f"{side}_cost").to_numpy(), names=self.macro["rule"].to_list())


def rules_table(
    figures: pl.DataFrame,
    *,
    locked: str | None = None,
    max_cost: float | None = None,
    aside: Sequence[str] = ("oracle",),
) -> RulesTable:
    """Prepare the figures of rules for the audit.

    Parameters
    ----------
    figures : polars frame
        As `figure_columns.rule_figures` gives it.
    locked : str, optional
        The rule to judge. Without it, the best by the selection figures within the budget, the cheapest of those
        that tie, then by text.
    max_cost : float, optional
    aside : sequence of str
        Rules that cannot be deployed and so dominate nobody.

    Raises
    ------
    StudyError
        When the locked rule is not in the table.
    SelectionError
        When no rule is within the budget.
    """
    cells = figures.filter(~pl.col("rule").is_in(aside))
    if locked is not None and locked not in cells["rule"]:
        near = nearest(locked, cells["rule"].unique())
        raise StudyError(f"the table has no rule {locked!r}{near}; name one of its rules")
    macro = cells.filter(pl.col("cell") == MACRO)
    if macro.is_empty():
        macro = cells.group_by("rule", maintain_order=True).agg(pl.exclude("cell").mean())
    else:
        macro = macro.drop("cell")
    table = RulesTable(cells=cells, macro=macro, chosen=locked, max_cost=max_cost)
    if locked is not None or not table.has_selection:
        return table
    return replace(table, chosen=table.tied()["rule"][0])
