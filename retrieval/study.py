"""What a rule does on a recording: policies side by side, and what one more call would have changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ..rules.expression import Rule
from ..rules.stopper import Stopper
from ..rules.text import parse
from .measures import MEASURES
from .recorded import COSTS, Recorded
from .signals import SIGNALS

CHAPTER_RULE = "coverage >= 0.8"
OUTCOMES = tuple(MEASURES)


def stops(rounds: pl.DataFrame, rule: str | Rule = CHAPTER_RULE) -> pl.DataFrame:
    """Where the rule stops each question, decided round by round as in a live run.

    Returns
    -------
    DataFrame
        question, stop (the first round at which the rule fires, else the last), fired, last (rounds recorded).
    """
    stopper = Stopper(parse(rule) if isinstance(rule, str) else rule, ignore=SIGNALS)
    found = []
    for question, part in rounds.sort("question", "round").group_by("question", maintain_order=True):
        stopper.reset()
        seen = part.select(SIGNALS).iter_rows(named=True)
        decisions = (stopper.observe(**signals) for signals in seen)
        fired = next((decision.round for decision in decisions if decision.stop), None)
        found.append((question[0], fired or part.height, fired is not None, part.height))
    kinds = {"question": pl.String, "stop": pl.Int64, "fired": pl.Boolean, "last": pl.Int64}
    return pl.DataFrame(found, schema=kinds, orient="row")


def policies(recorded: Recorded, rules: Mapping[str, str | Rule] | None = None) -> pl.DataFrame:
    """The policies side by side.

    Parameters
    ----------
    rules : name -> rule
        Shown beside `lexical`, `dense` and `always`; by default `adaptive`, the chapter's.

    Returns
    -------
    DataFrame
        policy, questions, the mean of every outcome, and the sums of calls, rows, units and characters: apart,
        because fewer calls are not equal computation.
    """
    named = {"adaptive": CHAPTER_RULE} if rules is None else rules
    chosen = {name: _at(recorded.rounds, stops(recorded.rounds, rule), "stop") for name, rule in named.items()}
    last = recorded.rounds.filter(pl.col("round") == pl.col("round").max().over("question"))
    rows = {
        **{str(cell): part for (cell,), part in recorded.beside.group_by("cell", maintain_order=True)},
        **chosen,
        "always": last,
    }
    return pl.concat(
        part.select(
            pl.lit(name).alias("policy"),
            pl.len().alias("questions"),
            pl.col(OUTCOMES).mean(),
            pl.col(COSTS).sum(),
        )
        for name, part in rows.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyStops:
    """The questions that a rule stopped before their last round, and what one more call would have done.

    Attributes
    ----------
    outcome : str
    stopped : int
    better, same, worse : int
        At how many of them the next round's outcome is higher, equal, lower.
    relevant : int
        How many of them already held a relevant unit.
    """

    outcome: str
    stopped: int
    better: int
    same: int
    worse: int
    relevant: int


def early_stops(recorded: Recorded, rule: str | Rule = CHAPTER_RULE, *, outcome: str = "ndcg4") -> EarlyStops:
    """Count the early stops of a rule by what one more call would have done to an outcome."""
    pairs = _early(recorded.rounds, rule, outcome)
    return EarlyStops(
        outcome=outcome,
        stopped=pairs.height,
        better=pairs.filter(pl.col("gain") > 0).height,
        same=pairs.filter(pl.col("gain") == 0).height,
        worse=pairs.filter(pl.col("gain") < 0).height,
        relevant=pairs.filter(pl.col("any_relevant") > 0).height,
    )


@dataclass(frozen=True, slots=True)
class Case:
    """One question shown in full: the round before and the one after.

    Attributes
    ----------
    kind : str
        `useful continuation`, `premature stop` or `harmful continuation`.
    question : str
    before, after : int
        Rounds.
    gain : float
        The outcome after less the outcome before.
    """

    kind: str
    question: str
    before: int
    after: int
    gain: float


def cases(recorded: Recorded, rule: str | Rule = CHAPTER_RULE, *, outcome: str = "ndcg4") -> tuple[Case, ...]:
    """The strongest case of each kind that the recording holds, the lowest id among equals.

    A useful continuation went on and gained most by its last call, a harmful one lost most; a premature stop
    would have gained most by one more call.
    """
    early = _early(recorded.rounds, rule, outcome)
    late = _continued(recorded.rounds, rule, outcome)
    found = []
    for kind, pairs, sign in (
        ("useful continuation", late, 1),
        ("premature stop", early, 1),
        ("harmful continuation", late, -1),
    ):
        strongest = pairs.filter(sign * pl.col("gain") > 0).sort(-sign * pl.col("gain"), "question").head(1)
        for question, before, gain in strongest.select("question", "round", "gain").iter_rows():
            found.append(Case(kind, question, before, before + 1, gain))
    return tuple(found)


def packet(rounds: pl.DataFrame, question: str, number: int) -> list[str]:
    """The unit ids of the packet of a question at a round."""
    row = rounds.filter(pl.col("question") == question, pl.col("round") == number)
    return [str(unit) for unit in json.loads(row["packet"].item())]


def _at(rounds: pl.DataFrame, where: pl.DataFrame, column: str) -> pl.DataFrame:
    """The rounds that a column of ``where`` names, a row a question."""
    return rounds.join(where, left_on=("question", "round"), right_on=("question", column)).sort("question")


def _gains(rounds: pl.DataFrame, outcome: str) -> pl.DataFrame:
    """Every round but the last with its ``gain``: the next round's outcome less its own."""
    later = pl.col(outcome).shift(-1).over("question", order_by="round")
    return rounds.with_columns(gain=later - pl.col(outcome)).drop_nulls("gain")


def _early(rounds: pl.DataFrame, rule: str | Rule, outcome: str) -> pl.DataFrame:
    stopped = stops(rounds, rule).filter(pl.col("stop") < pl.col("last"))
    return _at(_gains(rounds, outcome), stopped, "stop")


def _continued(rounds: pl.DataFrame, rule: str | Rule, outcome: str) -> pl.DataFrame:
    """The last call of each question that went on to its last round, seen from the round before."""
    went_on = stops(rounds, rule).filter(pl.col("stop") == pl.col("last"))
    return _at(_gains(rounds, outcome), went_on.with_columns(before=pl.col("last") - 1), "before")
