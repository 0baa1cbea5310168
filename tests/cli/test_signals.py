"""`stoprule signals`: every signal of a file, without a split and without a look."""

import json

import pytest

from .small_study import recorded


@pytest.fixture
def file(tmp_path):
    """A small recording."""
    recorded(questions=20).write_parquet(tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


class TestSignals:
    def test_prints_tables_and_sentences(self, stoprule, file):
        """The strongest first, each with what it is worth in words."""
        answered = stoprule("signals", file, "--quality", "f1", "--cell", "cell", "--target", "em")
        assert answered.status == 0
        assert "right answers (em)" in answered.out
        assert answered.out.index("- margin is") < answered.out.index("- coverage ")
        assert "AUROC by round" in answered.out

    def test_prints_one_json_object(self, stoprule, file):
        """The figures of all rounds, by round and by cell."""
        answered = stoprule("signals", file, "--quality", "f1", "--cell", "cell", "--target", "em", "--json")
        content = json.loads(answered.out)
        assert content["target"] == {"outcome": "em", "above": 0.0}
        assert content["signals"].keys() == {"margin", "coverage"}
        margin = content["signals"]["margin"]
        assert margin["n"] == 160
        assert margin["rounds"].keys() == {"1", "2", "3", "4"}
        assert margin["cells"].keys() == {"lexical", "dense"}
        assert margin["auroc_low"] < margin["auroc"] < margin["auroc_high"]

    def test_parts_a_graded_outcome_where_told(self, stoprule, file):
        """Or at its median."""
        content = json.loads(
            stoprule(
                "signals", file, "--quality", "f1", "--target", "f1", "--above", "0.9", "--json", "--cell", "cell"
            ).out
        )
        assert content["target"] == {"outcome": "f1", "above": 0.9}

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("--target", "covrage"), "did you mean 'coverage'"),
            (("--target", "em", "--above", "much"), "--above"),
        ],
    )
    def test_says_what_is_wrong(self, stoprule, file, arguments, said):
        """On one line, with status 2."""
        answered = stoprule("signals", file, "--quality", "f1", "--cell", "cell", *arguments)
        assert answered.status == 2
        assert said in answered.err
        assert answered.out == ""

    def test_needs_a_signal(self, stoprule, tmp_path):
        """A table of outcomes alone has none."""
        recorded(questions=3).drop("margin", "coverage").write_csv(tmp_path / "bare.csv")
        answered = stoprule("signals", tmp_path / "bare.csv", "--quality", "f1", "--cell", "cell", "--outcome", "em")
        assert answered.status == 2
        assert "has no signal" in answered.err
