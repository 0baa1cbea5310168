"""One small frontier a cell, on the same axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .canvas import LABEL, NOTE, quality_label, wrapped
from .frontier import Points, plot_frontier

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

MOST_COLUMNS = 4
PANEL = 1.75  # inches a side
LINES = 0.5  # inches for names and legend


def plot_cells(
    cells: Mapping[str, pl.DataFrame],
    *,
    points: Mapping[str, Points] | None = None,
    locked: Mapping[str, tuple[float, float]] | None = None,
    scale: float = 1.0,
    quality: str = "quality",
    cost: str = "cost",
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw `plot_frontier` for every cell.

    Parameters
    ----------
    cells : cell -> polars.DataFrame
        Columns quality, cost and on_front, of the cell's own means.
    points : cell -> name -> (cost, quality), optional
        Baselines.
    locked : cell -> (cost, quality), optional
    scale : float
        Factor on quality: 100 prints a fraction as points.
    quality, cost : str
        Names for the axes.
    axes : sequence of matplotlib Axes, optional
        One a cell; by default those of a new figure.
    """
    panels = _grid(len(cells)) if axes is None else list(axes)
    for ax, (cell, candidates) in zip(panels, cells.items(), strict=True):
        plot_frontier(
            candidates,
            points=(points or {}).get(cell),
            locked=(locked or {}).get(cell),
            scale=scale,
            quality=quality,
            cost=cost,
            legend=False,
            ax=ax,
        )
        ax.set_title(wrapped(cell, 26), fontsize=NOTE)
        ax.set_xlabel("")
        ax.set_ylabel("")
    figure = panels[0].get_figure(root=True)
    if axes is None and figure is not None:
        figure.supxlabel(f"mean {cost}", fontsize=LABEL)
        figure.supylabel(quality_label(quality, scale), fontsize=LABEL)
        for i, ax in enumerate(panels):
            ax.label_outer()
            ax.tick_params(labelbottom=i + MOST_COLUMNS >= len(panels))  # no panel stands below
    return panels


def _grid(count: int) -> list[Axes]:
    from matplotlib.figure import Figure

    columns = min(count, MOST_COLUMNS)
    rows = -(-count // columns)
    figure = Figure(figsize=(PANEL * max(columns, 2), PANEL * rows + LINES), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for unused in grid[count:]:
        unused.remove()
    return list(grid[:count])
