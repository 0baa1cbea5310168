"""Pictures: each draws on the axes it is given, or on a figure of its own, and keeps no state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

# Okabe and Ito: told apart with any colour vision, and in grey print by their lightness
BLUE, ORANGE, GREEN, GREY, BLACK = "#0072B2", "#D55E00", "#009E73", "#999999", "#000000"
ONE_COLUMN = (5.2, 3.6)
DENSITY_FROM = 5_000


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=ONE_COLUMN, layout="constrained").add_subplot()


def plot_frontier(
    candidates: pl.DataFrame,
    *,
    points: Mapping[str, tuple[float, float]] | None = None,
    locked: tuple[float, float] | None = None,
    oracle: tuple[float, float] | None = None,
    scale: float = 1.0,
    quality: str = "quality",
    cost: str = "cost",
    ax: Axes | None = None,
) -> Axes:
    """Draw quality against cost: every candidate, the Pareto front as a step line, and what to compare it with.

    Parameters
    ----------
    candidates : polars.DataFrame
        Columns quality, cost and on_front, one row a behaviour.
    points : name -> (cost, quality), optional
        Baselines, drawn and named one by one.
    locked, oracle : (cost, quality), optional
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality, cost : str
        Names for the axes.
    ax : matplotlib Axes, optional
    """
    ax = _axes(ax)
    x, y = candidates["cost"].to_numpy(), candidates["quality"].to_numpy() * scale
    if len(x) > DENSITY_FROM:
        ax.hexbin(x, y, gridsize=60, bins="log", cmap="Greys", mincnt=1, linewidths=0, zorder=1)
    else:
        ax.scatter(x, y, s=8, color=GREY, alpha=0.5, linewidths=0, label=f"{len(x)} behaviours", zorder=1)
    front = candidates.filter(candidates["on_front"]).sort("cost")
    front_x, front_y = front["cost"].to_numpy(), front["quality"].to_numpy() * scale
    ax.step(front_x, front_y, where="post", color=BLUE, linewidth=1.4, zorder=2)
    ax.scatter(front_x, front_y, s=14, color=BLUE, label=f"front ({len(front)})", zorder=3)
    for name, (at, height) in (points or {}).items():
        ax.scatter([at], [height * scale], marker="s", s=26, facecolor="white", edgecolor=BLACK, zorder=4)
        ax.annotate(name, (at, height * scale), xytext=(5, -9), textcoords="offset points", fontsize=7)
    if oracle is not None:
        ax.scatter([oracle[0]], [oracle[1] * scale], marker="^", s=40, color=GREEN, label="oracle", zorder=4)
    if locked is not None:
        ax.scatter([locked[0]], [locked[1] * scale], marker="*", s=120, color=ORANGE, label="locked", zorder=5)
    ax.set_xlabel(f"mean {cost}")
    ax.set_ylabel(f"mean {quality}" + (f" x{scale:g}" if scale != 1 else ""))
    ax.margins(x=0.12)  # room for the names beside the rightmost points
    ax.grid(alpha=0.25, linewidth=0.5)
    ax.legend(fontsize=7, frameon=False, loc="best")
    return ax


def plot_final(
    rows: Sequence[Mapping[str, Any]],
    *,
    scale: float = 1.0,
    quality: str = "quality",
    cost: str = "cost",
    ax: Axes | None = None,
) -> Axes:
    """Draw rules on the final split with their intervals in both directions.

    Parameters
    ----------
    rows : sequence of mappings
        Each with ``name``, ``quality`` and ``cost``, and ``quality_interval`` and ``cost_interval`` as
        (low, high) or None. The first is the locked rule.
    """
    ax = _axes(ax)
    for row in rows:
        locked = row is rows[0]
        at, height = row["cost"], row["quality"] * scale
        ax.errorbar(
            [at],
            [height],
            xerr=_bars(row["cost_interval"], at, 1.0),
            yerr=_bars(row["quality_interval"], height, scale),
            fmt="*" if locked else "s",
            markersize=11 if locked else 5,
            color=ORANGE if locked else BLACK,
            markerfacecolor=ORANGE if locked else "white",
            elinewidth=1,
            capsize=2,
            zorder=3 if locked else 2,
        )
        ax.annotate(
            "locked" if locked else row["name"], (at, height), xytext=(6, 5), textcoords="offset points", fontsize=7
        )
    ax.set_xlabel(f"mean {cost}")
    ax.set_ylabel(f"mean {quality}" + (f" x{scale:g}" if scale != 1 else ""))
    ax.margins(x=0.12)
    ax.grid(alpha=0.25, linewidth=0.5)
    return ax


def _bars(interval: tuple[float, float] | None, centre: float, scale: float) -> Any:
    if interval is None:
        return None
    low, high = interval
    return np.clip([[centre - low * scale], [high * scale - centre]], 0, None)


def save_figure(ax: Axes, *paths: Path) -> None:
    """Write the figure of some axes in the formats of the paths' suffixes, the same bytes every time."""
    import matplotlib as mpl

    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the axes belong to no figure any more: draw again")

    no_date: dict[str, dict[str, Any]] = {
        ".svg": {"Date": None, "Creator": None},
        ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        ".png": {"Software": None},
    }
    with mpl.rc_context({"svg.hashsalt": "stoprule", "svg.fonttype": "none"}):
        for path in paths:
            figure.savefig(path, dpi=200, metadata=no_date[path.suffix])
