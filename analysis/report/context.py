"""What each section of the page says, from the artefacts of a search."""

from __future__ import annotations

import base64
import math
import shlex
from collections.abc import Mapping
from typing import Any

from ...rules.text import parse
from ..baselines import FIRST_RIGHT, ORACLE, label
from .captions import caption
from .charts import frontier_chart, signals_chart, stops_chart
from .final import comparison_table, final_tables, questions_table, stops_table
from .front import Row, front_rows, front_table, macro_points
from .material import Material
from .other import (
    audit_table,
    by_round_table,
    fingerprint_table,
    looks_table,
    not_run,
    plateau_table,
    signals_tables,
    tested_table,
    versions_table,
    whole_signals,
)
from .words import policy_in_words, rule_in_words, searched_in_words

PICTURE_BYTES = 1_200_000  # of all pictures together, before they are written as text


def context(material: Material) -> dict[str, Any]:
    """The variables of the page's template; ``data`` is what its script reads."""
    lock, units = material.lock, material.units
    rows = front_rows(material)
    data: dict[str, Any] = {
        "units": {
            "quality": units.quality_label,
            "cost": units.cost,
            "digits": units.digits,
        },
        "budget": _budget(material, rows),
        "rows": rows,
        "charts": {"frontier": frontier_chart(material.candidates, rows, _marked(material, rows), units)},
    }
    sections: dict[str, Any] = {
        "lock": {"guarantee": None, **lock.content},
        "roles": lock.roles,
        "units": units,
        "words": rule_in_words(lock.rule),
        "policy": policy_in_words(lock.content["policy"], units.quality, units.cost),
        "searched": searched_in_words(material.search),
        "calibrators": lock.content["calibrators"],
        "baselines": [label(parse(text)) for text in lock.content["baselines"]],
        "tested": tested_table(material),
        "plateaus": plateau_table(material),
        "front": front_table(material, rows),
        "candidates": len(material.candidates),
        "budget": data["budget"],
        "kept_cells": material.stopping is not None,
        "marks": material.marks,
        "study": material.study,
        "overrides": list(material.overrides),
        "fingerprints": fingerprint_table(material),
        "looks": looks_table(material),
        "versions": versions_table(material),
        "pictures": (pictures := _pictures(material)),
        "left_out": len(material.pictures) - len(pictures),
        "is_dense": "cost_to" in data["charts"]["frontier"]["datasets"]["cloud"][0],
        "data_stability": any(row["stability"] is not None for row in rows),
        "commands": _commands(material),
        **_final(material, data["charts"]),
        **_signals(material, data["charts"]),
        **_audit(material),
    }
    return {**sections, "has_signals_chart": "signals" in data["charts"], "data": data}


def _marked(material: Material, rows: list[Row]) -> list[dict[str, Any]]:
    """What the front is compared with on the selection split, and the locked rule where it is not on the front."""
    points = macro_points(material)
    names = {text: label(parse(text)) for text in material.lock.content["baselines"]}
    names |= {name: name for name in (ORACLE, FIRST_RIGHT)}
    if not any(row["locked"] for row in rows):
        names[str(material.lock.rule)] = "locked"
    return [
        {"name": name, "rule": text, **dict(zip(("quality", "cost", "calls"), points[text], strict=True))}
        for text, name in names.items()
        if text in points
    ]


def _budget(material: Material, rows: list[Row]) -> Mapping[str, float]:
    """The slider: from the cheapest to the dearest rule, in steps of a round number; it starts at the lock's budget."""
    asked = material.lock.content["policy"].get("max_cost")
    low, high = rows[0]["cost"], max(rows[-1]["cost"], asked or 0.0)
    step = 10.0 ** _exponent((high - low) / 100)
    least, most = step * -(-low // step), step * -(-high // step)
    if asked is None:
        asked = next((step * -(-row["cost"] // step) for row in rows if row["locked"]), high)
    found = {"min": least, "max": max(most, least + step), "step": step, "start": min(max(asked, least), most)}
    return {name: float(f"{value:.10g}") for name, value in found.items()}


def _exponent(value: float) -> int:
    return math.floor(math.log10(value)) if value > 0 else -2


def _commands(material: Material) -> list[str]:
    """The commands that made the folder, as a shell takes them."""
    given = "".join(f" --set {shlex.quote(each)}" for each in material.overrides)
    commands = [f"stoprule search study.toml --out DIR{given}"]
    if material.evaluation is not None:
        marked = " --allow-calibrated-on-final" if material.evaluation["marks"] else ""
        commands.append(f"stoprule evaluate DIR{marked}")
    if material.audit is not None:
        commands.append("stoprule audit DIR")
    return [*commands, "stoprule report DIR"]


def _final(material: Material, charts: dict[str, Any]) -> dict[str, Any]:
    """What the look at the final split showed; `final` is None before it."""
    content, units = material.evaluation, material.units
    if content is None:
        return {"final": None}
    counts = {
        "locked rule": content["stop_rounds"],
        f"{ORACLE} (hindsight)": content["baselines"][ORACLE]["stop_rounds"],
    }
    charts["stops"] = stops_chart(counts, "trajectories")
    cells = content["cells"]
    return {
        "final": content,
        "main_table": comparison_table("Macro over cells" if cells else "The final split", content, units),
        "stops": stops_table(counts, cells),
        "cell_tables": [comparison_table(f"Cell {name}", scope, units) for name, scope in cells.items()],
        "final_tables": final_tables(content, units),
        "questions": None if material.stops is None else questions_table(material.stops, units),
    }


def _signals(material: Material, charts: dict[str, Any]) -> dict[str, Any]:
    if material.signals is None or material.signals.is_empty():
        return {"signals": None}
    rows = whole_signals(material.signals)
    keys = ("signal", "auroc", "auroc_low", "auroc_high")
    known = [{key: each[key] for key in keys} for each in rows if all(each[key] is not None for key in keys[1:])]
    if known:
        charts["signals"] = signals_chart(known)
    return {
        "signals": signals_tables(rows),
        "sentences": [each["sentence"] for each in rows],
        "by_round": by_round_table(material.signals),
        "target": rows[0]["target"],
    }


def _audit(material: Material) -> dict[str, Any]:
    if material.audit is None:
        return {"audit": None}
    return {"audit": material.audit, "checks": audit_table(material.audit), "idle": not_run(material.audit)}


def _pictures(material: Material) -> list[dict[str, str]]:
    """The pictures that fit, each with what it shows."""
    shown, left = [], PICTURE_BYTES
    for each in material.pictures:
        if len(each.content) <= left:
            left -= len(each.content)
            source = f"data:{each.media};base64,{base64.b64encode(each.content).decode()}"
            shown.append({"name": each.name, "source": source, "caption": caption(each.name.rpartition(".")[0])})
    return shown
