"""Where protected records may go: an offline sink that somebody authorised by name, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from .errors import RetrievalError


class OfflineSink:
    """Takes diagnostics with protected records; a bare function or stream is refused in its place.

    Parameters
    ----------
    write : callable
        Called with one record of JSON types at a time.
    authorised_by : str
        Who answers for these records being kept.
    """

    def __init__(self, write: Callable[[Mapping[str, object]], object], *, authorised_by: str) -> None:
        if not authorised_by.strip():
            raise RetrievalError("diagnostics: authorised_by is blank; name who answers for the records")
        self.authorised_by = authorised_by
        self._write = write

    @classmethod
    def file(cls, path: str | Path, *, authorised_by: str) -> OfflineSink:
        """A sink that appends JSON Lines to a file."""

        def append(record: Mapping[str, object]) -> None:
            with Path(path).open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(record, sort_keys=True, ensure_ascii=False) + "\n")

        return cls(append, authorised_by=authorised_by)

    def write(self, **record: object) -> None:
        self._write({"authorised_by": self.authorised_by, **record})


def checked_sink(sink: OfflineSink | None) -> OfflineSink | None:
    """The sink, or an error when it is none that was authorised."""
    if sink is not None and not isinstance(sink, OfflineSink):
        raise RetrievalError(f"diagnostics is a {type(sink).__name__}; protected records go to an OfflineSink only")
    return sink
