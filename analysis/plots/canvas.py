"""What all pictures share: size and colours, axes, names of points, and files with the same bytes every time."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..baselines import FIRST_RIGHT, ORACLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito: told apart with any colour vision, and in grey print by their lightness
BLUE, ORANGE, GREEN, SKY, GREY, BLACK = "#0072B2", "#D55E00", "#009E73", "#56B4E9", "#999999", "#000000"
SEQUENTIAL = "cividis"  # rises in lightness alike for any colour vision

ORACLES = {ORACLE: "^", FIRST_RIGHT: "v"}  # markers of what cannot be deployed

ONE_COLUMN = (3.5, 3.1)  # inches: one of two columns in print
LABEL, NOTE = 8, 7  # points, at that size
DOTS = 300  # an inch
LEGEND_LETTERS = 66  # that fit beside each other
SVG_POINTS = 500  # more are drawn as one image inside SVG and PDF


def axes_of(ax: Axes | None, size: tuple[float, float] = ONE_COLUMN) -> Axes:
    """The axes that were given, or those of a new figure of one printed column."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained").add_subplot()


def dress(ax: Axes, x: str, y: str) -> None:
    """Name the axes, and set sizes that stay legible in print."""
    ax.set_xlabel(x, fontsize=LABEL)
    ax.set_ylabel(y, fontsize=LABEL)
    ax.tick_params(labelsize=NOTE)
    ax.grid(alpha=0.25, linewidth=0.5)
    ax.set_axisbelow(True)


def legend_below(ax: Axes) -> None:
    """A legend under the axis' name, where it hides no point; fewer columns for long labels."""
    labels = ax.get_legend_handles_labels()[1]
    longest = max((len(line) for label in labels for line in label.splitlines()), default=0)
    columns = min(3, len(labels), max(1, LEGEND_LETTERS // (longest + 4)))
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        borderaxespad=4.6,  # times the font size: below the ticks and the name of the axis
        ncols=max(columns, 1),
        fontsize=NOTE,
        frameon=False,
        handletextpad=0.4,
        columnspacing=1.0,
    )


def quality_label(quality: str, scale: float) -> str:
    """The name of the quality axis: 100 prints a fraction as points."""
    return f"mean {quality}" + (f" \N{MULTIPLICATION SIGN} {scale:g}" if scale != 1 else "")


def wrapped(text: str, width: int = 34, lines: int = 2) -> str:
    """A rule's text in at most so many lines, the rest cut off."""
    return textwrap.fill(text, width, max_lines=lines, placeholder=" ...", break_long_words=False)


def glyphs(names: Iterable[str]) -> dict[str, str]:
    """What is written into each point's marker: k for fixed(k), else a letter."""
    found, letters = {}, iter("abcdefghijklmnopqrstuvwxyz")
    for name in names:
        if name not in ORACLES:
            found[name] = name[6:-1] if name.startswith("fixed(") else next(letters, "*")
    return found


def mark_points(ax: Axes, points: Mapping[str, tuple[float, float]]) -> None:
    """Draw named points: k in a square for fixed(k), letters for other rules, triangles for the oracles.

    Parameters
    ----------
    points : name -> (x, y)
    """
    signs = glyphs(points)
    depths = False
    for name, (x, y) in points.items():
        if name in ORACLES:
            ax.scatter([x], [y], marker=ORACLES[name], s=40, color=GREEN, label=name, zorder=4)
            continue
        depth = signs[name].isdigit()
        if depth:
            label = None if depths else "fixed(k)"
            depths = True
        else:
            label = f"{signs[name]}: {wrapped(name, 26)}"
        ax.scatter(
            [x], [y], marker="s", s=58, facecolor="white", edgecolor=BLACK, linewidths=0.8, label=label, zorder=4
        )
        ax.annotate(
            signs[name], (x, y), ha="center", va="center_baseline", fontsize=6, zorder=4.5, annotation_clip=True
        )


def save_figure(ax: Axes, *paths: Path) -> None:
    """Write the figure of some axes in the formats of the paths' suffixes, the same bytes every time.

    Raises
    ------
    ValueError
        When the axes belong to no figure any more.
    """
    import matplotlib as mpl
    from matplotlib.text import Text

    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the axes belong to no figure any more: draw again")
    no_date: dict[str, dict[str, Any]] = {
        ".svg": {"Date": None, "Creator": None},
        ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        ".png": {"Software": None},
    }
    layout = figure.get_layout_engine()
    # type 42 fonts: publishers refuse matplotlib's type 3
    with mpl.rc_context({"svg.hashsalt": "stoprule", "svg.fonttype": "none", "pdf.fonttype": 42}):
        if layout is not None:
            layout.execute(figure)  # as drawing would, once for all formats
        figure.set_layout_engine(None)  # "none" would draw each twice
        for text in figure.findobj(Text):
            text.set_fontfeatures(("-liga",))  # fixed(k) is no place for a ligature, which takes PDF a second font
        for path in paths:
            figure.savefig(path, dpi=DOTS, metadata=no_date[path.suffix])
    figure.set_layout_engine(layout)
