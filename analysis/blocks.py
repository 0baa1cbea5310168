"""Groups dealt into 16 blocks, and the macro figures of every half of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..trajectories.table import Floats, Ints
from .bootstrap import Strata
from .units import ranked

BLOCKS = 16
HALF = BLOCKS // 2

Weights = Floats  # (BLOCKS x patterns, splits): sums over blocks @ weights are the macro figures of halves


@dataclass(frozen=True, eq=False)
class Blocks:
    """The groups of an assignment in blocks, and the weights that turn sums over blocks into macro figures.

    Attributes
    ----------
    member : (BLOCKS x patterns, P) float64
        What the mean of each pair adds to the sum of its block, one over the number of cells. Cells that have as
        many groups in each block as one another are of one pattern and share their sums.
    sizes : (patterns, BLOCKS) float64
        Groups of a cell in each block.
    """

    member: Floats
    sizes: Floats

    @classmethod
    def dealt(cls, strata: Strata, assignment: int) -> Blocks:
        """Deal the groups one after another, stratum by stratum, in the order of a hash."""
        block = _blocks(strata, assignment)[strata.group_of_pair]
        sizes, pattern = np.unique(_sizes(strata, block), axis=0, return_inverse=True)
        cells = int(strata.pair_cell.max()) + 1
        member = np.zeros((len(sizes), BLOCKS, len(block)))
        member[pattern.reshape(-1)[strata.pair_cell], block, np.arange(len(block))] = 1 / cells
        return cls(member.reshape(-1, len(block)), sizes.astype(np.float64))

    def sums(self, means: Floats) -> Floats:
        """(K, BLOCKS x patterns) of the (K, P) means of the pairs."""
        return np.asarray(means @ self.member.T, np.float64)

    def bounds(self, sums: Floats) -> tuple[Floats, Floats]:
        """(K,) two figures that no half is below or above."""
        ordered = np.sort(sums.reshape(len(sums), -1, BLOCKS), axis=2)
        sizes = np.sort(self.sizes, axis=1)
        groups = np.stack([sizes[:, :HALF].sum(axis=1), sizes[:, HALF:].sum(axis=1)])[:, None]
        low = (ordered[..., :HALF].sum(axis=2) / groups).min(axis=0).sum(axis=1)
        high = (ordered[..., HALF:].sum(axis=2) / groups).max(axis=0).sum(axis=1)
        return low, high

    def halves(self, at_once: int) -> Iterator[tuple[Weights, Weights]]:
        """Both halves of every cut, some cuts at a time."""
        codes = np.arange(1, 2**BLOCKS, 2)  # odd: every first half has block 0
        inside = (codes[np.bitwise_count(codes) == HALF] >> np.arange(BLOCKS)[:, None] & 1).astype(np.float64)
        for start in range(0, inside.shape[1], at_once):
            half = inside[:, start : start + at_once]
            yield self._weights(half), self._weights(1 - half)

    def _weights(self, inside: Floats) -> Weights:
        return np.asarray((inside / (self.sizes @ inside)[:, None]).reshape(-1, inside.shape[1]), np.float64)


def fills_blocks(strata: Strata) -> bool:
    """Whether every block has groups of every cell; that does not depend on the assignment."""
    return bool(_sizes(strata, _blocks(strata, 0)[strata.group_of_pair]).all())


def pair_means(values: Floats, strata: Strata) -> Floats:
    """(K, P) mean of (K, N) values over the trajectories of each (cell, group)."""
    order = np.argsort(strata.pair, kind="stable")
    starts = np.searchsorted(strata.pair[order], np.arange(len(strata.pair_cell)))
    return np.add.reduceat(values[:, order], starts, axis=1) / np.bincount(strata.pair)


def _blocks(strata: Strata, assignment: int) -> Ints:
    """(G,) the block of each group."""
    block = np.empty(len(strata.groups), np.int64)
    ends = np.cumsum(strata.sizes)
    for start, end in zip(ends - strata.sizes, ends, strict=True):
        of_stratum = strata.groups[start:end]
        place = {group: i for i, group in enumerate(ranked(f"block {assignment} ", of_stratum))}
        block[start:end] = [(start + place[group]) % BLOCKS for group in of_stratum]
    return block


def _sizes(strata: Strata, block: Ints) -> Ints:
    """(C, BLOCKS) groups of each cell in each block, of the (P,) blocks of the pairs."""
    cells = int(strata.pair_cell.max()) + 1
    return np.bincount(strata.pair_cell * BLOCKS + block, minlength=cells * BLOCKS).reshape(cells, BLOCKS)
