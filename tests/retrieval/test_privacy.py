"""Protected text in no public output: looked for byte by byte, in errors and repr too."""

import json
import logging
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from stoprule.retrieval.controller import Controller, Result
from stoprule.retrieval.dense import Dense
from stoprule.retrieval.diagnostics import OfflineSink
from stoprule.retrieval.errors import RetrievalError
from stoprule.retrieval.exposure import project
from stoprule.retrieval.paths import PathRequest, PathRoute
from stoprule.retrieval.request import Request
from stoprule.retrieval.tools import Hit, Tool
from stoprule.retrieval.trace import trace_bytes
from stoprule.retrieval.units import LiveView, Snapshot, Unit

SECRET = "zanzibar"
OPEN = Unit("open", "the door of the cold store opens outward")
HIDDEN = Unit(f"{SECRET}-unit", f"the door code of the cold store is {SECRET}", title=f"{SECRET} door")
ASKED = Request(query="door code of the cold store", id="q", view=Snapshot.of([OPEN]))


class Careless:
    """A search that ignores the view."""

    def search(self, *_: object, **__: object) -> list[Hit]:
        return [Hit(HIDDEN, 9.0), Hit(OPEN, 1.0)]


class Talkative:
    """A search that quotes protected text when it fails."""

    def search(self, *_: object, **__: object) -> list[Hit]:
        raise RuntimeError(f"cannot rank {HIDDEN.content}")


def outputs(result: Result) -> bytes:
    """Everything of a result that could be printed, logged, stored or sent."""
    exposed = project(result)
    shown = [repr(result), str(result), repr(result.states), repr(exposed), json.dumps(exposed.to_json())]
    return "\n".join(shown).encode() + trace_bytes(result) + exposed.packet.text.encode()


@pytest.mark.parametrize("policy", ["adaptive", "always", "lexical"])
@pytest.mark.parametrize("tool", [Careless(), Talkative()])
class TestSearches:
    def test_no_output_holds_it(
        self, tool: Tool, policy: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        """Show neither text nor id of a hidden unit, in output, trace, repr, log or stream."""
        caplog.set_level(logging.DEBUG)
        result = Controller({"lexical": tool, "dense": tool}).run(ASKED, policy)
        streams = capfd.readouterr()
        assert SECRET not in outputs(result).decode() + caplog.text + streams.out + streams.err

    def test_not_even_in_the_objects(self, tool: Tool, policy: str) -> None:
        """Keep nothing of it in the result: its bytes hold none of the text."""
        result = Controller({"lexical": tool, "dense": tool}).run(ASKED, policy)
        assert SECRET.encode() not in pickle.dumps(result)
        assert OPEN.text.encode() in pickle.dumps(result) or isinstance(tool, Talkative)

    def test_same_as_without_it(self, tool: Tool, policy: str) -> None:
        """Give the bytes of a search that never saw it."""

        class Bare:
            def search(self, *_: object, **__: object) -> list[Hit]:
                if isinstance(tool, Talkative):
                    raise RuntimeError
                return [Hit(OPEN, 1.0)]

        bare = Bare()
        with_it = Controller({"lexical": tool, "dense": tool}).run(ASKED, policy)
        without = Controller({"lexical": bare, "dense": bare}).run(ASKED, policy)
        assert outputs(with_it) == outputs(without)


class TestProjection:
    def test_withdrawn_meanwhile(self, collection: Any, controller: Controller) -> None:
        """Lose a unit that was withdrawn after the run: text, id and the terms that only it held."""
        view = LiveView("desk", collection)
        result = controller.run(Request(query="the door of the cold store jams", id="q", view=view))
        before = project(result)
        assert before.packet.units[0].id == "cold-route"
        assert before.coverage == 1.0
        view.withdraw("cold-route")
        after = project(result)
        assert "cold-route" not in [unit.id for unit in after.packet.units]
        shown = json.dumps(after.to_json())
        assert "green knob" not in shown
        assert "cold-route" not in shown
        assert after.coverage == 0.75
        assert after.missing == ("jams",)

    def test_changed_meanwhile(self, collection: Any, controller: Controller) -> None:
        """Lose a unit of which another revision is shown now."""
        view = LiveView("desk", collection)
        result = controller.run(Request(query="the door of the cold store jams", id="q", view=view))
        view.grant(Unit("cold-route", "another text"))
        assert "cold-route" not in [unit.id for unit in project(result).packet.units]

    def test_withdrawn_during_the_run(self, listed: Any) -> None:
        """Recheck what was selected: a unit withdrawn by the second search's time is not packed."""
        view = LiveView("desk", [OPEN, HIDDEN])
        tools = {"lexical": listed(HIDDEN), "dense": listed(OPEN, then=lambda: view.withdraw(HIDDEN.id))}
        result = Controller(tools).run(Request(query="code of the safe", id="q", view=view))
        assert result.packet.units == (OPEN,)
        assert SECRET not in json.dumps(project(result).to_json())

    def test_another_view(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Recheck against the view of whoever looks."""
        exposed = project(controller.run(request_for("cold-door")), Snapshot("nobody", {}))
        assert exposed.packet.units == ()
        assert exposed.matched == ()

    def test_says_what_it_is(self, controller: Controller, request_for: Callable[[str], Request]) -> None:
        """Name the proxy and the reason, and show no score."""
        shown = project(controller.run(request_for("cold-door"))).to_json()
        assert shown["proxy"] == {
            "name": "term coverage",
            "value": 1.0,
            "matched": ["door", "cold", "store", "jams"],
            "missing": [],
        }
        assert shown["stop"] == "proxy_sufficient"
        assert "score" not in json.dumps(shown)


class TestErrors:
    def test_no_error_quotes_it(self, collection: Any) -> None:
        """Name units by id in errors, and never their text."""
        with pytest.raises(RetrievalError) as caught:
            Dense.build(collection, lambda _: np.zeros((1, 1)))
        assert "green knob" not in "".join(traceback.format_exception(caught.value))


class TestDiagnostics:
    def test_only_an_authorised_sink(self) -> None:
        """Refuse a bare function, and a sink that nobody answers for."""
        with pytest.raises(RetrievalError, match="diagnostics is a builtin_function_or_method"):
            Controller({"lexical": Careless()}, schedule=[("lexical", 3)], diagnostics=print)  # type: ignore[arg-type]
        with pytest.raises(RetrievalError, match="authorised_by is blank"):
            OfflineSink([].append, authorised_by=" ")

    def test_gets_what_was_withheld(self, tmp_path: Any) -> None:
        """Write hidden records and error texts to the sink's file, and there only."""
        sink = OfflineSink.file(tmp_path / "offline.jsonl", authorised_by="records office")
        tools = {"lexical": Careless(), "dense": Talkative()}
        result = Controller(tools, diagnostics=sink).run(ASKED, "always")
        lines = [json.loads(line) for line in (tmp_path / "offline.jsonl").read_text().splitlines()]
        assert lines[0]["withheld"] == [{"unit": HIDDEN.id, "revision": HIDDEN.revision}]
        assert SECRET in lines[1]["detail"]
        assert {line["authorised_by"] for line in lines} == {"records office"}
        assert SECRET not in outputs(result).decode()

    def test_path_route_checks_it_too(self, graph: Any) -> None:
        """Refuse a bare function beside a graph as well."""
        with pytest.raises(RetrievalError, match="protected records go to an OfflineSink only"):
            PathRoute(graph, diagnostics=print)  # type: ignore[arg-type]
        assert (
            PathRoute(graph)
            .run(PathRequest(subject="RX-20", route=(), id="p", view=Snapshot("nobody", {})))
            .packet.units
            == ()
        )
