"""The search: every candidate of a space replayed, and those that stop alike told as one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from ..rules.expression import id_of
from ..trajectories.errors import SearchError
from ..trajectories.table import Trajectories
from .batch import Batch, Swept
from .behaviours import Behaviours, Candidates, behaviours
from .census import Census
from .checkpoint import Checkpoint, key_of
from .expand import Plan, Shape, expand
from .gather import Gathered, tasks
from .ledger import Ledger, ledger
from .pareto import pareto_mask
from .remarks import idle_atoms
from .sieve import STEPS, Kept
from .space import Space
from .workers import ALONE, Workers

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
        Distinct behaviours: rows of the frame, and those of candidates that were not kept.
    plan : Plan
        What was tried.
    batches : tuple of Batch
        What was kept of each item of the plan.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...]
    listed: int
    tried: int
    distinct: int
    plan: Plan
    batches: tuple[Batch, ...]


def search(
    space: Space,
    t: Trajectories,
    *,
    jobs: int = 1,
    backend: str = "threads",
    address: str | None = None,
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
        Workers, as joblib counts them. The result does not depend on them, nor on where they are.
    backend : {"threads", "processes", "dask"}
    address : str, optional
        Of a Dask scheduler.
    chunk : int, optional
        Rules that a worker goes through before it hands over what it kept; by default some tens of thousands.
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
        When the space holds no candidate or too many, an outcome is not finite, or the workers cannot be had.
    RuleError
        When a rule reads what the table does not have.
    """
    return search_result(space, t, jobs=jobs, backend=backend, address=address, chunk=chunk, progress=progress).frame


def search_result(
    space: Space,
    t: Trajectories,
    *,
    jobs: int = 1,
    backend: str = "threads",
    address: str | None = None,
    chunk: int | None = None,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> SearchResult:
    """`search`, with its notes and counts.

    Parameters
    ----------
    checkpoint : Path, optional
        A file in which a long search keeps how far it has come, and goes on from there if it is the same search.
        Whoever has the result written down deletes it.
    """
    workers = Workers(jobs=jobs, backend=backend, address=address)
    if chunk is not None and chunk < 1:
        raise SearchError(f"chunk = {chunk}: at least one rule is needed")
    book = ledger(t)
    plan = _plan(space, t, book, workers)
    kept_in = None if checkpoint is None else Checkpoint(checkpoint, key_of(space, t, chunk))
    gathered = _evaluate(plan, t, book, workers, chunk=chunk, progress=progress, checkpoint=kept_in)
    batches = gathered.batches()
    candidates = Candidates(batches, [item.family for item in plan.items])
    found = behaviours(candidates, t)
    notes = dict.fromkeys((*space.notes, *plan.notes))
    notes.update(dict.fromkeys(idle_atoms(plan.shown, t)))
    notes.update(dict.fromkeys(_sieved(plan, batches)))
    kept = Census(candidates.figures.behaviour[0])
    doubles = len(candidates) - len(found.index) - sum(map(len, found.equivalents.values()))
    swept = sum(batch.tried for item, batch in zip(plan.items, batches, strict=True) if isinstance(item, Shape))
    return SearchResult(
        frame=_frame(found, candidates),
        notes=tuple(notes),
        listed=plan.listed + swept,
        tried=sum(batch.tried for batch in batches) - doubles,
        distinct=len(found.index) + Census.of([gathered.census, kept]).distinct - kept.distinct,
        plan=plan,
        batches=tuple(batches),
    )


def contenders(space: Space, t: Trajectories) -> pl.DataFrame:
    """What a policy chooses from: the candidates of `search`, behaviours not told apart.

    A policy chooses the same rule from it as from `search`, and has it sooner; `Retain` when it is told the
    quality of its reference.

    Parameters
    ----------
    space : Space
    t : Trajectories
        The selection split, with its calibrated signals.

    Returns
    -------
    polars.DataFrame
        rule, quality and cost of every candidate that is kept.

    Raises
    ------
    SearchError, RuleError
        As `search`.
    """
    book = ledger(t)
    plan = _plan(space, t, book, ALONE).joined(t)
    gathered = _evaluate(plan, t, book, ALONE, chunk=None, progress=None, checkpoint=None)
    candidates = Candidates(gathered.batches(), [item.family for item in plan.items])
    figures = candidates.figures
    return pl.DataFrame({"rule": candidates.texts, "quality": figures.quality, "cost": figures.cost})


def _plan(space: Space, t: Trajectories, book: Ledger, workers: Workers) -> Plan:
    _refuse_unsound(t)
    plan = expand(space.families, t, book, workers)
    if not plan.items:
        notes = dict.fromkeys((*space.notes, *plan.notes))
        raise SearchError("; ".join(["the search space holds no candidate on this table", *notes]))
    return plan


def _sieved(plan: Plan, batches: Sequence[Batch]) -> Iterator[str]:
    """A note for each item of a plan of which not all candidates are kept."""
    for item, batch in zip(plan.items, batches, strict=True):
        if batch.tried > len(batch.rules):
            name = f"`{item.rule}`" if isinstance(item, Shape) else f"family {item.family}"
            yield (
                f"{name}: of {batch.tried:,} rules {len(batch.rules):,} are kept, "
                f"the front and the best at each of {STEPS:,} equal steps of cost"
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
    plan: Plan,
    t: Trajectories,
    book: Ledger,
    workers: Workers,
    *,
    chunk: int | None,
    progress: Progress | None,
    checkpoint: Checkpoint | None,
) -> Gathered:
    """The figures of every candidate, in the order of the plan, whoever worked them out."""
    gathered = Gathered(plan, book)
    waiting: deque[tuple[int, int]] = deque()
    finished = done = 0
    whole = True
    total = sum(1 if isinstance(item, Shape) else len(item) for item in plan.items)
    before = None if checkpoint is None else checkpoint.load()
    if before is not None:
        finished, done = before["finished"].tolist()
        gathered.restore(before)

    def handed_out() -> Iterator[Callable[[], Kept | Swept]]:
        for number, steps, task in islice(tasks(plan, t, book, chunk, workers=workers), finished, None):
            waiting.append((number, steps))
            yield task

    def save() -> None:
        if checkpoint is not None:
            checkpoint.save({"finished": np.array([finished, done]), **gathered.saved()})

    try:
        for outcome in workers.results(handed_out()):
            number, steps = waiting.popleft()
            whole = False
            gathered.add(number, outcome)
            finished, done = finished + 1, done + steps
            whole = True
            if progress is not None:
                progress(done, total)
            if checkpoint is not None and checkpoint.due():
                save()
    finally:
        # also when interrupted: all that is done counts, unless a part of it was just being taken in
        if checkpoint is not None and checkpoint.path.exists() and whole:
            save()
    return gathered


def _frame(found: Behaviours, candidates: Candidates) -> pl.DataFrame:
    index, figures = found.index, candidates.figures
    texts = [candidates.texts[i] for i in index.tolist()]
    points = np.stack([figures.quality[index], figures.cost[index]], axis=1)
    frame = pl.DataFrame(
        {
            "rule": texts,
            "id": [id_of(text) for text in texts],
            "family": [candidates.families[i] for i in index.tolist()],
            "quality": points[:, 0],
            "cost": points[:, 1],
            "calls": figures.calls[index],
            "fired": figures.fired[index],
            "on_front": pareto_mask(points, names=texts),
            "stability": pl.Series([None] * len(texts), dtype=pl.Float64),
            "index": index,
            "atoms": [candidates.atoms[i] for i in index.tolist()],
        }
    )
    several = pl.DataFrame(
        {"index": list(found.equivalents), "equivalents": list(found.equivalents.values())},
        schema={"index": pl.Int64, "equivalents": pl.List(pl.String)},
    )
    none = pl.lit([], dtype=pl.List(pl.String))
    return (
        frame.join(several, on="index", how="left")
        .with_columns(pl.col("equivalents").fill_null(none))
        .sort("cost", "quality", "atoms", "rule", descending=[False, True, False, False])
        .drop("index", "atoms")
    )
