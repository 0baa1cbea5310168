"""The pictures that an evaluation leaves behind; a reason for looking again stands above each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from ..analysis.plots import plot_final, plot_shrinkage, plot_stops
from ..analysis.results import Evaluation, Performance
from ..enumerate.ledger import ledger
from ..enumerate.replay import replayed
from ..rules.expression import Rule
from ..rules.text import parse
from ..trajectories.table import Trajectories
from .drawing import REPLAYED_AGAIN, units

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

OWNED = ("final", "stops", "selection-final")
TITLE = 60  # characters of a reason that fit above a picture
FEWEST_RULES = 3  # that show how the best fall back


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """What the pictures of an evaluation are drawn from.

    Attributes
    ----------
    folder : Path
        With the candidates of the search.
    rule : Rule
        The locked one.
    final : Trajectories
    result : Evaluation
    reasons : sequence of str
        For looking again.
    """

    folder: Path
    rule: Rule
    final: Trajectories
    result: Evaluation
    reasons: Sequence[str]


def final_pictures(evaluated: Evaluated) -> Iterator[tuple[str, Axes]]:
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
    candidates = _candidates(evaluated)
    if candidates is not None and len(candidates) >= FEWEST_RULES:
        every = len(candidates) <= REPLAYED_AGAIN
        rules = _both_splits(candidates if every else candidates.filter("on_front"), evaluated.final)
        plot = plot_shrinkage(
            rules, locked=str(evaluated.rule), scale=named["scale"], quality=f"mean {named['quality']}"
        )
        yield "selection-final", f"both splits, {'every rule' if every else 'rules of the front'}", plot


def _row(one: Performance) -> dict[str, Any]:
    return {
        "name": one.name,
        "quality": one.quality.value,
        "cost": one.cost.value,
        "quality_interval": (one.quality.low, one.quality.high),
        "cost_interval": (one.cost.low, one.cost.high),
    }


def _candidates(evaluated: Evaluated) -> pl.DataFrame | None:
    """What the search compared, when the folder still holds the candidates of this lock."""
    import polars as pl

    path = evaluated.folder / "candidates.parquet"
    candidates = pl.read_parquet(path) if path.exists() else None
    return None if candidates is None or str(evaluated.rule) not in candidates["rule"] else candidates


def _both_splits(candidates: pl.DataFrame, final: Trajectories) -> pl.DataFrame:
    """Each rule's quality on either split."""
    figures = replayed([parse(text) for text in candidates["rule"]], final, ledger(final))
    return candidates.select("rule", selection="quality").with_columns(final=figures.quality)
