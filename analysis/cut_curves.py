"""What a shape of rule is worth as a function of its one or two cuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..enumerate.expand import check_shape
from ..enumerate.ledger import Ledger, ledger
from ..enumerate.plateaus import Plateaus
from ..enumerate.shapes import Opening, open_shape
from ..enumerate.sums import COST, QUALITY, columns
from ..rules.expression import Rule
from ..trajectories.errors import SearchError
from ..trajectories.table import Floats, Trajectories

PLANE_CELLS = 40_000


@dataclass(frozen=True, eq=False, kw_only=True)
class CutCurve:
    """A shape with one `?` over all its K plateaus of equivalent cuts.

    Attributes
    ----------
    shape : Rule
    plateaus : Plateaus
        Ascending; trajectories stop alike within one.
    quality, cost : (K,) float64
        Macro means.
    """

    shape: Rule
    plateaus: Plateaus
    quality: Floats
    cost: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class CutPlane:
    """A shape with two `?` over pairs of plateaus.

    Attributes
    ----------
    shape : Rule
    plateaus : pair of Plateaus
        P1 of the first `?` and P2 of the second, ascending; a choice of them where there are many.
    quality, cost : (P1, P2) float64
        Macro means.
    """

    shape: Rule
    plateaus: tuple[Plateaus, Plateaus]
    quality: Floats
    cost: Floats


def cut_curve(shape: Rule, t: Trajectories) -> CutCurve | None:
    """Quality and cost at every distinguishable cut of a shape with one `?`.

    None for a shape that no sweep knows (`open_shape`): a `?` inside `total`, or compared by == or !=.

    Raises
    ------
    RuleError
        When the shape reads what the table does not have.
    SearchError
        When it has not one `?`.
    """
    opened = _opened(shape, t, 1)
    if opened is None:
        return None
    sweep = opened.sweep_one()
    found = sweep.behaviours()
    book = ledger(t)
    quality, cost = _means(sweep.sums(columns(book))[:, sweep.plateaus.at(found.written())], book)
    return CutCurve(shape=shape, plateaus=found, quality=quality, cost=cost)


def cut_plane(shape: Rule, t: Trajectories, *, max_cells: int = PLANE_CELLS) -> CutPlane | None:
    """Quality and cost over pairs of cuts of a shape with two `?`.

    Parameters
    ----------
    shape : Rule
    t : Trajectories
    max_cells : int
        More pairs of plateaus are thinned out evenly.

    Returns
    -------
    CutPlane, or None for a shape that no sweep knows.

    Raises
    ------
    RuleError
        When the shape reads what the table does not have.
    SearchError
        When it has not two `?`.
    """
    opened = _opened(shape, t, 2)
    if opened is None:
        return None
    sweep = opened.sweep_two(max_cells)
    book = ledger(t)
    quality, cost = _means(sweep.sums(columns(book)), book)
    return CutPlane(shape=shape, plateaus=sweep.axes, quality=quality, cost=cost)


def _opened(shape: Rule, t: Trajectories, asked: int) -> Opening | None:
    if shape.holes != asked:
        raise SearchError(f"`{shape}` has {shape.holes} cuts to choose (?), not {asked}")
    check_shape(shape, t)
    return open_shape(shape, t)


def _means(sums: np.ndarray[tuple[int, ...], np.dtype[np.int64]], book: Ledger) -> tuple[Floats, Floats]:
    return sums[QUALITY] / book.quality_divisor, sums[COST] / book.cost_divisor
