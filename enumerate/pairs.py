"""Every pair of cuts of a sweep gone through, a strip of them at a time, as long as the memory lasts."""

from __future__ import annotations

from dataclasses import dataclass

from ..rules.expression import Rule
from ..trajectories.errors import SearchError
from .batch import told_bytes
from .census import census_bytes
from .ledger import Ledger
from .memory import Room, advice
from .sieve import Kept, Sieve, sifting_bytes, sums_bytes, whole
from .sums import FIGURES, columns
from .sweep_two import LEAST_CELLS, SweepTwo

STRIP = 2**19  # cells of which a sweep holds the figures at once
MOST_CELLS = 10**9  # cells that are tried unasked: some minutes; it bounds the time, not the memory
ALL_KEPT = 5000  # cells of a grid that is handed over whole


@dataclass(frozen=True, eq=False)
class Pairs:
    """The cells of a sweep of two cuts.

    Attributes
    ----------
    shape : Rule
    sweep : SweepTwo
        Of the shape.
    book : Ledger
        Of the same table.
    room : Room
        What going through them may take.
    """

    shape: Rule
    sweep: SweepTwo
    book: Ledger
    room: Room

    def __len__(self) -> int:
        return self.sweep.shape[0] * self.sweep.shape[1]

    def kept(self, *, asked: bool) -> Kept:
        """All of few; of many those on the front and the best at each step of cost.

        Parameters
        ----------
        asked : bool
            Whether a cap says that so many are wanted.

        Raises
        ------
        SearchError
            When they take more time or memory than there is, naming a cap.
        """
        sieve, breadth = Sieve.of(self.book), self.sweep.shape[1]
        if len(self) > MOST_CELLS and not asked:
            raise self._too_many(0, MOST_CELLS)
        self._refuse_more_than_fit(sieve, _strip(len(self), breadth))
        if len(self) <= ALL_KEPT:
            return whole(self.sweep.sums(columns(self.book)).reshape(FIGURES, -1))
        for where, block in self.sweep.strips(columns(self.book), rows=max(1, STRIP // breadth)):
            self._refuse_more_than_fit(sieve, block[0].size)
            sieve.add(block.reshape(len(block), -1), where.start * breadth)
        return sieve.kept()

    def _refuse_more_than_fit(self, sieve: Sieve, strip: int) -> None:
        """How many behaviours there are shows on the way alone: refused is what does not fit, not what might not."""
        needed = self._bytes(len(self), strip, sieve.bytes_for(strip))
        if needed > self.room.size:
            raise self._too_many(needed, len(self))

    def _bytes(self, cells: int, strip: int, sieve: int) -> int:
        corners = len(self.sweep.corners)
        begin = sums_bytes(3 * corners)  # what a corner adds, what it takes away, and the difference
        later = sums_bytes(corners + 2 * strip) + sieve  # a strip while the next is made, or beside its copy
        kept = told_bytes(min(cells, ALL_KEPT), len(str(self.shape)))
        return sums_bytes(self.book.quality.size) + max(begin, later) + kept

    def _too_many(self, needed: int, limit: int) -> SearchError:
        breadth = self.sweep.shape[1] + 2  # thinned out to fewer cells, there may be two more than by their share

        def at_most(cells: int) -> int:
            strip = _strip(cells, breadth)
            return self._bytes(cells, strip, sifting_bytes(strip) + census_bytes(cells, strip))

        cap = self.room.most(limit, at_most)
        what = f"`{self.shape}`: its exact cuts cross to {len(self):,} cells"
        return self.room.refusal(what, needed=needed, way_out=advice(cap if cap >= LEAST_CELLS else 0))


def _strip(cells: int, breadth: int) -> int:
    return min(cells, max(STRIP, breadth))
