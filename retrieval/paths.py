"""The path route: a structured request follows declared relationships, each with a source it may show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from time import monotonic

from .budget import Amounts, Budget
from .diagnostics import OfflineSink, checked_sink
from .errors import RequestError
from .graph import Graph, Hop
from .packet import Packet, pack
from .request import read_fields
from .state import Interruption, StopReason
from .units import View

PATH_PROXY = "declared path"
ONE_LOOK = Amounts(calls=1, iterations=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRequest:
    """A structured request: from the entity of this exact name along relations of these kinds.

    "Contact for the outboard pump" is ``subject="outboard pump", route=("contact",)``.
    """

    subject: str
    route: tuple[str, ...]
    id: str
    view: View

    def __post_init__(self) -> None:
        if not self.subject or not self.id:
            raise RequestError("path request: subject and id must not be empty")

    @classmethod
    def read(cls, given: Mapping[str, object]) -> PathRequest:
        """A request from named fields; an added one is refused by name."""
        return cls(**read_fields(given, tuple(key.name for key in fields(cls))))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class PathResult:
    """The end of a path request: every hop with its sources, or nothing at all.

    The first hop is the entity that the route starts at. An unresolved path has no hops, no packet and always
    the same cost: a hidden record and one that does not exist look the same.

    Attributes
    ----------
    proxy : str
        What stands for sufficiency here; a declaration may be wrong.
    """

    id: str
    stop: StopReason
    hops: tuple[Hop, ...] = ()
    packet: Packet = field(default_factory=Packet)
    spent: Amounts = field(default_factory=Amounts)
    proxy: str = PATH_PROXY

    def project(self, view: View) -> PathResult:
        """The result rechecked at the moment of exposure: with one source gone the path is unresolved."""
        if self.packet.rechecked(view) == self.packet:
            return self
        return PathResult(self.id, StopReason.UNRESOLVED, spent=ONE_LOOK)

    def to_json(self) -> dict[str, object]:
        """The same, of JSON types: what may be shown of a result that was just projected."""
        return {
            "id": self.id,
            "stop": str(self.stop),
            "why": self.stop.why,
            "proxy": {"name": self.proxy},
            "path": [asdict(hop) for hop in self.hops],
            "packet": [asdict(unit) for unit in self.packet.units],
            "calls": self.spent.calls,
        }


@dataclass(frozen=True)
class PathRoute:
    """Follows a graph. Looking it up is one logical call.

    Attributes
    ----------
    diagnostics : OfflineSink or None
        Gets the records that the view hid from a route; nothing else does.
    """

    graph: Graph
    budget: Budget = field(default_factory=Budget)
    diagnostics: OfflineSink | None = None
    clock: Callable[[], float] = monotonic

    def __post_init__(self) -> None:
        checked_sink(self.diagnostics)

    def run(
        self,
        request: PathRequest | Mapping[str, object],
        *,
        cancelled: Callable[[], bool] = bool,
        deadline: float | None = None,
    ) -> PathResult:
        """Follow the route; the packet holds the sources of the first entity and of every hop, whole.

        The stop reason is `proxy_sufficient` for a path that was followed to its end, `unresolved` when it
        breaks or two entities fit, `resource_budget_exhausted` when its sources do not fit the allowances.
        """
        asked = _checked(request)
        interruption = Interruption(cancelled, deadline, self.clock)
        if stop := interruption.reason():
            return PathResult(asked.id, stop)
        if not self.budget.allowance.allows_a_call:
            return PathResult(asked.id, StopReason.RESOURCE_BUDGET_EXHAUSTED)
        hops = self._followed(asked)
        if stop := interruption.reason():
            return PathResult(asked.id, stop, spent=ONE_LOOK)
        if not hops:
            return PathResult(asked.id, StopReason.UNRESOLVED, spent=ONE_LOOK)
        return self._packed(asked, hops)

    def _followed(self, asked: PathRequest) -> tuple[Hop, ...]:
        """The hops from the first entity on; empty when a step has no single end that may be shown."""
        hops: list[Hop] = []
        for step in (asked.subject, *asked.route):
            declared = self.graph.onward(hops[-1].reached, step) if hops else self.graph.starts(step)
            shown = [hop for hop in declared if self.graph.shows(hop, asked.view)]
            self._diagnose(asked, step, [hop for hop in declared if hop not in shown])
            if len({hop.reached.id for hop in shown}) != 1:
                return ()
            hops.append(shown[0])
        return tuple(hops)

    def _packed(self, asked: PathRequest, hops: tuple[Hop, ...]) -> PathResult:
        sources = dict.fromkeys(source for hop in hops for source in hop.sources)
        units = tuple(self.graph.collection[source.unit] for source in sources)
        spent = Amounts(calls=1, rows=len(hops), units=len(units), iterations=1)
        packet = pack(units, self.budget)
        if packet.units != units or len(units) > self.budget.units or len(hops) > self.budget.rows:
            return PathResult(asked.id, StopReason.RESOURCE_BUDGET_EXHAUSTED, spent=ONE_LOOK)
        return PathResult(asked.id, StopReason.PROXY_SUFFICIENT, hops, packet, spent)

    def _diagnose(self, asked: PathRequest, step: str, hidden: list[Hop]) -> None:
        if self.diagnostics and hidden:
            self.diagnostics.write(request=asked.id, step=step, hidden=[asdict(hop) for hop in hidden])


def _checked(request: PathRequest | Mapping[str, object]) -> PathRequest:
    if type(request) is PathRequest:
        return request
    if isinstance(request, Mapping):
        return PathRequest.read(request)
    raise RequestError(f"path request is a {type(request).__name__}; give a PathRequest or its fields")
