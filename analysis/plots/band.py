"""The frontier of true means, inside a band that holds at all costs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...trajectories.table import Floats
from .canvas import BLUE, SKY, axes_of, dress, legend_below, quality_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_band(
    cost: Floats,
    low: Floats,
    high: Floats,
    *,
    front: tuple[Floats, Floats] | None = None,
    level: float = 0.95,
    scale: float = 1.0,
    quality: str = "quality",
    cost_name: str = "cost",
    ax: Axes | None = None,
) -> Axes:
    """Draw a simultaneous band as step functions of the cost.

    Parameters
    ----------
    cost : (K,) float64
        Ascending; each bound holds from its cost up to the next.
    low, high : (K,) float64
        Bounds of the best true quality at no more than the cost; NaN where there is none.
    front : (cost, quality) of the observed front, optional
    level : float
        At which the whole band holds.
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality, cost_name : str
        Names for the axes, such as "f1 minus fixed(1)".
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax)
    ax.fill_between(
        cost, low * scale, high * scale, step="post", color=SKY, alpha=0.35, linewidth=0, label=f"{level:.0%} band"
    )
    if front is not None:
        x, y = front
        ax.step(x, y * scale, where="post", color=BLUE, linewidth=1.2, label="observed front")
    dress(ax, f"mean {cost_name}", quality_label(quality, scale))
    ax.margins(x=0.02)
    legend_below(ax)
    return ax
