"""The recorded study of examples/cranfield; where the collection is at hand, the recording itself."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from stoprule.cli.auditing import audit_folder
from stoprule.cli.evaluating import evaluate_folder
from stoprule.cli.reporting import report_folder
from stoprule.cli.searching import search_study
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.formats import read_qrels
from stoprule.retrieval.measures import outcomes
from stoprule.retrieval.record import record_controller
from stoprule.retrieval.recorded import Recorded
from stoprule.retrieval.request import Request
from stoprule.retrieval.study import early_stops, policies
from stoprule.rules.lockfile import read_lock
from stoprule.rules.stopper import Stopper
from stoprule.trajectories.reading import read_trajectories

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "cranfield"
COLLECTION = Path(os.environ.get("STOPRULE_CRANFIELD", ROOT.parent / "shared" / "cranfield"))

at_hand = pytest.mark.skipif(
    not (COLLECTION / "corpus.jsonl").is_file(),
    reason="the Cranfield collection is not at hand: set STOPRULE_CRANFIELD to its folder",
)


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return Recorded.read(EXAMPLE / "trajectories.parquet")


class TestExample:
    def test_is_a_sound_table(self) -> None:
        """Hold 225 queries of two rounds."""
        t = read_trajectories(EXAMPLE / "trajectories.parquet", quality="ndcg4", cost="calls", signals=["coverage"])
        assert (len(t), t.rounds) == (225, 2)
        assert t.cost[0].tolist() == [1.0, 2.0]

    def test_policies(self, recorded: Recorded) -> None:
        """Keep the figures that the README states."""
        table = {row["policy"]: row for row in policies(recorded).iter_rows(named=True)}
        assert {name: (round(row["ndcg4"], 3), row["calls"]) for name, row in table.items()} == {
            "adaptive": (0.300, 404),
            "always": (0.305, 450),
            "dense": (0.319, 225),
            "lexical": (0.296, 225),
        }

    def test_early_stops(self, recorded: Recorded) -> None:
        """Keep the counts that the README states."""
        at4, at3 = early_stops(recorded), early_stops(recorded, outcome="ndcg3")
        assert (at4.stopped, at4.better, at4.same, at4.worse, at4.relevant) == (46, 16, 23, 7, 37)
        assert (at3.better, at3.same, at3.worse) == (10, 27, 9)

    def test_holds_no_text(self, recorded: Recorded) -> None:
        """Hold ids and figures only: its texts are cells, numbers of queries and lists of numbers."""
        for frame in (recorded.rounds, recorded.beside):
            texts = {name for name, kind in frame.schema.items() if kind == pl.String}
            assert texts == {"question", "cell", "packet", "best"}
            assert frame["question"].str.contains(r"^\d+$").all()
            assert frame["packet"].str.contains(r'^\[("\d+"(, )?)*\]$').all()
            assert frame["best"].drop_nulls().str.contains(r"^\d+$").all()


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the study's run as users run it, but for the pictures; its audit did not fail."""
    folder = tmp_path_factory.mktemp("study") / "out"
    search_study(EXAMPLE / "study.toml", out=folder, jobs=1, overrides=[], pictures=False)
    evaluate_folder(folder, pictures=False)
    assert audit_folder(folder)["verdict"] != "fail"
    report_folder(folder)
    return folder


class TestStudy:
    def test_locks_the_chapters_cut(self, out: Path) -> None:
        """Choose 0.8 out of every distinguishable cut of coverage."""
        assert str(read_lock(out / "lock.json").rule) == "coverage >= 0.8"

    def test_small_case(self, tmp_path: Path) -> None:
        """Choose the same one out of the two cuts that are stated."""
        search_study(EXAMPLE / "two_cuts.toml", out=tmp_path, jobs=1, overrides=[], pictures=False)
        assert str(read_lock(tmp_path / "lock.json").rule) == "coverage >= 0.8"

    def test_locked_rule_decides_live(
        self, out: Path, controller: Controller, request_for: Callable[[str], Request]
    ) -> None:
        """Hand the lock to a controller: it stops where the rule says so."""
        stopper = Stopper.from_lock(out / "lock.json", cell="controller")
        calls = [
            controller.run(request_for(name), stopper=stopper).final.spent.calls
            for name in ("rx20-reset", "rx200-reset")
        ]
        assert calls == [1, 2]


@at_hand
class TestCollection:
    def test_ndcg_is_ir_measures(self, recorded: Recorded) -> None:
        """Equal ir_measures called by itself on all packets of a round, query by query."""
        ir_measures = pytest.importorskip("ir_measures")
        qrels = read_qrels(COLLECTION)
        last = recorded.rounds.filter(pl.col("round") == 2)
        packets = {row["question"]: json.loads(row["packet"]) for row in last.iter_rows(named=True)}
        run = [
            ir_measures.ScoredDoc(question, unit, 1.0 / place)
            for question, units in packets.items()
            for place, unit in enumerate(units, start=1)
        ]
        judged = [ir_measures.Qrel(q, unit, grade) for q, units in qrels.items() for unit, grade in units.items()]
        expected = {metric.query_id: metric.value for metric in (ir_measures.nDCG @ 4).iter_calc(judged, run)}
        assert dict(last.select("question", "ndcg4").iter_rows()) == expected
        assert {question: scores["ndcg4"] for question, scores in outcomes(packets, qrels).items()} == expected

    def test_records_again(self, recorded: Recorded, tmp_path: Path) -> None:
        """Record the same ids and outcomes from the collection; scores to six places or so."""
        again = record_controller(COLLECTION, out=tmp_path / "t.parquet")
        for frame, kept in ((again.rounds, recorded.rounds), (again.beside, recorded.beside)):
            exact = [name for name, kind in kept.schema.items() if kind != pl.Float64]
            assert frame.select(exact).equals(kept.select(exact))
            for name in ("coverage", "ndcg4", "ndcg3", "recall4", "any_relevant"):
                assert frame[name].equals(kept[name])
            for name in ("top_score", "gap"):
                assert (frame[name] - kept[name]).abs().max() < 1e-4
