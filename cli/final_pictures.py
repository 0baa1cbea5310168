"""The pictures that an evaluation leaves behind; a reason for looking again stands above each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.plots import plot_final, plot_shrinkage, plot_simplicity, plot_stops, plot_transfer
from ..analysis.results import Evaluation, Performance
from ..enumerate.ledger import ledger
from ..enumerate.replay import replayed
from ..rules.expression import Rule
from ..rules.text import parse
from ..trajectories.table import Trajectories
from .drawing import REPLAYED_AGAIN, Picture, units

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

OWNED = ("final", "stops", "selection-final", "simplicity", "transfer")
TITLE = 60  # characters of a reason that fit above a picture
FEWEST_RULES = 3  # that show how the best fall back


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """What the pictures of an evaluation are drawn from.

    Attributes
    ----------
    rule : Rule
        The locked one.
    final : Trajectories
    result : Evaluation
    candidates : polars frame or None
        What the search compared: rule, quality and on_front.
    declared : mapping
        What the lock declared beside the rule, as evaluation.json holds it.
    reasons : sequence of str
        For looking again.
    """

    rule: Rule
    final: Trajectories
    result: Evaluation
    candidates: pl.DataFrame | None
    declared: Mapping[str, Any]
    reasons: Sequence[str]


def final_pictures(evaluated: Evaluated) -> Iterator[Picture]:
    """Draw what applies to an evaluation, one picture after the other."""
    for name, title, ax in _pictures(evaluated):
        exploratory = [f"exploratory: {shorten(each, TITLE)}" for each in evaluated.reasons]
        ax.set_title("\n".join([title, *exploratory]), fontsize=8)
        yield name, ax


def _pictures(evaluated: Evaluated) -> Iterator[tuple[str, str, Axes]]:
    scope, named = evaluated.result.macro, units(evaluated.final)
    everyone = (scope.rule, *scope.baselines.values())
    yield "final", "final split, 95% intervals", plot_final([_row(each) for each in everyone], **named)
    counts = {each.name: each.stop_rounds for each in everyone}
    yield "stops", "final split", plot_stops(counts, locked=scope.rule.name)
    if evaluated.declared["transfer"] is not None:
        yield "transfer", "final split", _transferred(evaluated.declared["transfer"])
    if evaluated.declared["learned"] is not None and evaluated.declared["learned"]["reason"] is None:
        yield "simplicity", "final split", _simplicity(evaluated, named)
    candidates = evaluated.candidates
    searched = candidates is not None and str(evaluated.rule) in candidates["rule"]  # still those of this lock
    if candidates is not None and searched and len(candidates) >= FEWEST_RULES:
        every = len(candidates) <= REPLAYED_AGAIN
        rules = _both_splits(candidates if every else candidates.filter("on_front"), evaluated.final)
        plot = plot_shrinkage(
            rules, locked=str(evaluated.rule), scale=named["scale"], quality=f"mean {named['quality']}"
        )
        yield "selection-final", f"both splits, {'every rule' if every else 'rules of the front'}", plot


def _transferred(transfer: Mapping[str, Any]) -> Axes:
    entries = transfer["entries"]
    rows, columns = (list(dict.fromkeys(one[side] for one in entries)) for side in ("locked_in", "evaluated_in"))
    retained = [np.nan if one["retention"]["value"] is None else one["retention"]["value"] for one in entries]
    matrix = np.array(retained, np.float64).reshape(len(rows), len(columns))
    name = f"retention of {transfer['reference']}"
    return plot_transfer(matrix, locked_in=rows, evaluated_in=columns, name=name)


def _simplicity(evaluated: Evaluated, named: Mapping[str, Any]) -> Axes:
    scope, learned = evaluated.result.macro, evaluated.declared["learned"]
    return plot_simplicity(
        [_point(each) for each in learned["frontier"]],
        chosen=learned["chosen"],
        locked=_row(scope.rule),
        rules=[(one.cost.value, one.quality.value) for one in evaluated.result.contenders if one.adaptive],
        points={name: (one.cost.value, one.quality.value) for name, one in scope.baselines.items()},
        **named,
    )


def _point(each: Mapping[str, Any]) -> dict[str, Any]:
    figures = {what: each[what] for what in ("quality", "cost")}
    return {
        **{what: one["value"] for what, one in figures.items()},
        **{
            f"{what}_interval": None if one["low"] is None else (one["low"], one["high"])
            for what, one in figures.items()
        },
    }


def _row(one: Performance) -> dict[str, Any]:
    return {
        "name": one.name,
        "quality": one.quality.value,
        "cost": one.cost.value,
        "quality_interval": (one.quality.low, one.quality.high),
        "cost_interval": (one.cost.low, one.cost.high),
    }


def _both_splits(candidates: pl.DataFrame, final: Trajectories) -> pl.DataFrame:
    """Each rule's quality on either split."""
    figures = replayed([parse(text) for text in candidates["rule"]], final, ledger(final))
    return candidates.select("rule", selection="quality").with_columns(final=figures.quality)
