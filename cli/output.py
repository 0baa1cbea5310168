"""The output folder: one command at a time, and files that appear whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from ..trajectories.errors import StopruleError


class OutputError(StopruleError):
    """Raised when a result cannot be written."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep a folder for this process; another command on it is refused meanwhile.

    Raises
    ------
    OutputError
        When the folder cannot be made, or another command is at work in it.
    """
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be an output folder ({error.strerror}); name another one") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OutputError(
                f"{folder}: another stoprule command is writing here; wait for it, or use another --out"
            ) from error
        yield
    finally:
        os.close(handle)
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


class Staged:
    """Files written beside their place and moved there together when the block ends well.

    ``with Staged(folder) as out: out.path("front.csv")`` gives where to write; after an error or an interrupt
    nothing in the folder has changed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: list[str] = []
        self._replaced: list[str] = []

    def __enter__(self) -> Self:
        self._beside = Path(tempfile.mkdtemp(prefix=".writing-", dir=self.folder))
        return self

    def path(self, name: str) -> Path:
        """Where to write what will stand at ``name``, relative to the folder."""
        self._names.append(name)
        beside = self._beside / name
        beside.parent.mkdir(parents=True, exist_ok=True)
        return beside

    def write(self, name: str, content: bytes) -> None:
        """Write a small file whole."""
        self.path(name).write_bytes(content)

    def write_json(self, name: str, content: object) -> None:
        """Write a JSON object, keys in their order, for people and programs."""
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
        self.write(name, (text + "\n").encode())

    def replace(self, pattern: str) -> None:
        """Take away, at the end, the folder's files of a glob pattern that were not written anew."""
        self._replaced.append(pattern)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                for name in self._names:
                    (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    os.replace(self._beside / name, self.folder / name)
                written = {self.folder / name for name in self._names}
                for stale in {path for each in self._replaced for path in self.folder.glob(each)} - written:
                    stale.unlink()
        finally:
            shutil.rmtree(self._beside, ignore_errors=True)
