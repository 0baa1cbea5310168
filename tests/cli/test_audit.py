"""`stoprule audit` from end to end: exit status, artefacts, attacks on lock and log, tables of rules."""

import json
from pathlib import Path

import polars as pl
import pytest
from stoprule.analysis.audit.registry import CHECKS
from stoprule.cli import evaluating, searching

from .audit_study import prepared, quickly
from .conftest import contents


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory) -> Path:
    """The folder of a study that was searched and evaluated; copy it before you change it."""
    study = prepared(tmp_path_factory.mktemp("study"))
    with quickly():
        folder = searching.search_study(study, out=None, jobs=1, overrides=[]).folder
        evaluating.evaluate_folder(folder)
    return folder


@pytest.fixture
def folder(evaluated, tmp_path) -> Path:
    """A folder to tamper with, its data beside it."""
    for path in (evaluated.parent, evaluated):
        to = tmp_path if path == evaluated.parent else tmp_path / "out"
        to.mkdir(exist_ok=True)
        for file in path.iterdir():
            if file.is_file():
                (to / file.name).write_bytes(file.read_bytes())
    return tmp_path / "out"


def audited(stoprule, folder, *options):
    """Exit status and checks by name."""
    answered = stoprule("audit", folder, "--json", *options)
    return answered.status, {each["check"]: each for each in json.loads(answered.out)["checks"]}


class TestAudit:
    def test_prints_what_it_writes(self, stoprule, folder):
        """One JSON object, which audit.json holds too; every check has verdict, figure, cause and remedy."""
        answered = stoprule("audit", folder, "--json")
        content = json.loads(answered.out)
        assert content == json.loads((folder / "audit.json").read_text())
        assert (answered.status, content["verdict"]) == (0, "pass")
        assert [each["check"] for each in content["checks"]] == list(CHECKS)
        for each in content["checks"]:
            assert each.keys() == {"check", "verdict", "figure", "what", "cause", "remedy"}
            assert each["cause"]
            assert each["remedy"]

    def test_prints_a_table(self, stoprule, folder):
        """Without --json a person reads it."""
        answered = stoprule("audit", folder)
        assert answered.status == 0
        assert "split-overlap" in answered.out
        assert "audit: pass" in answered.out

    def test_writes_the_same_bytes_twice(self, stoprule, folder):
        """For any number of workers, wherever it stands."""
        stoprule("audit", folder)
        first = contents(folder)
        stoprule("audit", folder, "--jobs", 2)
        assert contents(folder) == first
        assert str(folder).encode() not in first["audit.json"]

    def test_opens_nothing_of_the_final_split(self, stoprule, folder):
        """What the checks need of it was kept by `evaluate`: final values may be gone."""
        before = audited(stoprule, folder)
        table = folder.parent / "table.parquet"
        final = pl.col("split") == "final"
        broken = pl.read_parquet(table).with_columns(
            pl.when(final).then(None).otherwise(pl.col(name)).alias(name) for name in ("f1", "em", "margin", "coverage")
        )
        broken.write_parquet(table)
        assert audited(stoprule, folder) == before

    def test_before_the_final_split_is_opened(self, stoprule, folder):
        """Checks that need it say so in a note."""
        (folder / "evaluation.json").unlink()
        log = folder / "looks.jsonl"
        log.write_text(log.read_text().splitlines(keepends=True)[0])
        status, checks = audited(stoprule, folder)
        assert status == 0
        idle = {name for name, each in checks.items() if each["what"] == "not run"}
        assert idle == {"transductive-scale", "picked-on-final", "dominated"}
        assert {each["verdict"] for each in checks.values()} == {"pass", "note"}

    def test_follows_data_that_moved(self, stoprule, folder, tmp_path):
        """--data stands in for the study's path."""
        moved = (folder.parent / "table.parquet").rename(tmp_path / "moved.parquet")
        assert stoprule("audit", folder).status == 2
        assert stoprule("audit", folder, "--data", moved).status == 0

    def test_refuses_what_is_no_folder_of_a_search(self, stoprule, tmp_path):
        """Say which command comes first; a folder and a table are one too many."""
        for arguments in ([tmp_path / "none"], [tmp_path], [], [tmp_path, "--table", tmp_path]):
            refused = stoprule("audit", *arguments)
            assert (refused.status, len(refused.err.splitlines())) == (2, 1), arguments


def changed(file: str, old: str, new: str):
    """An attack that replaces a piece of a file."""

    def attack(folder):
        path = folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return attack


def lines(rearrange):
    """An attack on the lines of the look log."""

    def attack(folder):
        path = folder / "looks.jsonl"
        path.write_text("".join(rearrange(path.read_text().splitlines(keepends=True))))

    return attack


def other_rows(folder):
    """Another margin in a selection row."""
    path = folder.parent / "table.parquet"
    margin = pl.when(pl.int_range(pl.len()) == 1000).then(9.0).otherwise("margin")
    pl.read_parquet(path).with_columns(margin=margin).write_parquet(path)


class TestIntegrity:
    """Attacks on the lock, the log and the data: exit status 1, and lock-integrity says which."""

    @pytest.mark.parametrize(
        ("attack", "said"),
        [
            (changed("lock.json", '"seed": 42', '"seed": 43'), "was changed after it was written"),
            (changed("lock.json", "margin_cal > 0.", "margin_cal > 1."), "was changed after it was written"),
            (changed("looks.jsonl", '"number": 1', '"number": 2'), "line 1: the look log was edited"),
            (lines(lambda log: [log[1], log[0]]), "line 1: the look log was edited, reordered"),
            (lines(lambda log: log[1:]), "line 1: the look log was edited, reordered or cut"),
            (lines(lambda log: [log[0], log[1][:40]]), "line 2: is no entry"),
            (lines(lambda log: log[:1]), "holds 0 looks but evaluation.json counted 1"),
            (lambda folder: (folder / "looks.jsonl").unlink(), "holds 0 looks but evaluation.json counted 1"),
            (changed("evaluation.json", '"final_rows": "', '"final_rows": "0'), "rows that the look log does not know"),
            (lambda folder: (folder / "evaluation.json").write_text("{"), "evaluation.json: is broken"),
            (other_rows, "the selection rows are not those"),
        ],
        ids=[
            "a byte of the lock",
            "a cut of the lock",
            "an edited line",
            "reordered lines",
            "a removed line",
            "half a line",
            "a lost tail",
            "a lost log",
            "other rows reported",
            "a broken evaluation",
            "other selection rows",
        ],
    )
    def test_finds(self, stoprule, folder, attack, said):
        """Nothing of it goes unseen."""
        attack(folder)
        status, checks = audited(stoprule, folder)
        assert (status, checks["lock-integrity"]["verdict"]) == (1, "fail")
        assert said in checks["lock-integrity"]["cause"]
        assert str(folder) not in checks["lock-integrity"]["cause"]

    def test_judges_nothing_by_a_lock_that_was_changed(self, stoprule, folder):
        """Case 27: a threshold other than the published one."""
        changed("lock.json", "margin_cal > 0.", "margin_cal > 1.")(folder)
        _, checks = audited(stoprule, folder)
        assert {each["what"] for name, each in checks.items() if name != "lock-integrity"} == {"not run"}
        assert "not run, as the lock cannot be trusted" in stoprule("audit", folder).out
        assert stoprule("evaluate", folder).status == 2


class TestReasons:
    def test_every_later_artefact_carries_them(self, stoprule, folder):
        """A second lock on the same final ids needs a reason; evaluation and audit repeat it ever after."""
        study = folder.parent / "study.toml"
        assert stoprule("search", study, "--set", "evaluate.seed=1").status == 0
        assert stoprule("evaluate", folder).status == 2
        assert stoprule("evaluate", folder, "--look-again", "a wrong seed").status == 0
        for command in (("audit",), ("evaluate", "--look-again", "once more"), ("audit",)):
            shown = stoprule(*command, folder)
            assert "exploratory, looked again: a wrong seed" in shown.out
        for artefact in ("evaluation.json", "audit.json"):
            assert json.loads((folder / artefact).read_text())["reasons"] == ["a wrong seed", "once more"]
        _, checks = audited(stoprule, folder)
        assert checks["more-than-one-look"]["verdict"] == "warn"
        assert "a wrong seed" in checks["more-than-one-look"]["cause"]

    def test_an_evaluation_of_an_earlier_lock_counts_for_nothing(self, stoprule, folder):
        """It is stale until the new lock is evaluated."""
        stoprule("search", folder.parent / "study.toml", "--set", "evaluate.seed=1")
        status, checks = audited(stoprule, folder)
        assert (status, checks["stale-versions"]["verdict"], checks["dominated"]["what"]) == (0, "warn", "not run")
        assert "belongs to an earlier lock" in checks["stale-versions"]["cause"]


class TestCalibratedOnFinal:
    """Case 24."""

    @pytest.fixture
    def same_rows(self, tmp_path) -> Path:
        """A study whose calibration file is its final file."""
        study = prepared(tmp_path)
        table = pl.read_parquet(tmp_path / "table.parquet")
        for side in ("selection", "final"):
            table.filter(pl.col("split") == side).drop("split").write_parquet(tmp_path / f"{side}.parquet")
        files = 'selection = "selection.parquet"\nfinal = "final.parquet"\ncalibration = "final.parquet"'
        text = study.read_text().replace('path = "table.parquet"', files)
        study.write_text(text.replace('[split]\ncolumn = "split"\n', ""))
        return study

    def test_is_refused(self, stoprule, same_rows):
        """By fingerprint, before the split is opened."""
        stoprule("search", same_rows)
        refused = stoprule("evaluate", same_rows.parent / "out")
        assert refused.status == 2
        assert "--allow-calibrated-on-final" in refused.err
        assert not (same_rows.parent / "out" / "evaluation.json").exists()
        assert len((same_rows.parent / "out" / "looks.jsonl").read_text().splitlines()) == 1

    def test_is_marked_in_every_artefact(self, stoprule, same_rows):
        """The only way round, and it ends with a failed audit."""
        stoprule("search", same_rows)
        folder = same_rows.parent / "out"
        allowed = stoprule("evaluate", folder, "--allow-calibrated-on-final")
        assert allowed.status == 0, allowed.err
        shown = stoprule("audit", folder)
        assert shown.status == 1
        mark = "calibrated on the final split"
        for artefact in ("evaluation.json", "audit.json", "looks.jsonl"):
            assert mark in (folder / artefact).read_text()
        assert f"exploratory: {mark}" in shown.out
        assert json.loads((folder / "evaluation.json").read_text())["marks"] == [mark]
        _, checks = audited(stoprule, folder)
        assert checks["calibrated-on-final"]["verdict"] == "fail"
        assert "--allow-calibrated-on-final" in checks["calibrated-on-final"]["cause"]

    def test_allowing_it_needlessly_marks_nothing(self, stoprule, folder):
        """The option is no mark by itself."""
        assert stoprule("evaluate", folder, "--allow-calibrated-on-final").status == 0
        assert json.loads((folder / "evaluation.json").read_text())["marks"] == []


class TestRun:
    @pytest.mark.usefixtures("profiles")
    def test_ends_with_the_audit(self, stoprule, tmp_path):
        """Exit status 1 when a check fails: here an outcome is read as a signal."""
        study = prepared(
            tmp_path, lambda table: table.with_columns(extra=pl.col("f1")), signals=("margin", "coverage", "extra")
        )
        answered = stoprule("run", study)
        assert answered.status == 1
        assert "outcome-as-signal" in answered.out
        assert (study.parent / "out" / "audit.json").exists()


class TestTable:
    @pytest.fixture
    def table(self, tmp_path) -> Path:
        """Three rules; the last is the best on final rows only."""
        path = tmp_path / "rules.csv"
        path.write_text("rule,tune_f1,tune_calls,eval_f1,eval_calls\na,60,1,58,1\nb,70,2,61,2\nc,69,2,66,2\n")
        return path

    def test_prints_one_json_object(self, stoprule, table):
        """With the columns that were taken for what."""
        answered = stoprule("audit", "--table", table, "--json")
        content = json.loads(answered.out)
        assert (answered.status, content["rule"], content["columns"]["selection"]) == (0, "b", "tune_f1")

    def test_ends_with_1_when_the_rule_was_picked_on_the_final_split(self, stoprule, table):
        """As `top row by eval F1` was."""
        answered = stoprule("audit", "--table", table, "--locked", "c")
        assert answered.status == 1
        assert "picked-on-final" in answered.out
        assert "selection = tune_f1" in answered.out

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--locked", "bb"), "did you mean 'b'?"),
            (("--max-cost", "0.5"), "raise --max-cost"),
            (("--final-column", "eval_f2"), "did you mean 'eval_f1'?"),
        ],
    )
    def test_explains_mistakes(self, stoprule, table, options, said):
        """One line, exit status 2."""
        refused = stoprule("audit", "--table", table, *options)
        assert (refused.status, said in refused.err) == (2, True)
