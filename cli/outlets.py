"""Standard output and error that outlast their reader and take every character."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO


class Outlet(io.RawIOBase):
    """The bytes of a stream; once its reader has gone, as in `| head`, they go nowhere.

    What a command prints is the smaller part of its work: it goes on to write its files.
    """

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._closed = False

    def write(self, data: Any) -> int:
        """Pass bytes on, or drop them when nobody reads; a full disk is told of once."""
        if self._closed:
            return len(data)
        try:
            written: int = self._raw.write(data)
        except OSError as error:
            self._closed = True
            if isinstance(error, BrokenPipeError):
                return len(data)
            raise
        return written

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self._raw.isatty())

    def fileno(self) -> int:
        return int(self._raw.fileno())


@contextmanager
def outlets() -> Iterator[None]:
    """Put outlets in the place of both streams; where they cannot encode a character they write its number."""
    before = sys.stdout, sys.stderr
    _fill_standard_places()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout, sys.stderr = (nowhere if stream is None else _outlet(stream) for stream in before)
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError):  # told of when it was written, if it matters
                    stream.flush()
            sys.stdout, sys.stderr = before


def _fill_standard_places() -> None:
    """Open what is closed of the places of the three streams, which a file or a worker's pipe would take otherwise."""
    for place in range(3):
        try:
            os.fstat(place)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free place, for workers too


def _outlet(stream: Any) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # type: ignore[no-any-return]  # what a test reads
    raw = getattr(stream.buffer, "raw", stream.buffer)
    if not isinstance(raw, io.FileIO):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(Outlet(raw)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering or stream.write_through,
    )


def speaks_unicode(stream: Any) -> bool:
    """Whether a stream can encode every character."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")
