"""What the end of `run` waits for, begun at its start: the other processes are idle while a search is prepared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from ..analysis.report.extra import chart_library, missing_extra
from ..enumerate.workers import Workers
from .collecting import collect_seldom


@contextmanager
def chart_library_ahead(jobs: int) -> Iterator[Callable[[], str]]:
    """Have the charts' script of the report put together, and what draws and audits loaded, while the block runs.

    Parameters
    ----------
    jobs : int
        Workers; one alone does it when it is asked for.

    Yields
    ------
    callable
        Gives the script, as `chart_library` does.
    """
    first = _loaded if missing_extra() else _scripted
    workers = Workers(jobs=jobs, backend="processes")
    with workers.meanwhile([first, *[_loaded] * (workers.beside - 1)]) as results:
        yield partial(next, results)


def _scripted() -> str:
    script = chart_library()
    _loaded()
    return script


def _loaded() -> str:
    collect_seldom()
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_pdf
    import matplotlib.backends.backend_svg
    import matplotlib.figure  # noqa: F401

    from ..analysis import plots  # noqa: F401
    from ..analysis.audit import optimism  # noqa: F401

    return ""
