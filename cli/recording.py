"""`stoprule record controller`: the bounded controller run over a collection, as trajectories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ..retrieval.formats import Query
from ..retrieval.record import record_controller
from ..retrieval.recorded import beside_path
from ..retrieval.study import policies
from .progress import progress


@dataclass(frozen=True)
class Recording:
    """What was recorded: the policies side by side, and where their rounds stand."""

    policies: pl.DataFrame
    rounds: Path
    beside: Path


def record_a_controller(
    corpus: Path, queries: Path | None, qrels: Path | None, *, out: Path, model: Path | None, text: bool
) -> Recording:
    """Run every query of a collection under every policy.

    Parameters
    ----------
    corpus, queries, qrels : Path
        Files, or one folder in the BEIR layout as ``corpus``.
    out : Path
        Gets the two rounds of the controller; single searches of all rows go to a file beside it.
    model : Path or None
        Folder of a sentence-transformers model; without one, latent semantic analysis.
    text : bool
        Whether the wording of the queries is kept.

    Raises
    ------
    StopruleError
        When a file cannot be read, a judgement is of no query, or a search fails.
    """
    with progress("running queries") as report:

        def counted(asked: Iterable[Query]) -> Iterator[Query]:
            every = list(asked)
            for done, query in enumerate(every, start=1):
                yield query
                report(done, len(every))

        recorded = record_controller(corpus, queries, qrels, out=out, model=model, text=text, progress=counted)
    return Recording(policies(recorded), out, beside_path(out))
