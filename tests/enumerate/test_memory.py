"""How much memory there is, and searches that do not fit into it."""

import os
import re
import tracemalloc
from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.enumerate import expand, fitting, memory, pairs, sieve
from stoprule.enumerate.batch import told_bytes
from stoprule.enumerate.behaviours import Candidates
from stoprule.enumerate.gather import tasks
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.memory import ENDLESS, Room, advice, available
from stoprule.enumerate.search import search
from stoprule.enumerate.space import space
from stoprule.enumerate.workers import Workers
from stoprule.trajectories.errors import SearchError

from ..rules.tables import table

WORD = 8


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


@pytest.fixture
def machine(tmp_path):
    """A machine of which 1,000 kB are available, and no control group is limited."""
    proc, cgroups = tmp_path / "proc", tmp_path / "cgroup"
    write(
        proc,
        meminfo="MemTotal:        4000 kB\nMemFree:          100 kB\nMemAvailable:    1000 kB\nHugePages_Total:  0\n",
    )
    write(proc / "self", cgroup="0::/\n")
    write(cgroups, memory__current="77\n")
    return proc, cgroups


class TestAvailable:
    def test_here(self):
        """Be less than the machine has."""
        assert 0 < available() < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    def test_machine(self, machine):
        """Ask the kernel, which counts what it would drop."""
        assert available(*machine) == 1_024_000

    def test_group(self, machine):
        """Take the tightest limit of the group and those it stands in, files that are only cached not counted."""
        proc, cgroups = machine
        write(proc / "self", cgroup="0::/user/job\n")
        write(cgroups / "user" / "job", memory__max="max\n", memory__current="300000\n")
        assert available(proc, cgroups) == 1_024_000
        write(cgroups / "user", memory__max="900000\n", memory__current="400000\n")
        assert available(proc, cgroups) == 500_000
        write(cgroups / "user", memory__stat="anon 100\ninactive_file 250000\nactive_file 3\n")
        assert available(proc, cgroups) == 750_000
        write(cgroups / "user" / "job", memory__max="200000\n")
        assert available(proc, cgroups) == 0

    def test_container(self, machine):
        """Find the limit at the root, where the path is the host's; also in the older hierarchy."""
        proc, cgroups = machine
        write(proc / "self", cgroup="5:cpu,memory:/docker/f00\n1:name=systemd:/x:y\n0::/\n")
        files = {"memory__limit_in_bytes": "800000\n", "memory__usage_in_bytes": "300000\n"}
        write(cgroups / "memory", memory__stat="total_inactive_file 1000\n", **files)
        assert available(proc, cgroups) == 501_000

    def test_not_told(self, tmp_path, monkeypatch):
        """Take free pages, or all pages, where the kernel tells no more; where nothing tells refuse nothing."""
        pages = {"SC_AVPHYS_PAGES": 5, "SC_PHYS_PAGES": 9, "SC_PAGE_SIZE": 100}
        monkeypatch.setattr(os, "sysconf", lambda name: pages[name] if name in pages else int("no such name"))
        assert available(tmp_path, tmp_path) == 500
        del pages["SC_AVPHYS_PAGES"]
        assert available(tmp_path, tmp_path) == 900
        del pages["SC_PHYS_PAGES"]
        assert available(tmp_path, tmp_path) == ENDLESS
        monkeypatch.delattr(os, "sysconf")
        assert available(tmp_path, tmp_path) == ENDLESS


class TestRoom:
    @given(st.integers(0, 10_000), st.integers(1, 300), st.integers(0, 50), st.integers(1, 40))
    def test_most(self, size, limit, base, each):
        """Be the largest number that leaves a tenth."""
        fit = [n for n in range(1, limit + 1) if base + n * each <= size - size // 10]
        assert Room(size).most(limit, lambda n: base + n * each) == max(fit, default=0)

    def test_refusal(self, monkeypatch):
        """Say what is needed, what there is, and what to do."""
        monkeypatch.setattr(memory, "available", lambda: 3_000_000)
        assert str(Room.here().refusal("9 cells", needed=4_200_000, way_out=advice(7))) == (
            "9 cells, which take at least 4.2 MB of memory where 3.0 MB can be had; cap them, as in max_cells = 7"
        )
        assert str(Room.here(2).refusal("9 cells", needed=4_200_000, way_out=advice(0))) == (
            "9 cells, which take at least 4.2 MB of memory where 1.5 MB can be had by each of 2 workers; "
            "no cap makes them fit: give the search more memory, or fewer trajectories or workers"
        )
        assert "9 cells, which take more than some minutes to go through; " in str(
            Room.here().refusal("9 cells", needed=1, way_out="")
        )


def signals(trajectories=12, rounds=3):
    rng = np.random.default_rng(5)
    draw = rng.random((3, trajectories, rounds)).round(4).tolist()
    return table(
        answer=[list(range(rounds))] * trajectories,
        quality=rng.random((trajectories, rounds)).round(1).tolist(),
        **dict(zip("abc", draw, strict=True)),
    )


SHAPES = [
    "a > ?",
    "total(a, b) > ?",
    "a > ? & b > ?",
    "a > ? | b < ?",
    "a > ? & b > ? | c > ?",
    "a > ? | b > ? | c > ?",
]


@pytest.fixture
def small(monkeypatch):
    """Let all that is more than a few candidates stream, open it once for all runs, and keep a choice of it."""
    monkeypatch.setattr(expand, "MOST_LISTED", 50)
    monkeypatch.setattr(fitting, "OPENED", 20)
    monkeypatch.setattr(pairs, "ALL_KEPT", 100)
    monkeypatch.setattr(pairs, "STRIP", 200)
    monkeypatch.setattr(sieve, "STEPS", 20)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("rule", SHAPES)
class TestSearch:
    """Shapes with one `?`, with two and with three on a machine of little memory."""

    @pytest.fixture(autouse=True)
    def _of_the_machine(self, monkeypatch):
        self.patch = monkeypatch

    def searched(self, size, rule, cap=None, cuts="exact", **workers):
        self.patch.setattr(memory, "available", lambda: size)
        t = signals()
        return search(space([{"rule": rule, "cuts": cuts, **({"max_cells": cap} if cap else {})}], t), t, **workers)

    def enough(self, size, rule, cap):
        try:
            self.searched(size, rule, cap)
        except SearchError as error:
            return str(error).index("of memory where") < 0
        return True

    def least(self, rule, cap=None):
        """The least memory, in whole words, that a search has enough of."""
        return WORD * bisect_left(range(0, 2**27, WORD), True, key=lambda size: self.enough(size, rule, cap))

    def test_cap_fits(self, rule):
        """Name a cap that is enough with the same memory; a word less than it needs is refused again."""
        size = self.least(rule) // 2
        with pytest.raises(SearchError, match=r"[0-9,]+ c.*, which take at least .* where .* can be had; cap") as told:
            self.searched(size, rule)
        cap = int(re.search(r" them, as in max_cells = (\d+)$", str(told.value))[1])
        assert len(self.searched(size, rule, cap))
        least = self.least(rule, cap)
        assert least <= size
        with pytest.raises(SearchError, match="of memory where") as again:
            self.searched(least - WORD, rule, cap)
        fewer = re.search(r"max_cells = (\d+)$", str(again.value))
        assert fewer is None or int(fewer[1]) < cap

    def test_same_result(self, rule):
        """Find the same with just enough memory and with very much."""
        assert self.searched(self.least(rule), rule).equals(self.searched(ENDLESS, rule))

    def test_nothing_fits(self, rule):
        """Name no cap where there is none; of three cuts so few can be listed that they always fit."""
        way_out = "no cap makes them fit: give the search more memory" if rule in SHAPES[:4] else "cap them, as in"
        with pytest.raises(SearchError, match=f"; {way_out}"):
            self.searched(100, rule)


class TestShares:
    """Sweeps that are made at once share the memory that there is when they begin."""

    TWO = tuple({"rule": f"{a} > ? {join} {b} > ?", "cuts": "exact"} for a, join, b in ("a&b", "b&c", "a|c"))

    def planned(self, workers, monkeypatch, entries=TWO):
        monkeypatch.setattr(memory, "available", lambda: 600)
        t = signals()
        plan = expand.expand(space(list(entries), t).families, t, ledger(t))
        return {task.room for _, _, task in tasks(plan, t, ledger(t), workers=workers)}

    def test_shares(self, monkeypatch):
        """Give each a share, no more of them than there are sweeps of two cuts; on a cluster look there."""
        assert self.planned(Workers(), monkeypatch) == {Room(600, 1)}
        assert self.planned(Workers(2), monkeypatch) == {Room(300, 2)}
        assert self.planned(Workers(8, "processes"), monkeypatch) == {Room(200, 3)}
        assert self.planned(Workers(2), monkeypatch, [{"rule": "a > ?", "cuts": "exact"}]) == {Room(600, 1)}
        assert self.planned(Workers(backend="dask", address="tcp://host:8786"), monkeypatch) == {None}

    @pytest.mark.parametrize("backend", ["threads", "processes"])
    def test_two_workers(self, backend, monkeypatch):
        """Tell a share that is too small as the workers' own; go on with the cap that it names."""
        t = signals(30)
        monkeypatch.setattr(memory, "available", lambda: 4_000_000)
        with pytest.raises(SearchError, match=r"where 2\.0 MB can be had by each of 2 workers; cap them") as told:
            search(space(list(self.TWO), t), t, jobs=2, backend=backend)
        cap = int(str(told.value).rpartition(" = ")[2])
        capped = space([{**entry, "max_cells": cap} for entry in self.TWO], t)
        assert len(search(capped, t, jobs=2, backend=backend))


class TestTold:
    @pytest.mark.parametrize("rule", ["a > ?", "repeat(answer) & ~(round < 2) & total(a, b) > 0.25 | c > ?"])
    def test_bound(self, rule, monkeypatch):
        """Reckon with no less than the real peak, and with three times as much at most: polars is not traced."""
        t = signals(4000, 8)
        entries = space([{"rule": rule, "cuts": "exact"}], t)
        search(entries, t)  # imports

        def begun(*given):
            tracemalloc.start()  # with its figures at hand, which a sweep made
            return Candidates(*given)

        monkeypatch.setattr("stoprule.enumerate.search.Candidates", begun)
        frame = search(entries, t)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak <= told_bytes(len(frame), len(rule)) <= 3 * peak
