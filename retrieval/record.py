"""Runs of the controller recorded as trajectories: ids and figures, no text unless it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import polars as pl

from .budget import Budget
from .controller import CHAPTER_SCHEDULE, Controller
from .dense import Dense
from .encoders import sentence_transformer
from .errors import RetrievalError
from .formats import Qrels, Query, read_collection, read_qrels, read_queries
from .lexical import Lexical
from .measures import MEASURES, outcomes
from .recorded import CELL, SCHEMA, Recorded
from .request import Request
from .signals import signals
from .state import State
from .tools import Tools
from .units import Collection, Snapshot, View

DECIMALS = 6  # of scores: their last bits change with the machine's linear algebra
Progress = Callable[[Iterable[Query]], Iterable[Query]]


def record(
    controller: Controller,
    queries: Sequence[Query],
    qrels: Qrels,
    *,
    view: View,
    text: bool = False,
    progress: Progress = iter,
) -> Recorded:
    """Run every query under `always` and under each single tool of the schedule.

    Parameters
    ----------
    qrels : query -> unit -> grade
        Read after the runs, for the outcomes only.
    text : bool
        Whether the wording of the queries is kept.
    progress : callable
        Wraps the queries while they run.

    Raises
    ------
    RetrievalError
        When none of the queries is judged: these are then not their judgements. When a search fails: what it
        would have found is then not recorded.
    """
    if not any(query.id in qrels for query in queries):
        raise RetrievalError("qrels: they judge none of the queries; name the judgements of these queries")
    rows: list[dict[str, object]] = []
    for query in progress(queries):
        request = Request(query=query.text, id=query.id, view=view)
        wording = {"text": query.text} if text else {}
        for cell, states in _runs(controller, request):
            _require_replies(query, states[-1])
            for number, state in enumerate(states, start=1):
                rows.append({"question": query.id, "cell": cell, "round": number, **wording, **_figures(state)})
    frame = pl.DataFrame(rows, schema={name: kind for name, kind in SCHEMA.items() if name in rows[0]})
    parts = frame.partition_by("cell", "round", maintain_order=True)
    scored = pl.concat([_with_outcomes(part, qrels) for part in parts]).sort("cell", "question", "round")
    candidate = pl.col("cell") == CELL
    return Recorded(scored.filter(candidate), scored.filter(~candidate))


def _require_replies(query: Query, state: State) -> None:
    for action in state.actions:
        if action.failure:
            raise RetrievalError(
                f"query {query.id!r}: the search {action.tool!r} failed with {action.failure}; "
                "mend it (a controller's diagnostics sink gets the error's text) and record again"
            )


def _runs(controller: Controller, request: Request) -> Iterable[tuple[str, tuple[State, ...]]]:
    yield CELL, controller.run(request, "always").states
    for tool in dict.fromkeys(tool for tool, _ in controller.schedule):
        yield tool, controller.run(request, tool).states


def _figures(state: State) -> dict[str, object]:
    packet = state.packet().rechecked(state.request.view)
    spent, best = state.spent, state.assessments[-1].best
    return {
        "packet": json.dumps([unit.id for unit in packet.units], ensure_ascii=False),
        "best": best.unit if best else None,
        **{
            name: round(value, DECIMALS) if isinstance(value, float) and name != "coverage" else value
            for name, value in signals(state).items()
        },
        "calls": spent.calls,
        "rows": spent.rows,
        "units": spent.units,
        "characters": state.characters,
    }


def _with_outcomes(part: pl.DataFrame, qrels: Qrels) -> pl.DataFrame:
    """The rows of one cell and round with their outcomes: there a question has one packet."""
    packets = dict(part.select("question", "packet").iter_rows())
    scores = outcomes({question: json.loads(packet) for question, packet in packets.items()}, qrels)
    return part.with_columns(
        pl.Series(name, [scores[question][name] for question in part["question"]], pl.Float64()) for name in MEASURES
    )


def record_controller(
    corpus: str | Path,
    queries: str | Path | None = None,
    qrels: str | Path | None = None,
    *,
    out: str | Path,
    schedule: Sequence[tuple[str, int]] = CHAPTER_SCHEDULE,
    budget: Budget | None = None,
    model: str | Path | None = None,
    dimensions: int = 128,
    seed: int = 0,
    text: bool = False,
    progress: Progress = iter,
) -> Recorded:
    """Read a collection, index it, run every query under every policy and write the trajectories.

    Parameters
    ----------
    corpus, queries, qrels : path
        JSON Lines, JSON Lines, and BEIR or TREC judgements; or one folder in the BEIR layout as ``corpus``.
    out : path
        Gets the rounds as Parquet; the one-round cells go to `beside_path`.
    schedule, budget
        Of the `Controller`; its tools are `lexical` and `dense`.
    model : path or None
        Folder of a sentence-transformers model for the dense search; without one latent semantic analysis of
        ``dimensions`` axes and this ``seed``.
    text, progress
        See `record`.
    """
    collection = read_collection(corpus)
    asked = read_queries(corpus if queries is None else queries)
    judged = read_qrels(corpus if qrels is None else qrels)
    if not Path(out).parent.is_dir():
        raise RetrievalError(f"{out}: its folder does not exist; make it first")
    dense = _dense(collection, model, dimensions, seed)
    tools: Tools = {"lexical": Lexical.build(collection), "dense": dense}
    controller = Controller(tools, schedule=schedule, budget=budget)
    view = Snapshot.of(collection)
    recorded = record(controller, asked, judged, view=view, text=text, progress=progress)
    recorded.write(out)
    return recorded


def _dense(collection: Collection, model: str | Path | None, dimensions: int, seed: int) -> Dense:
    if model is None:
        return Dense.lsa(collection, dimensions=dimensions, seed=seed)
    return Dense.build(collection, sentence_transformer(model), name=Path(model).name)
