"""Pictures into files: every format, at once or while the command goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis.plots import save_figure
from ..analysis.verdict import in_percent
from ..enumerate.workers import Workers
from ..trajectories.table import Trajectories
from .output import Staged
from .progress import progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Picture = tuple[str, "Axes"]

KINDS = ("png", "svg", "pdf")
REPLAYED_AGAIN = 5_000  # rules at most, for pictures of what the search did not keep


def forget(staged: Staged, owned: Iterable[str]) -> None:
    """Take away the pictures of an earlier run.

    Parameters
    ----------
    staged : Staged
    owned : iterable of str
        Glob patterns of the names that a command may write.
    """
    for pattern in owned:
        staged.replace(f"figures/{pattern}.*")


@dataclass
class Aside:
    """Pictures that are written while a command goes on."""

    staged: Staged
    workers: Workers
    _begun: ExitStack
    _written: list[Iterator[None]] = field(default_factory=list)

    def begin(self, pictures: Iterable[Picture]) -> None:
        """Draw pictures, and have each written as soon as it has been drawn."""
        with progress("drawing"):
            for name, ax in pictures:
                call = partial(save_figure, ax, *(self.staged.path(f"figures/{name}.{kind}") for kind in KINDS))
                self._written.append(self._begun.enter_context(self.workers.meanwhile([call])))

    def wait(self) -> None:
        """Until all of them are written."""
        if self._written:
            with progress("writing pictures"):
                for each in self._written:
                    for _ in each:
                        pass


@contextmanager
def written_meanwhile(folder: Path, jobs: int) -> Iterator[Aside]:
    """Write pictures while the block goes on; they stand in the folder when it has ended.

    So they do when it ends with a mistake: a search whose evaluation is refused has its pictures.

    Parameters
    ----------
    folder : Path
        The output folder.
    jobs : int
        Processes that write them.
    """
    mistake: Exception | None = None
    with Staged(folder) as staged, ExitStack() as begun:
        aside = Aside(staged, Workers(jobs=jobs, backend="processes"), begun)
        try:
            yield aside
        except Exception as error:
            mistake = error
        aside.wait()
    if mistake is not None:
        raise mistake


def draw(folder: Path, pictures: Iterable[Picture], *, jobs: int, aside: Aside | None = None) -> None:
    """Write named pictures into figures/.

    Parameters
    ----------
    folder : Path
        The output folder.
    pictures : iterable of (name, axes)
    jobs : int
        Processes that write them.
    aside : Aside, optional
        Has them written while the command goes on.
    """
    if aside is not None:
        aside.begin(pictures)
        return
    with written_meanwhile(folder, jobs) as at_once:
        at_once.begin(pictures)


def units(t: Trajectories) -> Mapping[str, Any]:
    """How quality and cost of a table are called and scaled in pictures."""
    return {
        "scale": 100.0 if in_percent(t) else 1.0,
        "quality": t.roles.quality,
        "cost": t.roles.cost_name,
    }
