"""The remaining tables: the audit, the signals, what to do it again with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from ..audit.findings import NOT_RUN, VERDICTS
from .material import Content, Material
from .tables import Entry, Table, code, number, table, text


def audit_table(audit: Content) -> Table:
    """Every check that ran, the gravest first."""
    ran = [each for each in audit["checks"] if each["what"] != NOT_RUN]
    ran.sort(key=lambda each: -VERDICTS.index(each["verdict"]))
    return table(
        "Checks of the audit",
        ("verdict", "check", "figure", "of", "what it says", "what to do"),
        (
            [
                Entry(each["verdict"], VERDICTS.index(each["verdict"]), "verdict"),
                text(each["check"]),
                number(each["figure"]),
                text(each["what"]),
                text(each["cause"]),
                text("" if each["verdict"] == "pass" else each["remedy"]),
            ]
            for each in ran
        ),
    )


def not_run(audit: Content) -> list[str]:
    """Checks that lacked something, each with its reason."""
    return [f"{each['check']}: {each['cause']}" for each in audit["checks"] if each["what"] == NOT_RUN]


def whole_signals(signals: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of signals.csv over all rounds and cells, the strongest first."""
    whole = signals.filter(pl.col("round").is_null() & pl.col("cell").is_null())
    return sorted(whole.iter_rows(named=True), key=lambda each: (-_strength(each), each["signal"]))


def _strength(each: Content) -> float:
    auroc = each["auroc"]
    return -1.0 if auroc is None or math.isnan(auroc) else abs(auroc - 0.5)


FIGURES = {
    "Spread": {
        "n": "rows",
        "missing": "missing",
        "distinct": "distinct",
        "mode_share": "share of the mode",
        "entropy": "entropy, nats",
        "entropy_share": "of its maximum",
    },
    "Separation": {
        "auroc": "AUROC",
        "average_precision": "average precision",
        "cohens_d": "Cohen's d",
        "ks": "KS",
        "rank_correlation": "rank correlation",
        "mean_difference": "difference of means, own unit",
    },
    "Calibration": {
        "brier": "Brier",
        "ece": "ECE",
        "calibrated_brier": "Brier, calibrated",
        "calibrated_ece": "ECE, calibrated",
        "isotonic_levels": "levels left",
        "clipped": "rows clipped",
    },
}


def signals_tables(rows: list[dict[str, Any]]) -> list[Table]:
    """Spread, separation and calibration of each signal; a column that is missing throughout is left out."""
    return [_signals_table(title, columns, rows) for title, columns in FIGURES.items()]


def _signals_table(title: str, columns: Mapping[str, str], rows: list[dict[str, Any]]) -> Table:
    shown = {key: name for key, name in columns.items() if any(each.get(key) is not None for each in rows)}
    return table(
        f"{title} of the signals",
        ("signal", *shown.values()),
        ([text(each["signal"]), *(number(each[key], ".3g") for key in shown)] for each in rows),
        "" if title != "Separation" else "Unit-free measures compare signals; the difference of means does not.",
    )


def by_round_table(signals: pl.DataFrame) -> Table:
    """AUROC of every signal by round."""
    rows = signals.filter(pl.col("round").is_not_null() & pl.col("cell").is_null())
    rounds = sorted(rows["round"].unique().to_list())
    found = {(name, r): auroc for name, r, auroc in rows.select("signal", "round", "auroc").iter_rows()}
    return table(
        "AUROC by round",
        ("signal", *(f"round {r}" for r in rounds)),
        (
            [text(name), *(number(found.get((name, r)), ".3f") for r in rounds)]
            for name in sorted({name for name, _ in found})
        ),
    )


def plateau_table(material: Material) -> Table:
    """For each cut of the locked rule, the interval of cuts that behave alike on the selection split."""
    return table(
        "Cuts that behave alike on the selection split",
        ("cut", "from", "to"),
        (
            [
                code(each["atom"]),
                _bound(each["low"], each["low_closed"]),
                _bound(each["high"], each["high_closed"]),
            ]
            for each in material.lock.content["plateaus"]
        ),
        "With several cuts: each of them while the others stay.",
    )


def tested_table(material: Material) -> Table:
    """The rules that a guarantee tested, in their order; no row under another policy."""
    guarantee = material.lock.content.get("guarantee") or {"tested": [], "constraints": []}
    losses = [
        f"mean loss of {each['outcome']}" + ("" if each["cell"] is None else f" in {each['cell']}")
        for each in guarantee["constraints"]
    ]
    return table(
        "Rules tested on the certifying groups",
        ("rule", "p", *losses, ""),
        (
            [
                code(each["rule"]),
                number(each["p"]),
                *(number(one["mean_loss"]) for one in each["by_constraint"]),
                text("passed" if each["passed"] else "did not pass"),
            ]
            for each in guarantee["tested"]
        ),
        "The best on the groups that chose first, until one does not pass; the last that passed is locked.",
    )


def _bound(value: float | str, closed: bool) -> Entry:
    """An end of an interval; infinite ones are texts in the lock."""
    at = float(value)
    return Entry(f"{at:.6g} {'included' if closed else 'excluded'}", at, "number")


def fingerprint_table(material: Material) -> Table:
    """What has to come out again."""
    lock, split = material.lock.content, material.lock.content["split"]
    entries = {
        "lock (sha256)": lock["sha256"],
        "rule id": lock["id"],
        "selection rows": split["selection_rows"],
        "final ids": split["final_ids"],
    }
    if material.evaluation is not None:
        entries["final rows"] = material.evaluation["final_rows"]
    for each in lock["calibrators"]:
        entries[f"{each['name']} fitted on"] = each["fitted_on"]
    return table("Fingerprints", ("of", "value"), ([text(name), code(value)] for name, value in entries.items()))


def looks_table(material: Material) -> Table:
    """Every lock and every opening of the final split, without their times."""
    return table(
        "The look log",
        ("entry", "lock", "reason", "chain"),
        (
            [
                text(f"{each.kind} {each.number}"),
                code(each.lock[:12]),
                text(each.reason),
                code(each.chain[:12]),
            ]
            for each in material.looks
        ),
        "A look is one opening of the final split; every line is chained to the one before.",
    )


def versions_table(material: Material) -> Table:
    """The libraries that the search ran with."""
    versions = material.lock.content["versions"]
    return table("Versions", ("library", "version"), ([text(name), code(value)] for name, value in versions.items()))
