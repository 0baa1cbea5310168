"""Studies over several files: by split, by cell, with borrowed calibrators, in the published columns."""

import json

import polars as pl
import pytest

from .small_study import STUDY, recorded, written

FEW = STUDY.replace(
    'preset = "default"', 'rule = "margin_cal > ?"\ncuts = "linspace(5)"\n\n[[search]]\nfamily = "fixed"'
)
BY_FILES = FEW.replace('path = "table.parquet"', 'selection = "tune.parquet"\nfinal = "eval.parquet"')


@pytest.fixture
def study(tmp_path):
    """The small study with few rules to search."""
    return written(tmp_path, FEW)


@pytest.fixture
def files(tmp_path):
    """A selection and a final file, and the study that names them."""
    table = recorded()
    first = pl.col("question") < "q030"
    table.filter(first).write_parquet(tmp_path / "tune.parquet")
    table.filter(~first).write_parquet(tmp_path / "eval.parquet")
    path = tmp_path / "study.toml"
    path.write_text(BY_FILES)
    return path


@pytest.fixture
def cells(tmp_path):
    """Two cells in files of their own; `dense` has no selection file and borrows its calibrators."""
    table = recorded()
    for cell in ("lexical", "dense"):
        own = table.filter(pl.col("cell") == cell).drop("cell")
        own.filter(pl.col("question") < "q030").write_parquet(tmp_path / f"{cell}-tune.parquet")
        own.filter(pl.col("question") >= "q030").write_parquet(tmp_path / f"{cell}-eval.parquet")
    named = """\
[[data.cells]]
name = "lexical"
selection = "lexical-tune.parquet"
final = "lexical-eval.parquet"

[[data.cells]]
name = "dense"
final = "dense-eval.parquet"
calibration_from = "lexical"

[split]"""
    text = FEW.replace('path = "table.parquet"\ncell = "cell"\n', "").replace("[split]", named)
    path = tmp_path / "study.toml"
    path.write_text(text)
    return path


class TestFiles:
    def test_the_files_name_the_splits(self, stoprule, files):
        """The calibration share is taken by hash out of the selection file."""
        found = json.loads(stoprule("search", files, "--json").out)
        assert found["groups"] == {"calibration": 4, "selection": 26, "final": 30}
        assert stoprule("evaluate", files.parent / "out").status == 0

    def test_a_moved_final_file(self, stoprule, files, tmp_path):
        """--data stands in for the final file, which alone is opened."""
        stoprule("search", files)
        (files.parent / "eval.parquet").rename(tmp_path / "moved.parquet")
        assert stoprule("evaluate", files.parent / "out").status == 2
        assert stoprule("evaluate", files.parent / "out", "--data", tmp_path / "moved.parquet").status == 0

    def test_a_share_of_selection_has_no_use(self, stoprule, files):
        """The files name it already."""
        refused = stoprule("search", files, "--set", "split.selection=0.3")
        assert (refused.status, "leave it out" in refused.err) == (2, True)

    def test_both_files_are_needed(self, stoprule, files):
        """A selection file alone leaves nothing to report on."""
        files.write_text(BY_FILES.replace('final = "eval.parquet"\n', ""))
        refused = stoprule("search", files)
        assert (refused.status, "both selection and final" in refused.err) == (2, True)


class TestCells:
    def test_a_cell_that_borrows_is_no_part_of_the_selection(self, stoprule, cells):
        """The rule is chosen on the cell that has selection rows, and reported in both."""
        found = json.loads(stoprule("search", cells, "--json").out)
        assert found["groups"]["final"] == 30
        content = json.loads(stoprule("evaluate", cells.parent / "out", "--json").out)
        assert content["cells"].keys() == {"lexical", "dense"}
        lock = json.loads((cells.parent / "out" / "lock.json").read_text())
        assert lock["calibrators"][0]["borrow"] == {"dense": "lexical"}

    def test_data_is_refused_for_cells(self, stoprule, cells):
        """One file cannot stand in for several."""
        stoprule("search", cells)
        refused = stoprule("evaluate", cells.parent / "out", "--data", "eval.parquet")
        assert (refused.status, "data.cells" in refused.err) == (2, True)


class TestSplitColumn:
    def test_a_column_names_the_splits(self, stoprule, study):
        """Calibration rows by name; what is in none of the three is an error."""
        table = pl.read_parquet(study.parent / "table.parquet")
        side = (
            pl.when(pl.col("question") < "q010")
            .then(pl.lit("calibration"))
            .when(pl.col("question") < "q030")
            .then(pl.lit("selection"))
            .otherwise(pl.lit("final"))
        )
        table.with_columns(part=side).write_parquet(study.parent / "table.parquet")
        found = json.loads(stoprule("search", study, "--set", "split.column=part", "--json").out)
        assert found["groups"] == {"calibration": 10, "selection": 20, "final": 30}
        table.with_columns(part=side.replace("final", "test")).write_parquet(study.parent / "table.parquet")
        refused = stoprule("search", study, "--set", "split.column=part")
        assert (refused.status, '"test"' in refused.err or "'test'" in refused.err) == (2, True)

    @pytest.mark.parametrize("key", ["data.split", "split.column"])
    def test_a_column_of_that_name_can_be_left_alone(self, stoprule, study, key):
        """The way out that the error names."""
        table = pl.read_parquet(study.parent / "table.parquet").with_columns(split=pl.lit("train"))
        table.write_parquet(study.parent / "table.parquet")
        refused = stoprule("search", study)
        assert (refused.status, "split='' reads none" in refused.err) == (2, True)
        assert stoprule("search", study, "--set", f"{key}=").status == 0


class TestPublishedColumns:
    def test_the_preset_names_the_roles(self, stoprule, tmp_path):
        """A study of the published columns needs nothing but the files and the preset."""
        table = recorded().filter(pl.col("cell") == "dense")
        published = table.select(
            qid="question",
            round="round",
            current_answer="answer",
            current_em="em",
            current_f1="f1",
            answer_token_margin="margin",
            overlap_signal="coverage",
        )
        first = pl.col("qid") < "q030"
        published.filter(first).write_parquet(tmp_path / "tune.parquet")
        published.filter(~first).write_parquet(tmp_path / "eval.parquet")
        path = tmp_path / "study.toml"
        path.write_text(
            '[data]\nselection = "tune.parquet"\nfinal = "eval.parquet"\npreset = "tasr"\n'
            '[calibrate.calibrated_logit_margin]\nsignal = "answer_token_margin"\ntarget = "current_em"\n'
            '[[search]]\nrule = "repeat(answer) & calibrated_logit_margin > ?"\ncuts = [0.2, 0.25]\n'
            '[select]\npolicy = "knee"\n[evaluate]\ndraws = 100\n'
        )
        answered = stoprule("run", path)
        assert "calibrated_logit_margin" in answered.out, answered.err
        assert "traceback" not in answered.err.lower()
