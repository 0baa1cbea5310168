"""The pictures that a search leaves behind: all of calibration and selection rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.baselines import label, oracle, stops
from ..analysis.bootstrap import paired_bootstrap, strata
from ..analysis.cut_curves import cut_curve, cut_plane
from ..analysis.explain import explain
from ..analysis.plots import (
    plot_band,
    plot_cells,
    plot_frontier,
    plot_plane,
    plot_question,
    plot_reliability,
    plot_separation,
    plot_threshold,
)
from ..analysis.signals import SignalProfile
from ..analysis.simultaneous import Band
from ..enumerate.cut_plateaus import one_cut_opened
from ..enumerate.ledger import ledger
from ..enumerate.pareto import pareto_mask
from ..enumerate.replay import replayed
from ..rules.expression import Rule
from ..rules.text import parse
from ..trajectories.table import Trajectories
from .drawing import REPLAYED_AGAIN, Picture, units
from .study import Study

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

OWNED = ("frontier", "cells", "band", "threshold-*", "plane-*", "signals", "reliability", "question")
MOST_CURVES, MOST_PLANES, MOST_CALIBRATED = 3, 2, 3


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What the pictures of a search are drawn from.

    Attributes
    ----------
    study : Study
    selection : Trajectories
        With calibrated signals.
    candidates : polars.DataFrame
        Of `search`.
    locked : mapping
        The row that was chosen.
    compared : sequence of Rule
        Baselines.
    profiles : sequence of SignalProfile
    band : (Rule, Band) or None
        The band around the frontier, and the baseline that it is minus.
    """

    study: Study
    selection: Trajectories
    candidates: pl.DataFrame
    locked: Mapping[str, Any]
    compared: Sequence[Rule]
    profiles: Sequence[SignalProfile]
    band: tuple[Rule, Band] | None = None

    @cached_property
    def rule(self) -> Rule:
        """The locked rule."""
        return parse(self.locked["rule"])

    @cached_property
    def units(self) -> Mapping[str, Any]:
        """Names and scale of the axes."""
        return units(self.selection)

    @cached_property
    def family(self) -> list[Rule]:
        """Every candidate."""
        return [parse(text) for text in self.candidates["rule"]]


def search_pictures(searched: Searched) -> Iterator[Picture]:
    """Draw what applies to a search, one picture after the other."""
    for name, ax in _pictures(searched):
        if not (ax.get_title() or ax.get_title(loc="left")):
            ax.set_title("selection split", fontsize=8)
        yield name, ax


def _pictures(searched: Searched) -> Iterator[Picture]:
    yield "frontier", _frontier(searched)
    if len(searched.candidates) <= REPLAYED_AGAIN and len(searched.selection.cell_names) > 1:
        yield "cells", _cells(searched)
    yield from _band(searched)
    yield from islice(_thresholds(searched), MOST_CURVES)
    yield from _planes(searched)
    if searched.profiles:
        yield "signals", plot_separation(searched.profiles)
        yield from _reliability(searched.profiles)
    yield "question", _question(searched)


def _frontier(searched: Searched) -> Axes:
    t, study = searched.selection, searched.study.evaluate
    groups = strata(t.cell, t.group)
    best, locked = oracle(t), stops(searched.rule, t)
    resampled = paired_bootstrap(
        groups, {"quality": locked.quality, "cost": locked.cost}, draws=study.draws, seed=study.seed
    )
    quality, cost = resampled.mean("quality"), resampled.mean("cost")
    return plot_frontier(
        searched.candidates,
        points=_points(searched.compared, t),
        locked=(searched.locked["cost"], searched.locked["quality"]),
        intervals=((cost.low, cost.high), (quality.low, quality.high)),
        oracle=(groups.macro_mean(best.cost), groups.macro_mean(best.quality)),
        **searched.units,
    )


def _points(rules: Sequence[Rule], t: Trajectories) -> dict[str, tuple[float, float]]:
    figures = replayed(list(rules), t, ledger(t))
    return {
        label(rule): (cost, quality)
        for rule, cost, quality in zip(rules, figures.cost.tolist(), figures.quality.tolist(), strict=True)
    }


def _cells(searched: Searched) -> Axes:
    import polars as pl

    t = searched.selection
    frames, points, locked = {}, {}, {}
    for position, cell in enumerate(t.cell_names):
        own = t.take(t.cell_index == position)
        figures = replayed(searched.family, own, ledger(own))
        both = np.stack([figures.quality, figures.cost], axis=1)
        frames[cell] = pl.DataFrame({"quality": figures.quality, "cost": figures.cost, "on_front": pareto_mask(both)})
        points[cell] = _points(searched.compared, own)
        locked[cell] = _points([searched.rule], own)[label(searched.rule)]
    return plot_cells(frames, points=points, locked=locked, **searched.units)[0]


def _band(searched: Searched) -> Iterator[Picture]:
    """The frontier minus the longest fixed depth that the study compares with."""
    if searched.band is None:
        return
    baseline, band = searched.band
    ((at, height),) = _points([baseline], searched.selection).values()
    front = searched.candidates.filter(searched.candidates["on_front"]).sort("cost")
    yield (
        "band",
        plot_band(
            band,
            front=(front["cost"].to_numpy() - at, front["quality"].to_numpy() - height),
            baseline=label(baseline),
            **searched.units,
        ),
    )


def _thresholds(searched: Searched) -> Iterator[Picture]:
    """The cuts of the locked rule, then the study's own shapes with one `?`."""
    opened = [shape for _, shape in one_cut_opened(searched.rule)]
    shapes: dict[Rule, float | None] = dict(zip(opened, _cuts(searched.rule), strict=True))
    shapes |= {shape: None for shape in _shapes(searched.study, 1) if shape not in shapes}
    drawn = 0
    for shape, cut in shapes.items():
        curve = cut_curve(shape, searched.selection)
        if curve is not None:
            drawn += 1
            yield f"threshold-{drawn}", plot_threshold(curve, cut=cut, **searched.units)


def _planes(searched: Searched) -> Iterator[Picture]:
    """The locked rule's cuts if it has two, then the study's own shapes with two `?`."""
    shapes: dict[Rule, tuple[float, ...] | None] = {}
    cuts = _cuts(searched.rule)
    if len(cuts) == 2:
        once = next(shape for _, shape in one_cut_opened(searched.rule))
        shapes = {twice: cuts for _, twice in one_cut_opened(once)}
    shapes |= {shape: None for shape in _shapes(searched.study, 2) if shape not in shapes}
    budget, named = searched.study.select.max_cost, searched.units
    drawn = 0
    for shape, chosen in shapes.items():
        plane = cut_plane(shape, searched.selection)
        if plane is not None and drawn < MOST_PLANES:
            drawn += 1
            common = {"budget": budget, "cuts": chosen, "scale": named["scale"]}
            yield f"plane-{drawn}-quality", plot_plane(plane, name=named["quality"], **common)
            yield f"plane-{drawn}-cost", plot_plane(plane, show="cost", name=named["cost"], **common)


def _cuts(rule: Rule) -> tuple[float, ...]:
    """The cuts of a rule in the order of its text."""
    return tuple(atom.cut for atom, _ in one_cut_opened(rule) if isinstance(atom.cut, float))


def _shapes(study: Study, asked: int) -> list[Rule]:
    rules = [parse(each.rule) for each in study.search if each.rule is not None]
    return [rule for rule in rules if rule.holes == asked]


def _reliability(profiles: Sequence[SignalProfile]) -> Iterator[Picture]:
    """The calibrated signals; without any, the strongest signal as it is and calibrated out of fold."""
    calibrated = [each for each in profiles if each.whole.clipped is not None and each.whole.forecast is not None]
    curves = {each.name: each.whole.forecast.curve for each in calibrated[:MOST_CALIBRATED] if each.whole.forecast}
    if not curves:
        best = max(profiles, key=lambda each: (each.strength, each.name))
        if best.whole.forecast is not None:
            curves[best.name] = best.whole.forecast.curve
        if best.whole.calibrated is not None:
            curves[f"{best.name}, calibrated out of fold"] = best.whole.calibrated.curve
    if curves:
        yield "reliability", plot_reliability(curves, answers=profiles[0].target.answers)


def _question(searched: Searched) -> Axes:
    """The first question that stops where half of them have, so that it is a usual one."""
    t = searched.selection
    stopped = stops(searched.rule, t)
    rounds = stopped.stop_round[stopped.fired] if stopped.fired.any() else stopped.stop_round
    usual = np.sort(rounds)[(len(rounds) - 1) // 2]
    row = int(np.flatnonzero((stopped.stop_round == usual) & (stopped.fired == stopped.fired.any()))[0])
    return plot_question(explain(searched.rule, t, t.question[row], cell=t.cell[row]))
