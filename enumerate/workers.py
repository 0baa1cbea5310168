"""Where a search runs: threads or processes of this machine, or a Dask cluster, all through joblib."""

from __future__ import annotations

import asyncio
import logging
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import active_children, resource_tracker
from typing import Any, Literal, TypeVar, get_args

from joblib import Parallel, cpu_count, delayed, effective_n_jobs, parallel_config

from ..trajectories.errors import SearchError
from ..trajectories.nearest import listing, nearest

Backend = Literal["threads", "processes", "dask"]
BACKENDS: tuple[str, ...] = get_args(Backend)
Result = TypeVar("Result")

ANSWER_WITHIN = 5  # seconds that a Dask scheduler has to answer


@dataclass(frozen=True)
class Workers:
    """Who works a search out; no byte of the result depends on it.

    Attributes
    ----------
    jobs : int
        Workers, as joblib counts them: -1 takes every processor. A Dask cluster has as many as it has.
    backend : {"threads", "processes", "dask"}
    address : str or None
        Of the Dask scheduler, as in tcp://host:8786.

    Raises
    ------
    SearchError
        When they do not go together.
    """

    jobs: int = 1
    backend: str = "threads"
    address: str | None = None

    def __post_init__(self) -> None:
        if self.jobs == 0:
            raise SearchError("jobs = 0: at least one worker is needed; jobs = -1 takes every processor")
        if self.backend not in BACKENDS:
            raise SearchError(
                f"backend = {self.backend!r}{nearest(self.backend, BACKENDS)}: there are {listing(BACKENDS)}"
            )
        if self.backend == "dask" and self.address is None:
            raise SearchError("backend dask needs the address of a scheduler, as in tcp://host:8786")
        if self.backend != "dask" and self.address is not None:
            raise SearchError(f"address = {self.address!r}: only backend dask has an address; leave it out")

    def results(self, calls: Iterable[Callable[[], Result]]) -> Iterator[Result]:
        """What the calls return, in their order.

        Parameters
        ----------
        calls : iterable of callables without parameters
            Asked for as workers get free.

        Raises
        ------
        SearchError
            When Dask is not installed, no scheduler or no worker answers, or a worker process is ended from outside.
        """
        with self._chosen(), self._handed_out(calls) as found:
            try:
                for each in found:  # noqa: UP028 - `yield from` would close it, and joblib remarks on that
                    yield each
            except BrokenProcessPool as error:
                raise SearchError(
                    "a worker process was ended from outside, perhaps because memory ran out; fewer of them need "
                    "less, as with --jobs 1"
                ) from error

    @contextmanager
    def meanwhile(self, calls: Sequence[Callable[[], Result]]) -> Iterator[Iterator[Result]]:
        """Have calls worked on while the block is at something else.

        Parameters
        ----------
        calls : sequence of callables without parameters

        Yields
        ------
        iterator
            What they return, in their order. What nobody has asked for when the block ends is broken off. Without
            workers apart, or when they end early, as all do when other work of theirs fails, each call is made when
            its result is asked for.
        """
        if not self.apart:
            yield (call() for call in calls)
            return
        with self._chosen(), self._handed_out(calls, ahead="all") as found:
            yield _or_here(found, calls)

    @contextmanager
    def _handed_out(
        self, calls: Iterable[Callable[[], Result]], ahead: str = "2 * n_jobs"
    ) -> Iterator[Iterator[Result]]:
        """Results in the order of the calls; after an interrupt, or when nobody wants more, the work ends at once."""
        work = Parallel(n_jobs=self._asked_for, return_as="generator", pre_dispatch=ahead)
        found = None
        try:
            with _interrupts_held_back():
                if self.apart:
                    found = work(delayed(_unpacked)(pickle.dumps(call)) for call in calls)
                else:
                    found = work(delayed(call)() for call in calls)
            yield found
        finally:
            if found is not None:
                with suppress(_BrokenOff), _unremarked():
                    found.throw(_BrokenOff())

    @property
    def apart(self) -> bool:
        """Whether the work is done outside this process."""
        return self.backend == "dask" or (self.backend == "processes" and self.jobs != 1)

    @property
    def abreast(self) -> int:
        """Tasks that are worked on at once; on a cluster one, as far as this machine is concerned."""
        return 1 if self.backend == "dask" else int(effective_n_jobs(self.jobs))

    @property
    def _asked_for(self) -> int:
        """Of joblib, which would work on a single one here."""
        match self.backend:
            case "dask":
                return -1
            case "processes":
                return min(self.abreast, max(2, int(cpu_count())))  # each takes a second to start
        return self.jobs

    @property
    def beside(self) -> int:
        """Processes of this machine, beside this one, that work for it at once."""
        return self.abreast if self.backend == "processes" and self.apart else 0

    @contextmanager
    def _chosen(self) -> Iterator[None]:
        if self.backend == "dask":
            with _cluster(str(self.address)):
                yield
        elif self.apart:
            with _processes():
                yield
        else:
            with parallel_config(backend="threading"):
                yield


ALONE = Workers()


def _unpacked(call: bytes) -> Any:
    # arrays that a backend hands over by itself may be read-only, which compiled loops take for another type
    return pickle.loads(call)()


def _or_here(found: Iterator[Result], calls: Sequence[Callable[[], Result]]) -> Iterator[Result]:
    """What workers found; what they had not when they ended is worked out here, errors of their calls included."""
    done = 0
    try:
        for each in found:
            yield each
            done += 1
    except RuntimeError:
        for call in calls[done:]:
            yield call()


class _BrokenOff(Exception):
    """Ends what joblib is at."""


@contextmanager
def _unremarked() -> Iterator[None]:
    """Log nothing of what is broken off: Dask's client does, with a traceback, of results that it still awaits."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application")]
    before = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for each, level in zip(loggers, before, strict=True):
            each.setLevel(level)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Hold Ctrl-C back while workers are started, who then never hear of it: what is held back is inherited.

    A terminal interrupts them, too. One that dies with a queue in its hands leaves the others waiting for ever, and
    one that has not come up yet prints a traceback. So they leave it to the process that started them, which ends them.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _processes() -> Iterator[None]:
    if sys.platform != "win32":
        resource_tracker.ensure_running()  # not later: what starts it lets interrupts through again
    with parallel_config(backend="loky"), _ends_unsaid():
        try:
            yield
        except BaseException:
            # joblib kills them by psutil or pgrep; where there is neither they live on, and the exit waits for them
            for worker in active_children():
                if type(worker).__module__.startswith("joblib."):
                    worker.terminate()
            raise


@contextmanager
def _ends_unsaid() -> Iterator[None]:
    """Keep to itself what befalls joblib's thread that minds the workers once it is to end them.

    It may stumble over tasks that were just handed out, or over the lack of psutil and pgrep.
    """
    usual = threading.excepthook

    def told(what: threading.ExceptHookArgs) -> None:
        executor = getattr(what.thread, "executor_flags", None)
        if not getattr(executor, "shutdown", False):
            usual(what)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Failed to kill subprocesses", UserWarning)
        threading.excepthook = told
        try:
            yield
        finally:
            threading.excepthook = usual


@contextmanager
def _cluster(address: str) -> Iterator[None]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise SearchError("backend dask needs the extra: pip install 'stoprule[dask]'") from error
    if not _dask_workers(distributed, address):
        raise SearchError(f"{address}: the Dask scheduler has no worker; start one with `dask worker {address}`")
    client = distributed.Client(address, set_as_default=False)
    with client, parallel_config(backend="dask", client=client):
        try:
            yield
        except BaseException:
            with _unremarked():
                client.close()
            raise


def _dask_workers(distributed: Any, address: str) -> int:
    """How many workers a scheduler has; asked before there is a client, which takes long to give up."""

    async def asked() -> int:
        async with distributed.core.rpc(address, timeout=ANSWER_WITHIN) as scheduler:
            return len((await asyncio.wait_for(scheduler.identity(), ANSWER_WITHIN))["workers"])

    try:
        return asyncio.run(asked())
    except (OSError, ValueError, TimeoutError) as error:
        raise SearchError(f"{address}: no Dask scheduler answers; start one, or check the address") from error
