"""The Pareto mask: which points no other point dominates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..trajectories.errors import SearchError
from ..trajectories.table import Bools, Floats, Ints
from .compiled import loop

QUALITY_AND_COST = (True, False)
FILTERED = 20_000  # points of which most are worth dropping before they are sorted
SAMPLE = 256
WORTH_FILTERING = 0.1  # of the sample: less is left to the sort
BLOCK = 4096  # rows compared at once with the front so far: bounds the memory of three objectives and more


def _gains(points: ArrayLike, maximise: Sequence[bool], names: Sequence[str] | None) -> Floats:
    """The points with every objective turned so that more is better, (M, K)."""
    values = np.asarray(points, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(maximise):
        raise SearchError(
            f"points: an array of shape (K, {len(maximise)}) is expected, one column an objective; "
            f"got shape {values.shape}"
        )
    # Adding 0 turns -0.0 into 0.0: equal points have equal bytes.
    gains = np.ascontiguousarray(values.T) * np.where(maximise, 1.0, -1.0)[:, None] + 0.0
    if np.isnan(gains).any():
        first = int(np.isnan(gains).any(axis=0).argmax())
        culprit = f"point {first}" if names is None else f"rule `{names[first]}`"
        raise SearchError(f"{culprit}: an objective is NaN; a front needs numbers, so mend or leave it out first")
    return gains


def pareto_mask_naive(
    points: ArrayLike, maximise: Sequence[bool] = QUALITY_AND_COST, *, names: Sequence[str] | None = None
) -> Bools:
    """`pareto_mask` as its definition reads: every point against every other, O(K**2)."""
    gains = _gains(points, maximise, names).T
    dominated = [bool(((gains >= own).all(axis=1) & (gains > own).any(axis=1)).any()) for own in gains]
    return ~np.array(dominated, dtype=bool)


def _promising(gains: Floats) -> NDArray[np.intp]:
    """Positions of the points that a few strong ones, found in a sample, do not dominate."""
    left = np.arange(gains.shape[1])
    sample = gains[:, :: gains.shape[1] // SAMPLE]
    while sample.size:
        beaten: Bools = np.all(sample[:, :, None] >= sample[:, None], axis=0)
        strongest = int(beaten.sum(axis=1).argmax())
        pivot = sample[:, strongest]
        if beaten[strongest].mean() < WORTH_FILTERING:
            break
        some = gains if len(left) == gains.shape[1] else gains[:, left]
        better = reduce(np.logical_or, (column > least for column, least in zip(some, pivot, strict=True)))
        equal = reduce(np.logical_and, (column == least for column, least in zip(some, pivot, strict=True)))
        left = left[better | equal]
        sample = sample[:, ~beaten[strongest]]
    return left


def _mask(gains: Floats) -> Bools:
    if len(gains) == 2:
        return _mask_of_two(gains)
    points = gains.shape[1]
    compiled = loop("front_of_three", points * (20_000 + 5 * points)) if len(gains) == 3 else None
    return _mask_of_many(gains) if compiled is None else _mask_of_three(gains, compiled)


def _mask_of_two(gains: Floats) -> Bools:
    # Best first objective first: a point is dominated when one with a better first has at least its second, or
    # one with the same first a better second.
    order = np.argsort(-gains[0])
    first, second = gains[0, order], gains[1, order]
    leads = np.ones(len(order), dtype=bool)
    leads[1:] = first[1:] != first[:-1]
    best_of_equals = np.maximum.reduceat(second, np.flatnonzero(leads))
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(best_of_equals)[:-1]])
    level = np.cumsum(leads) - 1
    # A second of -inf beats nothing before it, but the first level has nothing before it at all.
    kept = (second == best_of_equals[level]) & ((second > best_before[level]) | (level == 0))
    mask = np.empty(len(order), dtype=bool)
    mask[order] = kept
    return mask


def _mask_of_three(gains: Floats, compiled: Callable[..., None]) -> Bools:
    # In lexicographic order only an earlier point dominates, and does so by its second and third alone.
    first, second, _ = gains
    order = np.argsort(-first)
    if (first[order[1:]] == first[order[:-1]]).any():
        order = np.lexsort(-gains[::-1])
    mask = np.empty(len(order), dtype=bool)
    compiled(order, gains, _rank(second), mask)
    return mask


def _rank(values: Floats) -> Ints:
    """Dense ranks, 0 for the largest value."""
    order = np.argsort(-values)
    ordered = values[order]
    rank = np.zeros(len(values), dtype=np.int64)
    rank[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return rank


def _mask_of_many(gains: Floats) -> Bools:
    # In lexicographic order a point can only be dominated by an earlier one, and if it is, then by one of the
    # front so far: dominance is transitive (Kung, Luccio, Preparata 1975).
    distinct, inverse = np.unique(-gains.T, axis=0, return_inverse=True)
    ordered = -distinct
    front = np.empty((0, len(gains)))
    kept = np.empty(len(ordered), dtype=bool)
    for row, point in enumerate(ordered):
        dominated = any(
            bool((front[start : start + BLOCK] >= point).all(axis=1).any()) for start in range(0, len(front), BLOCK)
        )
        kept[row] = not dominated
        if not dominated:
            front = np.concatenate([front, point[None]])
    return kept[inverse.reshape(-1)]


def pareto_mask(
    points: ArrayLike, maximise: Sequence[bool] = QUALITY_AND_COST, *, names: Sequence[str] | None = None
) -> Bools:
    """Mark the points that no other dominates: at least as good in every objective and better in one.

    Equal points do not dominate each other: all of them stay.

    Parameters
    ----------
    points : (K, M) array_like
        One row a point, one column an objective; infinities are allowed.
    maximise : sequence of M bool
        True where more is better. By default quality (more) and cost (less).
    names : sequence of K str, optional
        What to call a point in an error: its rule.

    Returns
    -------
    (K,) bool

    Raises
    ------
    SearchError
        When an objective is NaN, naming the first such point, or the shapes disagree.
    """
    gains = _gains(points, maximise, names)
    if not gains.size:
        return np.ones(gains.shape[1], dtype=bool)
    if gains.shape[1] < FILTERED:
        return _mask(gains)
    left = _promising(gains)
    mask = np.zeros(gains.shape[1], dtype=bool)
    mask[left] = _mask(gains[:, left])
    return mask
