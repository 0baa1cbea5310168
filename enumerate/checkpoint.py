"""Where a long search goes on after an interruption."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ..trajectories.table import Trajectories
from .space import Space

EVERY = 20.0  # seconds between two savings; shorter searches leave no trace
LIBRARIES = ("stoprule", "numpy", "polars", "joblib")

Arrays = dict[str, NDArray[Any]]


@dataclass
class Checkpoint:
    """A file that keeps how far a search has come.

    It holds arrays alone, and is trusted for the same candidates on the same table with the same libraries only.
    What comes out of a search is the same with or without it.

    Attributes
    ----------
    path : Path
        Where it stands; its folder exists.
    key : str
        What it is trusted for: see `key_of`.
    """

    path: Path
    key: str
    _saved: float = field(default_factory=monotonic)

    def due(self) -> bool:
        """Whether it is time to save again."""
        return monotonic() - self._saved >= EVERY

    def save(self, arrays: Arrays) -> None:
        """Write the file whole beside its place, then move it there."""
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            with beside.open("wb") as file:
                np.savez(file, key=np.array(self.key), **arrays)  # type: ignore[arg-type]  # no array is named allow_pickle
            os.replace(beside, self.path)
        finally:
            beside.unlink(missing_ok=True)
        self._saved = monotonic()

    def load(self) -> Arrays | None:
        """What was saved under this key; None when nothing was, or it cannot be read."""
        try:
            with self.path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                return {name: file[name] for name in file} if str(file["key"]) == self.key else None
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None


def key_of(space: Space, t: Trajectories, chunk: int | None) -> str:
    """A fingerprint of all that the figures of a search hang on: candidates, table, libraries, size of a task."""
    digest = hashlib.sha256()
    for part in (*_told(space, chunk), *_held(t)):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _told(space: Space, chunk: int | None) -> Iterator[bytes]:
    yield repr([platform.python_version(), chunk, *(version(name) for name in LIBRARIES)]).encode()
    for family in space.families:
        yield repr((family.name, str(family.cuts), family.max_cells, family.shapes)).encode()


def _held(t: Trajectories) -> Iterator[bytes]:
    yield repr([t.rounds, sorted(t.booleans), t.cell_names]).encode()
    columns = {"answer": t.answer, "cost": t.cost, "length": t.length, "cell": t.cell_index, "quality": t.quality}
    for name, column in (*columns.items(), *sorted(t.signals.items())):
        yield name.encode()
        if column is not None:
            yield column.dtype.str.encode()
            yield np.ascontiguousarray(column).tobytes()
