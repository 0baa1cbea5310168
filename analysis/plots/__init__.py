"""Pictures: each draws on the axes it is given, or on a figure of its own, and keeps no state."""

from .band import plot_band
from .canvas import save_figure
from .cells import plot_cells
from .cuts import plot_plane, plot_threshold
from .final import plot_final
from .frontier import plot_frontier
from .question import plot_question
from .reliability import plot_reliability
from .separation import plot_distributions, plot_separation
from .shrinkage import plot_shrinkage
from .simplicity import plot_simplicity
from .stops import plot_stops
from .transfer import plot_transfer

__all__ = [
    "plot_band",
    "plot_cells",
    "plot_distributions",
    "plot_final",
    "plot_frontier",
    "plot_plane",
    "plot_question",
    "plot_reliability",
    "plot_separation",
    "plot_shrinkage",
    "plot_simplicity",
    "plot_stops",
    "plot_threshold",
    "plot_transfer",
    "save_figure",
]
