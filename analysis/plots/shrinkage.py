"""Selection against final: how the rules that looked best fall back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .canvas import BLUE, GREY, NOTE, ORANGE, SVG_POINTS, axes_of, dress, legend_below

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

BEST = 20


def plot_shrinkage(
    rules: pl.DataFrame,
    *,
    locked: str | None = None,
    best: int = BEST,
    scale: float = 1.0,
    quality: str = "quality",
    ax: Axes | None = None,
) -> Axes:
    """Draw each rule's quality on the final split against that on the selection split.

    The best of many rules is best by luck, too: its second figure tends to lie below the diagonal.

    Parameters
    ----------
    rules : polars.DataFrame
        Columns rule, selection, final: macro quality on either split.
    locked : str, optional
        The rule to be set apart.
    best : int
        How many of the best rules on the selection split are drawn apart, with the mean of both their figures.
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality : str
        Name for the axes.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax)
    by_luck = rules.sort(["selection", "rule"], descending=[True, False])
    top, rest = by_luck.head(best), by_luck.slice(min(best, len(rules)))
    for part, colour, size, label in (
        (rest, GREY, 5, f"{len(rest):,} other rules"),
        (top, BLUE, 12, f"best {len(top)} on selection"),
    ):
        ax.scatter(
            part["selection"].to_numpy() * scale,
            part["final"].to_numpy() * scale,
            s=size,
            color=colour,
            alpha=0.6,
            linewidths=0,
            label=label if len(part) else None,
            rasterized=len(part) > SVG_POINTS,
        )
    for row in by_luck.filter(by_luck["rule"] == (locked or "")).iter_rows(named=True):
        ax.scatter(
            [row["selection"] * scale],
            [row["final"] * scale],
            marker="*",
            s=80,
            color=ORANGE,
            edgecolor="white",
            linewidths=0.4,
            label="locked",
            zorder=5,
        )
    both = rules.select("selection", "final").to_numpy() * scale
    low, high = both.min(), both.max()
    reach = np.array([low, high]) + np.array([-1, 1]) * 0.05 * (high - low or 1.0)
    ax.plot(reach, reach, color=GREY, linewidth=0.8, linestyle="--", label="no change", zorder=0)
    before, after = (float(np.mean(top[side].to_numpy())) * scale for side in ("selection", "final"))
    ax.annotate(
        f"best {len(top)}: {before:#.4g} \N{RIGHTWARDS ARROW} {after:#.4g}",
        (0.03, 0.97),
        xycoords="axes fraction",
        va="top",
        fontsize=NOTE,
        color=BLUE,
    )
    unit = f" \N{MULTIPLICATION SIGN} {scale:g}" if scale != 1 else ""
    dress(ax, f"{quality}{unit}, selection split", f"{quality}{unit}, final split")
    ax.set_xlim(*reach)
    ax.set_ylim(*reach)
    ax.set_aspect("equal", adjustable="box")
    legend_below(ax)
    return ax
