"""`stoprule init`: what it proposes runs as it stands, and what it leaves out it says."""

import tomllib

import polars as pl
import pytest
from stoprule.cli.propose import write_study

from .small_study import recorded


def proposed(tmp_path, table, name="t.parquet"):
    """The study that is proposed for a table, as text and as what it says."""
    table.write_parquet(tmp_path / name)
    text = write_study(tmp_path / name).read_text(encoding="utf-8")
    return text, tomllib.loads(text)


class TestRoles:
    @pytest.mark.parametrize(
        ("role", "values", "why"),
        [
            ("cost", -pl.col("round"), "it falls between the rounds of a question"),
            ("cost", pl.when(pl.col("round") > 1).then(1.0), "it is missing in some rows"),
            ("cost", pl.lit("free"), "it holds what is no number"),
            ("cost", pl.lit(float("inf")), "it is infinite in some rows"),
            ("split", pl.lit("train"), "it says something else than calibration, selection, final"),
            ("text", pl.col("answer"), "it changes between the rows of a question"),
            ("text", pl.concat_list("answer"), "it holds what is no text"),
            ("group", pl.col("cell"), "it changes between the rows of a question"),
        ],
    )
    def test_leaves_out_a_column_that_cannot_play_its_role(self, tmp_path, role, values, why):
        """Its name alone does not make it one; a comment says why."""
        text, study = proposed(tmp_path, recorded(questions=5).with_columns(values.alias(role)))
        assert study["data"][role] == ""
        assert f'# left out: "{role}" as {role}: {why}\n' in text

    def test_the_study_runs_without_it(self, stoprule, tmp_path):
        """A role that is not named would take the column of its own name after all."""
        table = recorded().with_columns(cost=-pl.col("round"), split=pl.lit("train"), text=pl.col("answer"))
        proposed(tmp_path, table)
        answered = stoprule("search", tmp_path / "t.toml")
        assert answered.status == 0, answered.err

    def test_takes_a_column_that_can(self, tmp_path):
        """Whatever the order of the rows."""
        table = recorded(questions=9).with_columns(
            cost=pl.col("round") * 7, group=pl.col("question").str.slice(3), split=pl.lit("final")
        )
        study = proposed(tmp_path, table.sample(fraction=1.0, shuffle=True, seed=1))[1]
        assert {role: study["data"][role] for role in ("cost", "group", "split")} == {
            "cost": "cost",
            "group": "group",
            "split": "split",
        }


class TestOutcomes:
    def test_leaves_out_what_is_no_outcome(self, tmp_path):
        """An outcome that is missing somewhere would be refused."""
        table = recorded(questions=5).with_columns(recall=pl.when(pl.col("round") > 1).then(0.5))
        text, study = proposed(tmp_path, table)
        assert study["data"]["outcomes"] == ["em"]
        assert '# left out: "recall" as an outcome: it is missing in some rows' in text

    def test_calibrates_to_a_share(self, tmp_path):
        """An outcome in percent is no target."""
        assert "calibrate" in proposed(tmp_path, recorded(questions=5))[1]
        in_percent = recorded(questions=5).with_columns(pl.col("em") * 100)
        assert "calibrate" not in proposed(tmp_path, in_percent, "percent.parquet")[1]


class TestNames:
    def test_survive_toml(self, tmp_path):
        """Names of files and columns with quotes, line breaks and characters beyond Unicode's first plane."""
        odd = 'ma"r\n\x7f😀\\gin'
        table = recorded(questions=5).rename({"margin": odd}).with_columns(pl.lit(1).alias("con\nstant"))
        study = proposed(tmp_path, table, "t😀.parquet")[1]
        assert study["data"]["path"] == "t😀.parquet"
        assert odd in study["data"]["signals"]


class TestRun:
    def test_runs_without_a_signal_that_varies(self, stoprule, tmp_path):
        """Fixed depths and repeated answers are left to search."""
        table = recorded().with_columns(margin=pl.lit(0.5), coverage=pl.lit(1.0))
        text, study = proposed(tmp_path, table)
        assert study["data"]["signals"] == []
        assert '# left out: "margin" as a signal: it never varies' in text
        answered = stoprule("run", tmp_path / "t.toml", "--set", "evaluate.draws=20")
        assert answered.status == 0, answered.err
        assert not (tmp_path / "out" / "signals.csv").exists()
