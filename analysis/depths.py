"""A fair comparison with fixed depth: every fixed(k), and time-sharing between two of them at equal cost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trajectories.table import Floats, Trajectories
from .baselines import Stops
from .bootstrap import PairedBootstrap
from .difference_tests import DifferenceTest
from .intervals import Estimate


def depth_name(k: int) -> str:
    """fixed(k), as baselines are called."""
    return f"fixed({k})"


def depth_columns(t: Trajectories) -> dict[Hashable, Floats]:
    """Quality and cost of fixed(1), ..., fixed(R) on every trajectory; a shorter one ends at its last round."""
    columns: dict[Hashable, Floats] = {}
    for k in range(1, t.rounds + 1):
        here = np.arange(len(t)), np.minimum(k, t.length) - 1
        columns[depth_name(k), "quality"] = t.quality[here]
        columns[depth_name(k), "cost"] = t.cost[here]
    return columns


@dataclass(frozen=True, kw_only=True)
class Depth:
    """The rule against one fixed depth.

    Attributes
    ----------
    k : int
    comparator : bool
        Whether the rule's own policy chose this depth on the selection split: the fair one to compare with. The
        best of them on the final split is itself a winner.
    quality, cost : Estimate
        Of fixed(k).
    quality_difference, cost_difference : Estimate
        Rule minus fixed(k).
    test : DifferenceTest
    """

    k: int
    comparator: bool
    quality: Estimate
    cost: Estimate
    quality_difference: Estimate
    cost_difference: Estimate
    test: DifferenceTest

    def to_dict(self) -> dict[str, Any]:
        """The comparison for JSON."""
        return {
            "k": self.k,
            "comparator": self.comparator,
            "quality": self.quality.to_dict(),
            "cost": self.cost.to_dict(),
            "quality_difference": self.quality_difference.to_dict(),
            "cost_difference": self.cost_difference.to_dict(),
            **self.test.to_dict(),
        }


def depths(
    rule: Stops, rounds: int, bootstrap: PairedBootstrap, tests: Mapping[str, DifferenceTest], comparator: int | None
) -> tuple[Depth, ...]:
    """The rule against fixed(1), ..., fixed(rounds), all of it on the same resamples."""
    mine = (rule.name, "quality"), (rule.name, "cost")
    return tuple(
        Depth(
            k=k,
            comparator=k == comparator,
            quality=bootstrap.mean((depth_name(k), "quality")),
            cost=bootstrap.mean((depth_name(k), "cost")),
            quality_difference=bootstrap.difference(mine[0], (depth_name(k), "quality")),
            cost_difference=bootstrap.difference(mine[1], (depth_name(k), "cost")),
            test=tests[depth_name(k)],
        )
        for k in range(1, rounds + 1)
    )


@dataclass(frozen=True, kw_only=True)
class TimeSharing:
    """The rule against drawing fixed(k) or fixed(k + 1) by lot, so often that both cost the same.

    Attributes
    ----------
    k : int
        The two neighbours in the table itself; every resample takes its own.
    share : float
        How often fixed(k + 1) is drawn; 0 when k is the last.
    quality : Estimate
        Of the lottery.
    quality_difference : Estimate
        Rule minus lottery.
    """

    k: int
    share: float
    quality: Estimate
    quality_difference: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The comparison for JSON."""
        return {
            "k": self.k,
            "share_of_next": self.share,
            "quality": self.quality.to_dict(),
            "quality_difference": self.quality_difference.to_dict(),
        }


def time_sharing(rule: Stops, rounds: int, bootstrap: PairedBootstrap) -> TimeSharing:
    """Compare at equal mean cost; the neighbours and the share are found anew in every resample.

    Where cost is counted in rounds and no trajectory is shorter than k + 1, the difference is the mean of
    y_rule - y_k - (c - k) (ybar_{k+1} - ybar_k), k the whole part of the rule's mean cost c.
    """
    names: list[Hashable] = [(rule.name, "quality"), (rule.name, "cost")]
    names += [(depth_name(k), what) for what in ("quality", "cost") for k in range(1, rounds + 1)]

    def lottery(_: Any, cost: Any, *depths: Any) -> Any:
        return shared(cost, depths[:rounds], depths[rounds:])[2]

    value = [bootstrap.values[bootstrap.names[name]] for name in names]
    below, share, _ = shared(value[1], value[2 : 2 + rounds], value[2 + rounds :])
    return TimeSharing(
        k=int(below) + 1,
        share=float(share),
        quality=bootstrap.figure(names, lottery),
        quality_difference=bootstrap.figure(names, lambda quality, *rest: quality - lottery(quality, *rest)),
    )


def shared(cost: Any, qualities: Sequence[Any], costs: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Time-sharing between neighbours at a given cost.

    Parameters
    ----------
    cost : float or (...) array
    qualities, costs : R arrays of that shape
        Of fixed(1), ..., fixed(R); costs rise.

    Returns
    -------
    below : (...) int64
        Position of the deepest that costs no more.
    share : (...) float64
        Of the one after it; 0 at the last and where it costs no more.
    quality : (...) float64
    """
    spent, worth = np.stack(np.broadcast_arrays(*costs)), np.stack(np.broadcast_arrays(*qualities))
    below = np.maximum((spent <= cost).sum(axis=0) - 1, 0)
    after = np.minimum(below + 1, len(spent) - 1)

    def at(table: Any, which: Any) -> Any:
        return np.take_along_axis(table, which[None], axis=0)[0]

    step = at(spent, after) - at(spent, below)
    share = np.where(step > 0, np.maximum(cost - at(spent, below), 0) / np.where(step > 0, step, 1), 0.0)
    return below, share, at(worth, below) + share * (at(worth, after) - at(worth, below))
