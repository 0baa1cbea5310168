"""The commands from end to end, on a small study: what they print, write, refuse and leave alone."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextvars import Context
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from stoprule.rules.lockfile import canonical_json, sha256_of

from .conftest import contents
from .small_study import BARE, recorded, written

ARTEFACTS = {
    "audit.json",
    "band.csv",
    "candidates.parquet",
    "evaluation.json",
    "front.csv",
    "lock.json",
    "report.html",
    "signals.csv",
    "stopping.parquet",
    "stops.csv",
    "study.toml",
    "tables/figures.csv",
    *(f"tables/{name}.{kind}" for name in ("cells", "differences", "transfer") for kind in ("html", "md", "tex")),
}


class TestRun:
    @pytest.mark.usefixtures("profiles", "dealing")
    def test_leaves_every_artefact_in_one_folder(self, stoprule, study):
        """Search, lock and evaluate; print tables; end well."""
        answered = stoprule("run", study)
        assert answered.status == 0, answered.err
        folder = study.parent / "out"
        assert contents(folder).keys() == ARTEFACTS  # and the pictures: test_pictures.py
        assert (folder / "study.toml").read_text() == study.read_text()
        assert "locked" in answered.out
        assert "oracle" in answered.out

    @pytest.mark.usefixtures("profiles")
    def test_writes_the_same_bytes_for_any_number_of_workers(self, stoprule, study, once):
        """Two runs, with one worker and with two, differ in nothing but the times of the looks."""
        assert stoprule("run", study, "--jobs", 2).status == 0
        assert contents(study.parent / "out") == contents(once.out)

    def test_names_no_path_and_no_clock(self, once):
        """Nothing of this machine is in a result."""
        found = contents(once.out, aside=("looks.jsonl",))
        assert found.keys() == ARTEFACTS | {"source.json"}
        for name, content in found.items():
            assert str(once.root).encode() not in content, name


class TestSearch:
    @pytest.mark.usefixtures("profiles")
    def test_never_sees_the_final_split(self, stoprule, study, tmp_path):
        """Final values changed, even to nonsense: the same bytes."""
        assert stoprule("search", study, "--out", tmp_path / "before").status == 0
        lock = json.loads((tmp_path / "before" / "lock.json").read_text())
        seen = {*lock["split"]["calibration_ids"], *lock["split"]["selection_ids"]}
        table = pl.read_parquet(study.parent / "table.parquet")
        opened = pl.col("question").is_in(list(seen))
        spoilt = table.with_columns(
            pl.when(opened).then(pl.col(name)).otherwise(pl.lit(value)).alias(name)
            for name, value in (("f1", float("inf")), ("em", None), ("margin", -7.0), ("answer", "x"))
        )
        assert not spoilt.equals(table)
        spoilt.write_parquet(study.parent / "table.parquet")
        assert stoprule("search", study, "--out", tmp_path / "after").status == 0
        assert contents(tmp_path / "before") == contents(tmp_path / "after")
        assert stoprule("evaluate", tmp_path / "after").status == 2

    def test_prints_one_json_object(self, stoprule, study):
        """Everything else goes to standard error."""
        answered = stoprule("search", study, "--json")
        found = json.loads(answered.out)
        lock = json.loads((study.parent / "out" / "lock.json").read_text())
        assert found["locked"]["rule"] == lock["rule"]
        assert found["lock_sha256"] == lock["sha256"]
        assert found["distinct"] == pl.read_parquet(study.parent / "out" / "candidates.parquet").height

    def test_writes_candidates_as_designed(self, once):
        """The columns and types of candidates.parquet and front.csv."""
        candidates = pl.read_parquet(once.searched / "candidates.parquet")
        assert dict(candidates.schema) == {
            "rule": pl.String,
            "id": pl.String,
            "family": pl.String,
            "quality": pl.Float64,
            "cost": pl.Float64,
            "calls": pl.Float64,
            "fired": pl.Int64,
            "on_front": pl.Boolean,
            "stability": pl.Float64,
            "equivalents": pl.List(pl.String),
        }
        front = pl.read_csv(once.searched / "front.csv")
        assert front["rule"].to_list() == candidates.filter("on_front")["rule"].to_list()

    def test_logs_a_lock_once(self, stoprule, mine):
        """The same search again adds no line; another lock adds one."""
        log = mine.searched / "looks.jsonl"
        stoprule("search", mine.study, "--out", mine.searched)
        assert len(log.read_text().splitlines()) == 1
        stoprule("search", mine.study, "--out", mine.searched, "--set", "select.max_cost=1")
        assert [json.loads(line)["kind"] for line in log.read_text().splitlines()] == ["lock", "lock"]

    def test_replaces_no_study_of_the_users(self, stoprule, tmp_path):
        """A study.toml that no search wrote stays as it is."""
        study = written(tmp_path, BARE)
        other = study.parent / "other.toml"
        other.write_text(study.read_text() + "\n# other\n")
        refused = stoprule("search", other, "--out", study.parent)
        assert (refused.status, "study.toml: is a study of its own" in refused.err) == (2, True)
        assert "other" not in study.read_text()
        assert stoprule("search", study, "--out", study.parent).status == 0
        assert stoprule("search", other, "--out", study.parent).status == 0

    def test_keeps_the_knots_equal(self, once):
        """The calibrators of the lock come back as they were fitted."""
        from stoprule.cli.preparing import fit_calibrators, prepare
        from stoprule.cli.source import source_of_study
        from stoprule.rules.lockfile import read_lock

        source = source_of_study(once.study, [])
        assert read_lock(once.searched / "lock.json").calibrators == fit_calibrators(source.study, prepare(source))


class TestEvaluate:
    @pytest.fixture
    def folder(self, once, study) -> Path:
        """The folder of a search."""
        return shutil.copytree(once.searched, study.parent / "out")

    def test_reports_the_locked_rule(self, stoprule, folder):
        """Figures of the lock's rule on the final split, counted as one look."""
        content = json.loads(stoprule("evaluate", folder, "--json").out)
        assert content == json.loads((folder / "evaluation.json").read_text())
        lock = json.loads((folder / "lock.json").read_text())
        assert (content["rule"], content["lock"], content["looks"]) == (lock["rule"], lock["sha256"], 1)
        assert content["baselines"].keys() >= {"fixed(1)", "fixed(4)", "oracle"}
        assert content["cells"].keys() == {"dense", "lexical"}

    def test_logs_a_repeat(self, stoprule, folder):
        """The same lock may be evaluated again; that is a second look, and the figures are the same."""
        first = json.loads(stoprule("evaluate", folder, "--json").out)
        second = json.loads(stoprule("evaluate", folder, "--json").out)
        assert (second["looks"], second["repeat"]) == (2, True)
        aside = {"looks": 0, "repeat": 0}
        assert {**first, **aside} == {**second, **aside}

    def test_refuses_another_lock_on_the_same_questions(self, stoprule, study, folder):
        """A second choice needs a reason, and every later artefact carries it."""
        stoprule("evaluate", folder)
        stoprule("search", study, "--set", "select.max_cost=1")
        refused = stoprule("evaluate", folder)
        assert refused.status == 2
        assert "--look-again" in refused.err
        allowed = stoprule("evaluate", folder, "--look-again", "the budget was wrong", "--json")
        assert json.loads(allowed.out)["reasons"] == ["the budget was wrong"]
        again = stoprule("evaluate", folder, "--look-again", "once more", "--json")
        assert json.loads(again.out)["reasons"] == ["the budget was wrong", "once more"]

    def test_refuses_a_changed_lock(self, stoprule, folder):
        """One byte is enough."""
        lock = folder / "lock.json"
        lock.write_text(lock.read_text().replace('"seed": 42', '"seed": 43'))
        refused = stoprule("evaluate", folder)
        assert refused.status == 2
        assert "was changed after it was written" in refused.err
        assert not (folder / "evaluation.json").exists()

    def test_keeps_the_roles_of_the_lock(self, stoprule, study, folder):
        """Neither an edited study.toml nor a column that came later changes what is measured."""
        before = json.loads(stoprule("evaluate", folder, "--json").out)
        kept = (folder / "study.toml").read_text()
        (folder / "study.toml").write_text(kept.replace('"f1"', '"em"').replace('["em"]', '["f1"]'))
        table = pl.read_parquet(study.parent / "table.parquet")
        table.with_columns(cost=pl.col("round") * 100.0, split=pl.lit("final")).write_parquet(
            study.parent / "table.parquet"
        )
        after = json.loads(stoprule("evaluate", folder, "--json").out)
        assert (after["quality_name"], after["cost_name"]) == ("f1", "calls")
        assert {**after, "looks": 1, "repeat": False} == before

    def test_tells_of_a_damaged_file_before_it_looks(self, stoprule, folder):
        """One line that names the file; no look is taken."""
        names = ["source.json", "looks.jsonl", "front.csv", "candidates.parquet", "evaluation.json"]
        whole = {name: (folder / name).read_bytes() for name in names[:4]}
        for name, content in product(names, [b"\xff\xfe\0", b"[" * 100_000, b"null", b"{}"]):
            (folder / name).write_bytes(content)
            refused = stoprule("evaluate", folder)
            assert (refused.status, len(refused.err.splitlines())) == (2, 1), refused.err
            assert f"{folder / name}" in refused.err
            for each, kept in whole.items():
                assert name == each or (folder / each).read_bytes() == kept
                (folder / each).write_bytes(kept)

    def test_finds_the_data_from_a_linked_folder(self, stoprule, tmp_path):
        """By the link or by the place itself, whatever `..` leads to."""
        study = written(tmp_path, BARE)
        (tmp_path / "disk" / "deep").mkdir(parents=True)
        (tmp_path / "link").symlink_to(tmp_path / "disk" / "deep")
        assert stoprule("search", study, "--out", tmp_path / "link").status == 0
        assert stoprule("evaluate", tmp_path / "link").status == 0
        assert stoprule("evaluate", tmp_path / "disk" / "deep").status == 0

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"rule": "margin >"}, "says what no search writes (rule, character 9"),
            ({"roles": {"answers": "answer"}}, "says what no search writes"),
            ({"calibrators": [{}]}, "says what no search writes"),
            ({"split": None}, "its split lacks calibration_ids, final_ids"),
            ({"split": {"seed": 1}}, "its split lacks calibration_ids, final_ids"),
        ],
    )
    def test_refuses_a_lock_that_no_search_wrote(self, stoprule, folder, change, said):
        """A seal that fits does not make it one; the audit fails."""
        path = folder / "lock.json"
        body = {key: value for key, value in {**json.loads(path.read_text()), **change}.items() if key != "sha256"}
        path.write_bytes(canonical_json({**body, "sha256": sha256_of(body)}))
        refused = stoprule("evaluate", folder)
        assert (refused.status, said in refused.err, len(refused.err.splitlines())) == (2, True, 1), refused.err
        assert stoprule("audit", folder).status == 1

    def test_refuses_a_log_that_lost_its_tail(self, stoprule, folder):
        """The evaluation remembers how many looks there were."""
        stoprule("evaluate", folder)
        log = folder / "looks.jsonl"
        log.write_text(log.read_text().splitlines(keepends=True)[0])
        refused = stoprule("evaluate", folder)
        assert (refused.status, "restore the log" in refused.err) == (2, True)

    def test_refuses_other_final_questions(self, stoprule, study, folder):
        """Questions added after the lock are another final split."""
        recorded(questions=61).write_parquet(study.parent / "table.parquet")
        refused = stoprule("evaluate", folder)
        assert refused.status == 2
        assert "other questions than the lock was made for" in refused.err
        assert len((folder / "looks.jsonl").read_text().splitlines()) == 1

    def test_follows_data_that_moved(self, stoprule, study, folder, tmp_path):
        """--data stands in for the study's path."""
        (study.parent / "table.parquet").rename(tmp_path / "moved.parquet")
        assert stoprule("evaluate", folder).status == 2
        assert stoprule("evaluate", folder, "--data", tmp_path / "moved.parquet").status == 0

    def test_refuses_a_folder_without_a_search(self, stoprule, tmp_path):
        """Say which command comes first."""
        refused = stoprule("evaluate", tmp_path)
        assert (refused.status, "stoprule search" in refused.err) == (2, True)


class TestReplay:
    ROLES = ("--cell", "cell", "--quality", "f1", "--outcome", "em")

    def test_prints_the_keys_as_designed(self, stoprule, study):
        """Macro figures and the same for each cell."""
        table = study.parent / "table.parquet"
        found = json.loads(stoprule("replay", "fixed(2)", table, *self.ROLES, "--json").out)
        keys = {"rule", "id", "n", "quality", "cost", "calls", "fired", "exhausted", "stop_rounds"}
        assert found.keys() == keys | {"cells"}
        assert found["cells"]["dense"].keys() == keys
        assert (found["rule"], found["n"], found["calls"], found["fired"]) == ("round >= 2", 120, 2.0, 120)
        assert found["stop_rounds"] == {"1": 0, "2": 120, "3": 0, "4": 0}
        means = pl.read_parquet(table).filter(pl.col("round") == 2).group_by("cell").agg(pl.col("f1").mean())
        assert found["quality"] == pytest.approx(means["f1"].mean(), abs=1e-12)

    def test_prints_a_table(self, stoprule, study):
        """Without --json a person reads it."""
        answered = stoprule("replay", "repeat(answer)", study.parent / "table.parquet", *self.ROLES)
        assert answered.status == 0
        assert "stop rounds" in answered.out

    @pytest.mark.parametrize(
        ("rule", "said"),
        [
            ("margn > 1", "margin"),
            ("em > 0", "outcome"),
            ("margin > ?", "?"),
            ("margin >", "^"),
            ("1 < margin < 2", "margin"),
        ],
    )
    def test_explains_a_rule_that_cannot_be(self, stoprule, study, rule, said):
        """Exit with 2 and no traceback."""
        refused = stoprule("replay", rule, study.parent / "table.parquet", *self.ROLES)
        assert refused.status == 2
        assert said in refused.err
        assert "Traceback" not in refused.err


class TestCheck:
    def test_ends_with_0_on_a_sound_table(self, stoprule, study):
        """Say what is there."""
        found = json.loads(stoprule("check", study.parent / "table.parquet", "--quality", "f1", "--json").out)
        assert (found["sound"], found["questions"], found["cells"]) == (True, 60, ["dense", "lexical"])

    def test_ends_with_1_on_an_unsound_table(self, stoprule, study):
        """Name the offenders."""
        table = study.parent / "table.parquet"
        broken = pl.read_parquet(table)
        pl.concat([broken, broken.head(1)]).write_parquet(table)
        answered = stoprule("check", table, "--quality", "f1", "--json")
        assert answered.status == 1
        assert json.loads(answered.out)["sound"] is False
        assert "q000" in answered.err

    def test_ends_with_2_without_a_file(self, stoprule, tmp_path):
        """A file that is not there is a mistake, not an unsound table."""
        assert stoprule("check", tmp_path / "none.parquet").status == 2

    def test_ends_with_2_on_a_column_that_is_not_there(self, stoprule, study):
        """So is a role that names no column."""
        refused = stoprule("check", study.parent / "table.parquet", "--quality", "f2", "--json")
        assert (refused.status, refused.out, "no column 'f2'" in refused.err) == (2, "", True)


class TestInit:
    def test_proposes_a_study_that_runs(self, stoprule, study):
        """The proposal is accepted as it stands."""
        table = study.parent / "table.parquet"
        assert stoprule("init", table).status == 0
        proposed = study.parent / "table.toml"
        assert "margin" in proposed.read_text()
        assert stoprule("run", proposed, "--set", "evaluate.draws=50").status == 0

    def test_refuses_a_folder(self, stoprule, study):
        """In one line, whatever it is called."""
        for place in (study.parent, "."):
            refused = stoprule("init", place)
            assert (refused.status, "is a folder" in refused.err, len(refused.err.splitlines())) == (2, True, 1)

    def test_never_overwrites(self, stoprule, study):
        """An edited study is kept."""
        proposed = study.parent / "table.toml"
        proposed.write_text("# mine\n")
        refused = stoprule("init", study.parent / "table.parquet")
        assert (refused.status, proposed.read_text()) == (2, "# mine\n")


class TestMistakes:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ("select.max_cost=0.5", "raise max_cost"),
            ("data.quality=f2", "f1"),
            ('data.signals=["em"]', "outcome"),
            ('data.signals=["nothing"]', "nothing"),
            ("split.calibration=0.9", "leaves nothing for the final split"),
            ("split.calibration=0.001", "calibration split is empty"),
            ("calibrate.margin_cal.target=margin", "outcome"),
            ("select.policy=fastest", "budget"),
            ('evaluate.baselines=["fixed(0)"]', "fixed"),
            ('search=[{preset="defualt"}]', "default"),
            ('search=[{preset="tasr-876"}]', "calibrated_logit_margin"),
            ('search=[{rule="em > 0.5"}]', "outcome"),
            ("data.root=elsewhere", "no such file"),
        ],
    )
    def test_end_with_one_line_and_nothing_written(self, stoprule, study, change, said):
        """Exit status 2; no folder is left behind."""
        refused = stoprule("search", study, "--set", change)
        assert refused.status == 2, refused.out
        assert said in refused.err
        assert "Traceback" not in refused.err
        assert [line for line in refused.err.splitlines() if line.startswith("stoprule: ")]
        assert not (study.parent / "out").exists()

    def test_a_failed_search_leaves_the_earlier_one(self, stoprule, mine):
        """Files are moved into place together, at the end."""
        before = contents(mine.out, aside=())
        assert stoprule("search", mine.study, "--set", "select.max_cost=0.5").status == 2
        assert contents(mine.out, aside=()) == before

    @pytest.mark.parametrize("arguments", [("--nonsense",), ("nonsense",), ("replay",), ("search", "none.toml")])
    def test_of_the_command_line(self, stoprule, arguments):
        """One line, exit status 2."""
        refused = stoprule(*arguments)
        assert refused.status == 2
        assert len(refused.err.splitlines()) == 1

    def test_a_full_disk(self, stoprule, mine, monkeypatch):
        """Say so in one line and change nothing."""

        def full(self, _):
            raise OSError(28, os.strerror(28), str(self))

        before = contents(mine.out, aside=())
        monkeypatch.setattr(Path, "write_bytes", full)
        refused = stoprule("search", mine.study, "--set", "select.max_cost=2")
        assert refused.status == 2
        assert "No space left" in refused.err
        assert contents(mine.out, aside=()) == before


class TestTwoAtOnce:
    def test_the_second_is_refused(self, stoprule, study):
        """One command at a time writes into a folder."""
        from stoprule.cli.output import held

        with held(study.parent / "out"):
            refused = Context().run(stoprule, "search", study)  # as in another process: it does not know of it
        assert (refused.status, "another stoprule command" in refused.err) == (2, True)


class TestInterrupt:
    def test_leaves_nothing_half_written(self, tmp_path):
        """Ctrl-C during a search ends with 130."""
        study = written(tmp_path, BARE)
        code = (
            "import os, signal, sys\n"
            "import stoprule.cli.choosing as s\n"
            "real = s.search_result\n"
            "def stopped(*a, **k):\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "    return real(*a, **k)\n"
            "s.search_result = stopped\n"
            "sys.argv = ['stoprule', 'search', sys.argv[1]]\n"
            "from stoprule.cli.main import main\n"
            "main()\n"
        )
        ended = subprocess.run([sys.executable, "-c", code, str(study)], capture_output=True, text=True, check=False)
        assert ended.returncode == 128 + signal.SIGINT
        assert "interrupted" in ended.stderr
        assert not (tmp_path / "out").exists()


class TestStart:
    def test_help_loads_nothing_heavy(self):
        """`stoprule --help` stays quick: no numpy, polars or matplotlib."""
        code = (
            "import sys\nsys.argv = ['stoprule', '--help']\n"
            "from stoprule.cli.main import main\n"
            "try:\n    main()\nexcept SystemExit:\n    pass\n"
            "heavy = {'numpy', 'polars', 'scipy', 'sklearn', 'matplotlib', 'pydantic', 'joblib'}\n"
            "print(sorted(heavy & set(sys.modules)))"
        )
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert ended.stdout.splitlines()[-1] == "[]"

    def test_replay_loads_no_search(self, study):
        """Nor what a search is made with."""
        code = (
            "import sys\n"
            "from stoprule.cli.main import main\n"
            "try:\n    main()\nexcept SystemExit as ended:\n    assert not ended.code\n"
            "heavy = {'stoprule.cli.searching', 'scipy', 'sklearn', 'matplotlib', 'joblib'}\n"
            "print(sorted(heavy & set(sys.modules)))"
        )
        command = "replay", "fixed(2)", study.parent / "table.parquet", *TestReplay.ROLES
        ended = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
        assert ended.stdout.splitlines()[-1] == "[]"
