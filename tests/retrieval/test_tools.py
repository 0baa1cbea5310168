from types import SimpleNamespace
from typing import Any

import pytest
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.errors import RetrievalError
from stoprule.retrieval.request import Request
from stoprule.retrieval.tools import Failure, Hit, Rows, sift
from stoprule.retrieval.units import Snapshot, Unit

UNITS = [Unit(name, f"text of {name}") for name in "abcde"]
VIEW = Snapshot.of(UNITS)


class TestSift:
    def test_cut_to_the_allowance(self) -> None:
        """Keep the first rows and count the rest."""
        rows = sift([Hit(unit, 1.0) for unit in UNITS], rows=3, view=VIEW)
        assert isinstance(rows, Rows)
        assert [hit.unit.id for hit in rows.hits] == ["a", "b", "c"]
        assert rows.excess == 2

    def test_hidden_rows_leave_no_gap(self) -> None:
        """Fill the allowance with what may be seen; count no hidden row as excess."""
        reply = [Hit(unit, 1.0) for unit in UNITS]
        hiding = sift(reply, rows=3, view=Snapshot.of(UNITS[2:]))
        without = sift(reply[2:], rows=3, view=Snapshot.of(UNITS))
        assert isinstance(hiding, Rows)
        assert isinstance(without, Rows)
        assert (hiding.hits, hiding.excess) == (without.hits, without.excess)
        assert "a" not in repr(hiding).replace("Rows", "").split("'")

    def test_stale_revision_is_hidden(self) -> None:
        """Drop a unit whose text is not the revision that the view grants."""
        rows = sift([Hit(Unit("a", "older text"), 1.0)], rows=3, view=VIEW)
        assert isinstance(rows, Rows)
        assert rows.hits == ()

    @pytest.mark.parametrize(
        "reply", [None, 3, ["a"], [("a", 1.0)], [Hit(UNITS[0], float("nan"))], (Hit(u, 1.0) for u in UNITS)]
    )
    def test_malformed(self, reply: object) -> None:
        """Take a reply that is no sequence of hits with finite scores for a failure."""
        assert sift(reply, rows=3, view=VIEW) == Failure("MalformedReply")


class Elastic:
    """A user's own search, in ten lines."""

    def __init__(self, client: Any, index: str) -> None:
        self.client, self.index = client, index

    def search(self, query: str, *, rows: int, **_: object) -> list[Hit]:
        match = {"match": {"text": query}}
        reply = self.client.search(index=self.index, query=match, size=rows)
        found = [(row["_source"], row["_score"]) for row in reply["hits"]["hits"]]
        return [Hit(Unit(**source), score) for source, score in found]


class TestTool:
    def test_own_search_of_ten_lines(self) -> None:
        """Plug in a client that answers as Elasticsearch does; the controller checks what it returns."""
        asked: list[dict[str, object]] = []

        def answer(**given: object) -> dict[str, object]:
            asked.append(given)
            rows = [{"_source": {"id": u.id, "text": u.text}, "_score": 2.0} for u in UNITS[:3]]
            return {"hits": {"hits": rows}}

        own = Elastic(SimpleNamespace(search=answer), "units")
        controller = Controller({"own": own}, schedule=[("own", 3)])
        result = controller.run(Request(query="text of b", id="q", view=Snapshot.of(UNITS[1:])))
        assert asked == [{"index": "units", "query": {"match": {"text": "text of b"}}, "size": 3}]
        assert [unit.id for unit in result.packet.units] == ["b", "c"]
        assert result.stop == "proxy_sufficient"

    def test_name_of_a_policy(self) -> None:
        """Refuse a tool that is called as a policy is."""
        with pytest.raises(RetrievalError, match="tool 'always' has the name of a policy"):
            Controller({"always": Elastic(None, "units")}, schedule=[("always", 3)])

    @pytest.mark.parametrize(
        ("schedule", "message"),
        [
            ([("web", 3)], "no tool 'web'; there are own"),
            ([("own", 0)], "own asks for 0 rows"),
            ([("own", 1.5)], "own asks for 1.5 rows"),
            ([], "names no search"),
        ],
    )
    def test_schedule(self, schedule: list[tuple[str, int]], message: str) -> None:
        """Refuse a schedule of unknown tools, no rows or no searches."""
        with pytest.raises(RetrievalError, match=message):
            Controller({"own": Elastic(None, "units")}, schedule=schedule)
