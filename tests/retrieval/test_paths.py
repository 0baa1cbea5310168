import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.retrieval.budget import Amounts, Budget
from stoprule.retrieval.diagnostics import OfflineSink
from stoprule.retrieval.errors import RequestError, RetrievalError
from stoprule.retrieval.graph import Graph
from stoprule.retrieval.paths import PathRequest, PathResult, PathRoute
from stoprule.retrieval.state import StopReason
from stoprule.retrieval.units import Collection, LiveView, Snapshot, Unit, View


def contact(subject: str, view: View) -> PathRequest:
    """Contact for X."""
    return PathRequest(subject=subject, route=("desk", "contact"), id="p", view=view)


def shown(result: PathResult) -> bytes:
    return (json.dumps(result.to_json()) + repr(result)).encode()


class TestRoute:
    def test_contact(self, graph: Graph, view: Snapshot) -> None:
        """Follow receiver, desk and extension, with a source for each."""
        result = PathRoute(graph).run(contact("RX-200 receiver", view))
        assert [hop.reached.id for hop in result.hops] == ["rx-200", "radio-workshop", "extension-41"]
        assert [unit.id for unit in result.packet.units] == ["rx200-battery", "desk-radio"]
        assert result.stop is StopReason.PROXY_SUFFICIENT
        assert result.proxy == "declared path"
        assert result.spent == Amounts(calls=1, rows=3, units=2, iterations=1)

    @pytest.mark.parametrize(
        ("subject", "route"),
        [
            ("pump", ("desk", "contact")),  # two entities fit
            ("RX-2000", ("desk", "contact")),  # no such identity
            ("rx-200 receiver", ("desk", "contact")),  # not exactly equal
            ("RX-200", ("desk", "manual")),  # no such relation
        ],
    )
    def test_unresolved(self, graph: Graph, view: Snapshot, subject: str, route: tuple[str, ...]) -> None:
        """Show nothing when the path breaks or two entities fit."""
        result = PathRoute(graph).run(PathRequest(subject=subject, route=route, id="p", view=view))
        assert result == PathResult("p", StopReason.UNRESOLVED, spent=Amounts(calls=1, iterations=1))

    def test_two_ends(self, graph: Graph, view: Snapshot) -> None:
        """Leave a desk with two extensions unresolved, but one that is declared twice not."""
        edge = next(edge for edge in graph.relations if edge.object == "extension-41")
        other = replace(edge, object="extension-52")
        two = replace(graph, relations=(*graph.relations, other))
        assert PathRoute(two).run(contact("RX-200", view)).stop is StopReason.UNRESOLVED
        again = replace(graph, relations=(*graph.relations, edge))
        assert PathRoute(again).run(contact("RX-200", view)).stop is StopReason.PROXY_SUFFICIENT

    def test_ambiguous_once_more_is_shown(self, graph: Graph, collection: Collection) -> None:
        """Resolve the pump for whoever may see only one of the two."""
        view = Snapshot.of(unit for unit in collection if unit.id != "peristaltic-pump")
        assert PathRoute(graph).run(contact("pump", view)).hops[-1].reached.id == "extension-52"

    @pytest.mark.parametrize("limit", [{"units": 1}, {"rows": 2}, {"packet_units": 1}, {"packet_characters": 90}])
    def test_sources_must_fit(self, graph: Graph, view: Snapshot, limit: dict[str, int]) -> None:
        """Show no path whose sources do not all fit."""
        result = PathRoute(graph, Budget(**limit)).run(contact("RX-200", view))
        assert result.stop is StopReason.RESOURCE_BUDGET_EXHAUSTED
        assert (result.hops, result.packet.units) == ((), ())

    def test_no_call_allowed(self, graph: Graph, view: Snapshot) -> None:
        """Look nothing up without a call."""
        result = PathRoute(graph, Budget(calls=0)).run(contact("RX-200", view))
        assert (result.stop, result.spent) == (StopReason.RESOURCE_BUDGET_EXHAUSTED, Amounts())

    @pytest.mark.parametrize(("checks", "calls"), [(0, 0), (1, 1)])
    def test_cancelled(self, graph: Graph, view: Snapshot, checks: int, calls: int) -> None:
        """Stop before and after the look-up."""
        answers = iter([False] * checks + [True])
        result = PathRoute(graph).run(contact("RX-200", view), cancelled=lambda: next(answers))
        assert (result.stop, result.spent.calls, result.hops) == (StopReason.CANCELLED, calls, ())

    def test_deadline(self, graph: Graph, view: Snapshot) -> None:
        """Look nothing up after the deadline."""
        result = PathRoute(graph, clock=lambda: 2.0).run(contact("RX-200", view), deadline=1.0)
        assert (result.stop, result.spent.calls) == (StopReason.DEADLINE, 0)


class TestProtection:
    def test_protected_middle(self, graph: Graph, collection: Collection) -> None:
        """Say `unresolved` and nothing of the desk that the view hides."""
        hiding = Snapshot.of(unit for unit in collection if unit.id != "desk-radio")
        result = PathRoute(graph).run(contact("RX-200", hiding))
        assert result.stop is StopReason.UNRESOLVED
        for word in (b"radio", b"desk", b"41"):
            assert word not in shown(result)

    def test_withdrawn_meanwhile(self, graph: Graph, collection: Collection) -> None:
        """Withhold the whole path at the moment of exposure when one source is gone."""
        view = LiveView("desk", collection)
        result = PathRoute(graph).run(contact("RX-200", view))
        assert result.project(view) == result
        view.withdraw("desk-radio")
        projected = result.project(view)
        assert projected.stop is StopReason.UNRESOLVED
        assert b"extension" not in shown(projected)

    def test_source_of_another_revision(self, graph: Graph, collection: Collection) -> None:
        """Do not show a text that is not the revision that declared the relation."""
        newer = [unit if unit.id != "desk-radio" else Unit("desk-radio", "moved") for unit in collection]
        moved = replace(graph, collection=Collection(newer))
        for view in (Snapshot.of(newer), Snapshot.of(collection)):
            assert PathRoute(moved).run(contact("RX-200", view)).stop is StopReason.UNRESOLVED

    def test_diagnostics(self, graph: Graph, collection: Collection) -> None:
        """Write the hidden records to the authorised sink."""
        kept: list[Any] = []
        sink = OfflineSink(kept.append, authorised_by="records office")
        hiding = Snapshot.of(unit for unit in collection if unit.id != "desk-radio")
        PathRoute(graph, diagnostics=sink).run(contact("RX-200", hiding))
        assert kept[0]["step"] == "desk"
        assert kept[0]["hidden"][0]["reached"]["id"] == "radio-workshop"

    @settings(max_examples=60)
    @given(data=st.data())
    def test_hidden_is_as_absent(self, graph: Graph, collection: Collection, data: st.DataObject) -> None:
        """Show the same bytes whether a record is hidden or does not exist, for any set of hidden units."""
        hidden = data.draw(st.sets(st.sampled_from([unit.id for unit in collection])))
        view = Snapshot.of(unit for unit in collection if unit.id not in hidden)
        bare = replace(
            graph,
            entities=tuple(entity for entity in graph.entities if entity.source.unit not in hidden),
            relations=tuple(edge for edge in graph.relations if edge.source.unit not in hidden),
        )
        for subject in ("RX-200", "pump", "outboard pump", "peristaltic pump"):
            asked = contact(subject, view)
            assert shown(PathRoute(graph).run(asked)) == shown(PathRoute(bare).run(asked))


class TestPathRequest:
    def test_added_field(self, graph: Graph, view: Snapshot) -> None:
        """Refuse a known answer by name."""
        fields = {"subject": "RX-200", "route": ("desk",), "id": "p", "view": view, "answer": "41"}
        with pytest.raises(RequestError, match="request field 'answer' is refused"):
            PathRoute(graph).run(fields)

    def test_from_fields(self, graph: Graph, view: Snapshot) -> None:
        """Take the fields of a request for the request, and nothing else."""
        fields = {"subject": "RX-200", "route": ("desk",), "id": "p", "view": view}
        assert PathRoute(graph).run(fields).stop is StopReason.PROXY_SUFFICIENT
        with pytest.raises(RequestError, match="path request is a str"):
            PathRoute(graph).run("RX-200")  # type: ignore[arg-type]
        with pytest.raises(RequestError, match="must not be empty"):
            PathRequest(subject="", route=(), id="p", view=view)


class TestGraph:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{", "line 1 is no JSON"),
            ('{"entities": []}', "lacks 'relations'"),
            ('{"entities": [{"id": "a", "names": []}], "relations": []}', "lacks 'source'"),
            ('{"entities": [{"id": "a", "names": [], "source": "x"}], "relations": []}', "'x' is no unit"),
        ],
    )
    def test_unreadable(self, tmp_path: Path, collection: Collection, text: str, message: str) -> None:
        """Say what is wrong with a file, and where."""
        (tmp_path / "relations.json").write_text(text)
        with pytest.raises(RetrievalError, match=message):
            Graph.read(tmp_path / "relations.json", collection)
