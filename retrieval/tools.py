"""What a search is to the controller, and its reply, sifted."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Protocol

from ..trajectories.nearest import nearest
from .errors import RetrievalError
from .units import Unit, View, eligible


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of a reply: a unit and its score, greater is better; the reply's order is the ranking."""

    unit: Unit
    score: float


class Tool(Protocol):
    """A search. A user's own needs this one method.

    Examples
    --------
    >>> class Elastic:
    ...     def __init__(self, client, index):
    ...         self.client, self.index = client, index
    ...
    ...     def search(self, query, *, rows, view):
    ...         match = {"match": {"text": query}}
    ...         reply = self.client.search(index=self.index, query=match, size=rows)
    ...         rows = [(row["_source"], row["_score"]) for row in reply["hits"]["hits"]]
    ...         return [Hit(Unit(**source), score) for source, score in rows]
    """

    def search(self, query: str, *, rows: int, view: View) -> Sequence[Hit]:
        """At most ``rows`` hits, best first; a tool may skip what the view hides, the controller checks."""


class AsyncTool(Protocol):
    """The same, awaited; for `Controller.run_async`."""

    def search(self, query: str, *, rows: int, view: View) -> Awaitable[Sequence[Hit]]: ...


RESERVED = frozenset({"adaptive", "always", "controller"})
Tools = Mapping[str, Tool | AsyncTool]


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that gave nothing usable; shown by its kind alone, an exception's text may quote a passage."""

    kind: str


@dataclass(frozen=True, slots=True)
class Rows:
    """A reply after the border: eligible rows within the allowance, how many more, what was withheld."""

    hits: tuple[Hit, ...]
    excess: int
    withheld: tuple[Unit, ...] = field(repr=False)


def sift(reply: object, *, rows: int, view: View) -> Rows | Failure:
    """Drop what the view hides, then cut to the allowance.

    In this order neither the rows nor the excess tell that something was hidden. A reply that is no sequence
    of `Hit` with finite scores is a failure.
    """
    if not isinstance(reply, Sequence) or not all(isinstance(hit, Hit) and isfinite(hit.score) for hit in reply):
        return Failure("MalformedReply")
    shown = [hit for hit in reply if eligible(hit.unit.reference, view)]
    withheld = tuple(hit.unit for hit in reply if not eligible(hit.unit.reference, view))
    return Rows(tuple(shown[:rows]), max(0, len(shown) - rows), withheld)


def checked_schedule(schedule: Sequence[tuple[str, int]], tools: Tools) -> tuple[tuple[str, int], ...]:
    """The schedule, when the tools have names of their own and it asks known ones for at least a row each."""
    for name in sorted(RESERVED & tools.keys()):
        raise RetrievalError(f"tool {name!r} has the name of a policy or a cell; give it another")
    for tool, rows in schedule:
        if tool not in tools:
            near = nearest(tool, tools)
            raise RetrievalError(f"schedule: no tool {tool!r}{near}; there are {', '.join(sorted(tools))}")
        if type(rows) is not int or rows < 1:
            raise RetrievalError(f"schedule: {tool} asks for {rows!r} rows; give a whole number, 1 or more")
    if not schedule:
        raise RetrievalError("schedule: it names no search; give at least one (tool, rows)")
    return tuple((tool, rows) for tool, rows in schedule)
