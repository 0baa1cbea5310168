"""What stopping early lost and saved: the outcome at the stop against one more round, and against the last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..trajectories.table import Bools, Floats, Ints, Trajectories
from .baselines import Stops, exactly_right, oracle

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Later:
    """What later rounds would have done to the outcome of the trajectories that stopped early.

    Attributes
    ----------
    better, same, worse : int
        Trajectories whose outcome would have risen (stopping lost something), stayed, or fallen (stopping saved
        something).
    change : float
        Mean over them, of the later outcome minus that at the stop; 0 without any.
    """

    better: int
    same: int
    worse: int
    change: float

    @classmethod
    def of(cls, at_stop: Floats, later: Floats) -> Later:
        """Count (n,) pairs of outcomes."""
        gain = later - at_stop
        return cls(
            better=int((gain > 0).sum()),
            same=int((gain == 0).sum()),
            worse=int((gain < 0).sum()),
            change=float(gain.mean()) if len(gain) else 0.0,
        )

    def to_dict(self) -> dict[str, Any]:
        """The counts for JSON."""
        return {"better": self.better, "same": self.same, "worse": self.worse, "mean_change": self.change}


@dataclass(frozen=True, kw_only=True)
class EarlyStops:
    """The trajectories that a rule stopped before their last round.

    Attributes
    ----------
    n : int
    of : int
        All trajectories.
    next, last : outcome -> Later
        With one more round, and with all of them; of every declared outcome, the quality first.
    above_zero : outcome -> int
        Early stops whose outcome was above 0 (for an outcome of 0 and 1: that already held what it asks for).
    right_then_wrong, wrong_then_right : int or None
        Right at the stop and not at the last round, and the reverse; None where no range of the quality is
        declared, so that nobody can tell what is exactly right.
    """

    n: int
    of: int
    next: Mapping[str, Later]
    last: Mapping[str, Later]
    above_zero: Mapping[str, int]
    right_then_wrong: int | None
    wrong_then_right: int | None

    def to_dict(self) -> dict[str, Any]:
        """The counts for JSON."""
        return {
            "n": self.n,
            "of": self.of,
            "outcomes": {
                name: {
                    "next": self.next[name].to_dict(),
                    "last": self.last[name].to_dict(),
                    "above_zero": self.above_zero[name],
                }
                for name in self.next
            },
            "right_then_wrong": self.right_then_wrong,
            "wrong_then_right": self.wrong_then_right,
        }


def early_stops(t: Trajectories, rule: Stops) -> EarlyStops:
    """Count what the rounds that were not run would have changed.

    Parameters
    ----------
    t : Trajectories
    rule : Stops
        Of the same trajectories.
    """
    early = rule.stop_round < t.length
    stop, length = rule.stop_round[early], t.length[early]
    at_stop = {name: _at(t, name, early, stop) for name in _outcomes(t)}
    right = exactly_right(t)
    lost = saved = None
    if right is not None:
        rows = np.flatnonzero(early)
        first, last = right[rows, stop - 1], right[rows, length - 1]
        saved, lost = int((first & ~last).sum()), int((~first & last).sum())
    return EarlyStops(
        n=int(early.sum()),
        of=len(t),
        next={name: Later.of(values, _at(t, name, early, stop + 1)) for name, values in at_stop.items()},
        last={name: Later.of(values, _at(t, name, early, length)) for name, values in at_stop.items()},
        above_zero={name: int((values > 0).sum()) for name, values in at_stop.items()},
        right_then_wrong=saved,
        wrong_then_right=lost,
    )


def stops_frame(t: Trajectories, rule: Stops) -> pl.DataFrame:
    """Where the rule stopped on every trajectory, and what that lost or saved; one row each, for stops.csv.

    Columns: cell, question, group, the labels, rounds, stop_round, fired, cost; for the quality and every outcome
    NAME_stop, NAME_next (null at the last round) and NAME_last; best_round (earliest with the best quality);
    right_at_stop and right_at_last (null without a declared range); stopping, which is "saved", "lost" or "same"
    against the last round, "" where the last round was reached.
    """
    import polars as pl

    everyone = np.ones(len(t), dtype=np.bool_)
    early = rule.stop_round < t.length
    outcomes: dict[str, Any] = {}
    for name in _outcomes(t):
        following = _at(t, name, everyone, np.minimum(rule.stop_round + 1, t.length))
        outcomes[f"{name}_stop"] = _at(t, name, everyone, rule.stop_round)
        outcomes[f"{name}_next"] = pl.Series(following).set(~pl.Series(early), None)
        outcomes[f"{name}_last"] = _at(t, name, everyone, t.length)
    right = exactly_right(t)
    rows = np.arange(len(t))
    last = _at(t, t.roles.quality, everyone, t.length)
    told = np.where(rule.quality > last, "saved", np.where(rule.quality < last, "lost", "same"))
    return pl.DataFrame(
        {
            "cell": t.cell.tolist(),
            "question": t.question.tolist(),
            "group": t.group.tolist(),
            **{name: values.tolist() for name, values in t.labels.items()},
            "rounds": t.length,
            "stop_round": rule.stop_round,
            "fired": rule.fired,
            "cost": rule.cost,
            **outcomes,
            "best_round": oracle(t).stop_round,
            "right_at_stop": None if right is None else right[rows, rule.stop_round - 1],
            "right_at_last": None if right is None else right[rows, t.length - 1],
            "stopping": np.where(early, told, "").tolist(),
        }
    )


def _outcomes(t: Trajectories) -> list[str]:
    return [t.roles.quality, *t.roles.outcomes]


def _at(t: Trajectories, outcome: str, rows: Bools, rounds: Ints) -> Floats:
    """The outcome of some trajectories, each at its round."""
    return t.outcomes[outcome][np.flatnonzero(rows), rounds - 1]
