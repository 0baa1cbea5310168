"""Mean, spread and ends of a signal over several splits and cells at once, from the figures of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .tells import FEW_LEVELS, Tell

RARE = 0.01  # of the values at an end of the range: a share by nature reaches 0 and 1 more often
SLACK = 1e-9  # rounding of the moments themselves


@dataclass(frozen=True)
class Scope:
    """The known values of a signal in some cells of some splits."""

    known: int
    distinct: int  # at least so many
    unit: float
    mean: float
    sd: float  # ddof 0
    low: float
    high: float
    crowded: float  # the share of the values that lie at the more crowded end

    @property
    def standardised(self) -> bool:
        """Whether mean is 0 and standard deviation 1 (ddof 0 or 1), up to the rounding of stored values."""
        if self.known < 2 or self.distinct <= FEW_LEVELS:
            return False
        off = self.unit + SLACK
        sample = self.sd * math.sqrt(self.known / (self.known - 1))
        return abs(self.mean) <= off and min(abs(self.sd - 1), abs(sample - 1)) <= off

    @property
    def min_max(self) -> bool:
        """Whether the values run from 0 to 1 and reach the ends as rarely as after min-max scaling."""
        return self.distinct > FEW_LEVELS and (self.low, self.high) == (0.0, 1.0) and self.crowded <= RARE


def pooled(parts: Sequence[Tell]) -> Scope | None:
    """The figures of all parts together; None where no value is known."""
    known = [
        (each.known, each.mean, each.sd, each.low, each.high, each)
        for each in parts
        if each.mean is not None and each.sd is not None and each.low is not None and each.high is not None
    ]
    if not known:
        return None
    n = sum(count for count, *_ in known)
    mean = math.fsum(count * part for count, part, *_ in known) / n
    # the square of the whole spread: that inside the parts and that of their means
    variance = math.fsum(count * (sd**2 + (part - mean) ** 2) for count, part, sd, *_ in known) / n
    low, high = min(each[3] for each in known), max(each[4] for each in known)
    ends = (
        sum(tell.at_low for *_, lowest, _, tell in known if lowest == low),
        sum(tell.at_high for *_, highest, tell in known if highest == high),
    )
    return Scope(
        known=n,
        distinct=max(tell.distinct for *_, tell in known),
        unit=max(tell.unit for *_, tell in known),
        mean=mean,
        sd=math.sqrt(variance),
        low=low,
        high=high,
        crowded=max(ends) / n,
    )


def scopes(opened: Mapping[str, Iterable[Tell]]) -> Iterator[tuple[str, str, Scope]]:
    """Every signal with where it is looked at: the final split and its unions, all cells together and each alone."""
    sides = [("final",), *(("final", *others) for others in _others(opened))]
    for together in sides:
        parts = [tell for side in together for tell in opened[side]]
        where = "the final split" if together == ("final",) else f"the union of {' and '.join(together)}"
        for signal in sorted({tell.signal for tell in parts}):
            own = [tell for tell in parts if tell.signal == signal]
            cells = sorted({tell.cell for tell in own})
            if (scope := pooled(own)) is not None:
                yield signal, where, scope
            for cell in cells if len(cells) > 1 else ():
                if (scope := pooled([tell for tell in own if tell.cell == cell])) is not None:
                    yield signal, f"{where}, cell {cell}", scope


def _others(opened: Mapping[str, Iterable[Tell]]) -> list[tuple[str, ...]]:
    beside = [side for side in ("selection", "calibration") if side in opened]
    return [*((side,) for side in beside), *([tuple(beside)] if len(beside) > 1 else [])]
