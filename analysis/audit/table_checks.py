"""The checks of a table of rules: what figures alone betray."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from ...trajectories.table import Bools
from .figure_columns import MACRO
from .findings import Answer, Finding, listed, not_run
from .rules_table import RulesTable

NO_SELECTION = "the table has no column of selection figures"
ADD_THEM = "add the figures that the rule was chosen by"


def _rank(frame: pl.DataFrame, side: str, rule: str | None) -> int | None:
    """1 for the best; None for a rule that is not there, over the budget for one."""
    own = frame.filter(pl.col("rule") == rule)
    return None if own.is_empty() else 1 + int((frame[side] > own[side][0]).sum())


def _picked_on_final(table: RulesTable) -> Answer:
    what = "rank of the rule by its final figure"
    if not table.has_selection:
        return not_run(NO_SELECTION, ADD_THEM)
    ranks = {side: _rank(table.affordable(side), side, table.chosen) for side in ("selection", "final")}
    place = {side: "over the budget" if rank is None else f"number {rank}" for side, rank in ranks.items()}
    cause = f"{table.chosen} is {place['final']} by final and {place['selection']} by selection figures"
    if ranks["final"] == 1 and ranks["selection"] != 1:
        return Answer(
            "fail",
            1,
            what,
            cause,
            "report the rule that the selection figures choose; what the final split chose needs new questions",
        )
    return Answer("pass", ranks["final"], what, cause)


def _optimism(table: RulesTable) -> Answer:
    what = "selection less final figure of the rule, beyond the mean of all rules"
    if not table.has_selection:
        return not_run(NO_SELECTION, ADD_THEM)
    falls = (table.macro["selection"] - table.macro["final"]).to_numpy()
    own = table.own["selection"] - table.own["final"]
    excess = float(own - falls.mean())
    cause = (
        f"{table.chosen} has {table.own['selection']:.2f} on selection and {table.own['final']:.2f} on final rows, "
        f"{own:.2f} less; all rules lose {falls.mean():.2f} on average"
    )
    if excess > 0:
        return Answer("note", excess, what, cause, "quote the final figure: the best of many looks better than it is")
    return Answer("pass", excess, what, cause)


def _ties(table: RulesTable) -> Answer:
    what = "rules that tie at the best selection figure"
    if not table.has_selection:
        return not_run(NO_SELECTION, ADD_THEM)
    tied = table.tied()
    within = "" if table.max_cost is None else f" within a cost of {table.max_cost:g}"
    best = f"{tied['selection'][0]:.2f}, the best selection figure{within}"
    if tied.height == 1:
        return Answer("pass", 1, what, f"{tied['rule'][0]} alone has {best}")
    cheapest, luckiest = tied.row(0, named=True), tied.sort("final", "rule").row(-1, named=True)
    top = float(table.affordable("selection")["final"].to_numpy().max())
    return Answer(
        "note",
        tied.height,
        what,
        f"{tied.height} rules have {best}; the cheapest, {_said(cheapest, table)}; the luckiest, "
        f"{_said(luckiest, table)}; the best by final figures has {top:.2f}",
        "let cost, then simplicity decide between them, before the final figures are known",
    )


def _said(row: Mapping[str, Any], table: RulesTable) -> str:
    if not table.has_costs:
        return f"{row['rule']}, reaches {row['final']:.2f} on final rows"
    costs = row["selection_cost"], row["final_cost"]
    return f"{row['rule']} ({costs[0]:.2f}), reaches {row['final']:.2f} at {costs[1]:.2f} on final rows"


def _rank_agreement(table: RulesTable) -> Answer:
    from scipy.stats import spearmanr

    what = "Spearman correlation of selection and final figures over the rules"
    if not table.has_selection:
        return not_run(NO_SELECTION, ADD_THEM)
    figures = table.macro.select("selection", "final")
    if min(figures[side].n_unique() for side in figures.columns) < 2:
        return not_run("all rules have one figure", "add rules that differ")
    rho = float(spearmanr(figures["selection"].to_numpy(), figures["final"].to_numpy()).statistic)
    return Answer("pass", rho, what, f"over {figures.height} rules the two splits rank alike to {rho:.3f}")


def _front_agreement(table: RulesTable) -> Answer:
    what = "points of the selection front that are on the final front too"
    if not (table.has_selection and table.has_costs):
        return not_run("the table lacks selection figures or costs", "add them, to compare the two fronts")
    fronts = {side: table.on_front(side) for side in ("selection", "final")}
    both = fronts["selection"] & fronts["final"]
    said = ", ".join(f"by {side} {_points(table, side, mask)}" for side, mask in fronts.items())
    kept = _distinct(table, "selection", both)
    cause = f"front {said}, on both {_points(table, 'selection', both)}"
    if kept < _distinct(table, "selection", fronts["selection"]):
        return Answer("note", kept, what, cause, "read a front as an estimate: other rows have another")
    return Answer("pass", kept, what, cause)


def _distinct(table: RulesTable, side: str, mask: Bools) -> int:
    return table.macro.filter(pl.Series(mask)).select(side, f"{side}_cost").n_unique()


def _points(table: RulesTable, side: str, mask: Bools) -> str:
    return f"{_distinct(table, side, mask)} distinct points ({int(mask.sum())} rules)"


def _dominated(table: RulesTable) -> Answer:
    what = "scopes in which a rule dominates it by final figures"
    if "final_cost" not in table.macro.columns:
        return not_run("the table has no costs beside the final figures", "name their column")
    if table.chosen is None:
        return not_run("no rule is named to be judged", "name one with --locked RULE")
    rivals, of = set(table.macro["rule"]), ""
    if table.has_selection and table.has_costs:
        rivals, of = set(table.macro.filter(pl.Series(table.on_front("selection")))["rule"]), " of the selection front"
    parts = {name[0]: part for name, part in table.cells.group_by("cell", maintain_order=True) if name[0] != MACRO}
    scopes = {MACRO: table.macro} if list(parts) == [""] else {**parts, MACRO: table.macro}
    found = {scope: dominating(part, table.chosen, rivals) for scope, part in scopes.items()}
    where = {scope: rules for scope, rules in found.items() if rules}
    if not where:
        return Answer("pass", 0, what, f"no rule{of} has at least the final figure of {table.chosen} at no more cost")
    said = "; ".join(f"in {scope} by {listed(rules)}" for scope, rules in where.items())
    spared = [scope for scope in found if scope not in where]
    elsewhere = f"; not in {', '.join(spared)}" if spared else ""
    return Answer(
        "note",
        len(where),
        what,
        f"{table.chosen} is dominated {said}{elsewhere}",
        "say so beside the rule; without trajectories chance cannot be told from a real difference",
    )


def dominating(part: pl.DataFrame, rule: str, rivals: set[str]) -> list[str]:
    """The rivals with at least the final quality of a rule at no more cost, and one of them better."""
    own = part.filter(pl.col("rule") == rule)
    if own.is_empty():
        return []
    quality, cost = own["final"][0], own["final_cost"][0]
    no_worse = (pl.col("final") >= quality) & (pl.col("final_cost") <= cost)
    better = (pl.col("final") > quality) | (pl.col("final_cost") < cost)
    return sorted(set(part.filter(no_worse & better)["rule"]) & rivals)


def _duplicates(table: RulesTable) -> Answer:
    what = "rules whose every figure is that of another"
    figures = table.cells.drop("rule", "cell").columns
    wide = table.cells.sort("cell").group_by("rule").agg(figures)
    doubled = wide.height - wide.select(figures).n_unique()
    if doubled:
        return Answer(
            "note",
            doubled,
            what,
            f"{wide.height} rules have {wide.height - doubled} different sets of figures",
            "count rules that stop alike once",
        )
    return Answer("pass", 0, what, f"all {wide.height} rules have figures of their own")


CHECKS: Mapping[str, Callable[[RulesTable], Answer]] = {
    "picked-on-final": _picked_on_final,
    "optimism": _optimism,
    "ties": _ties,
    "rank-agreement": _rank_agreement,
    "front-agreement": _front_agreement,
    "dominated": _dominated,
    "duplicate-behaviours": _duplicates,
}


def audit_table(table: RulesTable) -> tuple[Finding, ...]:
    """Run the checks that need no trajectories."""
    return tuple(Finding(check=name, **vars(check(table))) for name, check in CHECKS.items())
