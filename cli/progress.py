"""Progress on standard error: what is being done, how far it is, how long it will take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int], None]


@contextmanager
def progress(task: str) -> Iterator[Report]:
    """A bar for one task; call what it gives with (done, total). Off a terminal, one line at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    total_seen = 0
    if not console.is_terminal:

        def quietly(done: int, total: int) -> None:  # noqa: ARG001 - the form of every report
            nonlocal total_seen
            total_seen = total

        yield quietly
        console.print(f"{task}: {total_seen:,} done" if total_seen else f"{task}: done", highlight=False)
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console) as bars:
        bar = bars.add_task(task, total=None)

        def report(done: int, total: int) -> None:
            bars.update(bar, completed=done, total=total)

        yield report
