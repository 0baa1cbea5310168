"""Pictures into files: every format, and none left over from an earlier run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..analysis.plots import save_figure
from ..analysis.verdict import in_percent
from ..enumerate.workers import Workers
from ..trajectories.table import Trajectories
from .output import Staged

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("png", "svg", "pdf")
REPLAYED_AGAIN = 5_000  # rules at most, for pictures of what the search did not keep


def draw(staged: Staged, pictures: Iterable[tuple[str, Axes]], *, owned: Iterable[str], jobs: int) -> None:
    """Write named pictures into figures/.

    Parameters
    ----------
    staged : Staged
    pictures : iterable of (name, axes)
    owned : iterable of str
        Glob patterns of the names that this command may write; those of an earlier run are replaced.
    jobs : int
        Processes that write them.
    """
    for pattern in owned:
        staged.replace(f"figures/{pattern}.*")
    calls = [
        partial(save_figure, ax, *(staged.path(f"figures/{name}.{kind}") for kind in KINDS)) for name, ax in pictures
    ]
    for _ in Workers(jobs=jobs, backend="processes").results(calls):
        pass


def units(t: Trajectories) -> Mapping[str, Any]:
    """How quality and cost of a table are called and scaled in pictures."""
    return {
        "scale": 100.0 if in_percent(t) else 1.0,
        "quality": t.roles.quality,
        "cost": t.roles.cost_name,
    }
