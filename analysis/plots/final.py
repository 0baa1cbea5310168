"""Rules on the final split, with their intervals in both directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .canvas import BLACK, GREEN, ONE_COLUMN, ORACLES, axes_of, dress, legend_below, mark_points, quality_label
from .frontier import bars, mark_locked

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_final(
    rows: Sequence[Mapping[str, Any]],
    *,
    scale: float = 1.0,
    quality: str = "quality",
    cost: str = "cost",
    ax: Axes | None = None,
) -> Axes:
    """Draw the locked rule and its baselines with their intervals in both directions.

    Parameters
    ----------
    rows : sequence of mappings
        Each with ``name``, ``quality`` and ``cost``, and ``quality_interval`` and ``cost_interval`` as
        (low, high) or None. The first is the locked rule.
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality, cost : str
        Names for the axes.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax, (ONE_COLUMN[0], 3.3))
    locked, *others = rows
    for row in others:
        at, height = row["cost"], row["quality"] * scale
        ax.errorbar(
            [at],
            [height],
            xerr=bars(row["cost_interval"], at, 1.0),
            yerr=bars(row["quality_interval"], height, scale),
            fmt="none",
            ecolor=GREEN if row["name"] in ORACLES else BLACK,
            elinewidth=0.8,
            capsize=2,
            zorder=2,
        )
    mark_points(ax, {row["name"]: (row["cost"], row["quality"] * scale) for row in others})
    intervals = locked["cost_interval"], locked["quality_interval"]
    mark_locked(
        ax,
        (locked["cost"], locked["quality"]),
        None if None in intervals else (locked["cost_interval"], locked["quality_interval"]),
        scale,
    )
    dress(ax, f"mean {cost}", quality_label(quality, scale))
    ax.margins(0.06)
    legend_below(ax)
    return ax
