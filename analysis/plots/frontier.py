"""Quality against cost: every candidate, the front, and what to compare it with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..baselines import ORACLE
from .canvas import (
    BLUE,
    GREY,
    ONE_COLUMN,
    ORANGE,
    SVG_POINTS,
    axes_of,
    dress,
    legend_below,
    mark_points,
    quality_label,
)

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

DENSITY_FROM = 5_000
Interval = tuple[float, float]
Points = Mapping[str, tuple[float, float]]


def plot_frontier(
    candidates: pl.DataFrame,
    *,
    points: Points | None = None,
    locked: tuple[float, float] | None = None,
    intervals: tuple[Interval, Interval] | None = None,
    oracle: tuple[float, float] | None = None,
    scale: float = 1.0,
    quality: str = "quality",
    cost: str = "cost",
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw quality against cost: every candidate, the Pareto front as a step line, and what to compare it with.

    Parameters
    ----------
    candidates : polars.DataFrame
        Columns quality, cost and on_front, one row a behaviour. Over 5,000 are drawn as a density. Where there
        is a column stability, in [0, 1], it sets the size of the front's markers.
    points : name -> (cost, quality), optional
        Baselines: k in a square for fixed(k), a letter for any other rule.
    locked, oracle : (cost, quality), optional
    intervals : ((low, high) of cost, (low, high) of quality), optional
        Of the locked rule.
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality, cost : str
        Names for the axes.
    legend : bool
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax, (ONE_COLUMN[0], 3.3))
    x, y = candidates["cost"].to_numpy(), candidates["quality"].to_numpy() * scale
    if len(x) > DENSITY_FROM:
        ax.hexbin(x, y, gridsize=50, bins="log", cmap="Greys", mincnt=1, linewidths=0, zorder=1)
        ax.scatter([], [], s=8, marker="h", color=GREY, label=f"{len(x):,} rules (density)")
    else:
        ax.scatter(
            x,
            y,
            s=5,
            color=GREY,
            alpha=0.5,
            linewidths=0,
            label=f"{len(x):,} rules",
            zorder=1,
            rasterized=len(x) > SVG_POINTS,
        )
    _draw_front(ax, candidates, scale)
    named = dict(points or {}) | ({} if oracle is None else {ORACLE: oracle})
    mark_points(ax, {name: (at, height * scale) for name, (at, height) in named.items()})
    if locked is not None:
        mark_locked(ax, locked, intervals, scale)
    dress(ax, f"mean {cost}", quality_label(quality, scale))
    ax.margins(0.06)
    if legend:
        legend_below(ax)
    return ax


def _draw_front(ax: Axes, candidates: pl.DataFrame, scale: float) -> None:
    front = candidates.filter(candidates["on_front"]).sort("cost")
    x, y = front["cost"].to_numpy(), front["quality"].to_numpy() * scale
    label, size = f"front ({len(front)})", np.full(len(front), 12.0)
    if "stability" in front.columns and front["stability"].null_count() < len(front):
        stability = front["stability"].fill_null(0.0).to_numpy()
        label, size = f"front ({len(front)}), size: stability", 4.0 + 40.0 * stability
    ax.step(x, y, where="post", color=BLUE, linewidth=1.2, zorder=2)
    ax.scatter(x, y, s=size, color=BLUE, linewidths=0, label=label, zorder=3)


def mark_locked(
    ax: Axes, locked: tuple[float, float], intervals: tuple[Interval, Interval] | None, scale: float
) -> None:
    """Draw the locked rule as a star, with its intervals in both directions."""
    at, height = locked
    label = "locked"
    if intervals is not None:
        across, along = intervals
        ax.errorbar(
            [at],
            [height * scale],
            xerr=bars(across, at, 1.0),
            yerr=bars(along, height * scale, scale),
            fmt="none",
            ecolor=ORANGE,
            elinewidth=0.9,
            capsize=2,
            zorder=4.8,
        )
        label = "locked, 95%"
    ax.scatter(
        [at],
        [height * scale],
        marker="*",
        s=80,
        color=ORANGE,
        edgecolor="white",
        linewidths=0.4,
        label=label,
        zorder=5,
    )


def bars(interval: Interval | None, centre: float, scale: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The two lengths of an error bar, as matplotlib takes them; none without an interval."""
    low, high = interval or (centre / scale, centre / scale)
    return np.clip(np.array([[centre - low * scale], [high * scale - centre]], dtype=np.float64), 0.0, None)
