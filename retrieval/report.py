"""The controller's study in words: policies, early stops, and cases shown in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from ..rules.expression import Rule
from .formats import Qrels, Query
from .recorded import COSTS, Recorded
from .study import CHAPTER_RULE, OUTCOMES, Case, EarlyStops, cases, early_stops, packet, policies
from .units import Collection
from .words import Features

WARNING = (
    "Fewer calls are not equal computation: a lexical and a dense search differ in work, and so do searches of three "
    "rows and of six. Logical calls, rows and units read are therefore counted apart. A stop reason says why a run "
    "ended, not that an answer is right."
)
CUTOFFS = {"ndcg4": "nDCG@4", "ndcg3": "nDCG@3"}


def study_report(
    recorded: Recorded,
    rule: str | Rule = CHAPTER_RULE,
    *,
    locked: str | Rule | None = None,
    queries: Sequence[Query] = (),
    collection: Collection | None = None,
    qrels: Qrels | None = None,
) -> str:
    """The report as Markdown.

    Parameters
    ----------
    rule : str or Rule
        The `adaptive` policy.
    locked : str or Rule, optional
        A rule that was selected and locked, shown beside the policies.
    queries, collection, qrels
        The collection that was recorded, where it is at hand: then the cases show wording, terms and grades.
    """
    rules = {"adaptive": rule} | ({"locked": locked} if locked is not None else {})
    parts = [
        _policy_table(policies(recorded, rules)),
        f"`adaptive` is `{rule}`" + (f", `locked` is `{locked}`." if locked is not None else "."),
        WARNING,
        *(_stops_sentence(early_stops(recorded, rule, outcome=outcome), name) for outcome, name in CUTOFFS.items()),
    ]
    wording = {query.id: query for query in queries}
    parts += [
        case_in_full(
            case,
            recorded,
            query=wording.get(case.question),
            collection=collection,
            grades=(qrels or {}).get(case.question),
        )
        for case in cases(recorded, rule)
    ]
    return "\n\n".join(parts) + "\n"


def _policy_table(table: pl.DataFrame) -> str:
    lines = ["| policy | questions | nDCG@4 | nDCG@3 | recall@4 | any relevant | calls | rows | units | characters |"]
    lines.append("|---" * 10 + "|")
    for row in table.iter_rows(named=True):
        figures = [f"{row[name]:.3f}" for name in OUTCOMES] + [f"{row[name]:,}" for name in COSTS]
        lines.append(f"| {row['policy']} | {row['questions']} | " + " | ".join(figures) + " |")
    return "\n".join(lines)


def _stops_sentence(counted: EarlyStops, name: str) -> str:
    return (
        f"{counted.stopped} early stops; by {name} another call would have been better at {counted.better}, the same "
        f"at {counted.same}, worse at {counted.worse}. {counted.relevant} of the stops already held a relevant unit."
    )


def case_in_full(
    case: Case,
    recorded: Recorded,
    *,
    query: Query | None = None,
    collection: Collection | None = None,
    grades: Mapping[str, int] | None = None,
) -> str:
    """One case as Markdown: query terms, coverage, and the packets before and after."""
    lines = [
        f"**{case.kind[0].upper()}{case.kind[1:]}**: query {case.question}" + (f", “{query.text}”" if query else "")
    ]
    if query:
        lines.append(f"* terms: {', '.join(Features.of(query.text).terms)}")
    known = _Known(query, collection, grades)
    lines.extend(_round_line(case.question, number, recorded.rounds, known) for number in (case.before, case.after))
    return "\n".join(lines)


class _Known(NamedTuple):
    """What of the collection is at hand."""

    query: Query | None
    collection: Collection | None
    grades: Mapping[str, int] | None


def _round_line(question: str, number: int, rounds: pl.DataFrame, known: _Known) -> str:
    row = rounds.row(by_predicate=(pl.col("question") == question) & (pl.col("round") == number), named=True)
    coverage = "unknown" if row["coverage"] is None else f"{row['coverage']:.2f}"
    line = f"* round {number}: coverage {coverage}, terms missing: {row['missing_terms']}"
    if known.query and known.collection and row["best"] is not None:
        held = Features.of(known.query.text).held_by(known.collection[row["best"]].content)
        line += f", best unit {row['best']} holds {', '.join(held) or 'none'}"
    units = packet(rounds, question, number)
    if known.grades is not None:
        units = [f"{unit} (grade {known.grades.get(unit, 0)})" for unit in units]
    return line + f"; packet {', '.join(units) or 'empty'}; nDCG@4 {row['ndcg4']:.3f}, nDCG@3 {row['ndcg3']:.3f}"
