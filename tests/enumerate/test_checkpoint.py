"""Going on with an interrupted search."""

from dataclasses import replace

import numpy as np
import pytest
from stoprule.enumerate import checkpoint as module
from stoprule.enumerate import expand, fitting, gather
from stoprule.enumerate.checkpoint import Checkpoint, key_of
from stoprule.enumerate.search import search_result
from stoprule.enumerate.sieve import Sieve
from stoprule.enumerate.space import space

from ..rules.tables import table
from .test_workers import ENTRIES, random_table


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Save after every task, and let families stream."""
    monkeypatch.setattr(module, "EVERY", 0)
    for module_of_name, name in ((expand, "MOST_LISTED"), (fitting, "OPENED"), (expand, "ALL_KEPT")):
        monkeypatch.setattr(module_of_name, name, 300)
    monkeypatch.setattr(gather, "BLOCK", 20_000)


class _Interrupted:
    """Interrupts a search after so many steps."""

    def __init__(self, after):
        self.after = after

    def __call__(self, done, _):
        if done >= self.after:
            raise KeyboardInterrupt


class TestInterruptedSearch:
    """A search that goes on."""

    @pytest.mark.parametrize("after", [1, 300, 900])
    def test_same_bytes(self, after, tmp_path):
        """Find the same after an interruption, having tried nothing twice."""
        t, path = random_table(), tmp_path / "kept.npz"
        entries = space(ENTRIES, t)
        expected = search_result(entries, t)
        with pytest.raises(KeyboardInterrupt):
            search_result(entries, t, progress=_Interrupted(after), checkpoint=path)
        steps = []
        found = search_result(entries, t, progress=lambda done, _: steps.append(done), checkpoint=path)
        assert not steps or steps[0] > after
        assert found.frame.equals(expected.frame)
        assert (found.listed, found.tried, found.distinct) == (expected.listed, expected.tried, expected.distinct)
        assert [each.name for each in tmp_path.iterdir()] == ["kept.npz"]

    @pytest.mark.parametrize("after", [1, 2])
    def test_within_a_part(self, after, tmp_path):
        """Find the same after an interruption in the middle of taking in what a worker found."""
        # that part was kept as taken in, and tried once more
        t, path = random_table(), tmp_path / "kept.npz"
        entries = space(ENTRIES, t)
        expected = search_result(entries, t)
        calls = []

        def interrupted(self, part, start):
            join(self, part, start)
            calls.append(part)
            if len(calls) == after:
                raise KeyboardInterrupt

        join = Sieve.join
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Sieve, "join", interrupted)
            with pytest.raises(KeyboardInterrupt):
                search_result(entries, t, checkpoint=path)
        found = search_result(entries, t, checkpoint=path)
        assert found.frame.equals(expected.frame)
        assert (found.listed, found.tried, found.distinct) == (expected.listed, expected.tried, expected.distinct)

    def test_other_search(self, tmp_path):
        """Begin anew for other candidates, another table, or a file that cannot be read."""
        t, path = random_table(), tmp_path / "kept.npz"
        entries = space(ENTRIES, t)
        search_result(entries, t, checkpoint=path)
        fewer = space(ENTRIES[:2], t)
        assert search_result(fewer, t, checkpoint=path).frame.equals(search_result(fewer, t).frame)
        path.write_bytes(b"PK\x03\x04 half a file")
        assert search_result(fewer, t, checkpoint=path).frame.equals(search_result(fewer, t).frame)

    def test_short_searches_leave_no_trace(self, tmp_path, monkeypatch):
        """Write nothing before it is time."""
        monkeypatch.setattr(module, "EVERY", 60)
        t = random_table()
        search_result(space(ENTRIES, t), t, checkpoint=tmp_path / "kept.npz")
        assert list(tmp_path.iterdir()) == []


class TestCheckpoint:
    """The file."""

    def test_round_trip(self, tmp_path):
        """Give back what was saved under the key, and nothing under another."""
        kept = Checkpoint(tmp_path / "kept.npz", "key")
        assert kept.load() is None
        kept.save({"a": np.arange(3), "b": np.array([np.inf])})
        assert kept.load()["a"].tolist() == [0, 1, 2]
        assert Checkpoint(tmp_path / "kept.npz", "other").load() is None

    def test_interrupted_while_saving(self, tmp_path, monkeypatch):
        """Leave the file before it as it was, and none beside it."""
        kept = Checkpoint(tmp_path / "kept.npz", "key")
        kept.save({"a": np.arange(3)})

        def fails(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(module.np, "savez", fails)
        with pytest.raises(KeyboardInterrupt):
            kept.save({"a": np.arange(4)})
        assert kept.load()["a"].tolist() == [0, 1, 2]
        assert len(list(tmp_path.iterdir())) == 1


class TestKey:
    def test_hangs_on(self):
        """Hang on the candidates, on every value that they read, on outcomes and cells, and on nothing else."""
        t = table(a=[[1, 2]], quality=[[0, 1]], answer=[[0, 0]])
        entries = space({"rule": "a > ?", "cuts": "exact"}, t)
        keys = {
            key_of(entries, t, None),
            key_of(entries, t, 5),
            key_of(space({"rule": "a >= ?", "cuts": "exact"}, t), t, None),
            key_of(space({"rule": "a > ?", "cuts": "exact", "max_cells": 3}, t), t, None),
            key_of(entries, table(a=[[1, 3]], quality=[[0, 1]], answer=[[0, 0]]), None),
            key_of(entries, table(a=[[1, 2]], quality=[[1, 1]], answer=[[0, 0]]), None),
            key_of(entries, table(a=[[1, 2]], quality=[[0, 1]], answer=[[0, 1]]), None),
            key_of(entries, table(a=[[1, 2]], quality=[[0, 1]], answer=[[0, 0]], cost=[[1, 3]]), None),
        }
        assert len(keys) == 8
        assert key_of(entries, replace(t, question=np.array(["other"], dtype=object)), None) in keys
