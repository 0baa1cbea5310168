"""Tables for papers and pages: Markdown, LaTeX (booktabs) and HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of text whose columns stand in named groups.

    Attributes
    ----------
    caption : str
    stub : str
        Heading of the first column, which names the rows.
    groups : tuple of (name, columns)
        Headings over headings; a group of one nameless column has but its name.
    rows : tuple of tuple of str
        The name of the row, then an entry for every column.
    """

    caption: str
    stub: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    rows: tuple[tuple[str, ...], ...]


def markdown(table: Table) -> str:
    """A pipe table with its caption below; groups are written before their columns."""
    heads = [table.stub, *(_flat(group, column) for group, columns in table.groups for column in columns)]
    lines = [_piped(heads), _piped(["---", *["---:"] * (len(heads) - 1)]), *map(_piped, table.rows)]
    return "\n".join([*lines, "", table.caption.replace("|", r"\|"), ""])


def latex(table: Table) -> str:
    """A table for the package booktabs."""
    count = sum(len(columns) for _, columns in table.groups)
    over = [rf"\multicolumn{{{len(columns)}}}{{c}}{{{_tex(group)}}}" for group, columns in table.groups]
    below = [_tex(column) for _, columns in table.groups for column in columns]
    rules, at = [], 2
    for _, columns in table.groups:
        if len(columns) > 1:
            rules.append(rf"\cmidrule(lr){{{at}-{at + len(columns) - 1}}}")
        at += len(columns)
    heads = (
        [f" & {' & '.join(over)} \\\\", " ".join(rules), f"{_tex(table.stub)} & {' & '.join(below)} \\\\"]
        if rules
        else [f"{_tex(table.stub)} & {' & '.join(_tex(group) for group, _ in table.groups)} \\\\"]
    )
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_tex(table.caption)}}}",
            rf"\begin{{tabular}}{{l{'r' * count}}}",
            r"\toprule",
            *heads,
            r"\midrule",
            *(" & ".join(map(_tex, row)) + r" \\" for row in table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def html_table(table: Table) -> str:
    """A table element, headings with their scope."""
    grouped = any(columns != ("",) for _, columns in table.groups)
    first = [f'<th scope="col"{_span(2 if grouped else 1, "row")}>{html.escape(table.stub)}</th>']
    second = []
    for group, columns in table.groups:
        alone = columns == ("",)
        scope = "col" if alone else "colgroup"
        spans = _span(2 if grouped and alone else 1, "row") + _span(len(columns), "col")
        first.append(f'<th scope="{scope}"{spans}>{html.escape(group)}</th>')
        second += [] if alone else [f'<th scope="col">{html.escape(column)}</th>' for column in columns]
    body = (
        f'<tr><th scope="row">{html.escape(name)}</th>'
        f"{''.join(f'<td>{html.escape(entry)}</td>' for entry in entries)}</tr>"
        for name, *entries in table.rows
    )
    return "\n".join(
        [
            "<table>",
            f"<caption>{html.escape(table.caption)}</caption>",
            "<thead>",
            f"<tr>{''.join(first)}</tr>",
            *([f"<tr>{''.join(second)}</tr>"] if second else []),
            "</thead>",
            "<tbody>",
            *body,
            "</tbody>",
            "</table>",
            "",
        ]
    )


def _flat(group: str, column: str) -> str:
    return f"{group} {column}".strip()


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _tex(text: str) -> str:
    return re.sub(r"[\\~^<>|&%$#_{}]", lambda sign: LATEX_SPECIAL[sign[0]], text)


def _span(count: int, way: str) -> str:
    return f' {way}span="{count}"' if count > 1 else ""
