"""The state of a run: everything that was read, done, returned and judged, each state a value of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from time import monotonic

from .assess import Assessment, Observation, assess
from .budget import Amounts, Budget
from .fusion import reciprocal_rank
from .packet import Packet, pack
from .request import Request
from .tools import Failure, Hit, Rows
from .units import Reference
from .words import Features


class StopReason(StrEnum):
    """Why execution ended. None says that an answer is right, or that nothing exists."""

    PROXY_SUFFICIENT = "proxy_sufficient"
    RESOURCE_BUDGET_EXHAUSTED = "resource_budget_exhausted"
    NO_NEW_EVIDENCE = "no_new_evidence"
    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    UNRESOLVED = "unresolved"
    TOOL_FAILED = "tool_failed"

    @property
    def why(self) -> str:
        return _WHY[self]


_WHY = {
    StopReason.PROXY_SUFFICIENT: "The proxy reached its threshold; that shows no answer.",
    StopReason.RESOURCE_BUDGET_EXHAUSTED: "The searches or rows that this policy may spend were spent.",
    StopReason.NO_NEW_EVIDENCE: "The last search returned nothing that had not been returned before.",
    StopReason.CANCELLED: "The caller cancelled the run.",
    StopReason.DEADLINE: "The deadline passed.",
    StopReason.UNRESOLVED: "The declared relationships led to no single source.",
    StopReason.TOOL_FAILED: "The last search that was allowed gave no usable reply.",
}


@dataclass(frozen=True, slots=True)
class Interruption:
    """What ends a run from outside; asked before and after every call, never during a synchronous one.

    Attributes
    ----------
    cancelled : callable
        True once the caller wants no more; ``threading.Event().is_set`` is one.
    deadline : float or None
        A moment on ``clock``, in its seconds.
    """

    cancelled: Callable[[], bool] = bool  # bool() is False: never
    deadline: float | None = None
    clock: Callable[[], float] = monotonic

    def reason(self) -> StopReason | None:
        if self.cancelled():
            return StopReason.CANCELLED
        if self.deadline is not None and self.clock() >= self.deadline:
            return StopReason.DEADLINE
        return None


@dataclass(frozen=True, slots=True)
class Action:
    """One call: what it was allowed, what came of it, and what it cost.

    ``excess`` counts rows over the allowance, ``unread`` rows that no unit allowance was left for; both are
    dropped. ``failure`` is the kind of error, never its text.
    """

    tool: str
    asked: int
    returned: int
    excess: int
    unread: int
    failure: str | None
    charge: Amounts


@dataclass(frozen=True, slots=True)
class Ranking:
    """The rows of one reply that were read, best first, with the scores of that search."""

    references: tuple[Reference, ...] = ()
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """What a run knows after an iteration; every field may be inspected and is recorded by `trace`.

    Attributes
    ----------
    request, features
        The original query with identity and view; the terms and identifiers read in it.
    available : tuple of str
        Tools of the policy that are still to be called, in order.
    actions, rankings, observations, assessments
        The calls and the ranking that each gave (a failed one an empty one); the distinct units read, in
        order of arrival; the judgements, one a call.
    stop : StopReason or None
        None while the run goes on.
    """

    request: Request
    features: Features
    budget: Budget
    threshold: float
    available: tuple[str, ...]
    actions: tuple[Action, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    observations: tuple[Observation, ...] = ()
    assessments: tuple[Assessment, ...] = ()
    stop: StopReason | None = None

    @property
    def spent(self) -> Amounts:
        return sum((action.charge for action in self.actions), Amounts())

    @property
    def remaining(self) -> Amounts:
        return self.budget.remaining(self.spent)

    @property
    def references(self) -> tuple[Reference, ...]:
        """The distinct references returned and read, in order of arrival."""
        return tuple(observation.reference for observation in self.observations)

    @property
    def characters(self) -> int:
        """Length of the distinct units read."""
        return sum(len(observation.unit.content) for observation in self.observations)

    @property
    def matched(self) -> tuple[str, ...]:
        return self.assessments[-1].matched if self.assessments else ()

    @property
    def missing(self) -> tuple[str, ...]:
        return self.assessments[-1].missing if self.assessments else self.features.terms

    @property
    def sufficient(self) -> bool:
        return bool(self.assessments) and self.assessments[-1].sufficient

    @property
    def failed(self) -> bool:
        """Whether the last call failed."""
        return bool(self.actions) and self.actions[-1].failure is not None

    @property
    def found_new(self) -> bool:
        """Whether the last call let a unit be read that had not been read before."""
        return bool(self.actions) and self.actions[-1].charge.units > 0

    def packet(self) -> Packet:
        """The packet that stopping here would select: one ranking as it is, several by reciprocal rank."""
        units = {observation.reference: observation.unit for observation in self.observations}
        fused = reciprocal_rank([ranking.references for ranking in self.rankings])
        return pack((units[reference] for reference in fused), self.budget)


def absorb(state: State, tool: str, asked: int, reply: Rows | Failure) -> State:
    """Charge a call, read what it may read of the reply, and assess all observations so far.

    A row whose unit was read before costs no unit. A failed call costs its whole allowance of rows.
    """
    if isinstance(reply, Failure):
        charge = Amounts(calls=1, rows=asked, iterations=1)
        action = Action(tool, asked, 0, 0, 0, reply.kind, charge)
        return _assessed(state, action, Ranking(), ())
    known = set(state.references)
    allowance = state.remaining.units
    read: list[Hit] = []
    fresh: list[Observation] = []
    for rank, hit in enumerate(reply.hits, start=1):
        reference = hit.unit.reference
        if reference not in known and len(fresh) < allowance:
            known.add(reference)
            fresh.append(Observation.of(tool, rank, hit.score, hit.unit, state.features))
        if reference in known:
            read.append(hit)
    returned = len(reply.hits)
    charge = Amounts(calls=1, rows=returned, units=len(fresh), iterations=1)
    action = Action(tool, asked, returned, reply.excess, returned - len(read), None, charge)
    ranking = Ranking(tuple(hit.unit.reference for hit in read), tuple(float(hit.score) for hit in read))
    return _assessed(state, action, ranking, tuple(fresh))


def _assessed(state: State, action: Action, ranking: Ranking, fresh: tuple[Observation, ...]) -> State:
    observations = state.observations + fresh
    judgement = assess(state.features, observations, state.budget, state.threshold)
    return replace(
        state,
        available=state.available[1:],
        actions=(*state.actions, action),
        rankings=(*state.rankings, ranking),
        observations=observations,
        assessments=(*state.assessments, judgement),
    )
