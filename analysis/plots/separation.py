"""How well signals tell right answers from wrong ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...trajectories.table import Bools, Floats
from ..separation import kolmogorov_smirnov
from ..signals import SignalProfile
from .canvas import BLACK, BLUE, NOTE, ONE_COLUMN, ORANGE, axes_of, dress, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_separation(profiles: Sequence[SignalProfile], *, ax: Axes | None = None) -> Axes:
    """Draw each signal's AUROC with its 95% interval, the strongest on top, and that of every round.

    Parameters
    ----------
    profiles : sequence of SignalProfile
        One whose AUROC is not defined has its name alone.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax, (ONE_COLUMN[0], 1.1 + 0.24 * len(profiles)))
    ranked = sorted(profiles, key=lambda profile: (-profile.strength, profile.name))
    ax.axvline(0.5, color=BLACK, linewidth=0.8, linestyle="--", zorder=1)
    for position, profile in enumerate(ranked):
        auroc = profile.whole.auroc
        by_round = np.array([figures.auroc.value for figures in profile.rounds.values()])
        ax.scatter(
            by_round,
            np.full(len(by_round), -position),
            s=22,
            marker="|",
            color=BLACK,
            linewidths=0.6,
            label="one round" if position == 0 else None,
            zorder=5,
        )
        if math.isnan(auroc.value):
            continue
        if not math.isnan(auroc.low):
            ax.plot([auroc.low, auroc.high], [-position, -position], color=BLUE, linewidth=1.6, zorder=3)
        ax.scatter(
            [auroc.value],
            [-position],
            s=20,
            color=BLUE,
            linewidths=0,
            label="all rounds, 95%" if position == 0 else None,
            zorder=4,
        )
    dress(ax, f"AUROC for {profiles[0].target.text}", "")
    ax.set_yticks(-np.arange(len(ranked)), [profile.name for profile in ranked])
    ax.tick_params(axis="y", length=0, labelsize=NOTE)
    ax.set_ylim(-len(ranked) + 0.4, 0.6)
    legend_below(ax)
    return ax


def plot_distributions(
    values: Floats, right: Bools, *, signal: str = "signal", answers: str = "right", ax: Axes | None = None
) -> Axes:
    """Draw the distribution functions of a signal over right and over wrong answers, and their largest distance.

    Parameters
    ----------
    values : (n,) float64
        NaN where missing.
    right : (n,) bool
        Of both kinds.
    signal, answers : str
        Names for the axis, and for what counts as right.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax)
    known = np.isfinite(values)
    x, truth = values[known], right[known]
    for part, colour, style, label in ((truth, BLUE, "-", answers), (~truth, ORANGE, "--", "the others")):
        ax.ecdf(x[part], color=colour, linestyle=style, linewidth=1.2, label=f"{label} ({int(part.sum()):,})")
    at = np.unique(x)
    below = [np.searchsorted(np.sort(x[part]), at, side="right") / part.sum() for part in (truth, ~truth)]
    widest = int(np.abs(below[0] - below[1]).argmax())
    ax.plot(
        [at[widest]] * 2,
        [below[0][widest], below[1][widest]],
        color=BLACK,
        linewidth=0.9,
        label=f"KS {kolmogorov_smirnov(x, truth):.2f}",
    )
    dress(ax, signal, "share of answers at or below")
    legend_below(ax)
    return ax
