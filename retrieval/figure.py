"""The study's figure: policies in the plane of quality and calls, and what one more call would have done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rules.expression import Rule
from .recorded import Recorded
from .study import CHAPTER_RULE, early_stops, policies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito: told apart with any colour vision
LOCKED = "#D55E00"
COLOURS = {"better": "#0072B2", "same": "#999999", "worse": "#D55E00"}
CUTOFFS = {"ndcg4": "four results", "ndcg3": "three results"}


def plot_study(recorded: Recorded, rule: str | Rule = CHAPTER_RULE, *, locked: str | Rule | None = None) -> Figure:
    """Draw both panels side by side; see `plot_policies` and `plot_early_stops`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    plot_policies(recorded, rule, locked=locked, ax=left)
    plot_early_stops(recorded, rule, ax=right)
    return figure


def plot_policies(
    recorded: Recorded, rule: str | Rule = CHAPTER_RULE, *, locked: str | Rule | None = None, ax: Axes
) -> Axes:
    """Draw each policy's mean nDCG@4 against its logical calls a question."""
    rules = {"adaptive": rule} | ({"locked": locked} if locked is not None else {})
    for row in policies(recorded, rules).iter_rows(named=True):
        at, height = row["calls"] / row["questions"], row["ndcg4"]
        is_locked = row["policy"] == "locked"
        marker, size, colour = ("*", 120, LOCKED) if is_locked else ("o", 34, "#000000")
        ax.scatter([at], [height], marker=marker, s=size, color=colour)
        below = is_locked or row["policy"] == "lexical"
        offset = (6, -11) if below else (6, 5)
        ax.annotate(row["policy"], (at, height), xytext=offset, textcoords="offset points", fontsize=8)
    ax.set_xlabel("logical calls a question")
    ax.set_ylabel("mean nDCG@4")
    ax.margins(x=0.25, y=0.2)
    ax.grid(alpha=0.25, linewidth=0.5)
    ax.set_title("Fewer calls are not equal computation", fontsize=8)
    return ax


def plot_early_stops(recorded: Recorded, rule: str | Rule = CHAPTER_RULE, *, ax: Axes) -> Axes:
    """Draw how many early stops one more call would have made better, left the same or made worse."""
    counts = [early_stops(recorded, rule, outcome=outcome) for outcome in CUTOFFS]
    for place, (name, colour) in enumerate(COLOURS.items()):
        heights = [getattr(counted, name) for counted in counts]
        bars = ax.bar([x + 0.27 * (place - 1) for x in range(len(counts))], heights, 0.25, color=colour, label=name)
        ax.bar_label(bars, fontsize=8)
    ax.set_xticks(range(len(counts)), [f"nDCG at {name}" for name in CUTOFFS.values()])
    ax.set_ylabel("early stops")
    ax.set_title(f"{counts[0].stopped} early stops of {rule}: what another call would do", fontsize=8)
    ax.margins(y=0.12)
    ax.legend(fontsize=7, frameon=False)
    return ax
