"""Interrupts: Ctrl-C and SIGTERM end a command in good order, but never in the middle of a change."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDED_BY = 128  # a shell's exit status of a command that a signal ended is this and the signal's number


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return
    caught: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda number, _: caught.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for each in caught:
            signal.raise_signal(each)


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM, which batch systems send, unwind the command as Ctrl-C does instead of cutting it off."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: FrameType | None) -> None:
        sys.exit(ENDED_BY + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)
