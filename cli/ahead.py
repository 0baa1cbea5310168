"""What the end of `run` waits for, begun at its start: the other processes are idle while a search is prepared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from ..analysis.report.extra import chart_library, missing_extra
from ..enumerate.workers import Workers
from .collecting import collect_seldom


@contextmanager
def chart_library_ahead(jobs: int, *, pictures: bool) -> Iterator[Callable[[], str]]:
    """Have the charts' script of the report put together, and what draws and audits loaded, while the block runs.

    Parameters
    ----------
    jobs : int
        Workers; one alone does it when it is asked for.
    pictures : bool
        Whether they are going to draw.

    Yields
    ------
    callable
        Gives the script, as `chart_library` does.
    """
    workers = Workers(jobs=jobs, backend="processes")
    load = partial(_loaded, pictures=pictures)
    script = load if missing_extra() else partial(_scripted, load)
    with workers.meanwhile([script, *[load] * (workers.beside - 1)]) as results:
        yield partial(next, results)


def _scripted(load: Callable[[], str]) -> str:
    script = chart_library()
    load()
    return script


def _loaded(*, pictures: bool) -> str:
    collect_seldom()
    if pictures:
        import matplotlib.backends.backend_agg
        import matplotlib.backends.backend_pdf
        import matplotlib.backends.backend_svg
        import matplotlib.figure  # noqa: F401

        from ..analysis import plots  # noqa: F401
    from ..analysis.audit import optimism  # noqa: F401

    return ""
