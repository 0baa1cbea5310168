"""Rules and policies as a person would say them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...rules.expression import (
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
)
from ...rules.spelling import number_text

OPERATORS = {
    ">": "is above",
    ">=": "is at least",
    "<": "is below",
    "<=": "is at most",
    "==": "is",
    "!=": "is not",
}


def rule_in_words(rule: Rule) -> str:
    """A rule without `?` as one sentence: when it stops, and what happens where it never does."""
    return f"Stop at the first round at which {said(rule)}; where that never comes, stop at the last round."


def said(rule: Expression) -> str:  # noqa: PLR0911 one a kind of rule
    """A condition, as it goes on after "at which"."""
    match rule:
        case Compare(term, op, float() as cut):
            return _compared(term, op, cut)
        case Flag(name):
            return f"{name} is true"
        case Streak(2):
            return "the answer is that of the round before"
        case Streak(k):
            return f"the last {k} answers are the same"
        case Missing(term):
            return f"{_value(term)} is missing"
        case Not(part):
            return f"it is not so that {said(part)}"
        case And(parts):
            return _joined(map(_grouped, parts), "and")
        case Or(parts):
            return _joined(map(_grouped, parts), "or")
        case AtLeast(k, parts):
            return f"at least {k} of these {len(parts)} hold: {'; '.join(map(said, parts))}"
    return str(rule)


def _grouped(rule: Rule) -> str:
    return f"({said(rule)})" if isinstance(rule, And | Or | AtLeast) else said(rule)


def _compared(term: Term, op: str, cut: float) -> str:
    number = number_text(cut)
    if isinstance(term, Round) and cut.is_integer():
        said_of_round = {
            ">=": f"it is round {number} or later",
            ">": f"it is after round {number}",
            "<=": f"it is round {number} or earlier",
            "<": f"it is before round {number}",
            "==": f"it is round {number}",
            "!=": f"it is not round {number}",
        }
        return said_of_round[op]
    return f"{_value(term)} {OPERATORS[op]} {number}"


def _value(term: Expression) -> str:  # noqa: PLR0911 one a kind of term
    match term:
        case Signal(name):
            return name
        case Round():
            return "the number of the round"
        case Cost():
            return "what has been spent"
        case Change(inner):
            return f"the change of {_value(inner)} since the round before"
        case SoFarMax(inner):
            return f"the largest {_value(inner)} so far"
        case SoFarMin(inner):
            return f"the smallest {_value(inner)} so far"
        case Clip(inner, low, high):
            return f"{_value(inner)} kept within {number_text(low)} to {number_text(high)}"
        case Total(parts):
            return f"the sum of {_joined(map(_summand, parts), 'and')}"
    return str(term)


def _summand(part: Expression) -> str:
    return f"1 if {said(part)}" if isinstance(part, Rule) else _value(part)


def _joined(parts: Iterable[str], word: str) -> str:
    *most, last = parts
    return f"{', '.join(most)} {word} {last}" if most else last


def policy_in_words(policy: Mapping[str, Any], quality: str, cost: str) -> str:
    """How the rule was chosen among the candidates, as the study asked.

    A policy that is not known here is told by its keys.
    """
    match policy:
        case {"policy": "budget", "max_cost": most}:
            return f"The best {quality} for a mean of at most {most:g} {cost}."
        case {"policy": "retain", "share": share, "of": of}:
            return f"The cheapest rule that keeps {100 * share:g}% of the {quality} of `{of}`."
        case {"policy": "utility", "price": price}:
            return f"The largest {quality} less {price:g} for each unit of {cost}."
        case {"policy": "knee"}:
            return f"The knee of the frontier: farthest above the line between its ends ({quality} against {cost})."
        case {"policy": "guarantee", "max_loss": loss, "alpha": alpha, "of": of}:
            least = f"The cheapest rule certified to lose at most {loss:g} of mean {quality} to `{of}`"
            return f"{least}, at level {alpha:g}, on groups that it was not found on."
    keys = [f"{key} {value}" for key, value in policy.items() if key != "policy"]
    return f"The policy {policy['policy']}{': ' if keys else ''}{', '.join(keys)}."


def searched_in_words(search: Sequence[Mapping[str, Any]]) -> list[str]:
    """What was searched: an entry for each preset, family or rule."""
    return [_entry(each) for each in search]


def _entry(entry: Mapping[str, Any]) -> str:
    kind = next(kind for kind in ("preset", "family", "rule") if entry.get(kind) is not None)
    cuts = entry.get("cuts")
    written = "" if cuts is None else f", cuts {cuts if isinstance(cuts, str) else ', '.join(map(number_text, cuts))}"
    return f"{kind} {entry[kind]}{written}"
