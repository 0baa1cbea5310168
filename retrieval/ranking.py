"""The best eligible rows of a score array, ties in the order of the ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tools import Hit
from .units import Collection, View, eligible

Scores = NDArray[np.floating[Any]]


def best_eligible(
    scores: Scores, collection: Collection, *, rows: int, view: View, above: float = -np.inf
) -> list[Hit]:
    """The first rows in the order of falling score that the view shows.

    Parameters
    ----------
    scores : (n,) floating
        One a unit, in the collection's order (sorted ids): equal scores keep it.
    above : float
        Units at or under this score are no hits.
    """
    wanted = max(2 * rows, 16)
    while True:
        hits: list[Hit] = []
        for position in _best(scores, wanted):
            unit = collection.units[position]
            if scores[position] > above and eligible(unit.reference, view):
                hits.append(Hit(unit, float(scores[position])))
                if len(hits) == rows:
                    return hits
        if wanted >= len(scores):
            return hits
        wanted *= 8  # the view hides much: look further down


def _best(scores: Scores, wanted: int) -> NDArray[np.intp]:
    """Positions of at least ``wanted`` best scores with all their ties, in falling order."""
    if wanted >= len(scores):
        return np.argsort(-scores, kind="stable")
    cut = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
    candidates = np.flatnonzero(scores >= cut)
    return candidates[np.argsort(-scores[candidates], kind="stable")]
