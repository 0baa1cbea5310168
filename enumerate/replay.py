"""Where a rule stops, and what stopping there is worth: the definition, and its vectorised equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..rules.arrays import Cache, check, kleene
from ..rules.evaluate import decisions, rounds_of
from ..rules.expression import Rule
from ..trajectories.table import Bools, Floats, Ints, Trajectories
from .figures import Figures, tally
from .ledger import Ledger

Item = TypeVar("Item")

CHUNK_ENTRIES = 2**20  # states that a replay holds at once, 8 bytes each


@dataclass(frozen=True, eq=False, kw_only=True)
class Replay:
    """What one rule does on N trajectories, in the table's order.

    Attributes
    ----------
    rule : Rule
    state : (N,) int64
        Stop round - 1, or R where the rule never fires: the column of the ledger that is read.
    stop_round : (N,) int64
        The first round at which the rule fires, else the last round.
    fired : (N,) bool
        False where the trajectory was exhausted.
    quality, cost : (N,) float64
        Outcome at the stop round, and what had been spent by then, each in the table's own unit.
    """

    rule: Rule
    state: Ints
    stop_round: Ints
    fired: Bools
    quality: Floats
    cost: Floats


def stop_rounds(state: Ints, length: Ints) -> Ints:
    """Stop rounds out of states: the last round where a rule never fires. (..., N) int64 both."""
    return np.minimum(state + 1, length)


def _replay(rule: Rule, t: Trajectories, state: Ints) -> Replay:
    stop = stop_rounds(state, t.length)
    here = np.arange(len(t)), stop - 1
    fired = state < t.rounds
    return Replay(rule=rule, state=state, stop_round=stop, fired=fired, quality=t.quality[here], cost=t.cost[here])


def replay_naive(rule: Rule, t: Trajectories) -> Replay:
    """`replay` as its definition reads: trajectory after trajectory, the decisions that a live stopper makes.

    Parameters
    ----------
    rule : Rule
    t : Trajectories

    Raises
    ------
    RuleError
        When the rule reads what the table does not have, or has a `?`.
    """
    check(rule, t)
    state = np.full(len(t), t.rounds, dtype=np.int64)
    for q in range(len(t)):
        for decision in decisions(rule, rounds_of(t, q)):
            if decision.stop:
                state[q] = decision.round - 1
    return _replay(rule, t, state)


def replay(rule: Rule, t: Trajectories) -> Replay:
    """Where a rule stops on every trajectory of a table.

    A rule fires at the rounds where it is definitely true. It stops at the first of them, or at the last
    round when there is none.

    Parameters
    ----------
    rule : Rule
    t : Trajectories

    Returns
    -------
    Replay

    Raises
    ------
    RuleError
        When the rule reads what the table does not have, or has a `?`.
    """
    check(rule, t)
    return _replay(rule, t, states([rule], t)[0])


def states(rules: Sequence[Rule], t: Trajectories, cache: Cache | None = None) -> Ints:
    """The states of K rules that passed `check`: stop round - 1, or R where a rule never fires.

    Parameters
    ----------
    rules : sequence of K Rule
    t : Trajectories
    cache : dict, optional
        Atoms that rules share are worked out once; hand over the same one for other rules on the same table.

    Returns
    -------
    (K, N) int64
    """
    shared: Cache = {} if cache is None else cache
    result = np.empty((len(rules), len(t)), dtype=np.int64)
    for row, rule in zip(result, rules, strict=True):
        fires = kleene(rule, t, shared).true & t.recorded
        row[:] = np.where(fires.any(axis=1), fires.argmax(axis=1), t.rounds)
    return result


def chunks(rules: Sequence[Item], t: Trajectories, size: int | None = None) -> list[Sequence[Item]]:
    """Rules, or what stands for them, in runs of `size`, by default as many as a replay may hold at once."""
    step = size or max(1, CHUNK_ENTRIES // max(len(t), 1))
    return [rules[start : start + step] for start in range(0, len(rules), step)]


def replayed(rules: Sequence[Rule], t: Trajectories, book: Ledger) -> Figures:
    """The figures of rules that passed `check`, by replay, in memory that does not grow with their number."""
    return Figures.concatenate([tally(states(run, t), book) for run in chunks(rules, t)])
