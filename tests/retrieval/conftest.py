"""The inventory collection, and searches that return what a test tells them to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.dense import Dense
from stoprule.retrieval.formats import Query, read_collection, read_qrels, read_queries
from stoprule.retrieval.graph import Graph
from stoprule.retrieval.lexical import Lexical
from stoprule.retrieval.request import Request
from stoprule.retrieval.tools import Hit
from stoprule.retrieval.units import Collection, Snapshot, Unit

INVENTORY = Path(__file__).parents[2] / "examples" / "inventory"


class Listed:
    """A search that returns these units in this order, whatever is asked, and counts its calls."""

    def __init__(self, *units: Unit, error: Exception | None = None, then: Callable[[], object] = int) -> None:
        self.units, self.error, self.then = units, error, then
        self.asked: list[tuple[str, int]] = []

    def search(self, query: str, *, rows: int, **_: object) -> Sequence[Hit]:
        self.asked.append((query, rows))
        self.then()
        if self.error:
            raise self.error
        return [Hit(unit, 1 / place) for place, unit in enumerate(self.units, start=1)]


@pytest.fixture(scope="session")
def listed() -> type[Listed]:
    return Listed


@pytest.fixture(scope="session")
def inventory() -> Path:
    return INVENTORY


@pytest.fixture(scope="session")
def collection() -> Collection:
    return read_collection(INVENTORY)


@pytest.fixture(scope="session")
def view(collection: Collection) -> Snapshot:
    return Snapshot.of(collection)


@pytest.fixture(scope="session")
def queries() -> tuple[Query, ...]:
    return read_queries(INVENTORY)


@pytest.fixture(scope="session")
def qrels() -> dict[str, dict[str, int]]:
    return read_qrels(INVENTORY)


@pytest.fixture(scope="session")
def graph(collection: Collection) -> Graph:
    return Graph.read(INVENTORY / "relations.json", collection)


@pytest.fixture(scope="session")
def controller(collection: Collection) -> Controller:
    """The chapter's controller over the inventory."""
    return Controller({"lexical": Lexical.build(collection), "dense": Dense.lsa(collection, dimensions=16)})


@pytest.fixture
def request_for(queries: tuple[Query, ...], view: Snapshot) -> Callable[[str], Request]:
    """The request of a query of the inventory."""
    wording = {query.id: query.text for query in queries}
    return lambda name: Request(query=wording[name], id=name, view=view)
