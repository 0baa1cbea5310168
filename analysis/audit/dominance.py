"""dominated: rules of the selection front with more quality at no more cost on the final split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...enumerate.replay import replay
from ...rules.expression import Rule
from ...trajectories.table import Bools, Floats, Trajectories
from ..bootstrap import Strata, strata
from ..differences import MatrixDifferences
from ..simultaneous import simultaneous
from .choice import figures_of
from .evidence import Evidence
from .findings import Answer, not_run

ALPHA = 0.05
SEED = 42


def dominance(rule: Rule, rivals: Sequence[Rule], t: Trajectories) -> dict[str, Any]:
    """Which rivals dominate a rule on a table.

    Returns
    -------
    dict
        raw: rivals with at least its quality at no more cost, and one of them better. certain: those for which
        one-sided 95% bounds say so that hold for all rivals and both objectives at once.
    """
    rules = [rule, *(each for each in rivals if each != rule)]
    figures = figures_of(rules, t)
    quality, cost = figures["quality"].to_numpy(), figures["cost"].to_numpy()
    raw = (quality >= quality[0]) & (cost <= cost[0]) & ((quality > quality[0]) | (cost < cost[0]))
    certain = np.zeros(len(rules), dtype=bool)
    if raw.any():
        units = strata(t.cell, t.group)
        stopped = [replay(each, t) for each in rules]
        bounds = simultaneous(
            _differences([each.quality for each in stopped], units),
            _differences([each.cost for each in stopped], units),
            units.sizes,
            alpha=ALPHA,
            seed=SEED,
            one_sided=True,
        )
        low, high = bounds.quality.low, bounds.cost.high
        certain[1:] = (low >= 0) & (high <= 0) & ((low > 0) | (high < 0))
    return {"raw": _texts(rules, raw), "certain": _texts(rules, certain)}


def _differences(values: Sequence[Floats], units: Strata) -> MatrixDifferences:
    """What each but the first differs from the first, so that the mean over the groups is the macro difference."""
    own = values[0]
    return MatrixDifferences([np.stack([units.contributions(each - own) for each in values[1:]]) * len(units.groups)])


def _texts(rules: Sequence[Rule], marked: Bools) -> list[str]:
    return [str(rules[i]) for i in np.flatnonzero(marked).tolist()]


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
