"""One-line rules beside a learned stopper: how far from each other, how far from the oracle?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .canvas import BLUE, ONE_COLUMN, SKY, axes_of, dress, legend_below, mark_points, quality_label
from .frontier import bars, mark_locked

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_simplicity(
    learned: Sequence[Mapping[str, Any]],
    *,
    chosen: int,
    locked: Mapping[str, Any],
    rules: Sequence[tuple[float, float]] = (),
    points: Mapping[str, tuple[float, float]] | None = None,
    scale: float = 1.0,
    quality: str = "quality",
    cost: str = "cost",
    ax: Axes | None = None,
) -> Axes:
    """Draw the learned stopper's frontier over its prices, the one-line rules, baselines and the oracle.

    Parameters
    ----------
    learned : sequence of mappings
        A point for each price: ``quality`` and ``cost``, ``quality_interval`` and ``cost_interval`` as (low, high)
        or None.
    chosen : int
        The point that was frozen for comparison; only its intervals are drawn.
    locked : mapping
        The same of the locked rule.
    rules : sequence of (cost, quality)
        Other one-line rules of the front.
    points : name -> (cost, quality), optional
        Baselines and oracles.
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality, cost : str
        Names for the axes.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax, (ONE_COLUMN[0], 3.3))
    by_cost = sorted(learned, key=lambda point: (point["cost"], point["quality"]))
    x, y = [point["cost"] for point in by_cost], [point["quality"] * scale for point in by_cost]
    ax.plot(x, y, color=BLUE, linewidth=1.2, marker="o", markersize=4, label="learned stopper, by price", zorder=3)
    frozen = learned[chosen]
    ax.errorbar(
        [frozen["cost"]],
        [frozen["quality"] * scale],
        xerr=bars(frozen["cost_interval"], frozen["cost"], 1.0),
        yerr=bars(frozen["quality_interval"], frozen["quality"] * scale, scale),
        fmt="D",
        color=BLUE,
        markersize=6,
        elinewidth=0.9,
        capsize=2,
        label="its frozen price, 95%",
        zorder=3.5,
    )
    if rules:
        at, heights = zip(*rules, strict=True)
        ax.scatter(
            at,
            [height * scale for height in heights],
            s=14,
            color=SKY,
            linewidths=0,
            label=f"{len(rules)} one-line rules of the front",
            zorder=2,
        )
    mark_points(ax, {name: (at, height * scale) for name, (at, height) in (points or {}).items()})
    intervals = locked["cost_interval"], locked["quality_interval"]
    mark_locked(ax, (locked["cost"], locked["quality"]), None if None in intervals else intervals, scale)
    dress(ax, f"mean {cost}", quality_label(quality, scale))
    ax.margins(0.06)
    legend_below(ax)
    return ax
