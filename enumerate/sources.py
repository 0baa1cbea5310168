"""Where candidates come from: numbered lists that tell where any run of them stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Protocol

import numpy as np

from ..rules.expression import Rule
from ..trajectories.table import Floats, Ints, Trajectories
from .encode import mask_states
from .filled import Filled
from .grid import Grid, open_grid
from .masks import Parts, SmallStates


class Source(Protocol):
    """K candidates in a fixed order."""

    def __len__(self) -> int:
        """K."""

    def states(self, begin: int, stop: int) -> tuple[SmallStates, Parts | None]:
        """Where the candidates of a run stop.

        Returns
        -------
        states : (C, N) uint8 or uint16
            As `masks.first_set` gives them.
        parts : Parts or None
            Which of the C each candidate is the OR of; None where they are the candidates themselves.
        """

    def rules(self, positions: Ints) -> Sequence[Rule]:
        """The candidates at some positions."""

    @property
    def opening(self) -> int:
        """How many candidates a worker could go through in the time that it takes to receive the source."""


def bare(t: Trajectories) -> Trajectories:
    """What rules read of a table, light to send to a worker."""
    nobody = np.empty(0, dtype=object)
    return replace(t, question=nobody, cell=nobody, group=nobody, outcomes={}, labels={}, measures={})


@dataclass(frozen=True, eq=False)
class Listed:
    """Rules one by one; their names checked."""

    opening = 0

    listed: Sequence[Rule]
    t: Trajectories

    def __len__(self) -> int:
        return len(self.listed)

    def states(self, begin: int, stop: int) -> tuple[SmallStates, None]:
        """Where the candidates of a run stop."""
        found = mask_states(self.listed[begin:stop], self.t)
        return found.astype(np.uint8 if self.t.rounds < 2**8 else np.uint16), None

    def rules(self, positions: Ints) -> list[Rule]:
        """The candidates at some positions."""
        return [self.listed[i] for i in positions.tolist()]


@dataclass(frozen=True, eq=False)
class Crossed:
    """A shape with its cuts crossed, opened when first asked."""

    opening = 0

    shape: Rule
    cuts: tuple[Floats, ...]
    t: Trajectories

    def __reduce__(self) -> tuple[type[Crossed], tuple[Rule, tuple[Floats, ...], Trajectories]]:
        return Crossed, (self.shape, self.cuts, self.t)

    def __len__(self) -> int:
        return prod(map(len, self.cuts))

    @cached_property
    def grid(self) -> Grid:
        """The shape opened."""
        return open_grid(self.shape, self.cuts, self.t)

    def states(self, begin: int, stop: int) -> tuple[SmallStates, Parts | None]:
        """Where the candidates of a run stop."""
        return self.grid.states(begin, stop)

    def rules(self, positions: Ints) -> Filled:
        """The candidates at some positions."""
        return Filled.crossed(self.shape, self.cuts, positions)


@dataclass(frozen=True, eq=False)
class Window:
    """A run of a source as a source of its own."""

    opening = 0

    source: Source
    begin: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.begin

    def states(self, begin: int, stop: int) -> tuple[SmallStates, Parts | None]:
        """Where the candidates of a run stop."""
        return self.source.states(self.begin + begin, self.begin + stop)

    def rules(self, positions: Ints) -> Sequence[Rule]:
        """The candidates at some positions."""
        return self.source.rules(self.begin + positions)


def part(source: Source, begin: int, stop: int) -> Source:
    """A run of a source as a source of its own, with no more than it needs to send it to a worker."""
    if isinstance(source, Listed):
        return replace(source, listed=source.listed[begin:stop])
    # a shape that is opened by one worker is not to stay open
    return Window(replace(source) if isinstance(source, Crossed) else source, begin, stop)
