"""From families to candidates: which cuts each `?` takes on a table, and what is left out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isfinite, prod

from ..rules.arrays import check_names
from ..rules.expression import Compare, Rule, Term
from ..trajectories.errors import SearchError
from ..trajectories.table import Trajectories
from .cuts import Cuts, Exact, Given, Linspace, Listed, Quantiles, Tuned, holes, unusable
from .families import Family
from .ledger import Ledger
from .sweeps import even_cap, sweep

MOST_RULES = 200_000


@dataclass(frozen=True)
class Shape:
    """A shape whose exact cuts a sweep goes through."""

    family: str
    rule: Rule
    max_cells: int | None


@dataclass(frozen=True)
class Listing:
    """What a search has to try.

    Attributes
    ----------
    rules : dict of Rule to str
        Rules to replay, each once, with the first family that lists it; in the order of the families.
    shapes : tuple of Shape
        Shapes to sweep.
    listed : int
        Rules as listed, before doubles over families are dropped; without those of the shapes.
    notes : tuple of str
        What was left out or is not as asked, each once.
    """

    rules: dict[Rule, str]
    shapes: tuple[Shape, ...]
    listed: int
    notes: tuple[str, ...]


class _Chooser:
    """Chooses the cuts of a `?`, each once for a table."""

    def __init__(self, t: Trajectories, book: Ledger) -> None:
        self.t = t
        self.book = book
        self.notes: list[str] = []
        self._chosen: dict[tuple[Compare, Cuts], tuple[float, ...]] = {}
        self._unusable: dict[Term, str | None] = {}

    def usable(self, hole: Compare, cuts: Cuts) -> bool:
        """Whether cuts can be read off the values of a `?`'s term; when not, a note says why."""
        if isinstance(cuts, Given):
            return True
        term = hole.term
        if term.holes:
            raise SearchError(
                f"`{hole}`: its values hang on another ?, so no cut can be read off them; list the cuts, "
                "as in cuts = [0.1, 0.2]"
            )
        if term not in self._unusable:
            self._unusable[term] = reason = unusable(term, self.t)
            if reason is not None:
                self.notes.append(f"`{term}` is {reason} on the selection split: left out")
        return self._unusable[term] is None

    def cuts(self, hole: Compare, kind: Listed) -> tuple[float, ...]:
        """The cuts of one `?`."""
        key = hole, kind
        if key not in self._chosen:
            chosen = self._tuned(hole, kind) if isinstance(kind, Tuned) else kind.of(hole, self.t)
            self._chosen[key] = chosen
        return self._chosen[key]

    def _tuned(self, hole: Compare, kind: Tuned) -> tuple[float, ...]:
        batch = sweep(hole, self.t, self.book)
        worth = batch.figures
        cut = [rule.cut for rule in batch.rules if isinstance(rule, Compare) and isinstance(rule.cut, float)]
        finite = [i for i, value in enumerate(cut) if isfinite(value)]
        if not finite:
            self.notes.append(f"`{hole}`: no cut makes a difference on the selection split: left out")
            return ()
        within = [i for i in finite if worth.cost[i] <= kind.budget]
        if within:
            return (cut[min(within, key=lambda i: (-worth.quality[i], worth.cost[i], i))],)
        cheapest = min(finite, key=lambda i: (worth.cost[i], -worth.quality[i], i))
        self.notes.append(
            f"`{hole}`: no cut costs at most {kind.budget:g}; the cheapest is taken, "
            f"`{batch.rules[cheapest]}` at {worth.cost[cheapest]:g}"
        )
        return (cut[cheapest],)

    def fillings(self, shape: Rule, kind: Listed, cap: int | None) -> Iterator[tuple[float, ...]]:
        """The cuts of a shape's `?`, crossed.

        Raises
        ------
        SearchError
            When listed cuts cross to more than the cap.
        """
        asked = holes(shape)
        each = [self.cuts(hole, kind) for hole in asked]
        cells = prod(map(len, each))
        if cap is not None and cells > cap:
            if not isinstance(kind, Linspace | Quantiles):
                raise SearchError(
                    f"`{shape}`: its cuts cross to {cells:,} candidates, over max_cells = {cap}; list fewer"
                )
            most = even_cap([len(cuts) for cuts in each], cap)
            fewer = replace(kind, n=most)
            each = [
                cuts if len(cuts) <= most else self.cuts(hole, fewer) for hole, cuts in zip(asked, each, strict=True)
            ]
        return product(*each)


def check_shape(shape: Rule, t: Trajectories) -> None:
    """Refuse a shape that reads what the table does not have, or what no rule may read.

    Raises
    ------
    RuleError
    """
    check_names(shape, signals=t.signals, outcomes=t.outcomes, booleans=t.booleans, answer=t.answer is not None)


def expand(families: Sequence[Family], t: Trajectories, book: Ledger) -> Listing:
    """What the families ask to try on a table.

    Parameters
    ----------
    families : sequence of Family
    t : Trajectories
        The selection split: cuts are read off its rows alone.
    book : Ledger
        Of the same table.

    Raises
    ------
    SearchError
        When there are more rules than a replay can hold.
    RuleError
        When a shape reads what the table does not have.
    """
    chooser = _Chooser(t, book)
    rules: dict[Rule, str] = {}
    shapes: list[Shape] = []
    listed = 0
    for family in families:
        for shape in family.shapes:
            check_shape(shape, t)
            usable = [chooser.usable(hole, family.cuts) for hole in holes(shape)]
            if not all(usable):
                continue
            if isinstance(family.cuts, Exact):
                if shape.holes:
                    shapes.append(Shape(family.name, shape, family.max_cells))
                    continue
                fillings: Iterable[tuple[float, ...]] = [()]
            else:
                fillings = chooser.fillings(shape, family.cuts, family.max_cells)
            for cuts in fillings:
                listed += 1
                if listed > MOST_RULES:
                    raise SearchError(
                        f"{family.name}: the search lists more than {MOST_RULES:,} rules; choose fewer cuts, "
                        'as in cuts = "tuned(3.0)" or "quantiles(2)", or cap them by shape with max_cells'
                    )
                rules.setdefault(shape.fill(cuts), family.name)
    return Listing(rules, tuple(shapes), listed, tuple(dict.fromkeys(chooser.notes)))
