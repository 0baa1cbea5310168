"""Quality and cost as functions of one cut or of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...enumerate.cuts import holes
from ...enumerate.plateaus import Plateaus
from ...trajectories.table import Floats
from ..cut_curves import CutCurve, CutPlane
from .canvas import (
    BLACK,
    BLUE,
    GREY,
    LABEL,
    NOTE,
    ONE_COLUMN,
    ORANGE,
    SEQUENTIAL,
    axes_of,
    dress,
    quality_label,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEYOND = 0.06  # of the observed range, for the plateaus that reach always and never


def plot_threshold(
    curve: CutCurve,
    *,
    cut: float | None = None,
    scale: float = 1.0,
    quality: str = "quality",
    cost: str = "cost",
    ax: Axes | None = None,
) -> Axes:
    """Draw quality (left axis, full line) and cost (right axis, broken line) against the cut.

    Every level stretch is a plateau: within it no trajectory stops elsewhere.

    Parameters
    ----------
    curve : CutCurve
    cut : float, optional
        Its plateau is shaded.
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality, cost : str
        Names for the axes.
    ax : matplotlib Axes, optional
        Gets a twin for the cost.
    """
    ax = axes_of(ax)
    edges = edges_of(curve.plateaus)
    ax.stairs(curve.quality * scale, edges, baseline=None, color=BLUE, linewidth=1.2, label=f"mean {quality}")
    spent = ax.twinx()
    spent.stairs(curve.cost, edges, baseline=None, color=ORANGE, linewidth=1.0, linestyle="--", label=f"mean {cost}")
    if cut is not None:
        at = int(curve.plateaus.at(np.array([cut]))[0])
        ax.axvspan(edges[at], edges[at + 1], color=GREY, alpha=0.35, linewidth=0, label=f"plateau of {cut:g}")
        ax.axvline(np.clip(cut, edges[0], edges[-1]), color=BLACK, linewidth=0.6)
    (hole,) = holes(curve.shape)
    dress(ax, f"cut of {hole.term}, {len(curve.plateaus):,} plateaus", quality_label(quality, scale))
    dress(spent, "", f"mean {cost}")
    spent.grid(visible=False)
    ax.yaxis.label.set_color(BLUE)
    spent.yaxis.label.set_color(ORANGE)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_title(wrapped(str(curve.shape), 48), fontsize=NOTE)
    return ax


def plot_plane(
    plane: CutPlane,
    *,
    show: Literal["quality", "cost"] = "quality",
    budget: float | None = None,
    cuts: Sequence[float] | None = None,
    scale: float = 1.0,
    name: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw quality or cost over two cuts, with the line along which the cost meets the budget.

    Parameters
    ----------
    plane : CutPlane
    show : "quality" or "cost"
    budget : float, optional
        Cost allowed.
    cuts : two floats, optional
        Chosen ones, marked by a star.
    scale : float
        Factor on quality.
    name : str, optional
        Of what is shown.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax, (ONE_COLUMN[0], 3.0))
    first, second = (edges_of(axis) for axis in plane.plateaus)
    shown = plane.cost if show == "cost" else plane.quality * scale
    mesh = ax.pcolormesh(first, second, shown.T, cmap=SEQUENTIAL, shading="flat", rasterized=True)
    if budget is not None and plane.cost.min() < budget < plane.cost.max() and min(plane.cost.shape) > 1:
        centres = (first[:-1] + first[1:]) / 2, (second[:-1] + second[1:]) / 2
        ax.contour(*centres, plane.cost.T, levels=[budget], colors="white", linewidths=2.2)
        ax.contour(*centres, plane.cost.T, levels=[budget], colors=BLACK, linewidths=1.0)
        ax.plot([], [], color=BLACK, linewidth=1.0, label=f"budget {budget:g}")
    if cuts is not None:
        x, y = (np.clip(cut, edges[0], edges[-1]) for cut, edges in zip(cuts, (first, second), strict=True))
        ax.scatter([x], [y], marker="*", s=80, color=ORANGE, edgecolor="white", linewidths=0.5, label="chosen")
    a, b = holes(plane.shape)
    dress(ax, f"cut of {a.term}", f"cut of {b.term}")
    ax.grid(visible=False)
    ax.set_title(wrapped(str(plane.shape), 48), fontsize=NOTE)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize=NOTE, loc="best", framealpha=0.8)
    figure = ax.get_figure()
    if figure is not None:
        bar = figure.colorbar(mesh, ax=ax, pad=0.02)
        bar.ax.tick_params(labelsize=NOTE)
        bar.set_label(
            f"mean {name or show}"
            + (f" \N{MULTIPLICATION SIGN} {scale:g}" if scale != 1 and show == "quality" else ""),
            fontsize=LABEL,
        )
    return ax


def edges_of(plateaus: Plateaus) -> Floats:
    """(K + 1,) where plateaus meet, the endless ones cut off a little beyond the outermost of these."""
    inner = plateaus.low[1:]
    low, high = (float(inner[0]), float(inner[-1])) if len(inner) else (0.0, 0.0)
    beyond = BEYOND * (high - low) or 1.0
    return np.concatenate([[low - beyond], inner, [high + beyond]])
