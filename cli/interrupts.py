"""Interrupts: Ctrl-C and SIGTERM end a command in good order, but never in the middle of a change."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

ENDED_BY = 128  # a shell's exit status of a command that a signal ended is this and the signal's number

PATIENCE = 5.0  # seconds between one KeyboardInterrupt and the next
SOON = 0.01  # seconds to the next one where Python tells that the first was lost


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold interrupts back until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return
    caught: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
    for number in before:
        signal.signal(number, lambda number, _: caught.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for each in caught:
            signal.raise_signal(each)


@dataclass
class Interrupt:
    """Whether Ctrl-C was pressed."""

    came: bool = False


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Let Ctrl-C end a command even where the first KeyboardInterrupt is lost.

    An import of compiled code turns it into another error, a callback swallows it, a lock may wait on: it is
    raised again every few seconds until it has reached the end of the block.
    """
    interrupt = Interrupt()
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or not usual:
        yield interrupt  # where it is ignored, as in a job in the background, it stays so
        return

    def begin(*_: object) -> NoReturn:
        interrupt.came = True
        signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)
        raise KeyboardInterrupt

    def insist(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    def lost(what: sys.UnraisableHookArgs) -> None:
        if isinstance(what.exc_value, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, SOON, PATIENCE)
        else:
            told(what)

    before = signal.signal(signal.SIGALRM, insist)
    told, sys.unraisablehook = sys.unraisablehook, lost
    signal.signal(signal.SIGINT, begin)
    try:
        yield interrupt
    finally:
        sys.unraisablehook = told
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)


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
