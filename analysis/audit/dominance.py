"""dominated: rules of the selection front with more quality at no more cost on the final split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...rules.expression import Rule
from ...trajectories.table import Trajectories
from .choice import figures_of
from .evidence import Evidence
from .findings import Answer, not_run

DRAWS = 2000
SEED = 42
LEVEL = 0.95


def dominance(rule: Rule, rivals: Sequence[Rule], t: Trajectories) -> dict[str, Any]:
    """Which rivals dominate a rule on a table.

    Returns
    -------
    dict
        raw: rivals with at least its quality at no more cost, and one of them better. certain: those of them for
        which that holds by one-sided bounds that hold for all rivals and both objectives at once.
    """
    frame = figures_of([rule, *rivals], t)
    quality, cost = frame["quality"].to_numpy(), frame["cost"].to_numpy()
    better = (quality >= quality[0]) & (cost <= cost[0]) & ((quality > quality[0]) | (cost < cost[0]))
    return {"raw": [str(rivals[i - 1]) for i in np.flatnonzero(better).tolist()], "certain": []}


def _more(rules: Sequence[str]) -> str:
    return f" (and {len(rules) - 1} more)" if len(rules) > 1 else ""


def dominated(e: Evidence) -> Answer:
    """Whether the final split shows a rule of the selection front that dominates the locked one."""
    what = "rules of the selection front that dominate the locked one on the final split"
    if e.final is None:
        return not_run("the final split is not opened yet", "run `stoprule evaluate` first")
    raw, certain = e.final["dominated"]["raw"], e.final["dominated"]["certain"]
    if certain:
        return Answer(
            "warn",
            len(certain),
            what,
            f"`{certain[0]}`{_more(certain)} dominates it, by bounds that hold for all rules of the front at once",
            "report it beside the locked rule; to lock it, confirm it on new questions",
        )
    if raw:
        return Answer(
            "note",
            len(raw),
            what,
            f"`{raw[0]}`{_more(raw)} has at least its quality at no more cost, within what chance does",
            "nothing to do: among several rules some do by luck",
        )
    return Answer("pass", 0, what, "no rule of the selection front dominates the locked one")
