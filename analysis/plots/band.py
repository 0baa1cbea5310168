"""The frontier of true means, inside a band that holds at all costs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...trajectories.table import Floats
from ..simultaneous import Band
from .canvas import BLUE, SKY, axes_of, dress, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_band(
    band: Band,
    *,
    front: tuple[Floats, Floats] | None = None,
    level: float = 0.95,
    scale: float = 1.0,
    quality: str = "quality",
    cost: str = "cost",
    baseline: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a simultaneous band: the frontier of true means lies inside it at every cost.

    Parameters
    ----------
    band : Band
        Its lower staircase starts at the first cost that some rule surely keeps to.
    front : (cost, quality) of the observed front, optional
        Minus the baseline's, as the band.
    level : float
        At which the whole band holds.
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality, cost : str
        Names for the axes.
    baseline : str, optional
        What quality and cost are differences to.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax)
    at = np.unique(np.concatenate([band.low_cost, band.high_cost, *(front[:1] if front else ())]))
    low, high = (np.where(np.isfinite(ends), ends, np.nan) * scale for ends in band.at(at))
    both = np.isfinite(low)
    ax.fill_between(
        at, low, high, where=both, step="post", color=SKY, alpha=0.35, linewidth=0, label=f"{level:.0%} band"
    )
    ax.step(at, high, where="post", color=SKY, linewidth=1.0, linestyle="--", label="upper end")
    if front is not None:
        x, y = front
        ax.step(x, y * scale, where="post", color=BLUE, linewidth=1.2, marker=".", label="observed front")
    if baseline is not None:
        ax.axhline(0.0, color="black", linewidth=0.6)
    minus = f" minus {baseline}" if baseline else ""
    unit = f" \N{MULTIPLICATION SIGN} {scale:g}" if scale != 1 else ""
    dress(ax, f"mean {cost}{minus}", f"mean {quality}{minus}{unit}")
    ax.margins(x=0.02)
    legend_below(ax)
    return ax
