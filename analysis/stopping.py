"""Where rules stop in each cell, and what that is worth there: a row for each rule and cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..enumerate.replay import chunks, states, stop_rounds
from ..rules.expression import Rule
from ..trajectories.table import Bools, Ints, Trajectories
from .baselines import Stops

if TYPE_CHECKING:
    import polars as pl


def stopping_frame(rules: Sequence[Rule], t: Trajectories, *, beside: Iterable[Stops] = ()) -> pl.DataFrame:
    """The figures of rules in each cell of a table.

    Parameters
    ----------
    rules : sequence of K Rule
        Each of them passed `check`.
    t : Trajectories
        C cells, R rounds.
    beside : iterable of Stops
        What is no rule: an oracle, by its name.

    Returns
    -------
    polars.DataFrame
        A row for each of them and each cell: rule (text); cell ("" without a cell column); n; quality, cost, calls
        (means over the cell's trajectories); fired; stops (list of R: how many trajectories stop at round 1..R,
        the exhausted ones at their last).
    """
    import polars as pl

    rows = [row for run in chunks(rules, t) for row in _rows(list(map(str, run)), *_stopped(run, t), t)]
    for other in beside:
        rows += _rows([other.name], other.stop_round[None, :], other.fired[None, :], t)
    schema: dict[str, pl.DataType] = {
        "rule": pl.String(),
        "cell": pl.String(),
        "n": pl.Int64(),
        **dict.fromkeys(("quality", "cost", "calls"), pl.Float64()),
        "fired": pl.Int64(),
        "stops": pl.List(pl.Int64),
    }
    return pl.DataFrame(rows, schema=schema)


def _stopped(rules: Sequence[Rule], t: Trajectories) -> tuple[Ints, Bools]:
    state = states(rules, t)
    return stop_rounds(state, t.length), state < t.rounds


def _rows(names: Sequence[str], stop: Ints, fired: Bools, t: Trajectories) -> Iterator[dict[str, Any]]:
    """The rows of K (K, N) replays, rule by rule."""
    here = np.arange(len(t))
    for name, at, done in zip(names, stop, fired, strict=True):
        quality, cost = t.quality[here, at - 1], t.cost[here, at - 1]
        for i, cell in enumerate(t.cell_names):
            mine = t.cell_index == i
            yield {
                "rule": name,
                "cell": cell,
                "n": int(mine.sum()),
                "quality": float(quality[mine].mean()),
                "cost": float(cost[mine].mean()),
                "calls": float(at[mine].mean()),
                "fired": int(done[mine].sum()),
                "stops": np.bincount(at[mine] - 1, minlength=t.rounds).tolist(),
            }
