"""Where a search runs."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from stoprule.enumerate import expand, fitting, gather
from stoprule.enumerate.search import search_result
from stoprule.enumerate.space import space
from stoprule.enumerate.workers import Workers
from stoprule.trajectories.errors import SearchError

from ..rules.tables import MISSING, table

ENTRIES = [
    {"preset": "default"},
    {"rule": "repeat(answer) & margin > ?", "cuts": "exact"},
    {"rule": "gap >= ? | margin > ?", "cuts": "exact"},
    {"rule": "gap > ? & margin > ? | judged & gap < ?", "cuts": "linspace(9)"},
    {"family": "or_of_ands", "cuts": "quantiles(3)"},
]


def random_table(trajectories=60, rounds=9):
    rng = np.random.default_rng(3)
    shape = trajectories, rounds
    return table(
        answer=rng.integers(-1, 2, shape).tolist(),
        quality=rng.random(shape).tolist(),
        cost=rng.random(shape).cumsum(axis=1).tolist(),
        cells=sorted(rng.choice(["x", "y"], trajectories).tolist()),
        margin=np.where(rng.random(shape) < 0.1, MISSING, rng.random(shape).round(2)).tolist(),
        gap=rng.integers(0, 40, shape).tolist(),
        judged=(rng.random(shape) < 0.5).tolist(),
    )


@pytest.fixture
def streaming(monkeypatch):
    """Let families stream that would else be listed."""
    monkeypatch.setattr(expand, "MOST_LISTED", 300)
    monkeypatch.setattr(fitting, "OPENED", 300)
    monkeypatch.setattr(expand, "ALL_KEPT", 300)
    monkeypatch.setattr(gather, "BLOCK", 10_000)


def searched(**workers):
    t = random_table()
    result = search_result(space(ENTRIES, t), t, **workers)
    return result.frame, result.notes, (result.listed, result.tried, result.distinct)


@pytest.fixture(scope="module")
def alone():
    """What one thread finds."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((expand, "MOST_LISTED"), (fitting, "OPENED"), (expand, "ALL_KEPT")):
            patch.setattr(module, name, 300)
        return searched()


@pytest.mark.usefixtures("streaming")
class TestSameBytes:
    """The same result, whoever works it out (case 21)."""

    @pytest.mark.parametrize("backend", ["threads", "processes"])
    @pytest.mark.parametrize("chunk", [None, 50])
    def test_two_workers(self, alone, backend, chunk):
        """Of two threads or two processes."""
        frame, notes, counts = searched(jobs=2, backend=backend, chunk=chunk)
        assert frame.equals(alone[0])
        assert (notes, counts) == alone[1:]

    def test_dask(self, alone):
        """Of a Dask cluster of two workers."""
        distributed = pytest.importorskip("distributed")
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
            frame, notes, counts = searched(backend="dask", address=cluster.scheduler_address)
        assert frame.equals(alone[0])
        assert (notes, counts) == alone[1:]


class TestWorkers:
    """What does not go together, and whom nobody answers."""

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"jobs": 0}, "jobs = 0"),
            ({"backend": "thread"}, "backend = 'thread'.*did you mean 'threads'"),
            ({"backend": "dask"}, "backend dask needs the address of a scheduler, as in tcp://"),
            ({"address": "tcp://host:8786"}, "only backend dask has an address"),
        ],
    )
    def test_refused(self, given, message):
        """Say what is missing, or too much."""
        with pytest.raises(SearchError, match=message):
            Workers(**given)

    def test_errors_of_a_task(self):
        """Hand on what a worker raises."""
        for workers in (Workers(), Workers(2), Workers(2, "processes")):
            with pytest.raises(SearchError, match="broken"):
                list(workers.results([_Broken(), _Broken()]))

    @pytest.mark.parametrize("workers", [Workers(), Workers(2), Workers(2, "processes")], ids=str)
    def test_meanwhile(self, workers):
        """Hand over results in their order after other work of the same workers; an error where it is asked for."""
        with workers.meanwhile([partial(sum, [i, 1]) for i in range(5)]) as later:
            assert list(workers.results([partial(sum, [10, i]) for i in range(3)])) == [10, 11, 12]
            assert list(later) == [1, 2, 3, 4, 5]
        with workers.meanwhile([partial(sum, [1, 2]), _Broken()]) as later:
            assert next(later) == 3
            with pytest.raises(SearchError, match="broken"):
                next(later)

    def test_nobody_asks(self):
        """Break off what is not asked for, at once; the next results come from new workers."""
        workers = Workers(2, "processes")
        begun = time.monotonic()
        with workers.meanwhile([partial(time.sleep, 60)] * 4):
            pass
        assert time.monotonic() - begun < 30
        assert list(workers.results([partial(sum, [1, 2])])) == [3]

    def test_no_more_processes_than_processors(self):
        """Start no worker that would wait for a processor, however many are asked for, but two at least."""
        found = set(Workers(50, "processes").results([os.getpid] * 20))
        assert 1 <= len(found) <= max(2, os.cpu_count())
        assert os.getpid() not in found

    def test_ended_from_outside(self):
        """Say so in one line; what was to be done meanwhile is done all the same."""
        workers = Workers(2, "processes")
        with workers.meanwhile([partial(time.sleep, 0.2), partial(sum, [1, 2])]) as later:
            with pytest.raises(SearchError, match=r"^a worker process was ended from outside, perhaps [^\n]*$"):
                list(workers.results([partial(os._exit, 1), partial(sum, [3])]))
            assert list(later) == [None, 3]

    def test_others_failed(self):
        """Do here what the workers have not done when other work of theirs fails, which ends them."""
        workers = Workers(2, "processes")
        with workers.meanwhile([partial(time.sleep, 0.3)] * 3 + [partial(sum, [1, 2])]) as later:
            with pytest.raises(SearchError, match="broken"):
                list(workers.results([_Broken()]))
            assert list(later) == [None, None, None, 3]

    def test_no_extra(self, monkeypatch):
        """Say in one line how to install Dask."""
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(SearchError, match=r"^backend dask needs the extra: pip install 'stoprule\[dask\]'$"):
            list(Workers(backend="dask", address="tcp://127.0.0.1:8786").results([]))

    @pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "smtp://127.0.0.1:25"])
    def test_no_scheduler(self, address, monkeypatch):
        """Say in one line that nobody answers."""
        pytest.importorskip("distributed")
        monkeypatch.setattr("stoprule.enumerate.workers.ANSWER_WITHIN", 0.5)
        with pytest.raises(SearchError, match=rf"^{address}: no Dask scheduler answers; [^\n]*$"):
            list(Workers(backend="dask", address=address).results([]))

    def test_no_worker(self, monkeypatch):
        """Say that a scheduler has no worker."""
        pytest.importorskip("distributed")
        monkeypatch.setattr("stoprule.enumerate.workers._dask_workers", lambda *_: 0)
        with pytest.raises(SearchError, match="tcp://host:8786: the Dask scheduler has no worker; start one"):
            list(Workers(backend="dask", address="tcp://host:8786").results([]))


# says so when workers are about to start; each task takes longer than a test may
ENDLESS = """
import sys, time
from functools import partial
sys.modules.update(dict.fromkeys(sys.argv[1:]))
from stoprule.enumerate.workers import Workers

def calls():
    print("started", flush=True)
    for _ in range(100):
        yield partial(time.sleep, 600)

try:
    list(Workers(2, "processes").results(calls()))
except KeyboardInterrupt:
    sys.exit(130)
"""


def interrupted(after, *absent, **more):
    """Interrupt processes, as a terminal does, some seconds after their start; the exit status and what was said."""
    running = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *absent],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **more,
    )
    assert running.stdout.readline() == "started\n"
    time.sleep(after)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)  # a process that is left behind would hold the pipe
    return running.returncode, said


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to a group of processes")
class TestInterrupted:
    """Ctrl-C, of which every process of a terminal hears."""

    @pytest.mark.parametrize("after", [0.0, 0.05, 0.2, 0.5, 2.0])
    def test_while_workers_start(self, after):
        """End without a word and leave no process behind, also while workers are not up yet."""
        # joblib's workers printed the traceback of an interrupted import
        assert interrupted(after) == (130, "")

    def test_no_psutil(self, tmp_path):
        """Leave no process behind where there is neither psutil nor pgrep, without which joblib kills none."""
        assert interrupted(2.0, "psutil", env={**os.environ, "PATH": str(tmp_path)}) == (130, "")

    @pytest.mark.parametrize("ending", [True, False])
    def test_thread_of_joblib(self, ending, monkeypatch):
        """Say nothing of the thread that minds the workers once it is to end them; before, say what befell it."""
        # it looks for tasks that it has just thrown away, if they were handed out in the same moment
        told = []
        monkeypatch.setattr(threading, "excepthook", told.append)
        found = Workers(2, "processes").results([partial(abs, -1)] * 3)
        assert next(found) == 1
        minder = threading.Thread(target=partial({}.pop, 1))
        minder.executor_flags = SimpleNamespace(shutdown=ending)
        minder.start()
        minder.join()
        assert list(found) == [1, 1]
        assert [what.exc_type for what in told] == ([] if ending else [KeyError])
        assert threading.excepthook == told.append

    def test_no_more_wanted(self, recwarn):
        """End without a remark when nobody wants more results."""
        for workers in (Workers(2), Workers(2, "processes")):
            found = workers.results([partial(abs, -1)] * 50)
            assert next(found) == 1
            found.close()
        assert not recwarn.list


class _Broken:
    def __call__(self):
        raise SearchError("broken")
