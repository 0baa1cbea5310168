"""Do forecasts come true as often as they say?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..reliability import Reliability
from .canvas import BLUE, GREEN, GREY, ORANGE, axes_of, dress, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST, SMALLEST = 60.0, 8.0  # marker areas in square points


def plot_reliability(curves: Mapping[str, Reliability], *, answers: str = "right", ax: Axes | None = None) -> Axes:
    """Draw reliability diagrams: the share of right answers in each bin against its mean forecast.

    Parameters
    ----------
    curves : name -> Reliability
        Such as one before and one after calibration. A marker's area grows with the rows of its bin.
    answers : str
        What counts as right.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--", zorder=1)
    styles = ((ORANGE, "s", "--"), (BLUE, "o", "-"), (GREEN, "^", ":"))
    for i, (name, curve) in enumerate(curves.items()):
        colour, marker, line = styles[i % len(styles)]
        size = SMALLEST + (LARGEST - SMALLEST) * curve.rows / max(curve.rows.max(), 1)
        ax.errorbar(
            curve.forecast,
            curve.share,
            yerr=np.stack([curve.share - curve.low, curve.high - curve.share]),
            fmt="none",
            ecolor=colour,
            elinewidth=0.8,
            capsize=1.5,
            zorder=2,
        )
        ax.plot(curve.forecast, curve.share, color=colour, linewidth=1.0, linestyle=line, zorder=3)
        ax.scatter(
            curve.forecast,
            curve.share,
            s=size,
            color=colour,
            marker=marker,
            linewidths=0,
            label=f"{name}: ECE {curve.calibration_error:.3f}",
            zorder=4,
        )
    reach = max(max(curve.forecast.max(), curve.high.max()) for curve in curves.values())
    top = min(1.0, float(np.ceil(reach * 10 + 0.2)) / 10)  # small shares fill the picture
    dress(ax, "mean forecast", f"share of {answers}")
    ax.set_xlim(-0.02 * top, 1.02 * top)
    ax.set_ylim(-0.02 * top, 1.02 * top)
    legend_below(ax)
    return ax
