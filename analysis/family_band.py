"""The band around the frontier of a family of rules, out of their replay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ..enumerate.expand import Shape
from ..enumerate.gather import tasks
from ..enumerate.ledger import ledger
from ..enumerate.replay import states, stop_rounds
from ..enumerate.search import SearchResult
from ..rules.arrays import check
from ..rules.expression import Rule
from ..trajectories.errors import StudyError
from ..trajectories.table import Floats, Trajectories
from .bootstrap import strata
from .differences import MatrixDifferences
from .resampled_sums import contributions
from .search_differences import SearchDifferences
from .simultaneous import Band, frontier_band, simultaneous

MOST_SWEPT = 2**21  # cells of a sweep that is gone through again for every draw
MANY, MANY_DRAWS = 50_000, 200  # candidates, and the draws that they get


def family_band(
    rules: Sequence[Rule],
    baseline: Rule,
    t: Trajectories,
    *,
    alpha: float = 0.05,
    draws: int = 2000,
    seed: int = 42,
) -> Band:
    """The simultaneous band in which the frontier of a family's true means runs, minus a baseline.

    Parameters
    ----------
    rules : sequence of Rule
        The whole family; over a part of it the band would not cover a rule that was picked from the rest.
    baseline : Rule
    t : Trajectories
    alpha, draws, seed
        As `simultaneous`.

    Raises
    ------
    RuleError
        When a rule reads what the table does not have.
    StudyError
        Without a rule, and for settings out of range.
    """
    if not rules:
        raise StudyError("a band needs a family of rules: give one rule at least")
    for rule in (baseline, *rules):
        check(rule, t)
    units = strata(t.cell, t.group)
    stop = stop_rounds(states([baseline, *rules], t), t.length) - 1
    here = np.arange(len(t))

    def minus_baseline(values: Floats) -> MatrixDifferences:
        chosen = values[here, stop]
        return MatrixDifferences([contributions(chosen[1:] - chosen[0], units) * len(units.groups)])

    return frontier_band(
        simultaneous(
            minus_baseline(t.quality), minus_baseline(t.cost), units.sizes, alpha=alpha, draws=draws, seed=seed
        )
    )


def search_band(
    result: SearchResult,
    baseline: Rule,
    t: Trajectories,
    *,
    alpha: float = 0.05,
    draws: int = 500,
    seed: int = 42,
) -> Band | None:
    """`family_band` of everything that a search tried, exact sweeps included.

    What stands in two families that are not both listed weighs twice in the floor of the errors.

    Parameters
    ----------
    result : SearchResult
    baseline : Rule
    t : Trajectories
        The table that was searched.
    alpha, draws, seed
        As `simultaneous`; more than 50,000 candidates get 200 draws at most.

    Returns
    -------
    Band or None
        None where a family or a sweep is too large to be gone through again: a band over a part of what was
        searched would not cover a rule that was picked from the rest.
    """
    pairs = zip(result.plan.items, result.batches, strict=True)
    if any(batch.tried > MOST_SWEPT if isinstance(item, Shape) else not item.whole for item, batch in pairs):
        return None
    units = strata(t.cell, t.group)
    work = [task for _, _, task in tasks(result.plan.joined(t), t, ledger(t))]
    quality, cost = (
        SearchDifferences(work, t, baseline, units, of=of, scale=len(units.groups)) for of in ("quality", "cost")
    )
    few = min(draws, MANY_DRAWS) if result.tried > MANY else draws
    return frontier_band(simultaneous(quality, cost, units.sizes, alpha=alpha, draws=few, seed=seed))


def band_frame(band: Band, baseline: Rule) -> pl.DataFrame:
    """The two staircases of a band at every cost where one of them rises.

    Returns
    -------
    polars.DataFrame
        baseline; cost, low, high: minus the baseline's. Null: no rule surely costs so little.
    """
    cost = np.unique(np.concatenate([band.low_cost, band.high_cost]))
    low, high = band.at(cost)
    ends = pl.DataFrame({"cost": cost, "low": low, "high": high})
    finite = pl.when(pl.col("low").is_finite()).then(pl.col("low"))
    return ends.select(pl.lit(str(baseline)).alias("baseline"), "cost", finite.alias("low"), "high")
