"""Pictures: each draws on the axes it is given, or on a figure of its own, and keeps no state."""

from .canvas import save_figure
from .final import plot_final
from .frontier import plot_frontier

__all__ = ["plot_final", "plot_frontier", "save_figure"]
