"""Compiled loops where numba is installed; without it callers take their numpy way to the same answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

from . import loops


@cache
def available() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


@cache
def _compiled(name: str) -> Callable[..., Any]:
    import numba

    loop = getattr(loops, name)
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(loop)
    except RuntimeError:  # numba finds no folder to keep its cache in: compile anew in every process
        compiled = numba.njit(nogil=True)(loop)
    return compiled


def loop(name: str) -> Callable[..., Any] | None:
    """The compiled loop of that name in `loops`, or None without numba.

    It is compiled at its first call, kept on disk beside the module or in numba's cache folder, and releases
    the interpreter lock.
    """
    return _compiled(name) if available() else None
