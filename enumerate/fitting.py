"""Which cross products of cuts are too many: for the time that they take, or for the memory of their round masks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ..rules.expression import Rule
from ..trajectories.table import Trajectories
from .grid import grid_bytes
from .memory import Room, advice
from .pairs import MOST_CELLS
from .sweeps import even_cap
from .workers import Workers

OPENED = 2**16  # candidates of a shape from which on its masks are made once for all runs
SMALL = 2**24  # and bytes


@dataclass(frozen=True, eq=False)
class Crossing:
    """The cross products of the cuts of one or more shapes.

    Attributes
    ----------
    shapes : sequence of Rule
    counts : sequence of sequence of int
        How many cuts each `?` has.
    t : Trajectories
    """

    shapes: Sequence[Rule]
    counts: Sequence[Sequence[int]]
    t: Trajectories

    @property
    def cells(self) -> list[int]:
        """Candidates of each shape."""
        return [prod(each) for each in self.counts]

    def size(self, beside: int) -> int:
        """Bytes of the masks of what is opened once for all runs; those of the rest are few.

        All are opened one after the other, and one of them again by each of some processes beside this one.
        """
        each = [grid_bytes(shape, counts, self.t) for shape, counts in zip(self.shapes, self.counts, strict=True)]
        large = [sizes for cells, sizes in zip(self.cells, each, strict=True) if opened_once(cells, sizes[0])]
        most = max((opening for _, opening in large), default=0)
        return sum(held for held, _ in large) + max((most - held for held, most in large), default=0) + beside * most

    def capped(self, cap: int) -> Crossing:
        """As `expand` thins the cuts out under a cap."""
        most = [even_cap(each, cap) if each else 0 for each in self.counts]
        thinned = [[min(n, own) for n in each] for each, own in zip(self.counts, most, strict=True)]
        return Crossing(self.shapes, thinned, self.t)


def opened_once(cells: int, held: int) -> bool:
    """Whether the masks of a shape are made once for all runs, not once for each."""
    return cells > OPENED or held > SMALL


def refuse_too_many(name: str, crossing: Crossing, workers: Workers, *, listed: bool) -> None:
    """Refuse cross products that take long, or more memory than there is.

    Parameters
    ----------
    name : str
        Of the shape or the family.
    crossing : Crossing
    workers : Workers
        Processes hold the masks of a shape each, beside this one.
    listed : bool
        Whether the cuts are listed, so that no cap thins them out.

    Raises
    ------
    SearchError
        Naming the largest cap under which they fit.
    """
    cells, needed, room = sum(crossing.cells), crossing.size(workers.beside), Room.here()
    if cells <= MOST_CELLS and needed <= room.size:
        return
    limit = bisect_right(range(1, MOST_CELLS + 1), MOST_CELLS, key=lambda cap: sum(crossing.capped(cap).cells))
    fit = room.most(limit, lambda cap: crossing.capped(cap).size(workers.beside))
    cap = max(crossing.capped(fit).cells) if fit else 0
    way_out = f"list fewer, for {cap:,} at most" if listed else advice(cap)
    raise room.refusal(f"{name}: its cuts cross to {cells:,} cells", needed=needed, way_out=way_out)
