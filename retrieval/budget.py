"""Allowances: what a run may spend, counted in units that do not stand for one another."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from .errors import RetrievalError


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """Counts that grow while a run works; fewer calls are not equal computation, so each is kept apart.

    Attributes
    ----------
    calls : int
        Logical retrieval calls, failed ones too.
    rows : int
        Eligible rows returned; a failed call spends all that it was allowed.
    units : int
        Distinct units read.
    iterations : int
        Turns of the loop.
    """

    calls: int = 0
    rows: int = 0
    units: int = 0
    iterations: int = 0

    def __add__(self, other: Amounts) -> Amounts:
        return self._combined(other, operator.add)

    def __sub__(self, other: Amounts) -> Amounts:
        return self._combined(other, operator.sub)

    def _combined(self, other: Amounts, combine: Callable[[int, int], int]) -> Amounts:
        names = [key.name for key in fields(self)]
        return Amounts(**{name: combine(getattr(self, name), getattr(other, name)) for name in names})

    @property
    def allows_a_call(self) -> bool:
        """Whether there is something of everything that one search spends."""
        return min(self.calls, self.rows, self.units, self.iterations) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most that one run may spend, and the most that its packet may hold.

    Attributes
    ----------
    calls, rows, units, iterations : int
        See `Amounts`.
    packet_units, packet_characters : int
        Whole units in the packet, and its length with the separators counted.
    """

    calls: int = 2
    rows: int = 6
    units: int = 6
    iterations: int = 2
    packet_units: int = 4
    packet_characters: int = 4000

    def __post_init__(self) -> None:
        for key in fields(self):
            value = getattr(self, key.name)
            if type(value) is not int or value < 0:
                raise RetrievalError(f"budget {key.name} = {value!r}: give a whole number, 0 or more")

    @classmethod
    def covering(cls, schedule: Sequence[tuple[str, int]], **packet: int) -> Budget:
        """The budget that lets every search of a schedule return all its rows, each of them read."""
        rows = sum(asked for _, asked in schedule)
        return cls(calls=len(schedule), rows=rows, units=rows, iterations=len(schedule), **packet)

    @property
    def allowance(self) -> Amounts:
        return Amounts(calls=self.calls, rows=self.rows, units=self.units, iterations=self.iterations)

    def remaining(self, spent: Amounts) -> Amounts:
        return self.allowance - spent
