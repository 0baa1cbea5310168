"""Subsets and groupings, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeVar

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


def groupings(items: Sequence[Item]) -> Iterator[tuple[tuple[Item, ...], ...]]:
    """Every partition of every non-empty subset: 876 of 6 items, each item used at most once."""
    for subset in subsets(items):
        yield from partitions(subset)
