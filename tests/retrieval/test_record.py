import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from stoprule.retrieval.budget import Budget
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.errors import RetrievalError
from stoprule.retrieval.formats import Query
from stoprule.retrieval.measures import MEASURES
from stoprule.retrieval.record import record, record_controller
from stoprule.retrieval.recorded import Recorded, beside_path
from stoprule.retrieval.request import Request
from stoprule.retrieval.signals import SIGNALS, signals
from stoprule.retrieval.units import Snapshot, Unit
from stoprule.trajectories.reading import read_trajectories


@pytest.fixture(scope="module")
def recorded(controller: Controller, queries: tuple[Query, ...], qrels: Any, view: Snapshot) -> Recorded:
    return record(controller, queries, qrels, view=view)


class TestSignals:
    def test_worked(self, listed: Any) -> None:
        """Read coverage, scores and overlap of two rankings by hand: {a, b} and {b, c} share one of three."""
        a, b, c = (Unit(name, f"{word} text") for name, word in (("a", "alpha"), ("b", "beta"), ("c", "RX-20")))
        tools = {"lexical": listed(a, b), "dense": listed(b, c)}
        asked = Request(query="alpha RX-20", id="q", view=Snapshot.of([a, b, c]))
        first, second = Controller(tools).run(asked, "always").states
        assert signals(first) == {
            "coverage": 0.5,
            "missing_terms": 1,
            "identifier_match": False,
            "top_score": 1.0,
            "gap": 0.5,
            "overlap": None,
            "new_units": 2,
        }
        assert signals(second)["overlap"] == 1 / 3
        assert signals(second)["new_units"] == 1

    def test_nothing_returned(self, listed: Any) -> None:
        """Leave scores and overlap unknown when the searches return nothing."""
        asked = Request(query="what is it", id="q", view=Snapshot("all", {}))
        states = Controller({"lexical": listed(), "dense": listed()}).run(asked, "always").states
        for state in states:
            seen = signals(state)
            assert (seen["top_score"], seen["gap"], seen["overlap"]) == (None, None, None)
            assert (seen["coverage"], seen["new_units"]) == (None, 0)


class TestRecord:
    def test_two_rounds_and_one_round_cells(self, recorded: Recorded, queries: tuple[Query, ...]) -> None:
        """Give each query two rounds in one cell, and a round in a cell of each search beside it."""
        assert recorded.rounds["cell"].unique().to_list() == ["controller"]
        assert recorded.rounds.group_by("round").len().sort("round").rows() == [(1, 16), (2, 16)]
        assert recorded.beside.group_by("cell", "round").len().sort("cell").rows() == [
            ("dense", 1, 16),
            ("lexical", 1, 16),
        ]
        assert recorded.rounds["question"].unique().sort().to_list() == [query.id for query in queries]

    def test_costs(self, recorded: Recorded) -> None:
        """Count calls, rows, units and characters up to and including the round."""
        first, second = recorded.rounds.filter(pl.col("question") == "rx200-reset").rows(named=True)
        assert (first["calls"], first["rows"], first["units"]) == (1, 3, 3)
        assert (second["calls"], second["rows"], second["units"]) == (2, 6, 4)
        assert 0 < first["characters"] < second["characters"]

    def test_absence(self, recorded: Recorded) -> None:
        """Keep the query that nothing answers, at 0, and the half of a need at what it is."""
        nothing = recorded.rounds.filter(pl.col("question") == "bt7-calibration")
        assert nothing["ndcg4"].to_list() == [0.0, 0.0]
        assert nothing["coverage"].to_list() == [0.5, 0.5]
        half = recorded.rounds.filter(pl.col("question") == "lantern-price", pl.col("round") == 1)
        assert (half["coverage"].item(), half["missing_terms"].item()) == (0.8, 1)

    def test_ids_and_figures_only(self, recorded: Recorded, collection: Any, queries: tuple[Query, ...]) -> None:
        """Hold no text of units or queries."""
        held = json.dumps(recorded.rounds.rows() + recorded.beside.rows())
        assert not any(unit.text in held for unit in collection)
        assert not any(query.text in held for query in queries)

    def test_wording_when_asked_for(self, controller: Controller, qrels: Any, view: Snapshot) -> None:
        """Keep the wording of the queries for the audit of shared questions."""
        asked = [Query("rx20-reset", "reset RX-20")]
        assert record(controller, asked, qrels, view=view, text=True).rounds["text"].to_list() == ["reset RX-20"] * 2

    def test_reads_as_trajectories(self, recorded: Recorded) -> None:
        """Be a sound table with two rounds a question, calls as its cost."""
        t = read_trajectories(
            recorded.rounds, quality="ndcg4", cost="calls", outcomes=list(MEASURES)[1:], signals=list(SIGNALS)
        )
        assert (len(t), t.rounds, t.cell_names) == (16, 2, ("controller",))
        assert t.cost.tolist() == [[1.0, 2.0]] * 16

    def test_longer_schedule(self, listed: Any, qrels: Any, collection: Any, view: Snapshot) -> None:
        """Give R rounds for R searches."""
        tools = {name: listed(unit) for name, unit in zip("abc", collection, strict=False)}
        schedule = [("a", 1), ("b", 1), ("c", 1)]
        controller = Controller(tools, schedule=schedule, budget=Budget.covering(schedule))
        longer = record(controller, [Query("rx20-reset", "reset RX-20")], qrels, view=view)
        assert longer.rounds["units"].to_list() == [1, 2, 3]
        assert longer.beside["cell"].to_list() == ["a", "b", "c"]

    def test_judgements_of_other_queries(self, controller: Controller, view: Snapshot) -> None:
        """Refuse judgements that judge none of the queries."""
        with pytest.raises(RetrievalError, match="judge none of the queries"):
            record(controller, [Query("q", "reset")], {"other": {"a": 1}}, view=view)

    def test_failed_search(self, listed: Any, qrels: Any, view: Snapshot) -> None:
        """Record nothing of a search that does not answer, and say which it was."""
        tools = {"lexical": listed(), "dense": listed(error=OSError("gone"))}
        with pytest.raises(RetrievalError, match="'rx20-reset': the search 'dense' failed with OSError"):
            record(Controller(tools), [Query("rx20-reset", "reset")], qrels, view=view)

    def test_progress(self, controller: Controller, qrels: Any, view: Snapshot) -> None:
        """Pass every query through the progress."""
        seen: list[str] = []

        def watched(queries: Any) -> Any:
            for query in queries:
                seen.append(query.id)
                yield query

        record(controller, [Query("rx20-reset", "reset")], qrels, view=view, progress=watched)
        assert seen == ["rx20-reset"]


class TestRecordController:
    def test_from_a_folder(self, inventory: Path, tmp_path: Path, recorded: Recorded) -> None:
        """Record a folder in the BEIR layout, and read back what was written."""
        out = tmp_path / "trajectories.parquet"
        made = record_controller(inventory, out=out, dimensions=16)
        assert made.rounds.equals(recorded.rounds)
        again = Recorded.read(out)
        assert again.rounds.equals(made.rounds)
        assert again.beside.equals(made.beside)
        assert sorted(path.name for path in tmp_path.iterdir()) == [beside_path(out).name, out.name]

    def test_same_bytes(self, inventory: Path, tmp_path: Path) -> None:
        """Write the same bytes twice, from separate files as from a folder."""
        for name in ("one", "two"):
            record_controller(
                inventory / "corpus.jsonl",
                inventory / "queries.jsonl",
                inventory / "qrels" / "test.tsv",
                out=tmp_path / f"{name}.parquet",
            )
        assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
        assert (tmp_path / "one.beside.parquet").read_bytes() == (tmp_path / "two.beside.parquet").read_bytes()

    def test_no_folder_to_write_in(self, inventory: Path, tmp_path: Path) -> None:
        """Say so before anything is recorded."""
        with pytest.raises(RetrievalError, match="its folder does not exist"):
            record_controller(inventory, out=tmp_path / "none" / "t.parquet")

    def test_nothing_half_written(self, recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Leave what was there when writing fails."""
        out = tmp_path / "t.parquet"
        recorded.write(out)
        before = out.read_bytes()

        def broken(*_: object) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(pl.DataFrame, "write_parquet", broken)
        with pytest.raises(OSError, match="disk full"):
            recorded.write(out)
        assert out.read_bytes() == before
        assert len(list(tmp_path.iterdir())) == 2

    def test_no_recording(self, tmp_path: Path) -> None:
        """Name the file that is missing."""
        with pytest.raises(RetrievalError, match=r"t\.parquet: no such recording"):
            Recorded.read(tmp_path / "t.parquet")
