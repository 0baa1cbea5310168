from dataclasses import dataclass

import pytest
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.errors import RequestError
from stoprule.retrieval.request import Request
from stoprule.retrieval.units import Snapshot

VIEW = Snapshot("all", {})


class TestRequest:
    @pytest.mark.parametrize("field", ["relevance", "qrels", "answer", "answerable", "target", "rows"])
    def test_added_field(self, controller: Controller, field: str) -> None:
        """Refuse a judgement, a known answer or any other added field by its name."""
        fields = {"query": "reset", "id": "q", "view": VIEW, field: {"rx200-reset": 2}}
        with pytest.raises(RequestError, match=f"request field '{field}' is refused") as caught:
            controller.run(fields)
        assert "rx200-reset" not in str(caught.value)

    def test_missing_field(self, controller: Controller) -> None:
        """Say which field is missing."""
        with pytest.raises(RequestError, match="request field 'view' is missing"):
            controller.run({"query": "reset", "id": "q"})

    def test_subclass_with_a_field(self, controller: Controller) -> None:
        """Refuse a subclass: it could carry what a request may not."""

        @dataclass(frozen=True, slots=True, kw_only=True)
        class Judged(Request):
            relevance: int

        with pytest.raises(RequestError, match="request is a Judged"):
            controller.run(Judged(query="reset", id="q", view=VIEW, relevance=2))

    def test_attribute_on_a_request(self) -> None:
        """Leave no room for an attribute set afterwards."""
        with pytest.raises((AttributeError, TypeError)):
            object.__setattr__(Request(query="reset", id="q", view=VIEW), "relevance", 2)

    @pytest.mark.parametrize("field", ["query", "id"])
    @pytest.mark.parametrize("value", ["", "  ", 7, None])
    def test_no_text(self, field: str, value: object) -> None:
        """Refuse a blank query or identity, and one that is no text."""
        with pytest.raises(RequestError, match=f"request field '{field}' is no text"):
            Request.read({"query": "reset", "id": "q", "view": VIEW, field: value})

    def test_no_view(self) -> None:
        """Refuse something that cannot be asked for a revision."""
        with pytest.raises(RequestError, match="'view' has no revision"):
            Request.read({"query": "reset", "id": "q", "view": {"a"}})

    def test_mapping_is_the_request(self, controller: Controller, view: Snapshot) -> None:
        """Take the fields of a request for the request."""
        fields = {"query": "reset RX-200", "id": "q", "view": view}
        assert controller.run(fields).packet == controller.run(Request.read(fields)).packet
