"""The audit as a table that a person can read."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from rich.markup import escape

from ..analysis.audit.findings import NOT_RUN
from .show import plain_console, plain_table, show_exploratory

STYLES = {"pass": "green", "note": "cyan", "warn": "yellow", "fail": "bold red"}


def show_audit(content: Mapping[str, Any]) -> None:
    """Every check, the gravest first, then what every artefact carries."""
    console = plain_console()
    if "table" in content:
        taken = ", ".join(f"{role} = {column}" for role, column in content["columns"].items() if column is not None)
        console.print(f"{escape(content['table'])}: {content['rules']:,} rules; columns: {escape(taken)}")
    table = plain_table(f"audit of {escape(content['rule'] or 'no rule')}", ("check", "verdict", "figure", ""))
    table.columns[3].justify = "left"
    gravest_first = sorted(content["checks"], key=lambda each: -list(STYLES).index(each["verdict"]))
    idle = [each for each in gravest_first if each["what"] == NOT_RUN]
    for each in gravest_first:
        if each in idle:
            continue
        style = STYLES[each["verdict"]]
        remedy = "" if each["verdict"] == "pass" else f"\n[dim]{escape(each['remedy'])}[/]"
        table.add_row(
            each["check"], f"[{style}]{each['verdict']}[/]", _figure(each["figure"]), escape(each["cause"]) + remedy
        )
    console.print(table)
    for reason, checks in groupby(idle, key=lambda each: (each["cause"], each["remedy"])):
        console.print(f"not run, as {escape(reason[0])}: {', '.join(each['check'] for each in checks)}; {reason[1]}")
    counts = ", ".join(f"{number} {verdict}" for verdict, number in content["counts"].items() if number)
    console.print(f"audit: [bold]{content['verdict']}[/] ({counts})")
    show_exploratory(console, content)


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
