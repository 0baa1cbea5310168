"""How much memory there is, and how much of something fits into it.

What a search finds does not depend on it: memory decides between a result and an error, never what is tried.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.filesize import decimal

from ..trajectories.errors import SearchError

ENDLESS = sys.maxsize  # bytes, where nothing tells: what is too large then ends as a MemoryError
SPARE = 10  # advice leaves one part in so many free: what is available changes between two runs
LONG = "more than some minutes to go through"

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


def available(proc: Path = PROC, cgroups: Path = CGROUPS) -> int:
    """Bytes that may still be taken: what the machine has left, or what a control group of this process has left.

    numpy, joblib and scikit-learn ask psutil, which may be absent, or nobody.
    """
    return min([_of_machine(proc), *_of_groups(proc, cgroups)])


@dataclass(frozen=True)
class Room:
    """Memory that may be taken.

    Attributes
    ----------
    size : int
        Bytes, for each of the workers.
    workers : int
        How many share it.
    """

    size: int
    workers: int = 1

    @classmethod
    def here(cls, workers: int = 1) -> Room:
        """What is available on this machine now, in even shares."""
        return cls(available() // workers, workers)

    def most(self, limit: int, needed: Callable[[int], int]) -> int:
        """The largest number, up to a limit, whose need of bytes, which grows with it, leaves a little; or 0."""
        return bisect_right(range(1, limit + 1), self.size - self.size // SPARE, key=needed)

    def refusal(self, what: str, *, needed: int, way_out: str) -> SearchError:
        """What is said of candidates that take more memory than this, or else too long.

        Parameters
        ----------
        what : str
            How many there are of what.
        needed : int
            Bytes.
        way_out : str
            Such as `advice` on a cap.
        """
        had = f"{decimal(self.size)} can be had" + (f" by each of {self.workers} workers" if self.workers > 1 else "")
        cost = f"at least {decimal(needed)} of memory where {had}" if needed > self.size else LONG
        return SearchError(f"{what}, which take {cost}; {way_out}")


def advice(cap: int) -> str:
    """What to do about too many cells, of which so many fit."""
    if cap:
        return f"cap them, as in max_cells = {cap}"
    return "no cap makes them fit: give the search more memory, or fewer trajectories or workers"


def _of_machine(proc: Path) -> int:
    """What the kernel reckons can be had without swapping; else free pages, or all pages where those are not told."""
    known = _table(proc / "meminfo")
    if "MemAvailable:" in known:
        return 1024 * known["MemAvailable:"]
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        try:
            return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):  # no POSIX system, or one without that number
            continue
    return ENDLESS


def _of_groups(proc: Path, cgroups: Path) -> Iterator[int]:
    """What each limit on the way from the control group of this process to the root leaves."""
    for line in _lines(proc / "self" / "cgroup"):
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, limit, used, idle = cgroups, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            root = cgroups / "memory"
            limit, used, idle = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        # in a container the path may be the host's, and the limit stand at the root
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            if folder.is_relative_to(root):
                most_of_all, taken = "".join(_lines(folder / limit)), "".join(_lines(folder / used))
                if most_of_all.isdecimal() and taken.isdecimal():
                    cached = _table(folder / "memory.stat").get(idle, 0)  # files that are dropped when it is needed
                    yield max(0, int(most_of_all) - int(taken) + cached)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []


def _table(file: Path) -> dict[str, int]:
    """A file of names and numbers."""
    rows = [line.split() for line in _lines(file)]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdecimal()}
