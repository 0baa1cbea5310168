"""What a shape of rule is worth as a function of its one or two cuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..enumerate.cuts import holes
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


def cut_curve(shape: Rule, t: Trajectories) -> CutCurve:
    """Quality and cost at every distinguishable cut of a shape with one `?`.

    Raises
    ------
    RuleError
        When the shape reads what the table does not have.
    SearchError
        When it has not one `?`, or that stands elsewhere than under &, | and at_least.
    """
    opened = _opened(shape, t, 1)
    sweep = opened.sweep_one()
    found = sweep.behaviours()
    book = ledger(t)
    quality, cost = _means(sweep.sums(columns(book))[:, sweep.plateaus.at(found.written())], book)
    return CutCurve(shape=shape, plateaus=found, quality=quality, cost=cost)


def cut_plane(shape: Rule, t: Trajectories, *, max_cells: int = PLANE_CELLS) -> CutPlane:
    """Quality and cost over pairs of cuts of a shape with two `?`.

    Parameters
    ----------
    shape : Rule
    t : Trajectories
    max_cells : int
        More pairs of plateaus are thinned out evenly.

    Raises
    ------
    RuleError
        When the shape reads what the table does not have.
    SearchError
        When it has not two `?`, or they stand elsewhere than under &, | and at_least.
    """
    sweep = _opened(shape, t, 2).sweep_two(max_cells)
    book = ledger(t)
    quality, cost = _means(sweep.sums(columns(book)), book)
    return CutPlane(shape=shape, plateaus=sweep.axes, quality=quality, cost=cost)


def _opened(shape: Rule, t: Trajectories, asked: int) -> Opening:
    if shape.holes != asked:
        raise SearchError(f"`{shape}` has {shape.holes} cuts to choose (?), not {asked}")
    check_shape(shape, t)
    opened = open_shape(shape, t)
    if opened is None:
        where = ", ".join(f"`{hole}`" for hole in holes(shape))
        raise SearchError(f"`{shape}`: {where} must stand under &, | or at_least alone, with one of > >= < <=")
    return opened


def _means(sums: np.ndarray[tuple[int, ...], np.dtype[np.int64]], book: Ledger) -> tuple[Floats, Floats]:
    return sums[QUALITY] / book.quality_divisor, sums[COST] / book.cost_divisor
