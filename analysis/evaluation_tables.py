"""The tables of an evaluation: cells by rules, differences, transfer and breakdown; and all of it unrounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from .tables import Table

if TYPE_CHECKING:
    import polars as pl

LOCKED = "locked"
TESTED = ("p", "p_holm", "wins", "ties", "losses")

Content = Mapping[str, Any]


def evaluation_tables(content: Content) -> dict[str, Table]:
    """Every table that an evaluation has, by name.

    Parameters
    ----------
    content : mapping
        What evaluation.json holds.
    """
    tables = {
        "cells": cells_by_rules(content),
        "differences": differences(content),
        "transfer": transfer_table(content),
        "breakdown": breakdown_table(content),
    }
    return {name: table for name, table in tables.items() if table is not None}


def cells_by_rules(content: Content) -> Table:
    """Quality with its interval, and cost, of the locked rule and its baselines in every cell and macro.

    Parameters
    ----------
    content : mapping
        What evaluation.json holds.
    """
    scopes = {**content["cells"], "macro" if content["cells"] else "all": content}
    names = list(content["baselines"])
    return Table(
        caption=f"{LOCKED}: {content['rule']}; final split, 95% intervals",
        stub="cell",
        groups=(
            ("n", ("",)),
            *((name, (content["quality_name"], content["cost_name"])) for name in (LOCKED, *names)),
        ),
        rows=tuple(
            (
                name,
                f"{scope['n']:,}",
                *chain.from_iterable(
                    (_quality(content, one["intervals"]["quality"]), _number(one["intervals"]["cost"], 1.0, 2))
                    for one in (scope, *(scope["baselines"][each] for each in names))
                ),
            )
            for name, scope in scopes.items()
        ),
    )


def differences(content: Content) -> Table:
    """The locked rule against every baseline, macro: difference, tests, won and lost, retention, cost ratio."""
    return Table(
        caption=f"{content['rule']} against its baselines; final split, macro, 95% intervals",
        stub="against",
        groups=tuple(
            (name, ("",))
            for name in (
                f"difference in {content['quality_name']}",
                "p",
                "p (Holm)",
                "won / tied / lost",
                "retention",
                f"{content['cost_name']} ratio",
            )
        ),
        rows=tuple(
            (
                name,
                _quality(content, one["quality_difference"], sign="+"),
                _p(one["p"] if one["deployable"] else None),
                _p(one["p_holm"]),
                f"{one['wins']} / {one['ties']} / {one['losses']}",
                _interval(one["retention"], 1.0, 3),
                _interval(one["cost_ratio"], 1.0, 3),
            )
            for name, one in content["comparisons"].items()
        ),
    )


def transfer_table(content: Content) -> Table | None:
    """Retention and regret of every cell's rule in every cell; None without a transfer."""
    if content["transfer"] is None:
        return None
    entries = content["transfer"]["entries"]
    used_in = list(dict.fromkeys(one["evaluated_in"] for one in entries))
    chosen_in = list(dict.fromkeys(one["locked_in"] for one in entries))
    return Table(
        caption=(
            f"rules by the cell that chose them, used in every cell: retention of {content['transfer']['reference']}, "
            f"regret in {content['quality_name']} against the cell's own rule"
        ),
        stub="chosen in",
        groups=(("rule", ("",)), *((name, ("retention", "regret")) for name in used_in)),
        rows=tuple(
            (
                chosen,
                next(one["rule"] for one in entries if one["locked_in"] == chosen),
                *chain.from_iterable(
                    (_interval(one["retention"], 1.0, 3), _quality(content, one["quality_regret"], sign="+"))
                    for one in entries
                    if one["locked_in"] == chosen
                ),
            )
            for chosen in chosen_in
        ),
    )


def breakdown_table(content: Content) -> Table | None:
    """Quality and cost by label, and the difference to every baseline; None without a breakdown."""
    levels = [(column, level) for column, some in content["breakdown"].items() for level in some]
    if not levels:
        return None
    names = [name for name, one in content["baselines"].items() if one["deployable"]]
    return Table(
        caption=f"{content['rule']} by label; final split, macro, 95% intervals; * fewer than 30 groups",
        stub="label",
        groups=tuple(
            (name, ("",)) for name in ("groups", content["quality_name"], content["cost_name"], *map(_against, names))
        ),
        rows=tuple(
            (
                f"{column} = {level['value'] or '(missing)'}",
                f"{level['groups']:,}{' *' if level['small'] else ''}",
                _quality(content, level["quality"]),
                _interval(level["cost"], 1.0, 2),
                *(_quality(content, level["baselines"][name]["quality_difference"], sign="+") for name in names),
            )
            for column, level in levels
        ),
    )


def long_frame(content: Content) -> pl.DataFrame:
    """One row a cell and rule, unrounded, for programs.

    Columns: cell ("" for macro), rule, deployable, n, groups, fired, exhausted; quality, cost and calls, each with
    _low and _high; against the baseline of the row, null in the locked rule's own: quality_difference, retention
    and cost_ratio with _low and _high, p, p_holm, wins, ties, losses.
    """
    import polars as pl

    rows = []
    for cell, scope in {"": content, **content["cells"]}.items():
        against = ((name, one, scope["comparisons"][name]) for name, one in scope["baselines"].items())
        for name, one, compared in ((content["rule"], {**scope, "deployable": True}, None), *against):
            rows.append(
                {
                    "cell": cell,
                    "rule": name,
                    "deployable": one["deployable"],
                    "n": scope["n"],
                    "groups": scope["groups"],
                    "fired": one["fired"],
                    "exhausted": one["exhausted"],
                    **_ends(one["intervals"], ("quality", "cost", "calls")),
                    **_ends(compared, ("quality_difference", "retention", "cost_ratio")),
                    **{key: None if compared is None else compared[key] for key in TESTED},
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def _ends(figures: Content | None, names: Sequence[str]) -> dict[str, float | None]:
    return {
        f"{name}{suffix}": None if figures is None else figures[name][end]
        for name in names
        for suffix, end in (("", "value"), ("_low", "low"), ("_high", "high"))
    }


def _quality(content: Content, estimate: Content | None, sign: str = "") -> str:
    scale, digits = (100.0, 1) if content["percent"] else (1.0, 4)
    return _interval(estimate, scale, digits, sign)


def _interval(estimate: Content | None, scale: float, digits: int, sign: str = "") -> str:
    value = _number(estimate, scale, digits, sign)
    if estimate is None or estimate["low"] is None or estimate["degenerate"]:
        return value
    return f"{value} [{estimate['low'] * scale:.{digits}f}, {estimate['high'] * scale:.{digits}f}]"


def _number(estimate: Content | None, scale: float, digits: int, sign: str = "") -> str:
    return "-" if estimate is None or estimate["value"] is None else f"{estimate['value'] * scale:{sign}.{digits}f}"


def _p(p: float | None) -> str:
    return "-" if p is None else f"{p:.2g}"


def _against(name: str) -> str:
    return f"vs {name}"
