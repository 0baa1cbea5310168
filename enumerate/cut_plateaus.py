"""How far each cut of a rule could move before some trajectory stops elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rules.expression import HOLE, Compare, Expression, Round, Rule
from ..trajectories.table import Trajectories
from .cuts import exact_cuts, observed
from .plateaus import OPERATORS
from .replay import states


@dataclass(frozen=True)
class CutPlateau:
    """The interval of cuts that behave as the written one does, the rule's other cuts held.

    Attributes
    ----------
    atom : str
        The comparison, as in the rule.
    low, high : float
        Infinite where it reaches always or never.
    low_closed, high_closed : bool
    """

    atom: str
    low: float
    high: float
    low_closed: bool
    high_closed: bool

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; infinite ends are the texts "-inf" and "inf"."""
        ends = {
            name: value if np.isfinite(value) else str(value)
            for name, value in (("low", self.low), ("high", self.high))
        }
        return {"atom": self.atom, **ends, "low_closed": self.low_closed, "high_closed": self.high_closed}


def cut_plateaus(rule: Rule, t: Trajectories) -> tuple[CutPlateau, ...]:
    """The plateau of every cut of a rule on a table, in the order of its text; rounds are no cuts."""
    return tuple(_plateau(rule, atom, opened, t) for atom, opened in one_cut_opened(rule))


def one_cut_opened(part: Expression) -> Iterator[tuple[Compare, Any]]:
    """Each cut's comparison, and the expression with that cut alone as a `?`."""
    for name in part.__match_args__:
        value = getattr(part, name)
        for position, inner in enumerate(value if isinstance(value, tuple) else (value,)):
            if not isinstance(inner, Expression):
                continue
            for atom, opened in one_cut_opened(inner):
                field = (*value[:position], opened, *value[position + 1 :]) if isinstance(value, tuple) else opened
                fields = [field if other == name else getattr(part, other) for other in part.__match_args__]
                yield atom, type(part)(*fields)
    if (
        isinstance(part, Compare)
        and part.op in OPERATORS
        and isinstance(part.cut, float)
        and not isinstance(part.term, Round)
    ):
        yield part, Compare(part.term, part.op, HOLE)


def _plateau(rule: Rule, atom: Compare, opened: Rule, t: Trajectories) -> CutPlateau:
    cuts, intervals = exact_cuts(observed(atom.term, t), atom.op)
    here = states([rule], t)[0]
    start = int(intervals.at(np.array([atom.cut]))[0])

    def alike(position: int) -> bool:
        inside = 0 <= position < len(cuts)
        return inside and np.array_equal(states([opened.fill([cuts[position]])], t)[0], here)

    first = last = start
    while alike(first - 1):
        first -= 1
    while alike(last + 1):
        last += 1
    return CutPlateau(
        atom=str(atom),
        low=float(intervals.low[first]),
        high=float(intervals.high[last]),
        low_closed=bool(intervals.low_closed[first]),
        high_closed=bool(intervals.high_closed[last]),
    )
