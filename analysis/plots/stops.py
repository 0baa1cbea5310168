"""Where rules stop: one small histogram a rule, above each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from .canvas import BLACK, BLUE, GREEN, GREY, NOTE, ONE_COLUMN, ORACLES, ORANGE, axes_of, dress, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 0.74  # of the tallest bar; rows are 1 apart
NAMED_SHARE = 0.1  # bars from this share of the trajectories on have it written above
MOST_NAMED_ROUNDS = 12


def plot_stops(
    stop_rounds: Mapping[str, Mapping[int, int]], *, locked: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the stop-round histogram of each rule, the first on top.

    Bars are shares of the trajectories; over 12 rounds each rule has its own scale, its tallest bar written out.

    Parameters
    ----------
    stop_rounds : rule -> round -> trajectories
    locked : str, optional
        The rule to be set apart.
    ax : matplotlib Axes, optional
    """
    ax = axes_of(ax, (ONE_COLUMN[0], 0.7 + 0.42 * len(stop_rounds)))
    last = max(max(counts) for counts in stop_rounds.values())
    for position, (name, counts) in enumerate(stop_rounds.items()):
        rounds = np.arange(1, last + 1)
        share = np.array([counts.get(int(r), 0) for r in rounds]) / max(sum(counts.values()), 1)
        tall = HEIGHT if last <= MOST_NAMED_ROUNDS else HEIGHT / max(share.max(), 1e-9)
        floor = -float(position)
        colour = ORANGE if name == locked else GREEN if name in ORACLES else BLUE
        ax.bar(rounds, share * tall, width=0.8, bottom=floor, color=colour, label=name)
        ax.axhline(floor, color=GREY, linewidth=0.5, zorder=0)
        few = last <= MOST_NAMED_ROUNDS
        for r in rounds[share >= NAMED_SHARE] if few else rounds[[share.argmax()]]:
            height = share[r - 1]
            inside = few and height > 0.75
            ax.annotate(
                f"{height:.0%}",
                (r, floor + height * tall),
                xytext=(0, -2 if inside else 1),
                textcoords="offset points",
                ha="center",
                va="top" if inside else "bottom",
                fontsize=6,
                color="white" if inside else BLACK,
            )
    dress(ax, "stop round", "")
    ax.grid(visible=False)
    ax.set_yticks(-np.arange(len(stop_rounds), dtype=np.float64) + 0.35, [wrapped(name, 22) for name in stop_rounds])
    ax.tick_params(axis="y", length=0, labelsize=NOTE)
    ax.set_xlim(0.4, last + 0.6)
    ax.set_ylim(-len(stop_rounds) + 0.95, 1.0)
    if last <= MOST_NAMED_ROUNDS:
        ax.set_xticks(np.arange(1, last + 1))
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
    return ax
