"""What a study can ask of an evaluation beside the rule's own figures, from the study file to evaluation.json."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from .conftest import contents
from .small_study import STUDY, Made, made, recorded, written

ASKED = """\
interval = "bca"
by = ["kind"]
margin = 0.1
learned = true

[costs]
prompt_tokens = "tokens"
answer_base = 10
prompt_tokens_per_second = 1000
price_per_million_prompt_tokens = 2.0
joules_per_prompt_token = 0.1
grams_co2_per_kwh = 400

[[costs.extra]]
name = "judge"
signals = ["coverage"]
seconds = 1.0
"""


def asked_for(folder: Path) -> Path:
    """The small study with everything asked for; its questions have a kind, its rounds a number of tokens."""
    number = pl.col("question").str.slice(1).cast(pl.Int64)
    kind = pl.when(number % 2 == 0).then(pl.lit("even")).otherwise(pl.lit("odd"))
    return written(folder, STUDY + ASKED, recorded().with_columns(kind=kind, tokens=200 + 100 * pl.col("round")))


@pytest.fixture
def asking(tmp_path) -> Path:
    """A study that asks for everything."""
    return asked_for(tmp_path)


@pytest.fixture(scope="module")
def everything(tmp_path_factory) -> Made:
    """It, run once; copy it before you change it."""
    return made(asked_for(tmp_path_factory.mktemp("everything")).parent)


class TestEverything:
    @pytest.fixture
    def content(self, everything):
        """What evaluate left."""
        return json.loads((everything.out / "evaluation.json").read_text())

    def test_is_declared_in_the_lock_and_worked_through(self, everything, content):
        """Margin, bets, the cells' own rules, the learned stopper's price and the cost model stand in the lock."""
        lock = json.loads((everything.out / "lock.json").read_text())
        assert lock["non_inferiority"].keys() == {"of", "margin", "alpha", "largest", "mean", "variance", "units"}
        assert (lock["non_inferiority"]["of"], lock["non_inferiority"]["margin"]) == ("round >= 4", 0.1)
        assert lock["transfer"]["rules"].keys() == {"dense", "lexical"}
        assert 0 <= lock["learned"]["chosen"] < len(lock["learned"]["frontier"])
        assert "margin_cal" in lock["learned"]["signals"]
        assert lock["costs"]["extra"][0]["name"] == "judge"
        assert (lock["roles"]["by"], lock["roles"]["measures"]) == (["kind"], ["tokens"])

        assert content["bootstrap"]["interval"] == "bca"
        assert content["non_inferiority"]["of"] == "fixed(4)"
        assert len(content["transfer"]["entries"]) == 3 * 2
        assert len(content["learned"]["frontier"]) == len(lock["learned"]["frontier"])
        assert content["costs"].keys() == {"tokens", "seconds", "money", "energy", "co2"}
        assert content["costs"]["tokens"]["baselines"]["fixed(1)"]["value"]["value"] == 310
        assert [level["value"] for level in content["breakdown"]["kind"]] == ["even", "odd"]
        assert sum(level["n"] for level in content["breakdown"]["kind"]) == content["n"]
        assert [each["k"] for each in content["depths"]] == [1, 2, 3, 4]
        assert content["outcomes"].keys() == {"em"}
        said = " ".join(content["verdicts"])
        for words in ("betting test", "chosen in one cell", "gives away", "tokens a question", "stop early"):
            assert words in said

    def test_stops_are_exported(self, everything, content):
        """stops.csv has a row for every trajectory, with its kind."""
        frame = pl.read_csv(everything.out / "stops.csv")
        assert frame.height == content["n"]
        assert {"kind", "stopping", "f1_next", "em_last"} <= set(frame.columns)
        early = frame.filter(pl.col("stopping") != "")
        assert early.height == content["early_stops"]["n"]

    @pytest.mark.usefixtures("profiles")
    def test_gives_the_same_bytes_for_any_number_of_workers(self, stoprule, asking, everything):
        """The learned stopper, the cells' searches and every draw depend on nothing but study and data (case 21)."""
        answered = stoprule("run", asking, "--jobs", 2)
        assert answered.status in (0, 1), answered.err
        for shown in ("by kind, macro", "learned stopper, by price", "cost model", "rules by cell, carried over"):
            assert shown in answered.out
        assert contents(asking.parent / "out") == contents(everything.out)


class TestLearned:
    def test_a_lock_of_other_trees_is_told(self, stoprule, everything, tmp_path, monkeypatch):
        """Where the fit comes out another one, say so instead of comparing with it."""
        from stoprule.analysis import learned

        folder = Made(shutil.copytree(everything.root, tmp_path, dirs_exist_ok=True)).searched
        monkeypatch.setitem(learned.MODEL, "max_iter", 3)
        monkeypatch.setitem(learned.MODEL, "learning_rate", 1.0)
        content = json.loads(stoprule("evaluate", folder, "--json").out)
        assert content["learned"].keys() == {"reason"}
        assert "other libraries" in content["learned"]["reason"]

    def test_leaves_out_calibrators_that_saw_the_folds(self, stoprule, asking):
        """With fit = "selection" the calibrated signal knows the outcomes it would be tested on."""
        assert stoprule("search", asking, "--set", "calibrate.margin_cal.fit=selection").status == 0
        lock = json.loads((asking.parent / "out" / "lock.json").read_text())
        assert lock["learned"]["signals"] == ["coverage", "margin"]


class TestNothingAsked:
    def test_is_null(self, stoprule, study):
        """No margin, no costs, no learned stopper: null, in the lock and in the evaluation."""
        assert stoprule("run", study, "--set", "evaluate.transfer=false").status in (0, 1)
        for name in ("lock.json", "evaluation.json"):
            content = json.loads((study.parent / "out" / name).read_text())
            assert [content[part] for part in ("non_inferiority", "transfer", "learned", "costs")] == [None] * 4


class TestMistakes:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ('evaluate.by=["knid"]', "'kind'"),
            ('evaluate.by=["round"]', "changes between the rounds"),
            ("evaluate.margin=-1", "greater than or equal to 0"),
            ("evaluate.alpha=1", "less than 1"),
            ("evaluate.of=margn > 1", "margin"),
            ("costs.prompt_tokens=tokns", "'tokens'"),
            ("costs.prompt_base=5", "count prompt tokens once"),
            ("costs.answer_tokens_per_secnd=5", "answer_tokens_per_second"),
            ('costs.extra=[{name="judge", signals=["covrage"]}]', "coverage"),
            ('costs.extra=[{name="judge", signal=["coverage"]}]', "signals"),
        ],
    )
    def test_end_with_one_line(self, stoprule, asking, change, said):
        """Exit status 2, what is wrong and what to do; nothing is written."""
        refused = stoprule("search", asking, "--set", change, "--set", "evaluate.learned=false")
        assert refused.status == 2
        (line,) = [line for line in refused.err.splitlines() if line.startswith("stoprule: ")]
        assert said in line
        assert not (asking.parent / "out").exists()

    def test_a_margin_needs_a_range(self, stoprule, asking):
        """The test bets on bounded losses."""
        asking.write_text(asking.read_text().replace("range = [0, 1]\n", ""))
        refused = stoprule("search", asking)
        assert (refused.status, "data.range" in refused.err) == (2, True)
