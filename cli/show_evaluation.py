"""An evaluation as tables that a person can read, then what it says in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .show import plain_console, plain_table, show_exploratory, thinned

Content = Mapping[str, Any]


@dataclass(frozen=True)
class Printed:
    """How qualities are printed: fractions that are percentages x100."""

    scale: float
    digits: int

    def quality(self, estimate: Content, sign: str = "") -> str:
        """A quality or a difference, with its interval below."""
        return interval(estimate, self.scale, self.digits, sign)


def show_evaluation(content: Content) -> None:
    """The locked rule on the final split beside its baselines, then what that says in words."""
    console = plain_console()
    printed = Printed(100.0, 2) if content["percent"] else Printed(1.0, 4)
    console.print(f"locked: [bold]{escape(content['rule'])}[/], on the final split")
    for name, scope in {"macro" if content["cells"] else "final split": content, **content["cells"]}.items():
        _show_scope(console, name, scope, content, printed)
    _show_depths(console, content, printed)
    _show_outcomes(console, content)
    _show_breakdown(console, content, printed)
    _show_transfer(console, content, printed)
    _show_learned(console, content, printed)
    _show_costs(console, content)
    for line in (*content["notes"], *content["verdicts"]):
        console.print(f"- {escape(line)}")
    if content["repeat"]:
        console.print("- this lock was evaluated before: the look is logged as a repeat")
    show_exploratory(console, content)


def _show_scope(console: Console, name: str, scope: Content, content: Content, printed: Printed) -> None:
    cost = content["cost_name"]
    table = plain_table(
        f"{name}: {scope['n']:,} trajectories, {scope['groups']:,} groups, 95% intervals",
        ("rule", content["quality_name"], cost, "difference", "p (Holm)", "retention", f"{cost} ratio"),
    )
    locked = scope["intervals"]
    table.add_row("[bold]locked[/]", printed.quality(locked["quality"]), interval(locked["cost"], 1.0, 3), *([""] * 4))
    for other, figures in scope["baselines"].items():
        against = scope["comparisons"][other]
        table.add_row(
            f"vs {escape(other)}",
            printed.quality(figures["intervals"]["quality"]),
            interval(figures["intervals"]["cost"], 1.0, 3),
            printed.quality(against["quality_difference"], sign="+"),
            _tested(against) if against["deployable"] else "",
            interval(against["retention"], 1.0, 3),
            interval(against["cost_ratio"], 1.0, 3),
        )
    console.print(table)


def _show_depths(console: Console, content: Content, printed: Printed) -> None:
    table = plain_table(
        "the rule against every fixed depth (* chosen by its policy on the selection split)",
        ("fixed", content["quality_name"], content["cost_name"], "difference", "p (Holm)"),
    )
    for each in thinned(content["depths"]):
        table.add_row(
            f"{each['k']}{' *' if each['comparator'] else ''}",
            printed.quality(each["quality"]),
            interval(each["cost"], 1.0, 3),
            printed.quality(each["quality_difference"], sign="+"),
            _tested(each),
        )
    console.print(table)


def _show_outcomes(console: Console, content: Content) -> None:
    """Other outcomes, in their own unit, and what one more round would have done to them."""
    if not content["outcomes"]:
        return
    baselines = _deployable(content)
    title = f"other outcomes; {content['early_stops']['n']:,} early stops: better/same/worse with one more round"
    table = plain_table(title, ("outcome", "locked", *(f"vs {escape(name)}" for name in baselines), "one more round"))
    for outcome, figures in content["outcomes"].items():
        after = content["early_stops"]["outcomes"][outcome]["next"]
        table.add_row(
            escape(outcome),
            interval(figures["value"], 1.0, 4),
            *(interval(figures["baselines"][name]["difference"], 1.0, 4, sign="+") for name in baselines),
            "/".join(str(after[how]) for how in ("better", "same", "worse")),
        )
    console.print(table)


def _show_breakdown(console: Console, content: Content, printed: Printed) -> None:
    for column, levels in content["breakdown"].items():
        baselines = _deployable(content)
        table = plain_table(
            f"by {escape(column)}, macro",
            ("value", "groups", content["quality_name"], content["cost_name"], *(f"vs {escape(b)}" for b in baselines)),
        )
        for level in levels:
            table.add_row(
                escape(level["value"]) or "(missing)",
                f"{level['groups']:,}{' (small)' if level['small'] else ''}",
                printed.quality(level["quality"]),
                interval(level["cost"], 1.0, 3),
                *(printed.quality(level["baselines"][b]["quality_difference"], sign="+") for b in baselines),
            )
        console.print(table)


def _show_transfer(console: Console, content: Content, printed: Printed) -> None:
    """Rows: where a rule was chosen; columns: where it is used."""
    if content["transfer"] is None:
        return
    entries = content["transfer"]["entries"]
    used_in = list(dict.fromkeys(each["evaluated_in"] for each in entries))
    title = f"rules by cell, carried over: retention of {content['transfer']['reference']}; regret in quality"
    table = plain_table(title, ("chosen in", "rule", *(f"used in {escape(name)}" for name in used_in)))
    table.columns[1].justify = "left"
    for chosen_in in dict.fromkeys(each["locked_in"] for each in entries):
        row = [each for each in entries if each["locked_in"] == chosen_in]
        regrets = (each["quality_regret"] for each in row)
        table.add_row(
            escape(chosen_in),
            escape(row[0]["rule"]),
            *(
                f"{_figure(each['retention'], 1.0, '.3f')}; {_figure(regret, printed.scale, f'+.{printed.digits}f')}"
                for each, regret in zip(row, regrets, strict=True)
            ),
        )
    console.print(table)


def _show_learned(console: Console, content: Content, printed: Printed) -> None:
    """The frontier of the learned stopper, the point that was frozen for comparison marked."""
    if content["learned"] is None or content["learned"]["reason"] is not None:
        return
    table = plain_table(
        "learned stopper, by price (* frozen)",
        ("price", content["quality_name"], content["cost_name"]),
    )
    for i, point in enumerate(content["learned"]["frontier"]):
        table.add_row(
            f"{point['price']:.4g}{' *' if i == content['learned']['chosen'] else ''}",
            printed.quality(point["quality"]),
            interval(point["cost"], 1.0, 3),
        )
    console.print(table)


def _show_costs(console: Console, content: Content) -> None:
    """What the cost model derives, a question, and the share of each baseline's."""
    if content["costs"] is None:
        return
    table: Table | None = None
    for name, figures in content["costs"].items():
        if table is None:
            against = (f"of {escape(other)}" for other in figures["baselines"])
            table = plain_table("cost model, mean of a question", ("", "locked", *against))
        table.add_row(
            f"{name} ({escape(figures['unit'])})",
            _short(figures["value"], 1.0),
            *(f"{_short(other['ratio'], 100.0)}%" for other in figures["baselines"].values()),
        )
    if table is not None:
        console.print(table)


def _short(estimate: Content, scale: float) -> str:
    """Four significant digits, whatever the unit."""
    if estimate["value"] is None:
        return "-"
    value = f"{estimate['value'] * scale:.4g}"
    if estimate["degenerate"] or estimate["low"] is None:
        return value
    return f"{value} [{estimate['low'] * scale:.4g}, {estimate['high'] * scale:.4g}]"


def _figure(estimate: Content | None, scale: float, form: str) -> str:
    return "-" if estimate is None or estimate["value"] is None else f"{estimate['value'] * scale:{form}}"


def _deployable(content: Content) -> list[str]:
    return [name for name, one in content["baselines"].items() if one["deployable"]]


def _tested(against: Content) -> str:
    """The p-value, and Holm's below it where the comparison is one of the family."""
    own = f"{against['p']:.2g}"
    return own if against["p_holm"] is None else f"{own}\n({against['p_holm']:.2g})"


def interval(estimate: Content, scale: float, digits: int, sign: str = "") -> str:
    """A figure with its interval below; a dash where it is undefined."""
    if estimate["value"] is None:
        return "-"
    value = f"{estimate['value'] * scale:{sign}.{digits}f}"
    if estimate["degenerate"] or estimate["low"] is None:
        return value
    return f"{value}\n[{estimate['low'] * scale:.{digits}f}, {estimate['high'] * scale:.{digits}f}]"
