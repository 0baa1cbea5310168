"""Compiled loops where numba is installed; without it callers take their numpy way to the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

from . import loops

COMPILES_IN = 10**9  # nanoseconds, about, of one loop; as long as numpy has not cost that, it is not worth while
_spent: Counter[str] = Counter()


@cache
def available() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


@cache
def _compiled(name: str) -> Callable[..., Any]:
    import numba

    from . import vectors  # noqa: F401 - how one of the loops is compiled

    loop = getattr(loops, name)
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(loop)
    except RuntimeError:  # numba finds no folder to keep its cache in: compile anew in every process
        compiled = numba.njit(nogil=True)(loop)
    return compiled


def loop(name: str, nanoseconds: float) -> Callable[..., Any] | None:
    """The compiled loop of that name in `loops`; None without numba, and until it is worth compiling.

    It is compiled at its first call, kept on disk beside the module or in numba's cache folder, and releases
    the interpreter lock.

    Parameters
    ----------
    name : str
    nanoseconds : float
        What the numpy way takes, roughly, for what is asked now. A loop is handed out when this and what was
        asked before add up to the time of compiling it, so that a small search never waits for a compiler.
    """
    if not available():
        return None
    _spent[name] += int(nanoseconds)
    return _compiled(name) if _spent[name] >= COMPILES_IN else None
