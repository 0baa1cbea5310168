"""Subsets and groupings, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")


def subsets(items: Sequence[Item], smallest: int = 1) -> Iterator[tuple[Item, ...]]:
    """Every subset of at least `smallest` items, small ones first; 2**n - 1 non-empty ones."""
    for size in range(smallest, len(items) + 1):
        yield from combinations(items, size)


def partitions(items: Sequence[Item]) -> Iterator[tuple[tuple[Item, ...], ...]]:
    """Every way of sharing all items out into non-empty groups; as many as the Bell number of n."""
    if not items:
        yield ()
        return
    first, rest = items[0], items[1:]
    for groups in partitions(rest):
        yield ((first,), *groups)
        for i, group in enumerate(groups):
            yield (*groups[:i], (first, *group), *groups[i + 1 :])


@cache
def growth_strings(size: int) -> NDArray[np.uint8]:
    """Every grouping of some items as a row: the group of each, groups numbered as they first appear.

    Returns
    -------
    (Bell number, size) uint8
    """
    rows = np.zeros((1, 0), dtype=np.uint8)
    for _ in range(size):
        groups = rows.max(axis=1, initial=0).astype(np.int64) + (1 if rows.shape[1] else 0)
        parent = np.repeat(np.arange(len(rows)), groups + 1)
        group = np.arange(len(parent)) - np.repeat(np.cumsum(groups + 1) - groups - 1, groups + 1)
        rows = np.concatenate([rows[parent], group[:, None].astype(np.uint8)], axis=1)
    return rows
