"""Shapes that a sweep knows: one or two `?`, anywhere under &, | and at_least.

Where such a rule is definitely true depends on where its atoms are, and an atom that turns true never makes it
false. So at each round it is enough to know whether the rule is true for either answer of each open comparison.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import cast

import numpy as np

from ..rules.arrays import Cache, kleene, term_values
from ..rules.evaluate import HOLDS
from ..rules.expression import HOLE, And, AtLeast, Compare, Expression, Or, Rule
from ..trajectories.table import Bools, Floats, Ints, Trajectories
from .batch import Swept
from .cuts import holes
from .filled import Filled
from .ledger import Ledger
from .memory import Room
from .pairs import Pairs
from .pareto import pareto_mask
from .plateaus import OPERATORS, Operator
from .sums import FIRED, columns, figures
from .sweep_one import SweepOne, first_round, sweep_one
from .sweep_two import SweepTwo, sweep_two


@dataclass(frozen=True, eq=False)
class Opening:
    """A rule with its H open comparisons taken out.

    Attributes
    ----------
    values : tuple of (N, R) float64
        What each comparison compares, NaN where missing.
    ops : tuple of {">", ">=", "<", "<="}
    fires : (2, ..., 2, N, R) bool
        Whether the rule is true at a recorded round, by whether each comparison holds there.
    length : (N,) int64
    """

    values: tuple[Floats, ...]
    ops: tuple[Operator, ...]
    fires: Bools
    length: Ints

    def states(self, cuts: Sequence[float]) -> Ints:
        """(N,) states of the rule with all its cuts filled in."""
        fires = self.fires
        for op, values, cut in zip(self.ops, self.values, cuts, strict=True):
            fires = np.where(HOLDS[op](values, cut), fires[1], fires[0])  # a comparison with NaN is false
        return first_round(fires)

    def sweep_one(self, which: int = 0, cuts: Sequence[float] = ()) -> SweepOne:
        """Sweep one cut, the others held at ``cuts``."""
        fires = np.moveaxis(self.fires, which, -3)
        for hole in (hole for hole in range(len(self.ops)) if hole != which):
            holds = HOLDS[self.ops[hole]](self.values[hole], cuts[hole])
            fires = np.where(holds, fires[1], fires[0])
        return sweep_one(self.values[which], self.ops[which], fires, self.length)

    def sweep_two(self, max_cells: int | None) -> SweepTwo:
        """Sweep both cuts of two."""
        first, second = self.values
        return sweep_two((first, second), cast("tuple[Operator, Operator]", self.ops), self.fires, max_cells=max_cells)

    def written(self, cuts: Sequence[float]) -> list[float]:
        """Cuts of equal behaviour: each in turn as its plateau is written, the others held."""
        settled = list(cuts)
        for which in range(len(settled)):
            found = self.sweep_one(which, settled).behaviours()
            home = found.at(np.array([settled[which]]))
            settled[which] = float(found.take(home).written()[0])
        return settled


def open_shape(shape: Rule, t: Trajectories) -> Opening | None:
    """The open comparisons of a shape, or None where one stands elsewhere than under &, | and at_least.

    Parameters
    ----------
    shape : Rule
        With one `?` or more, its names checked.
    t : Trajectories
    """
    asked = holes(shape)
    if not opens(shape):
        return None
    cache: Cache = {}
    fires = _truth(shape, t, iter(range(len(asked))), cache, len(asked)) & t.recorded
    return Opening(
        values=tuple(term_values(hole.term, t, cache) for hole in asked),
        ops=tuple(cast(Operator, hole.op) for hole in asked),
        fires=np.broadcast_to(fires, (2,) * len(asked) + t.recorded.shape),
        length=t.length,
    )


def opens(shape: Rule) -> bool:
    """Whether every `?` of a shape is the cut of an order and stands under &, | and at_least alone."""
    asked = holes(shape)
    return bool(asked) and _reached(shape) == len(asked) and all(hole.op in OPERATORS for hole in asked)


def knows(shape: Rule) -> bool:
    """Whether `sweep_shape` knows a shape."""
    return shape.holes <= 2 and opens(shape)


def _reached(rule: Expression) -> int:
    """How many `?` stand under &, | and at_least alone."""
    match rule:
        case And() | Or() | AtLeast():
            return sum(map(_reached, rule.operands))
        case Compare():
            return int(rule.cut is HOLE) if not rule.term.holes else 0
    return 0


def _truth(rule: Rule, t: Trajectories, axes: Iterator[int], cache: Cache, total: int) -> Bools:
    """Truth that broadcasts to (2, ..., 2, N, R), one axis for each `?` as the text has them."""
    match rule:
        case And(operands):
            return reduce(operator.and_, [_truth(part, t, axes, cache, total) for part in operands])
        case Or(operands):
            return reduce(operator.or_, [_truth(part, t, axes, cache, total) for part in operands])
        case AtLeast(k, operands):
            return (
                reduce(operator.add, [_truth(part, t, axes, cache, total).astype(np.int64) for part in operands]) >= k
            )
        case Compare() if rule.cut is HOLE:
            shape = [1] * (total + 2)
            shape[next(axes)] = 2
            return np.array([False, True]).reshape(shape)
    return kleene(rule, t, cache).true


def sweep_shape(
    shape: Rule, t: Trajectories, book: Ledger, max_cells: int | None = None, *, room: Room | None = None
) -> Swept | None:
    """Every distinguishable cut of a shape with one or two `?`, by its sweep.

    One `?`: every behaviour. Two: where the pairs of cuts are more than 5,000, those on the front and the best at
    each of 2,000 equal steps of cost.

    Parameters
    ----------
    shape : Rule
        Its names checked.
    t : Trajectories
    book : Ledger
        Of the same table.
    max_cells : int, optional
        The most cuts, or pairs of cuts; more are thinned out evenly.
    room : Room, optional
        Memory that may be taken; by default what is available here.

    Returns
    -------
    Swept, or None for a shape that no sweep knows.

    Raises
    ------
    SearchError
        When there are more pairs than the memory allows, or than the time and no cap is given, naming a cap; or the
        cap is below 4.
    """
    opened = open_shape(shape, t) if knows(shape) else None
    if opened is None:
        return None
    if shape.holes == 1:
        return _swept_one(shape, opened, book, max_cells)
    return _swept_two(shape, opened, book, max_cells, room or Room.here())


def one_cut(opened: Opening, max_cells: int | None) -> tuple[SweepOne, Floats]:
    """The sweep of one `?`, and a cut for each behaviour; of more than a cap some, evenly spread."""
    sweep = opened.sweep_one()
    found = sweep.behaviours()
    if max_cells is not None and len(found) > max_cells:
        found = found.take(np.rint(np.linspace(0, len(found) - 1, max_cells)).astype(np.int64))
    return sweep, found.written()


def _swept_one(shape: Rule, opened: Opening, book: Ledger, max_cells: int | None) -> Swept:
    sweep, cuts = one_cut(opened, max_cells)
    sums = sweep.sums(columns(book))[:, sweep.plateaus.at(cuts)]
    return Swept.whole(Filled(shape, cuts[:, None]), figures(sums, book))


def _swept_two(shape: Rule, opened: Opening, book: Ledger, max_cells: int | None, room: Room) -> Swept:
    sweep = opened.sweep_two(max_cells)
    kept = Pairs(shape, sweep, book, room).kept(asked=max_cells is not None)
    row, column = np.divmod(kept.position, sweep.shape[1])
    cuts = np.stack([sweep.axes[0].written()[row], sweep.axes[1].written()[column]], axis=1)
    sums = kept.sums.copy()
    for k in np.flatnonzero(pareto_mask(sums[:2].T.astype(np.float64))):
        cuts[k] = opened.written(cuts[k].tolist())
        sums[FIRED, k] = np.count_nonzero(opened.states(cuts[k].tolist()) < opened.fires.shape[-1])
    return Swept.kept(Filled(shape, cuts), replace(kept, sums=sums), book)
