"""The search: every candidate of a space replayed, and those that stop alike told as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from joblib import Parallel, delayed

from ..rules.expression import Rule, id_of
from ..trajectories.errors import SearchError
from ..trajectories.table import Trajectories
from .batch import Batch
from .behaviours import Behaviour, Candidates, behaviours
from .census import Census
from .expand import Listing, expand
from .ledger import Ledger, ledger
from .pareto import pareto_mask
from .remarks import idle_atoms
from .replay import chunks, replayed
from .space import Space
from .sweeps import sweep

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    frame : polars.DataFrame
        One row a behaviour: see `search`.
    notes : tuple of str
        What was left out, and atoms that are always or never true.
    listed : int
        Candidates as the families list them; one that two families list counts twice.
    tried : int
        Distinct rules.
    distinct : int
        Distinct behaviours: rows of the frame.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...]
    listed: int
    tried: int
    distinct: int


def search(
    space: Space,
    t: Trajectories,
    *,
    jobs: int = 1,
    chunk: int | None = None,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Replay every candidate of a space.

    Rules that stop every trajectory at the same round are one behaviour. Its name is the simplest of them:
    fewest atoms, then text.

    Parameters
    ----------
    space : Space
    t : Trajectories
        The selection split, with its calibrated signals.
    jobs : int
        Workers, as joblib counts them. The result does not depend on it.
    chunk : int, optional
        Rules that a worker replays at once; by default as many as keep its memory small.
    progress : callable, optional
        Called with the steps done and all steps: one for each rule, and one for each shape swept exactly.

    Returns
    -------
    polars.DataFrame
        One row a behaviour, cheapest first, then best, then simplest, then by text. Columns: rule, id,
        family; quality, cost, calls (macro means, float64); fired (trajectories, int64); on_front (bool);
        stability (null until resampled); equivalents (list of texts, sorted).

    Raises
    ------
    SearchError
        When the space holds no candidate, or an outcome is not finite.
    RuleError
        When a rule reads what the table does not have.
    """
    return search_result(space, t, jobs=jobs, chunk=chunk, progress=progress).frame


def search_result(
    space: Space,
    t: Trajectories,
    *,
    jobs: int = 1,
    chunk: int | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """`search`, with its notes and counts."""
    if jobs == 0 or (chunk is not None and chunk < 1):
        raise SearchError(f"jobs = {jobs}, chunk = {chunk}: neither can be 0; jobs = -1 takes every processor")
    _refuse_unsound(t)
    book = ledger(t)
    listing = expand(space.families, t, book)
    notes = dict.fromkeys((*space.notes, *listing.notes))
    if not listing.rules and not listing.shapes:
        raise SearchError("; ".join(["the search space holds no candidate on this table", *notes]))
    batches = _evaluate(listing, t, book, jobs=jobs, chunk=chunk, progress=progress)
    candidates = Candidates(batches, _families(listing, batches))
    found = behaviours(candidates, t)
    notes.update(dict.fromkeys(idle_atoms((*listing.rules, *(shape.rule for shape in listing.shapes)), t)))
    dropped = sum(batch.tried for batch in batches) - len(candidates)
    doubles = len(candidates) - sum(1 + len(each.equivalents) for each in found)
    unseen = Census.of(batch.census for batch in batches).distinct - Census(candidates.figures.behaviour[0]).distinct
    return SearchResult(
        frame=_frame(found, candidates),
        notes=tuple(notes),
        listed=listing.listed - len(listing.rules) + len(candidates) + dropped,
        tried=len(candidates) + dropped - doubles,
        distinct=len(found) + unseen,
    )


def _refuse_unsound(t: Trajectories) -> None:
    if not len(t):
        raise SearchError("the selection split holds no trajectory: there is nothing to compare rules on")
    unsound = t.recorded & ~np.isfinite(t.quality)
    if unsound.any():
        q, r = np.argwhere(unsound)[0]
        raise SearchError(
            f"question {t.question[q]!r}, round {r + 1}: {t.roles.quality} is {t.quality[q, r]}, and so "
            f"is every rule that stops there, like `round >= {r + 1}`; give a number or drop the question"
        )


def _evaluate(
    listing: Listing,
    t: Trajectories,
    book: Ledger,
    *,
    jobs: int,
    chunk: int | None,
    progress: Progress | None,
) -> list[Batch]:
    """The figures of every candidate, in the order of the listing, whoever worked them out."""
    runs = chunks(list(listing.rules), t, chunk)
    tasks = [delayed(_replay_run)(run, t, book) for run in runs]
    tasks += [delayed(sweep)(shape.rule, t, book, shape.max_cells) for shape in listing.shapes]
    steps = [len(run) for run in runs] + [1] * len(listing.shapes)
    batches: list[Batch] = []
    for batch in Parallel(n_jobs=jobs, prefer="threads", return_as="generator")(tasks):
        batches.append(batch)
        if progress is not None:
            progress(sum(steps[: len(batches)]), sum(steps))
    return batches


def _families(listing: Listing, batches: Sequence[Batch]) -> list[list[str]]:
    """The family of each candidate of each batch."""
    swept = batches[len(batches) - len(listing.shapes) :]
    by_shape = [[shape.family] * len(batch.rules) for shape, batch in zip(listing.shapes, swept, strict=True)]
    return [list(listing.rules.values()), *by_shape]


def _replay_run(rules: Sequence[Rule], t: Trajectories, book: Ledger) -> Batch:
    return Batch.whole(rules, replayed(rules, t, book))


def _frame(found: Sequence[Behaviour], candidates: Candidates) -> pl.DataFrame:
    figures = candidates.figures

    def worth(each: Behaviour) -> tuple[float, float, int, str]:
        i = each.index
        return cost[i], -quality[i], candidates.atoms[i], candidates.texts[i]

    cost, quality = figures.cost.tolist(), figures.quality.tolist()
    rows = sorted(found, key=worth)
    index = np.array([each.index for each in rows], dtype=np.int64)
    texts = [candidates.texts[each.index] for each in rows]
    points = np.stack([figures.quality[index], figures.cost[index]], axis=1)
    return pl.DataFrame(
        {
            "rule": texts,
            "id": [id_of(text) for text in texts],
            "family": [candidates.families[each.index] for each in rows],
            "quality": points[:, 0],
            "cost": points[:, 1],
            "calls": figures.calls[index],
            "fired": figures.fired[index],
            "on_front": pareto_mask(points, names=texts),
            "stability": pl.Series([None] * len(rows), dtype=pl.Float64),
            "equivalents": pl.Series([each.equivalents for each in rows], dtype=pl.List(pl.String)),
        }
    )
