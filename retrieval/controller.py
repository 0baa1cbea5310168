"""The bounded controller: choose a legal search, observe, assess, go on or stop, select and recheck."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from ..trajectories.nearest import nearest
from .budget import Budget
from .diagnostics import OfflineSink, checked_sink
from .errors import RetrievalError
from .packet import Packet
from .request import Request, checked_request
from .state import Interruption, State, StopReason, absorb
from .stopping import decision, ending
from .tools import Failure, Rows, Tools, checked_schedule, sift
from .words import Features

if TYPE_CHECKING:
    from ..rules.stopper import Stopper

CHAPTER_SCHEDULE = (("lexical", 3), ("dense", 3))
DEFAULT_THRESHOLD = 0.8

Reply = Rows | Failure


@dataclass(frozen=True, slots=True)
class Call:
    """The next legal action: this tool, the unchanged query of the request, at most so many rows."""

    tool: str
    rows: int


@dataclass(frozen=True, slots=True)
class Result:
    """A finished run.

    Attributes
    ----------
    policy : str
    states : tuple of State
        The state after each iteration; the last with the stop reason. Where no call was made, one state.
    packet : Packet
        Selected and rechecked when the run ended. What is shown later goes through `project`.
    stop : StopReason
    """

    policy: str
    states: tuple[State, ...] = field(repr=False)
    packet: Packet
    stop: StopReason

    @property
    def final(self) -> State:
        return self.states[-1]


class Controller:
    """A small controller above read-only searches.

    Parameters
    ----------
    tools : mapping of str to Tool or AsyncTool
    schedule : sequence of (tool, rows)
        The searches of `adaptive` and `always`, in order: R of them give R rounds.
    budget : Budget
        Holds for every policy; a schedule that asks for more is cut short.
    clock : callable
        Seconds; deadlines are moments on it.
    diagnostics : OfflineSink or None
        Gets what a tool returned against the view and the text of its errors; nothing else does.
    """

    def __init__(
        self,
        tools: Tools,
        *,
        schedule: Sequence[tuple[str, int]] = CHAPTER_SCHEDULE,
        budget: Budget | None = None,
        clock: Callable[[], float] = monotonic,
        diagnostics: OfflineSink | None = None,
    ) -> None:
        self.tools = dict(tools)
        self.schedule = checked_schedule(schedule, self.tools)
        self.budget = Budget() if budget is None else budget
        self.clock = clock
        self.diagnostics = checked_sink(diagnostics)

    @property
    def policies(self) -> tuple[str, ...]:
        """`adaptive`, `always`, and the name of each tool: one search that may spend all the rows."""
        return ("adaptive", "always", *self.tools)

    def run(
        self,
        request: Request | Mapping[str, object],
        policy: str = "adaptive",
        *,
        threshold: float = DEFAULT_THRESHOLD,
        cancelled: Callable[[], bool] = bool,
        deadline: float | None = None,
        stopper: Stopper | None = None,
    ) -> Result:
        """Run one request.

        Parameters
        ----------
        request : Request or mapping of its fields
        policy : str
            One of `policies`. `adaptive` stops at the first sufficient assessment, or when a later search
            brings nothing new; `always` makes every search whatever came back.
        threshold : float
            Coverage at or over it is provisionally sufficient.
        cancelled : callable
            Asked before and after every search. A synchronous search is not interrupted: one that hangs holds
            the run, and its reply is charged and kept when it comes.
        deadline : float or None
            A moment on the controller's clock, checked at the same places.
        stopper : Stopper or None
            Decides for `adaptive` in place of the threshold, on the values of `signals.signals`: a rule that
            was chosen and locked on recorded trajectories. It begins anew with this run and serves one run at
            a time. A failed call is no round to it.

        Raises
        ------
        RequestError
            When the request carries a field that no decision may read, or lacks one.
        RetrievalError
            When the policy is unknown, one of its tools can only be awaited, or a stopper is given to a
            policy that decides nothing.
        RuleError
            When the stopper's rule reads a signal that the controller does not have.
        """
        interruption = Interruption(cancelled, deadline, self.clock)
        loop = self._loop(request, policy, threshold, interruption, stopper)
        try:
            request, call = next(loop)
            while True:
                request, call = loop.send(self._ask(request, call))
        except StopIteration as end:
            return cast(Result, end.value)

    async def run_async(
        self,
        request: Request | Mapping[str, object],
        policy: str = "adaptive",
        *,
        threshold: float = DEFAULT_THRESHOLD,
        cancelled: Callable[[], bool] = bool,
        deadline: float | None = None,
        stopper: Stopper | None = None,
    ) -> Result:
        """The same run, awaited: the decisions are those of `run`.

        A synchronous tool works in a thread and is not interrupted; an asynchronous one is given up at the
        deadline and then counts as a failed call.
        """
        interruption = Interruption(cancelled, deadline, self.clock)
        loop = self._loop(request, policy, threshold, interruption, stopper)
        try:
            request, call = next(loop)
            while True:
                request, call = loop.send(await self._ask_async(request, call, deadline))
        except StopIteration as end:
            return cast(Result, end.value)

    def _loop(
        self,
        request: Request | Mapping[str, object],
        policy: str,
        threshold: float,
        interruption: Interruption,
        stopper: Stopper | None,
    ) -> Generator[tuple[Request, Call], Reply, Result]:
        """Yield each call and take its reply: one generator behind both ways of waiting for a search."""
        asked = checked_request(request)
        if isnan(threshold):
            raise RetrievalError("threshold is not a number; give a share such as 0.8, or inf for never")
        plan = self._plan(policy)
        decide = decision(policy, stopper)
        state = State(
            request=asked,
            features=Features.of(asked.query),
            budget=self.budget,
            threshold=threshold,
            available=tuple(tool for tool, _ in plan),
        )
        states: list[State] = []
        stop: StopReason | None = None
        for tool, rows in plan:
            stop = interruption.reason()
            if stop or not state.remaining.allows_a_call:
                break
            call = Call(tool, min(rows, state.remaining.rows))
            reply = yield asked, call
            state = absorb(state, call.tool, call.rows, reply)
            states.append(state)
            stop = interruption.reason() or decide(state)
            if stop:
                break
        stop = stop or ending(state)
        final = replace(state, stop=stop)
        packet = final.packet().rechecked(asked.view)
        return Result(policy, (*states[:-1], final), packet, stop)

    def _plan(self, policy: str) -> tuple[tuple[str, int], ...]:
        if policy in ("adaptive", "always"):
            return self.schedule
        if policy in self.tools:
            return ((policy, self.budget.rows),)
        near = nearest(policy, self.policies)
        raise RetrievalError(f"no policy {policy!r}{near}; there are {', '.join(self.policies)}")

    def _ask(self, request: Request, call: Call) -> Reply:
        search = self.tools[call.tool].search
        if inspect.iscoroutinefunction(search):
            raise RetrievalError(f"tool {call.tool!r} can only be awaited; use run_async")
        try:
            return self._sifted(search(request.query, rows=call.rows, view=request.view), request, call)
        except Exception as error:  # whatever a tool raises is a failed call, known by its kind
            return self._failed(error, request, call)

    async def _ask_async(self, request: Request, call: Call, deadline: float | None) -> Reply:
        search: Callable[..., Any] = self.tools[call.tool].search
        try:
            if inspect.iscoroutinefunction(search):
                seconds = None if deadline is None else max(0.0, deadline - self.clock())
                waiting = search(request.query, rows=call.rows, view=request.view)
                reply = await asyncio.wait_for(waiting, seconds)
            else:
                reply = await asyncio.to_thread(search, request.query, rows=call.rows, view=request.view)
            return self._sifted(reply, request, call)
        except Exception as error:
            return self._failed(error, request, call)

    def _sifted(self, reply: object, request: Request, call: Call) -> Reply:
        rows = sift(reply, rows=call.rows, view=request.view)
        if self.diagnostics and isinstance(rows, Rows) and rows.withheld:
            withheld = [{"unit": unit.id, "revision": unit.revision} for unit in rows.withheld]
            self.diagnostics.write(request=request.id, tool=call.tool, withheld=withheld)
        return rows

    def _failed(self, error: Exception, request: Request, call: Call) -> Failure:
        kind = type(error).__name__
        if self.diagnostics:
            self.diagnostics.write(request=request.id, tool=call.tool, kind=kind, detail=str(error))
        return Failure(kind)
