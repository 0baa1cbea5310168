"""A search that is interrupted, and goes on; the same bytes wherever it runs."""

import os
import signal
import subprocess
import sys
import time

import pytest
from stoprule.cli import searching
from stoprule.enumerate import checkpoint, expand, gather

from .conftest import contents
from .small_study import LONG, STUDY, without, written

GRID = (
    STUDY
    + """\
transfer = false

[[search]]
rule = "margin > ? & coverage > ? | repeat(answer) & margin < ?"
cuts = "linspace(9)"
"""
)

# searches in blocks of a few candidates and keeps how far it came after each
SLOWLY = """
import sys, time
from stoprule.cli.main import main
from stoprule.enumerate import checkpoint, expand, gather
checkpoint.EVERY = 0
expand.MOST_LISTED = 500
gather.BLOCK = 2_500
one_by_one = gather.Gathered.add
gather.Gathered.add = lambda *given: (time.sleep(0.2), one_by_one(*given))
sys.argv[0] = "stoprule"
main()
"""


@pytest.fixture
def grid(tmp_path):
    """The study with a rule of three cuts."""
    return written(tmp_path, GRID)


@pytest.fixture
def uncalibrated(tmp_path):
    """The same without a calibrator, so that a process of its own need not load scikit-learn."""
    return written(tmp_path, GRID.replace('[calibrate.margin_cal]\nsignal = "margin"\ntarget = "em"\n', ""))


def blocks(patch):
    """Search in blocks of a few candidates; keep how far it came after each."""
    patch.setattr(checkpoint, "EVERY", 0)
    patch.setattr(expand, "MOST_LISTED", 500)
    patch.setattr(gather, "BLOCK", 2_500)


@pytest.fixture
def in_blocks(monkeypatch):
    """In this test, too."""
    blocks(monkeypatch)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What an uninterrupted search by one worker writes."""
    study = written(tmp_path_factory.mktemp("whole"), GRID)
    with pytest.MonkeyPatch.context() as patch:
        blocks(patch)
        without(patch, *LONG)
        return contents(searching.search_study(study, out=None, jobs=1, overrides=[]).folder)


@pytest.mark.usefixtures("in_blocks")
class TestGoingOn:
    """An interrupted search."""

    def test_same_bytes(self, grid, stoprule, tmp_path, monkeypatch, whole):
        """End with 130 and no result; go on; write what an uninterrupted search writes, and no checkpoint."""
        calls = []

        def interrupted(self, number, found):
            calls.append(number)
            if len(calls) == 20:
                raise KeyboardInterrupt
            add(self, number, found)

        add = gather.Gathered.add
        out = tmp_path / "out"
        with monkeypatch.context() as patch:
            patch.setattr(gather.Gathered, "add", interrupted)
            ended = stoprule("search", grid, "--out", out)
        assert ended.status == 130
        assert "the same command goes on from there" in ended.err
        assert [path.name for path in out.iterdir()] == [".checkpoint.npz"]
        assert stoprule("search", grid, "--out", out).status == 0
        assert contents(out) == whole

    @pytest.mark.parametrize("backend", ["threads", "processes"])
    def test_same_bytes_for_two(self, grid, stoprule, tmp_path, backend, whole):
        """Write the same files with two workers (case 21)."""
        assert stoprule("search", grid, "--out", tmp_path / "two", "--jobs", 2, "--backend", backend).status == 0
        assert contents(tmp_path / "two") == whole

    def test_address_without_dask(self, grid, stoprule):
        """Refuse an address that nothing asks for."""
        ended = stoprule("search", grid, "--address", "tcp://localhost:8786")
        assert ended.status == 2
        assert ended.err.count("\n") == 1
        assert "only backend dask has an address" in ended.err


# a cluster of two workers, until nothing holds its standard input
CLUSTER = """
import sys
from distributed import LocalCluster
how = dict(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=":0")
with LocalCluster(**how) as cluster:
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def cluster():
    """The address of a Dask cluster of two workers in a process of its own."""
    pytest.importorskip("distributed")
    with subprocess.Popen(
        [sys.executable, "-c", CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        yield running.stdout.readline().strip()


def interrupted(study, out, *more):
    """Interrupt a search, as a terminal does, once it has kept how far it came; its exit status and what it said."""
    arguments = ["search", study, "--out", out, *more]
    running = subprocess.Popen(
        [sys.executable, "-c", SLOWLY, *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while running.poll() is None and not (out / ".checkpoint.npz").exists():
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)  # a process that is left behind would hold the pipe
    return running.returncode, said.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to a group of processes")
class TestInterrupted:
    """End soon, with 130, a line, another on the checkpoint, no traceback, and nothing but the checkpoint left."""

    @pytest.mark.parametrize("backend", ["threads", "processes"])
    def test_by_signal(self, uncalibrated, tmp_path, backend):
        """End in good order with two workers of this machine."""
        out = tmp_path / "out"
        status, said = interrupted(uncalibrated, out, "--jobs", 2, "--backend", backend)
        assert status == 130
        assert said == [
            f"stoprule: {out}/.checkpoint.npz keeps how far the search came; the same command goes on from there",
            "stoprule: interrupted; nothing is half-written",
        ]
        assert [path.name for path in out.iterdir()] == [".checkpoint.npz"]

    @pytest.mark.usefixtures("in_blocks")
    def test_on_a_cluster(self, grid, tmp_path, cluster, stoprule, whole):
        """End in good order on a Dask cluster, which goes on from there when asked again, to the same bytes."""
        out, on_cluster = tmp_path / "out", ("--backend", "dask", "--address", cluster)
        status, said = interrupted(grid, out, *on_cluster)
        assert status == 130
        assert [line.partition(".checkpoint.npz ")[2] or line for line in said] == [
            "keeps how far the search came; the same command goes on from there",
            "stoprule: interrupted; nothing is half-written",
        ]
        assert [path.name for path in out.iterdir()] == [".checkpoint.npz"]
        assert stoprule("search", grid, "--out", out, *on_cluster).status == 0
        assert contents(out) == whole
