"""`stoprule audit --table`: the checks of a table of rules that has no trajectories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..analysis.audit.figure_columns import figure_columns, rule_figures
from ..analysis.audit.findings import VERDICTS, worst
from ..analysis.audit.rules_table import rules_table
from ..analysis.audit.table_checks import audit_table
from ..trajectories.sources import open_source

ORACLES = ("oracle",)


def audit_rules_table(
    file: Path,
    columns: Mapping[str, str | None],
    *,
    locked: str | None = None,
    max_cost: float | None = None,
    aside: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Audit a table of rules with their figures.

    Parameters
    ----------
    file : Path
        CSV, Parquet and what else trajectories are read from.
    columns : role -> column or None
        As `figure_columns` takes them.
    locked : str, optional
    max_cost : float, optional
    aside : sequence of str, optional
        Rules that cannot be deployed; "oracle" by default.

    Returns
    -------
    dict
        table (file name), columns (what was taken for what), rules, rule, verdict, counts, checks.

    Raises
    ------
    StopruleError
        When the file cannot be read, a column is not there, a figure is none, or no rule is within the budget.
    """
    source = open_source(file)
    roles = figure_columns(source.columns, source.name, **columns)
    left_out = tuple(ORACLES if aside is None else aside)
    table = rules_table(rule_figures(source, roles), locked=locked, max_cost=max_cost, aside=left_out)
    findings = audit_table(table)
    counts = Counter(each.verdict for each in findings)
    return {
        "table": file.name,
        "columns": roles.to_dict(),
        "rules": table.macro.height,
        "rule": table.chosen,
        "verdict": worst(findings),
        "counts": {verdict: counts[verdict] for verdict in VERDICTS},
        "reasons": [],
        "marks": [],
        "checks": [each.to_dict() for each in findings],
    }
