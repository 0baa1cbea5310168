"""Recorded trajectories in memory: dense arrays of shape (trajectories, rounds)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .roles import Roles

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Trajectories:
    """N trajectories of at most R rounds, one per cell and question, sorted by (cell, question).

    Attributes
    ----------
    question, cell, group : (N,) object arrays of str
        Ids are text. ``cell`` is "" throughout when the table has no cell column; ``group`` is the question's
        own id when no column names one.
    length : (N,) int64
        Rounds of each trajectory, R_q >= 1. Every (N, R) array is undefined beyond it, filled as said below.
    answer : (N, R) int32 or None
        Codes of the normalised answers, equal codes for equal answers; -1 where it is missing, empty after
        normalising, or beyond the length. None when no column has the role.
    signals : name -> (N, R) float64
        NaN where missing and beyond the length. Boolean signals are 0 and 1 and named in ``booleans``.
    outcomes : name -> (N, R) float64
        In the data's own unit, finite; NaN beyond the length. Holds ``roles.quality`` and every one of
        ``roles.outcomes``.
    cost : (N, R) float64
        Spent up to and including the round, never falling; the round number without a cost column; NaN
        beyond.
    roles : Roles
    labels : name -> (N,) object array of str
        ``roles.by``: one value a trajectory, "" where it is missing.
    measures : name -> (N, R) float64
        ``roles.measures``: finite; NaN beyond the length.
    """

    question: NDArray[np.object_]
    cell: NDArray[np.object_]
    group: NDArray[np.object_]
    length: Ints
    answer: NDArray[np.int32] | None
    signals: Mapping[str, Floats]
    booleans: frozenset[str]
    outcomes: Mapping[str, Floats]
    cost: Floats
    roles: Roles
    labels: Mapping[str, NDArray[np.object_]] = field(default_factory=dict)
    measures: Mapping[str, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.length)

    @property
    def rounds(self) -> int:
        """R, the most rounds of any trajectory."""
        return int(self.cost.shape[1])

    @property
    def quality(self) -> Floats:
        """(N, R) the outcome that rules are compared on."""
        return self.outcomes[self.roles.quality]

    @cached_property
    def recorded(self) -> Bools:
        """(N, R) true at the rounds that exist."""
        return np.arange(self.rounds) < self.length[:, None]

    @cached_property
    def cell_names(self) -> tuple[str, ...]:
        """The distinct cells, sorted; ``("",)`` without a cell column."""
        return tuple(sorted(set(self.cell)))

    @property
    def named_cells(self) -> tuple[str, ...]:
        """The cells to report one by one: none when there is but one without a name."""
        return () if self.cell_names == ("",) else self.cell_names

    @cached_property
    def cell_index(self) -> Ints:
        """(N,) position of each trajectory's cell in ``cell_names``."""
        position = {name: i for i, name in enumerate(self.cell_names)}
        return np.array([position[name] for name in self.cell], dtype=np.int64)

    def take(self, rows: NDArray[Any]) -> Trajectories:
        """The trajectories at ``rows`` (a mask or sorted positions), with the rounds that they use."""
        length = self.length[rows]
        rounds = int(length.max(initial=0))
        return replace(
            self,
            question=self.question[rows],
            cell=self.cell[rows],
            group=self.group[rows],
            length=length,
            answer=None if self.answer is None else self.answer[rows, :rounds],
            signals={name: values[rows, :rounds] for name, values in self.signals.items()},
            outcomes={name: values[rows, :rounds] for name, values in self.outcomes.items()},
            cost=self.cost[rows, :rounds],
            labels={name: values[rows] for name, values in self.labels.items()},
            measures={name: values[rows, :rounds] for name, values in self.measures.items()},
        )

    def with_signal(self, name: str, values: Floats) -> Trajectories:
        """The same table with one more numeric signal, (N, R), NaN where missing."""
        return replace(self, signals={**self.signals, name: values}, booleans=self.booleans - {name})
