"""Matrix products on one thread: small ones, beside which their threads wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep the matrix products of the block, in all of the process, to one thread.

    A thread that was woken for a product stays awake for a while after it, and takes the processor from whoever
    works there: on a busy machine many small products take several times as long.
    """
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> Any:
    """The libraries that this process has loaded; finding them takes longer than a few products."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
