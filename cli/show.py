"""Results as tables that a person can read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..analysis.verdict import in_percent
from ..trajectories.table import Trajectories

if TYPE_CHECKING:
    from .searching import Found  # loaded by those who search: `stoprule replay` starts without it

FRONT_SHOWN = 12
WIDE = 120


def plain_console() -> Console:
    """Standard output, wrapped at the terminal's width, or at a wide one where there is no terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDE  # a file has no edge to wrap at
    return console


def plain_table(title: str, columns: Iterable[str]) -> Table:
    """A table whose first column is text and whose others are numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", pad_edge=False)
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i == 0 else "right", overflow="fold")
    return table


def show_exploratory(console: Console, content: Mapping[str, Any]) -> None:
    """Why the figures of a final split are no confirmation, as evaluation and audit carry it."""
    for mark in content["marks"]:
        console.print(f"- exploratory: {escape(mark)}")
    for reason in content["reasons"]:
        if reason not in content["marks"]:
            console.print(f"- exploratory, looked again: {escape(reason)}")


def show_table(file: Path, summary: Mapping[str, Any]) -> None:
    """What `check` found in a sound table."""
    console = plain_console()
    cells = summary["cells"]
    rounds = summary["rounds"]
    console.print(
        f"[bold]{escape(str(file))}[/] is sound: {summary['questions']:,} questions"
        + (f" in {len(cells)} cells ({escape(', '.join(cells))})" if cells else "")
        + f", {summary['trajectories']:,} trajectories of {_span(rounds['fewest'], rounds['most'])} rounds"
    )
    if summary["answers_missing"] is not None:
        console.print(f"answers missing or empty after normalising: {summary['answers_missing']:,}")
    signals = plain_table("signals", ("signal", "missing", "distinct values", "kind"))
    for name, entry in summary["signals"].items():
        signals.add_row(
            escape(name),
            f"{entry['missing']:,}",
            f"{entry['distinct']:,}",
            "Boolean" if entry["boolean"] else "number",
        )
    console.print(signals)
    most = rounds["most"]
    shown = range(1, most + 1) if most <= FRONT_SHOWN else [1, most // 2, most]
    outcomes = plain_table(
        "mean outcome of the trajectories that have the round", ("outcome", *(f"round {r}" for r in shown))
    )
    for name, means in summary["outcomes"].items():
        outcomes.add_row(escape(name), *(f"{means[r - 1]:.4f}" for r in shown))
    console.print(outcomes)


def show_replay(summary: Mapping[str, Any], t: Trajectories) -> None:
    """One rule, macro and by cell."""
    console = plain_console()
    scale = 100.0 if in_percent(t) else 1.0
    console.print(f"[bold]{escape(summary['rule'])}[/]  ({summary['id']})")
    table = plain_table("", ("", "n", t.roles.quality, t.roles.cost or "cost", "calls", "fired", "exhausted"))
    scopes = {"macro" if summary["cells"] else "all": summary, **summary["cells"]}
    for name, scope in scopes.items():
        table.add_row(
            escape(name),
            f"{scope['n']:,}",
            f"{scope['quality'] * scale:.4f}",
            f"{scope['cost']:.4f}",
            f"{scope['calls']:.4f}",
            f"{scope['fired']:,}",
            f"{scope['exhausted']:,}",
        )
    console.print(table)
    stops = plain_table("stop rounds", ("", *summary["stop_rounds"]))
    for name, scope in scopes.items():
        counts = scope["stop_rounds"]
        stops.add_row(escape(name), *(f"{counts.get(r, 0):,}" for r in summary["stop_rounds"]))
    console.print(stops)


def show_search(found: Found) -> None:
    """What was tried, the front, and the rule that was locked."""
    console = plain_console()
    scale = 100.0 if found.percent else 1.0
    quality, cost = found.names
    groups = ", ".join(f"{side} {count:,}" for side, count in found.split.items())
    console.print(
        f"groups: {groups}\n{found.result.tried:,} rules tried, {found.result.distinct:,} distinct behaviours,"
        f" {len(found.front):,} on the front"
    )
    for note in found.notes:
        console.print(f"note: {escape(note)}")
    rows: list[tuple[str, Mapping[str, Any]]] = [
        ("locked", found.chosen),
        *(("baseline", row) for row in found.baselines.iter_rows(named=True)),
        *(("front", row) for row in thinned(found.front.sort("cost").to_dicts())),
    ]
    columns = ("", "rule", quality, cost, *(("calls",) if cost != "calls" else ()))
    table = plain_table("selection split" if found.certificate is None else "choosing third", columns)
    table.columns[1].justify = "left"
    previous = "locked"
    for kind, row in rows:
        if kind != previous:
            table.add_section()
        previous = kind
        table.add_row(
            kind,
            escape(row.get("name") or row["rule"]),
            f"{row['quality'] * scale:.2f}" if found.percent else f"{row['quality']:.4f}",
            f"{row['cost']:.3f}",
            *((f"{row['calls']:.3f}",) if cost != "calls" else ()),
        )
    console.print(table)
    if len(found.front) > FRONT_SHOWN:
        console.print(f"(the front thinned to {FRONT_SHOWN} of {len(found.front)}; all of it is in front.csv)")
    console.print(escape(str(found.volume)))
    for line in () if found.certificate is None else found.certificate.sentences():
        console.print(f"- {escape(line)}")
    console.print(f"locked: [bold]{escape(found.chosen['rule'])}[/]")


def thinned(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """At most so many rows, evenly spaced, the ends among them."""
    if len(rows) <= FRONT_SHOWN:
        return list(rows)
    last = FRONT_SHOWN - 1
    return [rows[round(i * (len(rows) - 1) / last)] for i in range(FRONT_SHOWN)]


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
