"""From families to candidates: which cuts each `?` takes on a table, and what is left out, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product
from math import isfinite, prod

import numpy as np

from ..rules.arrays import check_names
from ..rules.expression import Compare, Rule, Term
from ..trajectories.errors import SearchError
from ..trajectories.table import Trajectories
from .combined import Combination, combined, refuse_combination
from .cuts import Cuts, Exact, Given, Linspace, Quantiles, Tuned, holes, unusable
from .cuts import Listed as ListedCuts
from .families import Family
from .fitting import Crossing, opened_once, refuse_too_many
from .grid import grid_bytes, open_grid
from .ledger import Ledger
from .memory import LONG
from .pairs import ALL_KEPT, MOST_CELLS
from .shapes import knows
from .sources import Crossed, Listed, Source, bare
from .sweeps import even_cap, exact_grid, sweep
from .workers import ALONE, Workers

MOST_LISTED = 200_000  # rules that are held one by one
MOST_SHAPES = 50_000


@dataclass(frozen=True)
class Shape:
    """A shape whose exact cuts a sweep goes through."""

    family: str
    rule: Rule
    max_cells: int | None


@dataclass(frozen=True, eq=False)
class Stream:
    """Candidates of a family that are evaluated a run at a time.

    Attributes
    ----------
    family : str
    sources : tuple of Source
        One after the other.
    whole : bool
        Whether every candidate is kept, or what a sieve keeps.
    """

    family: str
    sources: tuple[Source, ...]
    whole: bool

    def __len__(self) -> int:
        return sum(map(len, self.sources))

    @property
    def held(self) -> list[Rule]:
        """The candidates that are held one by one."""
        return [rule for source in self.sources if isinstance(source, Listed) for rule in source.listed]


@dataclass(frozen=True, eq=False)
class Plan:
    """What a search has to try.

    Attributes
    ----------
    items : tuple of Stream and Shape
        In the order of the families. A rule that several families list stands in the first alone, unless it
        streams.
    listed : int
        Rules as listed, before doubles over families are dropped; without those of the shapes.
    shown : tuple of Rule
        Rules and shapes that hold every atom.
    notes : tuple of str
        What was left out or is not as asked, each once.
    """

    items: tuple[Stream | Shape, ...]
    listed: int
    shown: tuple[Rule, ...]
    notes: tuple[str, ...]

    @property
    def rules(self) -> dict[Rule, str]:
        """The rules that are held one by one, with their families."""
        return {rule: item.family for item in self.items if isinstance(item, Stream) for rule in item.held}

    def joined(self, t: Trajectories) -> Plan:
        """The same candidates; those that are held one by one and kept as one family, which shares their atoms."""
        held = [item for item in self.items if isinstance(item, Stream) and item.whole and len(item.held) == len(item)]
        if not held:
            return self
        rules = list(dict.fromkeys(rule for item in held for rule in item.held))
        one = Stream(held[0].family, (Listed(rules, bare(t)),), whole=True)
        return replace(self, items=(one, *(item for item in self.items if item not in held)))

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes to sweep."""
        return tuple(item for item in self.items if isinstance(item, Shape))


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

    def cuts(self, hole: Compare, kind: ListedCuts) -> tuple[float, ...]:
        """The cuts of one `?`."""
        key = hole, kind
        if key not in self._chosen:
            chosen = self._tuned(hole, kind) if isinstance(kind, Tuned) else kind.of(hole, self.t)
            self._chosen[key] = chosen
        return self._chosen[key]

    def _tuned(self, hole: Compare, kind: Tuned) -> tuple[float, ...]:
        batch = sweep(hole, self.t, self.book)
        worth, cut = batch.figures, batch.rules.cuts[:, 0].tolist()
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

    def grid(self, shape: Rule, kind: Cuts, cap: int | None) -> tuple[tuple[float, ...], ...]:
        """The cuts of each `?` of a shape, to be crossed.

        Raises
        ------
        SearchError
            When listed cuts cross to more than the cap.
        """
        if isinstance(kind, Exact):
            return tuple(exact_grid(shape, self.t, cap))
        asked = holes(shape)
        each = [self.cuts(hole, kind) for hole in asked]
        cells = prod(map(len, each))
        if cap is None or cells <= cap:
            return tuple(each)
        if not isinstance(kind, Linspace | Quantiles):
            raise SearchError(f"`{shape}`: its cuts cross to {cells:,} candidates, over max_cells = {cap}; list fewer")
        most = even_cap([len(cuts) for cuts in each], cap)
        fewer = replace(kind, n=most)
        return tuple(
            cuts if len(cuts) <= most else self.cuts(hole, fewer) for hole, cuts in zip(asked, each, strict=True)
        )


def check_shape(shape: Rule, t: Trajectories) -> None:
    """Refuse a shape that reads what the table does not have, or what no rule may read.

    Raises
    ------
    RuleError
    """
    check_names(shape, signals=t.signals, outcomes=t.outcomes, booleans=t.booleans, answer=t.answer is not None)


def expand(families: Sequence[Family], t: Trajectories, book: Ledger, workers: Workers = ALONE) -> Plan:
    """What the families ask to try on a table.

    Up to 200,000 rules are held one by one and all kept. A family that would list more streams.

    Parameters
    ----------
    families : sequence of Family
    t : Trajectories
        The selection split: cuts are read off its rows alone.
    book : Ledger
        Of the same table.
    workers : Workers
        Who will go through the candidates: processes hold the round masks of a shape each.

    Raises
    ------
    SearchError
        When there are more rules than the time or the memory allows, naming a cap that they do.
    RuleError
        When a shape reads what the table does not have.
    """
    planner = _Planner(_Chooser(t, book), workers)
    for family in families:
        planner.add(family)
    return Plan(
        items=tuple(planner.items),
        listed=planner.listed,
        shown=tuple(planner.shown),
        notes=tuple(dict.fromkeys(planner.chooser.notes)),
    )


@dataclass
class _Planner:
    """Takes in one family after the other."""

    chooser: _Chooser
    workers: Workers
    items: list[Stream | Shape] = field(default_factory=list)
    shown: dict[Rule, None] = field(default_factory=dict)
    listed: int = 0
    _held: int = 0
    _seen: set[Rule] = field(default_factory=set)

    @cached_property
    def t(self) -> Trajectories:
        """What rules read of the table."""
        return bare(self.chooser.t)

    def add(self, family: Family) -> None:
        """Plan the candidates of a family."""
        if isinstance(family.shapes, Combination):
            for atom in family.shapes.atoms:
                check_shape(atom, self.chooser.t)
            if self._streams(family, family.shapes):
                return
        shapes = tuple(islice(family.shapes, MOST_SHAPES + 1))
        if len(shapes) > MOST_SHAPES:
            raise SearchError(f"family {family.name} has more than {MOST_SHAPES:,} shapes: list fewer signals")
        self._add_shapes(family, shapes)

    def _streams(self, family: Family, combination: Combination) -> bool:
        """Plan a combination of more rules than can be held one by one as a stream, and say whether it is one."""
        if isinstance(family.cuts, Exact) or family.max_cells is not None:
            return False
        choices = [self._choices(atom, family.cuts) for atom in combination.atoms]
        choices = [each for each in choices if each]
        counts = [len(each) for each in choices]
        count = combination.count(counts)
        if self._held + count <= MOST_LISTED:
            return False
        if count > MOST_CELLS:
            raise SearchError(
                f"{family.name}: {count:,} rules take {LONG}; list fewer signals, or choose fewer cuts, as in "
                'cuts = "tuned(3.0)"'
            )
        refuse_combination(combination, counts, self.t, copies=1 + self.workers.beside)
        self.shown.update(dict.fromkeys(rule for each in choices for rule in each))
        self._plan(family.name, [combined(combination, choices, self.t)])
        return True

    def _choices(self, atom: Rule, cuts: ListedCuts) -> list[Rule]:
        asked = holes(atom)
        if not all(self.chooser.usable(hole, cuts) for hole in asked):
            return []
        return [atom.fill(filling) for filling in product(*(self.chooser.cuts(hole, cuts) for hole in asked))]

    def _add_shapes(self, family: Family, shapes: Sequence[Rule]) -> None:
        grids: list[tuple[Rule, tuple[tuple[float, ...], ...]]] = []
        for shape in shapes:
            check_shape(shape, self.chooser.t)
            usable = [self.chooser.usable(hole, family.cuts) for hole in holes(shape)]
            if not all(usable):
                continue
            if isinstance(family.cuts, Exact) and shape.holes and (shape.holes == 1 or knows(shape)):
                self.items.append(Shape(family.name, shape, family.max_cells))
                self.shown[shape] = None
            else:
                grids.append((shape, self.chooser.grid(shape, family.cuts, family.max_cells)))
        cells = [prod(map(len, cuts)) for _, cuts in grids]
        if self._held + sum(cells) <= MOST_LISTED:
            self._list(family.name, (shape.fill(cuts) for shape, each in grids for cuts in product(*each)))
            return
        self.shown.update(dict.fromkeys(shape for shape, _ in grids))
        crossing = Crossing([shape for shape, _ in grids], [[len(each) for each in cuts] for _, cuts in grids], self.t)
        name = f"family {family.name}" if len(grids) > 1 else f"`{grids[0][0]}`"
        refuse_too_many(name, crossing, self.workers, listed=isinstance(family.cuts, Given))
        self._plan(family.name, [self._crossed(shape, cuts) for shape, cuts in grids])

    def _list(self, family: str, rules: Iterator[Rule]) -> None:
        new: list[Rule] = []
        for rule in rules:
            self.listed += 1
            self._held += 1
            if rule not in self._seen:
                self._seen.add(rule)
                new.append(rule)
        self.shown.update(dict.fromkeys(new))
        if new:
            self.items.append(Stream(family, (Listed(new, self.t),), whole=True))

    def _crossed(self, shape: Rule, cuts: tuple[tuple[float, ...], ...]) -> Source:
        if not cuts:
            return Listed([shape], self.t)
        arrays = tuple(np.array(each) for each in cuts)
        counts = [len(each) for each in cuts]
        if opened_once(prod(counts), grid_bytes(shape, counts, self.t)[0]):
            return open_grid(shape, arrays, self.t)
        return Crossed(shape, arrays, self.t)

    def _plan(self, family: str, sources: list[Source]) -> None:
        count = sum(map(len, sources))
        self.listed += count
        if count:
            self.items.append(Stream(family, tuple(sources), whole=count <= ALL_KEPT))
