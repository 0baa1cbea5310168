"""One ranking out of several."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import fsum
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)

RRF_K = 60


def reciprocal_rank(rankings: Sequence[Sequence[Item]], *, k: int = RRF_K) -> list[Item]:
    """Fuse by reciprocal rank: an item scores the sum of 1 / (k + rank) over the rankings that hold it.

    Equal scores keep the order of first appearance, ranking by ranking. Source: Cormack, Clarke and Büttcher
    (2009), "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods" (k = 60).
    """
    shares: dict[Item, list[float]] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            shares.setdefault(item, []).append(1 / (k + rank))
    return sorted(shares, key=lambda item: -fsum(shares[item]))  # fsum: the order of the rankings adds no ulp
