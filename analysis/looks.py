"""The look log: every lock written and every opening of the final split, as a hash chain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from ..rules.lockfile import canonical_json
from ..trajectories.errors import LockError

START = "0" * 64


@dataclass(frozen=True)
class Entry:
    """One line of looks.jsonl.

    Attributes
    ----------
    kind : "lock" or "look"
    number : int
        Counts the lines of its kind, from 1.
    lock : str
        Sha256 of the lock.
    final_ids : str
        Fingerprint of the ids of the final split.
    final_rows : str or None
        Fingerprint of the final rows; None for a lock, which never saw them.
    reason : str or None
        Why another look was taken.
    time : str
        UTC, ISO 8601; the one entry that the chain leaves out.
    chain : str
        Sha256 of the previous line's chain and of this line without time and chain.
    """

    kind: Literal["lock", "look"]
    number: int
    lock: str
    final_ids: str
    final_rows: str | None
    reason: str | None
    time: str
    chain: str = ""


def _link(previous: str, entry: Entry) -> str:
    body = {key: value for key, value in asdict(entry).items() if key not in ("time", "chain")}
    return hashlib.sha256(previous.encode() + canonical_json(body)).hexdigest()


def read_looks(path: Path) -> tuple[Entry, ...]:
    """Read the log and verify its chain; an absent file is an empty log.

    Raises
    ------
    LockError
        For a line that is broken, edited, removed from the middle, added or moved.
    """
    if not path.exists():
        return ()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise LockError(f"{path}: is not UTF-8 text at byte {error.start}; restore the file") from error
    except OSError as error:
        raise LockError(f"{path}: cannot be read ({error.strerror}); restore the file") from error
    entries: list[Entry] = []
    previous = START
    for number, line in enumerate(lines, start=1):
        try:
            entry = Entry(**json.loads(line))
            intact = entry.chain == _link(previous, entry)
        except (ValueError, TypeError, RecursionError) as error:
            raise LockError(f"{path}, line {number}: is no entry of the look log; restore the file") from error
        if not intact:
            raise LockError(f"{path}, line {number}: the look log was edited, reordered or cut here; restore the file")
        entries.append(entry)
        previous = entry.chain
    return tuple(entries)


def following(entries: Sequence[Entry], entry: Entry) -> Entry:
    """The entry numbered and chained to the end of the log."""
    number = 1 + sum(each.kind == entry.kind for each in entries)
    numbered = replace(entry, number=number)
    return replace(numbered, chain=_link(entries[-1].chain if entries else START, numbered))


def log_bytes(entries: Sequence[Entry]) -> bytes:
    """The whole log as JSON Lines."""
    return b"".join(json.dumps(asdict(entry), ensure_ascii=False).encode() + b"\n" for entry in entries)


def looks_taken(entries: Sequence[Entry]) -> int:
    """How often a final split was opened."""
    return sum(entry.kind == "look" for entry in entries)


def refuse_lost_tail(entries: Sequence[Entry], recorded: int, path: Path) -> None:
    """Raise LockError when an evaluation already counted more looks than the log holds."""
    if looks_taken(entries) < recorded:
        raise LockError(
            f"{path}: holds {looks_taken(entries)} looks but evaluation.json counted {recorded}; restore the log"
        )


def refuse_second_lock(entries: Sequence[Entry], lock: str, final_ids: str, look_again: str | None, path: Path) -> None:
    """Raise LockError when another lock was already evaluated on the same final ids and no reason is given."""
    others = [each for each in entries if each.kind == "look" and each.final_ids == final_ids and each.lock != lock]
    if others and not look_again:
        raise LockError(
            f"{path}: the final split was opened for another lock ({others[-1].lock[:12]}, look {others[-1].number});"
            ' a second choice on the same questions is exploratory: say why with --look-again "reason"'
        )
