"""What a rule says at every round of a whole table at once: equal to rules.evaluate, in numpy."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from functools import reduce
from typing import NamedTuple

import numpy as np

from ..trajectories.errors import RuleError
from ..trajectories.nearest import listing
from ..trajectories.table import Bools, Floats, Trajectories
from .evaluate import HOLDS, require_cuts
from .expression import (
    And,
    AtLeast,
    Change,
    Clip,
    Compare,
    Cost,
    Expression,
    Flag,
    Missing,
    Not,
    Or,
    Round,
    Rule,
    Signal,
    SoFarMax,
    SoFarMin,
    Streak,
    Term,
    Total,
    as_term,
)


class Kleene(NamedTuple):
    """Where a rule is definitely true and definitely false, (N, R) each; unknown where it is neither."""

    true: Bools
    false: Bools


Cache = dict[Rule, Kleene]


def fires(rule: Rule, t: Trajectories, cache: Cache | None = None) -> Bools:
    """Where a rule is definitely true, at rounds that exist.

    Parameters
    ----------
    cache : dict, optional
        Filled with the atoms of the rule on ``t``; hand the same one to other rules on the same table.

    Returns
    -------
    (N, R) bool

    Raises
    ------
    RuleError
        As `check`.
    """
    check(rule, t)
    return kleene(rule, t, cache).true & t.recorded


def kleene(rule: Rule, t: Trajectories, cache: Cache | None = None) -> Kleene:
    """Where a rule that passed `check` is true and where it is false; undefined beyond the length."""
    match rule:
        case And(operands):
            parts = [kleene(part, t, cache) for part in operands]
            return Kleene(
                reduce(operator.and_, (part.true for part in parts)),
                reduce(operator.or_, (part.false for part in parts)),
            )
        case Or(operands):
            parts = [kleene(part, t, cache) for part in operands]
            return Kleene(
                reduce(operator.or_, (part.true for part in parts)),
                reduce(operator.and_, (part.false for part in parts)),
            )
        case AtLeast(k, operands):
            parts = [kleene(part, t, cache) for part in operands]
            return Kleene(
                _count(part.true for part in parts) >= k,
                _count(part.false for part in parts) > len(parts) - k,
            )
        case Not(negated):
            true, false = kleene(negated, t, cache)
            return Kleene(false, true)
    if cache is None:
        return _atom(rule, t, cache)
    if rule not in cache:
        cache[rule] = _atom(rule, t, cache)
    return cache[rule]


def _count(masks: Iterable[Bools]) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    # int16 holds more operands than the text of a rule may have characters
    return reduce(operator.add, (mask.astype(np.int16) for mask in masks))


def _atom(rule: Rule, t: Trajectories, cache: Cache | None) -> Kleene:
    match rule:
        case Compare(term, op, cut):
            values = term_values(term, t, cache)
            known = ~np.isnan(values)
            true = HOLDS[op](values, cut) & known
            return Kleene(true, known & ~true)
        case Flag(name):
            values = t.signals[name]
            return Kleene(values == 1, values == 0)
        case Missing(term):
            true = np.isnan(term_values(term, t, cache))
            return Kleene(true, ~true)
        case Streak(k):
            true = _streak(k, t)
            return Kleene(true, ~true)
    raise TypeError(f"{type(rule).__name__} is no rule that can be evaluated")


def _streak(k: int, t: Trajectories) -> Bools:
    if t.answer is None:
        raise RuleError("the rule reads the answer, but the table has none: name the answer's column")
    if k > t.rounds:
        return np.zeros(t.answer.shape, dtype=bool)
    present = t.answer >= 0
    present[:, : k - 1] = False
    for back in range(1, k):
        present[:, back:] &= t.answer[:, back:] == t.answer[:, :-back]
    return present


def term_values(  # noqa: PLR0911 one a kind of term
    term: Term, t: Trajectories, cache: Cache | None = None
) -> Floats:
    """The value of a term at every round, (N, R) float64, NaN where missing; undefined beyond the length.

    It may be an array of the table itself: do not write into it.
    """
    match term:
        case Signal(name):
            return t.signals[name]
        case Round():
            return np.broadcast_to(np.arange(1.0, t.rounds + 1), t.cost.shape)
        case Cost():
            return t.cost
        case Change(inner):
            values = term_values(inner, t, cache)
            change = np.full(values.shape, np.nan)
            with np.errstate(invalid="ignore", over="ignore"):  # inf - inf is missing; the largest floats give inf
                np.subtract(values[:, 1:], values[:, :-1], out=change[:, 1:])
            return change
        case SoFarMax(inner):
            return np.fmax.accumulate(term_values(inner, t, cache), axis=1)
        case SoFarMin(inner):
            return np.fmin.accumulate(term_values(inner, t, cache), axis=1)
        case Clip(inner, low, high):
            return np.clip(term_values(inner, t, cache), low, high)
        case Total(operands):
            total = np.zeros(t.cost.shape)
            with np.errstate(invalid="ignore", over="ignore"):
                for part in operands:  # in the definition's order: float sums depend on it
                    total += _as_number(part, t, cache)
            return total
    raise TypeError(f"{type(term).__name__} is no term that can be evaluated")


def _as_number(part: Expression, t: Trajectories, cache: Cache | None) -> Floats:
    if not isinstance(part, Rule):
        return term_values(as_term(part), t, cache)
    true, false = kleene(part, t, cache)
    return np.where(true, 1.0, np.where(false, 0.0, np.nan))


def check(rule: Rule, t: Trajectories) -> None:
    """Refuse a rule that cannot be evaluated on a table.

    Raises
    ------
    RuleError
        When a cut is still to be chosen, and as `check_names`.
    """
    require_cuts(rule)
    check_names(rule, signals=t.signals, outcomes=t.outcomes, booleans=t.booleans, answer=t.answer is not None)


def check_all(rules: Iterable[Rule], t: Trajectories) -> None:
    """`check` of many rules, each part that they share once.

    Raises
    ------
    RuleError
        As `check` does for the first that cannot be evaluated.
    """
    sound: set[Expression] = set()

    def visit(part: Expression) -> None:
        if part in sound:
            return
        for inner in part.operands:
            visit(inner)
        if not part.operands:
            check_names(part, signals=t.signals, outcomes=t.outcomes, booleans=t.booleans, answer=t.answer is not None)
        sound.add(part)

    for rule in rules:
        require_cuts(rule)
        try:
            visit(rule)
        except RuleError:
            check(rule, t)  # which names the whole rule
            raise


def check_names(
    rule: Expression,
    *,
    signals: Iterable[str],
    outcomes: Iterable[str] = (),
    booleans: Collection[str] | None = None,
    answer: bool = True,
) -> None:
    """Refuse a rule that reads what is not there or what no rule may read; needs no data.

    Parameters
    ----------
    booleans : collection of str, optional
        The Boolean ones among the signals; None when that is not known yet.
    answer : bool
        Whether a column has the role of the answer.

    Raises
    ------
    RuleError
        When the rule reads an outcome, an unknown signal, the answer where there is none, or a number as
        true or false.
    """
    known, forbidden = set(signals), set(outcomes)
    for name in sorted(rule.signals):
        if name in forbidden:
            raise RuleError(
                f"`{rule}` reads the outcome {name!r}, which no rule may know when it decides: read signals"
            )
        if name not in known:
            there = f"there are {listing(_by_likeness(name, known))}" if known else "there are none"
            raise RuleError(f"`{rule}` reads the unknown signal {name!r}: {there}")
    if rule.needs_answer and not answer:
        raise RuleError(f'`{rule}` reads the answer, but no column has that role: name one, as in answer="text"')
    if booleans is not None:
        for name in sorted(flags(rule) - set(booleans)):
            term = Signal(name)
            raise RuleError(f"`{rule}` takes the number {term} as true or false: compare it, as in `{term} > 0.5`")


def _by_likeness(name: str, known: Iterable[str]) -> list[str]:
    def unlikeness(other: str) -> tuple[float, str]:
        return -SequenceMatcher(None, name.casefold(), other.casefold()).ratio(), other

    return sorted(known, key=unlikeness)


def flags(rule: Expression) -> frozenset[str]:
    """Names of the signals that a rule reads as true or false."""
    if isinstance(rule, Flag):
        return frozenset({rule.name})
    return frozenset().union(*map(flags, rule.operands))
