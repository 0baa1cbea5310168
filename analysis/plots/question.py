"""A look at one question: its rounds, what the rule saw, the moment it fires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..explain import Explanation, Truth
from .canvas import BLACK, GREY, LABEL, NOTE, ONE_COLUMN, ORANGE, SKY, axes_of, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROUNDS = 7
Cell = tuple[str, Truth, bool]  # what is written, whether it holds, whether that is a question at all


def plot_question(explanation: Explanation, *, ax: Axes | None = None) -> Axes:
    """Draw a table of one question: a column a round, a row for each atom of the rule and each signal in it.

    Blue cells hold, white ones do not, grey ones are unknown. The stop round is framed; later rounds, which the
    rule does not see, are faint. Of many rounds those around the stop are shown.

    Parameters
    ----------
    explanation : Explanation
        Of `explain`.
    ax : matplotlib Axes, optional
    """
    from matplotlib.patches import Rectangle

    rows = list(_rows(explanation).items())
    last = len(explanation.quality)
    first = max(1, min(explanation.stop - MOST_ROUNDS + 2, last - MOST_ROUNDS + 1))
    rounds = range(first, min(first + MOST_ROUNDS, last + 1))
    ax = axes_of(ax, (ONE_COLUMN[0], 0.9 + 0.27 * len(rows)))
    for i, (_, cells) in enumerate(rows):
        for r in rounds:
            text, truth, asked = cells[r - 1]
            later = r > explanation.stop
            colour = "white" if not asked or truth is False else SKY if truth else "#dddddd"
            ax.add_patch(
                Rectangle(
                    (r - 0.48, i - 0.45),
                    0.96,
                    0.9,
                    facecolor=colour,
                    edgecolor=GREY if asked else "none",
                    linewidth=0.5,
                    alpha=0.35 if later else 1.0,
                )
            )
            ax.text(r, i, text, ha="center", va="center", fontsize=NOTE, color=GREY if later else BLACK)
    frame = Rectangle(
        (explanation.stop - 0.5, -0.5), 1.0, len(rows), fill=False, edgecolor=ORANGE, linewidth=1.6, zorder=3
    )
    frame.set_label("stop")
    ax.add_patch(frame)
    ax.set_xlim(rounds[0] - 0.55, rounds[-1] + 0.55)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xticks(list(rounds), [str(r) for r in rounds], fontsize=NOTE)
    ax.set_yticks(range(len(rows)), [wrapped(name, 24) for name, _ in rows], fontsize=NOTE)
    ax.tick_params(length=0)
    ax.set_xlabel("round", fontsize=LABEL)
    where = f"{explanation.question}, {explanation.cell}" if explanation.cell else explanation.question
    ax.set_title(f"{wrapped(where, 40)}\n{wrapped(explanation.why, 40, 4)}", fontsize=NOTE, loc="left")
    for side in ax.spines.values():
        side.set_visible(False)
    return ax


def _rows(explanation: Explanation) -> dict[str, list[Cell]]:
    rows: dict[str, list[Cell]] = {}
    if explanation.answers is not None:
        rows["answer"] = [(letter, None, False) for letter in explanation.answers]
    for line in explanation.lines:
        truths = line.truth or (None,) * len(line.values)
        rows[line.text] = [
            (_written(value, truth if line.truth else False), truth, line.truth is not None)
            for value, truth in zip(line.values, truths, strict=True)
        ]
    if len([line for line in explanation.lines if line.truth]) > 1:
        rows["rule"] = [(_written(None, truth), truth, True) for truth in explanation.truth]
    rows[explanation.quality_name] = [(f"{value:.3g}", None, False) for value in explanation.quality]
    rows[explanation.cost_name] = [(f"{value:.4g}", None, False) for value in explanation.cost]
    return rows


def _written(value: float | None, truth: Truth) -> str:
    if value is not None:
        return f"{value:.3g}"
    return {True: "yes", False: "no", None: "?"}[truth]
