"""One question under one rule: what it saw at each round, when it fired, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..enumerate.remarks import atoms_of
from ..rules.arrays import check, kleene, term_values
from ..rules.expression import Compare, Flag, Rule, Signal
from ..trajectories.errors import TrajectoryError
from ..trajectories.nearest import listing, nearest
from ..trajectories.table import Floats, Trajectories
from .baselines import stops

Truth = bool | None


@dataclass(frozen=True, kw_only=True)
class Line:
    """An atom of the rule, or a signal that stands inside one.

    Attributes
    ----------
    text : str
    values : R of float or None
        What is compared; None where it is missing, and for a streak.
    truth : R of True, False or None, or None
        None where it is unknown; no list for a signal alone.
    """

    text: str
    values: tuple[float | None, ...]
    truth: tuple[Truth, ...] | None


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """One trajectory of R rounds under a rule.

    Attributes
    ----------
    rule : Rule
    question, cell : str
    lines : tuple of Line
        The atoms in the order of the rule's text, then the signals inside them.
    truth : R of True, False or None
        Of the rule.
    stop : int
        Stop round.
    fired : bool
        False where the question was exhausted first.
    answers : R of str, or None
        A, B, ... in the order of their first appearance, equal for equal answers; "-" for none. None where the
        table has no answers.
    quality, cost : R of float
    quality_name, cost_name : str
    """

    rule: Rule
    question: str
    cell: str
    lines: tuple[Line, ...]
    truth: tuple[Truth, ...]
    stop: int
    fired: bool
    answers: tuple[str, ...] | None
    quality: tuple[float, ...]
    cost: tuple[float, ...]
    quality_name: str
    cost_name: str

    @property
    def why(self) -> str:
        """The moment the rule fires and what made it, or that it never does."""
        if not self.fired:
            return f"never fires: exhausted at round {self.stop}"
        held = [_held(line, self.stop) for line in self.lines if line.truth and line.truth[self.stop - 1]]
        return f"stops at round {self.stop}: {' and '.join(held) or 'no atom needs to hold'}"


def _held(line: Line, r: int) -> str:
    value = line.values[r - 1]
    return line.text if value is None else f"{line.text} ({value:.3g})"


def explain(rule: Rule, t: Trajectories, question: str, *, cell: str | None = None) -> Explanation:
    """Follow a rule through one question.

    Parameters
    ----------
    rule : Rule
    t : Trajectories
    question : str
    cell : str, optional
        Of the question; the first by default.

    Raises
    ------
    RuleError
        When the rule reads what the table does not have, or has a `?`.
    TrajectoryError
        When the table does not have the question, or not in that cell; the nearest is named.
    """
    check(rule, t)
    rows = np.flatnonzero(t.question == question)
    if not len(rows):
        raise TrajectoryError(f"no question {question!r}{nearest(question, set(t.question))}")
    cells = t.cell[rows].tolist()
    if cell is not None and cell not in cells:
        raise TrajectoryError(f"question {question!r} has no cell {cell!r}; it has {listing(cells)}")
    row = rows[0 if cell is None else cells.index(cell)]
    own = t.take(np.array([row]))
    stopped = stops(rule, own)
    return Explanation(
        rule=rule,
        question=question,
        cell=str(own.cell[0]),
        lines=tuple(_lines(rule, own)),
        truth=_truth(rule, own),
        stop=int(stopped.stop_round[0]),
        fired=bool(stopped.fired[0]),
        answers=None if own.answer is None else _letters(own.answer[0].tolist()),
        quality=tuple(own.quality[0].tolist()),
        cost=tuple(own.cost[0].tolist()),
        quality_name=t.roles.quality,
        cost_name=t.roles.cost_name,
    )


def _lines(rule: Rule, own: Trajectories) -> Iterator[Line]:
    atoms = dict.fromkeys(atoms_of(rule))
    for atom in atoms:
        compared = atom.term if isinstance(atom, Compare) else None
        values = (None,) * own.rounds if compared is None else _values(term_values(compared, own))
        yield Line(text=str(atom), values=values, truth=_truth(atom, own))
    shown = {atom.term.name for atom in atoms if isinstance(atom, Compare) and isinstance(atom.term, Signal)}
    shown |= {atom.name for atom in atoms if isinstance(atom, Flag)}
    for name in sorted(rule.signals - shown):
        yield Line(text=str(Signal(name)), values=_values(own.signals[name]), truth=None)


def _values(values: Floats) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(value) else value for value in values[0].tolist())


def _truth(rule: Rule, own: Trajectories) -> tuple[Truth, ...]:
    true, false = kleene(rule, own)
    return tuple(
        True if yes else False if no else None for yes, no in zip(true[0].tolist(), false[0].tolist(), strict=True)
    )


def _letters(codes: list[int]) -> tuple[str, ...]:
    order = {code: i for i, code in enumerate(dict.fromkeys(code for code in codes if code >= 0))}
    return tuple("-" if code < 0 else _letter(order[code]) for code in codes)


def _letter(i: int) -> str:
    return chr(ord("A") + i) if i < 26 else f"A{i - 25}"
