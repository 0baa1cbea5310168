"""The Pareto mask: which points no other point dominates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..trajectories.errors import SearchError
from ..trajectories.table import Bools, Floats, Ints
from .compiled import loop

QUALITY_AND_COST = (True, False)
WORTH_COMPILING = 1000  # points for which a second of compiling, once, does not matter
PACKED_BITS = 63  # three ranks in one number sort faster than in three
BLOCK = 4096  # rows compared at once with the front so far: bounds the memory of three objectives and more


def _gains(points: ArrayLike, maximise: Sequence[bool], names: Sequence[str] | None) -> Floats:
    """The points with every objective turned so that more is better, (K, M)."""
    values = np.asarray(points, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(maximise):
        raise SearchError(
            f"points: an array of shape (K, {len(maximise)}) is expected, one column an objective; "
            f"got shape {values.shape}"
        )
    unknown = np.isnan(values).any(axis=1)
    if unknown.any():
        first = int(unknown.argmax())
        culprit = f"point {first}" if names is None else f"rule `{names[first]}`"
        raise SearchError(f"{culprit}: an objective is NaN; a front needs numbers, so mend or leave it out first")
    # Adding 0 turns -0.0 into 0.0: equal points have equal bytes.
    return np.where(np.asarray(maximise, dtype=bool), values, -values) + 0.0


def pareto_mask_naive(
    points: ArrayLike, maximise: Sequence[bool] = QUALITY_AND_COST, *, names: Sequence[str] | None = None
) -> Bools:
    """`pareto_mask` as its definition reads: every point against every other, O(K**2)."""
    gains = _gains(points, maximise, names)
    dominated = [bool(((gains >= own).all(axis=1) & (gains > own).any(axis=1)).any()) for own in gains]
    return ~np.array(dominated, dtype=bool)


def _mask_of_two(gains: Floats) -> Bools:
    # Best first objective first: a point is dominated when one with a better first has at least its second, or
    # one with the same first a better second.
    order = np.argsort(-gains[:, 0])
    first, second = gains[order].T
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
    ranks = np.stack([_rank(column) for column in gains.T])
    bits = int(ranks.max()).bit_length()
    packed = (ranks[0] << 2 * bits) | (ranks[1] << bits) | ranks[2]
    order = np.argsort(packed) if 3 * bits <= PACKED_BITS else np.lexsort(ranks[::-1])
    mask = np.empty(len(order), dtype=bool)
    compiled(order, ranks, mask)
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
    distinct, inverse = np.unique(-gains, axis=0, return_inverse=True)
    ordered = -distinct
    front = np.empty((0, gains.shape[1]))
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
        return np.ones(len(gains), dtype=bool)
    if gains.shape[1] == 2:
        return _mask_of_two(gains)
    compiled = loop("front_of_three") if gains.shape[1] == 3 and len(gains) > WORTH_COMPILING else None
    return _mask_of_many(gains) if compiled is None else _mask_of_three(gains, compiled)
