"""The policies of a recorded controller, beside each other."""

from __future__ import annotations

from rich.markup import escape

from .recording import Recording
from .show import plain_console, plain_table


def show_recording(recording: Recording) -> None:
    """Means of every outcome and sums of every cost: fewer calls are not equal computation."""
    console = plain_console()
    frame = recording.policies
    shown = plain_table("policies: mean outcomes, summed costs", frame.columns)
    for row in frame.iter_rows():
        shown.add_row(*(f"{value:.4f}" if isinstance(value, float) else f"{value}" for value in row))
    console.print(shown)
    console.print(f"two rounds a query: {escape(str(recording.rounds))}")
    console.print(f"single searches, to compare and never candidates: {escape(str(recording.beside))}")
