"""Does a rule that was locked in one cell carry over to another?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...trajectories.table import Floats
from .canvas import BLACK, LABEL, NOTE, ONE_COLUMN, SEQUENTIAL, axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_WRITTEN = 12  # cells each way whose figures fit in print


def plot_transfer(
    matrix: Floats,
    *,
    locked_in: Sequence[str],
    evaluated_in: Sequence[str] | None = None,
    name: str = "retention",
    form: str = ".2f",
    ax: Axes | None = None,
) -> Axes:
    """Draw a figure for every pair of the cell a rule was locked in (row) and the cell it is used in (column).

    Parameters
    ----------
    matrix : (C, D) float64
        NaN where there is none.
    locked_in : C cell names
    evaluated_in : D cell names, optional
        The same cells by default.
    name : str
        Of the figure.
    form : str
        How it is written.
    ax : matplotlib Axes, optional
    """
    columns = list(locked_in if evaluated_in is None else evaluated_in)
    side = ONE_COLUMN[0]
    ax = axes_of(ax, (side, min(1.6 + 0.3 * len(locked_in), 1.3 * side)))
    known = matrix[np.isfinite(matrix)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    image = ax.imshow(np.ma.masked_invalid(matrix), cmap=SEQUENTIAL, aspect="auto", vmin=low, vmax=high)
    ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right", rotation_mode="anchor", fontsize=NOTE)
    ax.set_yticks(range(len(locked_in)), locked_in, fontsize=NOTE)
    ax.set_xlabel("evaluated in", fontsize=LABEL)
    ax.set_ylabel("locked in", fontsize=LABEL)
    ax.tick_params(length=0)
    if max(matrix.shape) <= MOST_WRITTEN:
        for (i, j), value in np.ndenumerate(matrix):
            dark = np.isfinite(value) and value < (low + high) / 2
            ax.text(
                j,
                i,
                format(value, form) if np.isfinite(value) else "-",
                ha="center",
                va="center",
                fontsize=NOTE,
                color="white" if dark else BLACK,
            )
    figure = ax.get_figure()
    if figure is not None:
        bar = figure.colorbar(image, ax=ax, shrink=0.9, pad=0.02)
        bar.ax.tick_params(labelsize=NOTE)
        bar.set_label(name, fontsize=LABEL)
    return ax
