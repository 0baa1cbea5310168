"""How often each rule of a front is on the front when the groups are drawn again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from ..enumerate.expand import Shape
from ..enumerate.gather import Block, Sweep, tasks
from ..enumerate.ledger import Ledger, ledger
from ..enumerate.replay import states
from ..enumerate.search import SearchResult
from ..enumerate.sources import Listed, bare
from ..enumerate.weighted import weighted_sums
from ..enumerate.workers import Workers
from ..rules.text import parse
from ..trajectories.table import Bools, Ints, Trajectories
from .bootstrap import drawn_groups, strata
from .streams import stream, whole_number

DRAWS = 200  # a share of 1/2 is then known to within .07
MOST_SWEPT = 2**21  # cells of a sweep that is gone through again for every draw


def with_stability(
    result: SearchResult,
    t: Trajectories,
    *,
    draws: int = DRAWS,
    seed: int = 42,
    jobs: int = 1,
    backend: str = "threads",
    address: str | None = None,
) -> SearchResult:
    """A search with the stability of its front: the share of bootstrap resamples in which a rule is on the front.

    Groups are drawn within their strata, those that appear in the same cells. Every candidate takes part in every
    resample, those of exact cuts by one sweep with weights. Only of a family that streams, and of a sweep of more
    than two million cells, just those take part that were kept; shares may then be a little too high.

    Parameters
    ----------
    result : SearchResult
    t : Trajectories
        The table that was searched.
    draws, seed : int
    jobs, backend, address
        As `enumerate.search.search`; no byte depends on them.

    Returns
    -------
    SearchResult
        Its frame with the column stability, null off the front.

    Raises
    ------
    StudyError
        When draws or seed are out of range.
    """
    whole_number("draws", draws, least=1)
    book = ledger(t)
    tables = np.stack([book.quality, book.cost])
    weights = resampled_weights(t, draws=draws, seed=seed)
    rules = [parse(text) for text in result.frame.filter(pl.col("on_front"))["rule"]]
    front = _weighed(states(rules, t), tables, weights)
    beaten = np.zeros((draws, len(rules)), dtype=bool)
    contests = (_Contest(rival, tables, weights, front) for rival in _rivals(result, t, book))
    for each in Workers(jobs=jobs, backend=backend, address=address).results(contests):
        beaten |= each
    shares = np.full(len(result.frame), np.nan)
    shares[result.frame["on_front"].to_numpy()] = (~beaten).mean(axis=0)
    column = pl.Series("stability", shares).fill_nan(None)
    return replace(result, frame=result.frame.with_columns(column))


def resampled_weights(t: Trajectories, *, draws: int, seed: int) -> Ints:
    """(draws, N) how often the group of each trajectory was drawn."""
    groups = strata(t.cell, t.group)
    weights = np.empty((draws, len(t)), dtype=np.int64)
    done = 0
    for drawn in drawn_groups(groups.sizes, draws=draws, seed=stream(seed, "stability")):
        for row in drawn:
            weights[done] = np.bincount(row, minlength=len(groups.groups))[groups.position]
            done += 1
    return weights


def _weighed(state: Ints, tables: Ints, weights: Ints) -> Ints:
    """(draws, F, K) weighted sums of the tables at the states of K rules."""
    return np.stack([weights @ table[np.arange(state.shape[1]), state].T for table in tables], axis=1)


def _rivals(result: SearchResult, t: Trajectories, book: Ledger) -> Iterator[Block | Sweep]:
    """All candidates, or those that were kept where there are too many."""
    kept = {
        number: batch
        for number, (item, batch) in enumerate(zip(result.plan.items, result.batches, strict=True))
        if (batch.tried > MOST_SWEPT if isinstance(item, Shape) else not item.whole)
    }
    light = bare(t)
    for batch in kept.values():
        yield Block(Listed(list(batch.rules), light), book, whole=True)
    rest = tuple(item for number, item in enumerate(result.plan.items) if number not in kept)
    for _, _, task in tasks(replace(result.plan, items=rest), t, book):
        yield task


@dataclass(frozen=True, eq=False)
class _Contest:
    """The candidates of a task against the front, in every resample.

    Attributes
    ----------
    task : Block or Sweep
    tables : (2, N, R + 1) int64
        Quality and cost.
    weights : (draws, N) int64
    front : (draws, 2, F) int64
        Weighted sums of the rules of the front.
    """

    task: Block | Sweep
    tables: Ints
    weights: Ints
    front: Ints

    def __call__(self) -> Bools:
        """(draws, F) which rules of the front are dominated by some candidate."""
        beaten = np.zeros((len(self.weights), self.front.shape[2]), dtype=bool)
        for row, _, (quality, cost) in weighted_sums(self.task, self.tables, self.weights):
            beaten[row] |= dominated(self.front[row, 0], self.front[row, 1], quality, cost)
        return beaten


def dominated(quality: Ints, cost: Ints, other_quality: Ints, other_cost: Ints) -> Bools:
    """(F,) which of some points are dominated by one of K others at least."""
    levels, at = np.unique(cost, return_inverse=True)
    # from which level on each other is no dearer, and from which on it is cheaper
    no_dearer = np.searchsorted(levels, other_cost)
    cheaper = no_dearer + (levels[np.minimum(no_dearer, len(levels) - 1)] == other_cost)
    return (_best(no_dearer, other_quality, len(levels))[at] > quality) | (
        _best(cheaper, other_quality, len(levels))[at] >= quality
    )


def _best(begin: Ints, values: Ints, levels: int) -> Ints:
    """(levels,) the largest of the values that begin to count at a level or before."""
    best = np.full(levels + 1, np.iinfo(np.int64).min)
    np.maximum.at(best, begin, values)
    return np.maximum.accumulate(best[:levels])
