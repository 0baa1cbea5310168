"""Differences of a family of rules to their baseline, seen only through weighted sums over the groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats


class Differences(Protocol):
    """The differences d_kg of K rules in G groups, whether they stand in a matrix or come out of a sweep.

    Every method takes (B, G) weights and gives (B, K) sums over the groups. A sweep carries ``weight x d`` as
    its outcome: one sweep a row of weights, all candidates at once.
    """

    @property
    def groups(self) -> int:
        """G."""

    def sums(self, weights: Floats) -> Floats:
        """sum_g w_g d_kg."""

    def squares(self, weights: Floats) -> Floats:
        """sum_g w_g d_kg^2."""

    def nonzero(self, weights: Floats) -> Floats:
        """sum_g w_g [d_kg is not 0]."""


class MatrixDifferences:
    """Differences that are held in memory, in blocks of rules.

    Sums of integer differences are exact, in any order; others are rounded as BLAS adds them.

    Parameters
    ----------
    blocks : iterable of (k, G) arrays
        One row a rule, one column a group; finite.

    Raises
    ------
    StudyError
        When there is no block, the blocks differ in their groups, or a difference is not finite.
    """

    def __init__(self, blocks: Iterable[Floats]) -> None:
        self._blocks = [np.asarray(block, dtype=np.float64) for block in blocks]
        groups = {block.shape[1] for block in self._blocks}
        if len(groups) != 1:
            raise StudyError(f"differences need blocks over the same groups, got {sorted(groups)} groups")
        if not all(np.isfinite(block).all() for block in self._blocks):
            raise StudyError("a difference to the baseline is not finite; give every rule its outcome in every group")
        self._groups = int(groups.pop())

    @property
    def groups(self) -> int:
        """G."""
        return self._groups

    def sums(self, weights: Floats) -> Floats:
        """sum_g w_g d_kg."""
        return np.concatenate([weights @ block.T for block in self._blocks], axis=1)

    def squares(self, weights: Floats) -> Floats:
        """sum_g w_g d_kg^2."""
        return np.concatenate([weights @ (block**2).T for block in self._blocks], axis=1)

    def nonzero(self, weights: Floats) -> Floats:
        """sum_g w_g [d_kg is not 0]."""
        return np.concatenate([weights @ (block != 0).T for block in self._blocks], axis=1)
