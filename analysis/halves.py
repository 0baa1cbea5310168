"""What a policy chooses on one half of the blocks, and what that gives on the other, for every cut in two."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Bools, Floats, Ints
from .blocks import BLOCKS, HALF, Blocks, Weights
from .bootstrap import Strata

ROUNDING = 1e-12  # of the largest mean of a pair; figures this close tie, whatever order they were added up in
RIVALS = 4  # behaviours that the others are compared with to find those that never aim highest
AT_ONCE = 2**17  # figures made at a time: they stay in the processor's cache
LEAST_SPLITS = 256  # but no fewer splits than that, or NumPy's calls take longer than their work


@dataclass(frozen=True, eq=False)
class Chosen:
    """What is chosen on the first half of each of the 12,870 splits, and what it gives on the second.

    Attributes
    ----------
    some : (splits,) bool
        Whether any behaviour is within the limit; where none is, the other fields say nothing.
    cost : (splits,) float64
        Of the chosen one on the second half.
    lead : (splits,) int32
        Behaviours within the limit on the first half that aim lower on the second than the chosen one, less
        those that aim higher.
    """

    some: Bools
    cost: Floats
    lead: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Behaviours:
    """Of those within a limit of cost the one that aims highest is chosen, the cheapest of several, the first of these.

    Attributes
    ----------
    aim, cost : (K, P) float64
        Mean over each (cell, group) pair, as in `pair_means`.
    limit : float
        Of the macro cost; infinite where there is none.
    """

    aim: Floats
    cost: Floats
    limit: float

    def chosen(self, strata: Strata, assignment: int, *, ranks: bool = True) -> Chosen:
        """Go through the splits of one assignment; without ``ranks`` the leads leave out what is never chosen."""
        blocks = Blocks.dealt(strata, assignment)
        sorted_out = _Sorted.out(self, blocks, ranks=ranks)
        kept = len(sorted_out.aim)
        if not kept:
            splits = math.comb(BLOCKS, HALF)
            return Chosen(np.zeros(splits, np.bool_), np.zeros(splits), np.zeros(splits, np.int32))
        parts = []
        for half, other in blocks.halves(max(LEAST_SPLITS, AT_ONCE // kept)):
            aim, then_aim = sorted_out.aim @ half, sorted_out.aim @ other
            parts += [sorted_out.chosen(half, other, aim, then_aim), sorted_out.chosen(other, half, then_aim, aim)]
        return Chosen(
            some=np.concatenate([part.some for part in parts]),
            cost=np.concatenate([part.cost for part in parts]),
            lead=np.concatenate([part.lead for part in parts]),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Sorted:
    """Behaviours of one assignment by what there is to find out about them, without those that are never within.

    Attributes
    ----------
    aim, cost : (K, BLOCKS x patterns) float64
        Sums over the blocks.
    row : (K,) int64
        Where each stood.
    contenders : int
        So many come first; of the others none is ever chosen.
    unsure : slice
        Those within the limit on some halves only, or perhaps; all others are within it on every half.
    limit : float
        Of the cost.
    slack, margin : float
        Aims and costs that are so close are one.
    """

    aim: Floats
    cost: Floats
    row: Ints
    contenders: int
    unsure: slice
    limit: float
    slack: float
    margin: float

    @classmethod
    def out(cls, behaviours: Behaviours, blocks: Blocks, *, ranks: bool) -> _Sorted:
        """Sort contenders that are surely within, unsure ones, the unsure others and, if they are ranked, the rest."""
        aim, cost, limit = blocks.sums(behaviours.aim), blocks.sums(behaviours.cost), behaviours.limit
        slack, margin = (ROUNDING * float(np.abs(means).max()) for means in (behaviours.aim, behaviours.cost))
        low, high = blocks.bounds(cost)
        sure, kept = high <= limit - margin, low <= limit + margin
        contends = kept
        for rival in np.flatnonzero(sure)[np.argsort(-aim[sure].sum(axis=1), kind="stable")][:RIVALS]:
            # a rival can always be chosen, so what is below it on every half never is
            contends = contends & (blocks.bounds(aim - aim[rival])[1] >= -2 * slack)
        others = kept & ~contends if ranks else np.zeros_like(kept)
        parts = [np.flatnonzero(part) for part in (contends & sure, contends & ~sure, others & ~sure, others & sure)]
        row = np.concatenate(parts)
        ends = np.cumsum([len(part) for part in parts]).tolist()
        return cls(
            aim=aim[row],
            cost=cost[row],
            row=row,
            contenders=ends[1],
            unsure=slice(ends[0], ends[2]),
            limit=limit,
            slack=slack,
            margin=margin,
        )

    def chosen(self, half: Weights, other: Weights, aim: Floats, then_aim: Floats) -> Chosen:
        """Of some splits, with the (K, splits) aims on the first half and on the second."""
        sure, contenders = self.unsure.start, self.contenders
        within = np.ones(aim.shape, np.bool_)
        room = self.limit - self.cost[self.unsure] @ half
        np.greater_equal(room, 0, out=within[self.unsure])
        # infinite on either side of the limit: np.where would branch, which takes ten times as long
        cap = np.copysign(np.inf, room[: contenders - sure])
        best = np.maximum(
            aim[:sure].max(axis=0, initial=-np.inf),
            np.minimum(aim[sure:contenders], cap).max(axis=0, initial=-np.inf),
        )
        choice = self._cheapest((aim[:contenders] >= best - self.slack) & within[:contenders], half)
        then_chosen = then_aim[choice, np.arange(len(choice))]
        lower = (then_aim < then_chosen - self.slack) & within
        higher = (then_aim > then_chosen + self.slack) & within
        return Chosen(
            some=np.isfinite(best),
            cost=np.einsum("sb,bs->s", self.cost[choice], other),
            lead=(lower.view(np.int8) - higher.view(np.int8)).sum(axis=0, dtype=np.int32),
        )

    def _cheapest(self, best: Bools, half: Weights) -> Ints:
        """(splits,) which of the best ones of each split, (K, splits), costs least and stood first; 0 of none."""
        behaviour, split = np.divmod(np.flatnonzero(best), best.shape[1])
        choice = np.zeros(best.shape[1], np.int64)
        choice[split] = behaviour
        tied = (np.bincount(split, minlength=best.shape[1]) > 1)[split]
        behaviour, split = behaviour[tied], split[tied]
        spent = np.einsum("tb,tb->t", self.cost[behaviour], half.T[split])
        least = np.full(best.shape[1], np.inf)
        np.minimum.at(least, split, spent)
        cheapest = spent <= least[split] + self.margin
        behaviour, split = behaviour[cheapest], split[cheapest]
        last_first = np.argsort(-self.row[behaviour])
        choice[split[last_first]] = behaviour[last_first]  # where a split is there twice NumPy keeps the last
        return choice
