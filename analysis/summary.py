"""A table or one rule in a few figures: what `check` and `replay` print."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..enumerate.figures import tally
from ..enumerate.ledger import ledger
from ..enumerate.replay import Replay
from ..trajectories.table import Trajectories


def replay_summary(replayed: Replay, t: Trajectories) -> dict[str, Any]:
    """One rule on a table: macro quality, cost and calls, counts over trajectories, and the same for each cell.

    Returns
    -------
    dict
        rule, id, n, quality, cost, calls, fired, exhausted, stop_rounds (round as text -> trajectories), cells
        (name -> the same keys; empty without a cell column).
    """
    cells = {name: _figures(replayed, t, np.flatnonzero(t.cell == name)) for name in t.named_cells}
    return {**_figures(replayed, t, np.arange(len(t))), "cells": cells}


def _figures(replayed: Replay, t: Trajectories, rows: np.ndarray[Any, np.dtype[np.intp]]) -> dict[str, Any]:
    own = t.take(rows)
    # R is "never fired" in the table's own count of rounds, which a cell may not reach
    states = np.where(replayed.fired[rows], replayed.state[rows], own.rounds)
    figures = tally(states[None, :], ledger(own))
    fired = int(figures.fired[0])
    stops = np.bincount(replayed.stop_round[rows], minlength=own.rounds + 1)[1:]
    return {
        "rule": str(replayed.rule),
        "id": replayed.rule.id,
        "n": len(own),
        "quality": float(figures.quality[0]),
        "cost": float(figures.cost[0]),
        "calls": float(figures.calls[0]),
        "fired": fired,
        "exhausted": len(own) - fired,
        "stop_rounds": {str(r): int(count) for r, count in enumerate(stops, start=1)},
    }


def table_summary(t: Trajectories) -> dict[str, Any]:
    """How much was recorded, and what is missing or never varies."""
    recorded = t.recorded
    signals = {}
    for name, values in sorted(t.signals.items()):
        known = values[recorded & ~np.isnan(values)]
        signals[name] = {
            "missing": int(recorded.sum()) - known.size,
            "distinct": int(np.unique(known).size),
            "boolean": name in t.booleans,
        }
    outcomes = {
        name: [float(values[t.length >= r, r - 1].mean()) for r in range(1, t.rounds + 1)]
        for name, values in t.outcomes.items()
    }
    return {
        "trajectories": len(t),
        "questions": len(set(t.question)),
        "groups": len(set(t.group)),
        "cells": list(t.named_cells),
        "rounds": {"fewest": int(t.length.min()), "most": t.rounds},
        "rows": int(recorded.sum()),
        "answers_missing": None if t.answer is None else int((t.answer[recorded] < 0).sum()),
        "signals": signals,
        "outcomes": outcomes,
    }
