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
    known = np.where(matters, -values if negates(op) else values, np.nan) + 0.0  # + 0: no negative zero
    missing = np.isnan(known)
    distinct = np.unique(known[~missing])
    place = len(distinct) - np.searchsorted(distinct, known)
    place[missing] = NOWHERE
    return distinct[::-1], place


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
        used = np.unique(place[place > 0])
        thresholds = distinct[used - 1]
        _, kept = plateaus(_ascending(thresholds, op), op)
        every = np.arange(len(used) + 1)
        return cls(
            thresholds=thresholds,
            op=op,
            place=np.searchsorted(used, place, side="right"),
            chosen=every[kept] if negates(op) else every[::-1][kept][::-1],
        )

    def __len__(self) -> int:
        return len(self.chosen)

    def coarser(self, most: int) -> Axis:
        """At most ``most`` places: the strictest, the loosest, and those at quantiles of the corners."""
        if len(self) <= most:
            return self
        at = np.sort(self.place)
        inner = at[np.rint(np.linspace(0, len(at) - 1, most - 2)).astype(np.int64)]
        wanted = np.concatenate([self.chosen[[0, -1]], inner])
        return replace(self, chosen=np.intersect1d(wanted, self.chosen))

    def positions(self) -> Ints:
        """(E,) from which of the P chosen places on each corner counts; P where from none."""
        return np.searchsorted(self.chosen, self.place)

    def plateaus(self) -> Plateaus:
        """The (P,) plateaus of the chosen places, by ascending cut."""
        found, kept = plateaus(_ascending(self.thresholds, self.op), self.op)
        by_cut = self.chosen if negates(self.op) else (len(self.thresholds) - self.chosen)[::-1]
        return found.take(by_cut - kept.start)


def _ascending(thresholds: Floats, op: Operator) -> Floats:
    return -thresholds + 0.0 if negates(op) else thresholds[::-1]
