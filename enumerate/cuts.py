"""Which cuts a `?` stands for: listed ones, evenly spaced ones, quantiles, a tuned one, all that matter."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import Any

import numpy as np

from ..rules.arrays import term_values
from ..rules.expression import HOLE, Compare, Expression, Operator, Term
from ..trajectories.errors import SearchError
from ..trajectories.table import Floats, Trajectories
from .plateaus import Plateaus, plateaus

MOST = 1_000_000


def holes(rule: Expression) -> list[Compare]:
    """The comparisons whose cut is `?`, left to right, as `Rule.fill` fills them."""
    found = [hole for part in rule.operands for hole in holes(part)]
    if isinstance(rule, Compare) and rule.cut is HOLE:
        found.append(rule)
    return found


def observed(term: Term, t: Trajectories) -> Floats:
    """The distinct known values of a term at the recorded rounds, ascending."""
    values = term_values(term, t)[t.recorded]
    return np.unique(values[~np.isnan(values)])


def unusable(term: Term, t: Trajectories) -> str | None:
    """Why no cut can be read off a term's values, or None when one can."""
    values = observed(term, t)
    if not len(values):
        return "missing everywhere"
    if not np.isfinite(values).all():
        return "infinite somewhere"
    if len(values) == 1:
        return "the same value everywhere"
    return None


def exact_cuts(values: Floats, op: Operator) -> tuple[Floats, Plateaus]:
    """Every distinguishable cut of some values: between two neighbouring ones all cuts behave alike.

    Parameters
    ----------
    values : float64 array of any shape
        The observed values, NaN where missing, in any order.
    op : {">", ">=", "<", "<="}

    Returns
    -------
    cuts : (K,) float64
        One for each plateau, ascending: the shortest decimal in it nearest its middle. Always and never are
        among them, as -inf and inf.
    plateaus : Plateaus
        The intervals that the cuts stand for.

    Raises
    ------
    SearchError
        For `==` and `!=`, whose equivalent cuts are no intervals.
    """
    if op == "==" or op == "!=":  # noqa: PLR1714 - mypy narrows this form alone
        raise SearchError(f"exact cuts are for > >= < <=, not for {op}: list the cuts, as in cuts = [0.1, 0.2]")
    found, _ = plateaus(np.unique(values[~np.isnan(values)]), op)
    return found.written(), found


@dataclass(frozen=True)
class Given:
    """Cuts as listed, ascending and without doubles."""

    values: tuple[float, ...]

    def __str__(self) -> str:
        return str(list(self.values))

    def of(self, hole: Compare, t: Trajectories) -> tuple[float, ...]:  # noqa: ARG002 - one form for all kinds
        """The listed cuts, whatever was observed."""
        return self.values


@dataclass(frozen=True)
class Linspace:
    """`n` evenly spaced cuts from the smallest to the largest known value."""

    n: int

    def __str__(self) -> str:
        return f"linspace({self.n})"

    def of(self, hole: Compare, t: Trajectories) -> tuple[float, ...]:
        """The cuts of a `?`, out of its own term's values."""
        values = observed(hole.term, t)
        return tuple(np.unique(np.linspace(values[0], values[-1], self.n)).tolist())


@dataclass(frozen=True)
class Quantiles:
    """The quantiles at 1/(n+1), ..., n/(n+1) of the known values.

    Each is written as the shortest decimal of its plateau, which holds at the same rounds. Cuts that would
    always or never hold are left out, and doubles, so there may be fewer than `n`.
    """

    n: int

    def __str__(self) -> str:
        return f"quantiles({self.n})"

    def of(self, hole: Compare, t: Trajectories) -> tuple[float, ...]:
        """The cuts of a `?`, out of its own term's values."""
        values = term_values(hole.term, t)[t.recorded]
        values = values[~np.isnan(values)]
        levels = np.quantile(values, np.arange(1, self.n + 1) / (self.n + 1))
        if hole.op == "==" or hole.op == "!=":  # noqa: PLR1714 - mypy narrows this form alone
            return tuple(np.unique(levels).tolist())
        found, _ = plateaus(np.unique(values), hole.op)
        chosen = found.take(np.unique(found.at(levels))).written()
        return tuple(chosen[np.isfinite(chosen)].tolist())


@dataclass(frozen=True)
class Tuned:
    """For each `?` the one cut with the best quality of its comparison alone, within a budget of cost."""

    budget: float

    def __str__(self) -> str:
        return f"tuned({self.budget:g})"


@dataclass(frozen=True)
class Exact:
    """Every distinguishable cut: the complete frontier of a shape."""

    def __str__(self) -> str:
        return "exact"


Listed = Given | Linspace | Quantiles | Tuned
Cuts = Listed | Exact

SPELLINGS = '"exact", "linspace(21)", "quantiles(20)", "tuned(3.0)" or a list of numbers'
_CALL = re.compile(r"\s*(\w+)\s*(?:\(\s*([^()]*?)\s*\))?\s*")


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise SearchError(f"cuts: {value!r} is no cut; a list of numbers is expected")
    return float(value)


def _count(kind: str, argument: str, least: int) -> int:
    if not argument.isdecimal() or not least <= int(argument) <= MOST:
        raise SearchError(f'cuts = "{kind}({argument})": a whole number from {least} to {MOST} is expected')
    return int(argument)


def _budget(argument: str) -> float:
    try:
        budget = float(argument)
    except ValueError:
        budget = math.nan
    if not budget > 0:
        raise SearchError(f'cuts = "tuned({argument})": a cost above 0 is expected, as in "tuned(3.0)"')
    return budget


def parse_cuts(spelled: Any) -> Cuts:
    """Cuts as a study spells them: "exact", "linspace(21)", "quantiles(20)", "tuned(3.0)", [0.1, 0.2].

    Raises
    ------
    SearchError
        For any other spelling, naming the nearest kind.
    """
    match spelled:
        case Given() | Linspace() | Quantiles() | Tuned() | Exact():
            return spelled
        case str():
            return _parse_text(spelled)
        case Sequence():
            values = tuple(sorted({_number(value) for value in spelled}))
            if not values:
                raise SearchError("cuts = []: at least one cut is needed")
            return Given(values)
        case _:
            return Given((_number(spelled),))


def _parse_text(text: str) -> Cuts:
    call = _CALL.fullmatch(text)
    kind, argument = (call[1], call[2]) if call else (text, None)
    match kind, argument:
        case "exact", None:
            return Exact()
        case "linspace", str(n):
            return Linspace(_count("linspace", n, 2))
        case "quantiles", str(n):
            return Quantiles(_count("quantiles", n, 1))
        case "tuned", str(budget):
            return Tuned(_budget(budget))
    near = get_close_matches(kind, ["exact", "linspace", "quantiles", "tuned"], n=1)
    hint = f"did you mean {near[0]}? " if near and near[0] != kind else ""
    raise SearchError(f'cuts = "{text}" is no way to choose cuts: {hint}one of {SPELLINGS}')
