"""The output folder: one command at a time, and files that appear whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Self

from ..trajectories.errors import StopruleError
from .interrupts import undisturbed

STAGING = ".writing-"

# The folders that this command keeps: what runs inside it may keep them once more.
_kept: ContextVar[frozenset[Path]] = ContextVar("kept", default=frozenset())


class OutputError(StopruleError):
    """Raised when a result cannot be written."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep a folder for this command; another command on it is refused meanwhile.

    Raises
    ------
    OutputError
        When the folder cannot be made or written in, or another command is at work in it.
    """
    place = folder.resolve()
    if place in _kept.get():
        yield
        return
    made = _made(folder)
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be an output folder ({error.strerror}); name another one") from error
    kept = _kept.set(_kept.get() | {place})
    try:
        _lock(handle, folder)
        _sweep(folder)
        yield
    finally:
        _kept.reset(kept)
        os.close(handle)
        for empty in made:
            if any(empty.iterdir()):
                break
            empty.rmdir()


def _made(folder: Path) -> list[Path]:
    """Make a folder and those that it stands in; the ones that were not there, innermost first."""
    absent = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        for made in absent:
            with suppress(OSError):
                made.rmdir()
        raise OutputError(f"{folder}: cannot be an output folder ({error.strerror}); name another one") from error
    return absent


def _lock(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise OutputError(
            f"{folder}: another stoprule command is writing here; wait for it, or use another --out"
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):  # said now, not when everything is computed
        raise OutputError(f"{folder}: may not be written in; change its permissions, or name another folder")


def _sweep(folder: Path) -> None:
    """Remove what a command that was killed had not finished."""
    for unfinished in folder.glob(f"{STAGING}*"):
        shutil.rmtree(unfinished, ignore_errors=True)


class Staged:
    """Files written beside their place and moved there together when the block ends well.

    ``with Staged(folder) as out: out.path("front.csv")`` gives where to write; after an error or an interrupt
    nothing in the folder has changed.

    Raises
    ------
    OutputError
        When the disk is full, or a file cannot be put into its place.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: list[str] = []
        self._replaced: list[str] = []

    def __enter__(self) -> Self:
        try:
            self._beside = Path(tempfile.mkdtemp(prefix=STAGING, dir=self.folder))
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written in ({error.strerror}); name another folder") from error
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
        self.write(name, (text + "\n").encode(errors="backslashreplace"))  # half of a surrogate pair, as JSON has it

    def replace(self, pattern: str) -> None:
        """Take away, at the end, the folder's files of a glob pattern that were not written anew."""
        self._replaced.append(pattern)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with undisturbed():
            try:
                if kind is None:
                    self._publish()
            except OSError as failed:
                raise self._unwritten(failed) from failed
            finally:
                shutil.rmtree(self._beside, ignore_errors=True)
        if isinstance(error, OSError):
            raise self._unwritten(error) from error

    def _publish(self) -> None:
        """Move every file to its place; when one cannot be moved, put back what was there before."""
        before = self._beside / ".before"
        moved: list[Path] = []
        try:
            for name in self._names:
                place = self.folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                _save(place, before / name)
                os.replace(self._beside / name, place)
                moved.append(place)
        except OSError:
            for place in reversed(moved):
                saved = before / place.relative_to(self.folder)
                if saved.exists():
                    os.replace(saved, place)
                else:
                    place.unlink()
            raise
        for stale in {path for each in self._replaced for path in self.folder.glob(each)} - set(moved):
            stale.unlink()

    def _unwritten(self, error: OSError) -> OutputError:
        place = Path(error.filename2 or error.filename or self.folder)
        if self.folder not in place.parents or place.is_relative_to(self._beside):
            place = self.folder
        return OutputError(
            f"{place}: cannot be written ({error.strerror or error}); make room for it, or name another folder: "
            "the files that were there are unchanged"
        )


def _save(place: Path, copy: Path) -> None:
    """Keep a file that is about to be replaced under a second name."""
    if not place.exists():
        return
    copy.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(place, copy)
    except OSError:  # a disk without hard links
        shutil.copyfile(place, copy)
