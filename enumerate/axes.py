"""The places that one of several cuts can take, from the strictest to the loosest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..trajectories.table import Bools, Floats, Ints
from .plateaus import Operator, Plateaus, negates, plateaus

NOWHERE = 2**62  # beyond the places of any cut


def ranks(values: Floats, op: Operator, matters: Bools) -> tuple[Floats, Ints]:
    """Distinct observed values, and from which place on the comparison ``values op ?`` holds.

    Place 0 is stricter than all values, place k just loose enough for the k-th.

    Parameters
    ----------
    values : (N, R) float64
        NaN where missing.
    op : {">", ">=", "<", "<="}
    matters : (N, R) bool
        Where to look.

    Returns
    -------
    distinct : (T,) float64
        From the strictest cut's to the loosest's, those under ``<`` and ``<=`` negated.
    place : (N, R) int64
        `NOWHERE` where nothing is known.
    """
    loose = np.where(matters, values if negates(op) else -values, np.nan).ravel() + 0.0  # + 0: no negative zero
    order = np.argsort(loose)  # missing values come last
    ascending = loose[order][: len(loose) - np.count_nonzero(np.isnan(loose))]
    leads = np.ones(len(ascending), dtype=bool)
    leads[1:] = ascending[1:] != ascending[:-1]
    place = np.full(len(loose), NOWHERE)
    place[order[: len(ascending)]] = np.cumsum(leads)
    return -ascending[leads], place.reshape(values.shape)


@dataclass(frozen=True, eq=False, kw_only=True)
class Axis:
    """One cut's places at which something changes, and a choice of them.

    Attributes
    ----------
    thresholds : (T,) float64
        As `ranks` gives them, fewer.
    op : {">", ">=", "<", "<="}
    place : (E,) int64
        From which of the places 0..T on each of E corners counts.
    chosen : (P,) int64
        Ascending places.
    """

    thresholds: Floats
    op: Operator
    place: Ints
    chosen: Ints

    @classmethod
    def of(cls, distinct: Floats, op: Operator, place: Ints) -> Axis:
        """The axis of the distinct values at which some corner counts."""
        uses = np.zeros(len(distinct) + 1, dtype=bool)
        uses[place] = True
        uses[0] = False
        thresholds = distinct[uses[1:]]
        _, kept = plateaus(_ascending(thresholds, op), op)
        every = np.arange(len(thresholds) + 1)
        return cls(
            thresholds=thresholds,
            op=op,
            place=np.cumsum(uses)[place],
            chosen=every[kept] if negates(op) else every[::-1][kept][::-1],
        )

    def __len__(self) -> int:
        return len(self.chosen)

    def coarser(self, most: int) -> Axis:
        """At most ``most`` places, evenly spread from the strictest to the loosest."""
        if len(self) <= most:
            return self
        return replace(self, chosen=self.chosen[np.rint(np.linspace(0, len(self) - 1, most)).astype(np.int64)])

    def positions(self) -> Ints:
        """(E,) from which of the P chosen places on each corner counts; P where from none."""
        return np.searchsorted(self.chosen, np.arange(len(self.thresholds) + 1))[self.place]

    def plateaus(self) -> Plateaus:
        """The (P,) plateaus of the chosen places, by ascending cut."""
        found, kept = plateaus(_ascending(self.thresholds, self.op), self.op)
        by_cut = self.chosen if negates(self.op) else (len(self.thresholds) - self.chosen)[::-1]
        return found.take(by_cut - kept.start)


def _ascending(thresholds: Floats, op: Operator) -> Floats:
    return (-thresholds if negates(op) else thresholds[::-1]) + 0.0  # no negative zero
