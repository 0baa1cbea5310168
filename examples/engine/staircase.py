"""Draw how one trajectory enters the sweeps: an interval of cuts a round, and a staircase in the plane of two cuts.

Writes staircase.png beside this file, out of the corners that the engine itself drops. Usage: python staircase.py
"""

from pathlib import Path

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from stoprule.analysis.plots.canvas import save_figure
from stoprule.enumerate.shapes import open_shape
from stoprule.rules.text import parse
from stoprule.trajectories.reading import read_trajectories

A, B = (0.3, 0.7, 0.5, 0.84), (0.7, 0.35, 0.5, 0.15)  # two signals of one question, round by round
SHADES = ListedColormap(["#08519c", "#4292c6", "#9ecae1", "#deebf7", "#f7f7f7"])  # told apart in grey print
RED = "#D55E00"


def one_cut(ax: Axes) -> None:
    """Stop at round r for the cuts from the largest value before it up to its own."""
    rounds, running = np.arange(1, 5), np.maximum.accumulate(A)
    ax.plot(rounds, A, "o", color="black", label="a")
    ax.step(rounds, running, where="post", color=RED, label="running maximum M")
    for r, (low, high) in enumerate(zip([0.0, *running[:-1]], running, strict=True)):
        if high > low:
            ax.axhspan(low, high, color=SHADES(r), alpha=0.8, lw=0)
            ax.text(
                4.25, (low + high) / 2, f"stops at {r + 1}", va="center", fontsize=7, color="black" if r else "white"
            )
    ax.text(4.25, 0.95, "never fires", va="center", fontsize=7)
    ax.set(xlim=(0.8, 5.4), ylim=(0, 1), xticks=rounds, xlabel="round", ylabel="cut of a", title="a > ?")
    ax.legend(fontsize=7, loc="lower left")


def two_cuts(ax: Axes) -> None:
    """Add a round at each outer corner of the staircase, and take it off at each inner one."""
    rounds = {"question": ["q"] * 4, "round": [1, 2, 3, 4], "quality": [0.0, 0.0, 1.0, 1.0], "a": A, "b": B}
    t = read_trajectories(pl.DataFrame(rounds), signals=("a", "b"))
    opened = open_shape(parse("a > ? & b > ?"), t)
    if opened is None:
        raise ValueError("the sweep of two cuts knows this shape")
    sweep = opened.sweep_two(None)
    stop = sweep.sums(np.arange(1, 6)[None, None])[0]
    edges = [np.append(np.maximum(axis.low, 0.0), 1.0) for axis in sweep.axes]
    ax.pcolormesh(*edges, stop.T, cmap=SHADES, vmin=1, vmax=5)
    highest = [edge[1:-1][::-1] for edge in edges]  # places count from the strictest cut
    for row, column in sorted({(int(i), int(j)) for i, j in zip(sweep.corners.row, sweep.corners.column, strict=True)}):
        x, y = highest[0][row - 1], highest[1][column - 1]
        outer = any(x == a and y == b for a, b in zip(A, B, strict=True))
        ax.text(x, y, "+" if outer else "\u2212", color=RED, fontsize=15, ha="center", va="center", weight="bold")
    for r, (x, y) in enumerate(zip(A, B, strict=True), start=1):
        ax.annotate(f"round {r}", (x, y), xytext=(5, 6), textcoords="offset points", fontsize=7)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="cut of a", ylabel="cut of b", title="a > ? & b > ?")


def main() -> None:
    """Draw both side by side."""
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    one_cut(left)
    two_cuts(right)
    save_figure(left, Path(__file__).with_name("staircase.png"))


if __name__ == "__main__":
    main()
