"""A whole table at once: every format, any order of rows, the recorded example."""

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.trajectories.answers import normalise
from stoprule.trajectories.errors import TrajectoryError
from stoprule.trajectories.reading import Part, read_trajectories

RECORDED = Path(__file__).parents[2] / "examples" / "hotpotqa" / "hotpotqa_gemma3_270m.parquet"
ROLES = {"question": "qid", "quality": "f1", "outcomes": ["em", "support_recall", "support_all"]}


def assert_same_table(one, other):
    for field in ("question", "cell", "group", "length", "answer", "cost"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    for columns in ("signals", "outcomes"):
        assert list(getattr(one, columns)) == list(getattr(other, columns))
        for name, values in getattr(one, columns).items():
            np.testing.assert_array_equal(values, getattr(other, columns)[name], err_msg=name)
    assert (one.booleans, one.roles) == (other.booleans, other.roles)


@pytest.fixture(scope="module")
def frame():
    return pl.read_parquet(RECORDED)


@pytest.fixture(scope="module")
def table():
    return read_trajectories(RECORDED, **ROLES)


class TestRecordedExample:
    """The recorded HotpotQA trajectories."""

    def test_holds_what_its_description_says(self, table):
        """Find 495 questions of 5 rounds in two cells, and the columns that are numbers."""
        assert (len(table), table.rounds, set(table.length)) == (990, 5, {5})
        assert table.cell_names == ("bm25", "dense")
        assert {"margin", "confidence", "coverage", "n_tokens"} < set(table.signals)
        assert not {"question_type", "answer", "round", "em", "f1"} & set(table.signals)
        assert 100 * table.quality[:495].mean(axis=0).round(6) == pytest.approx(
            [25.0030, 25.2215, 22.9859, 20.0121, 19.5833], abs=1e-4
        )

    def test_counts_empty_answers(self, frame, table):
        """Code an answer as missing exactly where nothing is left of it."""
        empty = sum(not normalise(answer) for answer in frame["answer"])
        assert (table.answer == -1).sum() == empty >= 118

    @pytest.mark.parametrize("kind", ["csv", "jsonl", "arrow", "csv.gz"])
    def test_its_twins_are_identical(self, tmp_path, frame, table, kind):
        """Give the same table from every format, with shuffled rows and columns (case 3)."""
        shuffled = frame.sample(fraction=1, shuffle=True, seed=2).select(sorted(frame.columns, reverse=True))
        path = tmp_path / f"twin.{kind}"
        write = {
            "csv": lambda: shuffled.write_csv(path),
            "jsonl": lambda: shuffled.write_ndjson(path),
            "arrow": lambda: shuffled.write_ipc(path),
            "csv.gz": lambda: path.write_bytes(gzip.compress(shuffled.write_csv().encode())),
        }
        write[kind]()
        assert_same_table(read_trajectories(path, **ROLES), table)

    def test_its_frames_are_identical(self, frame, table):
        """Give the same table from polars, pandas and arrow-backed pandas frames."""
        assert_same_table(read_trajectories(frame, **ROLES), table)
        assert_same_table(read_trajectories(frame.to_pandas(), **ROLES), table)
        arrow = frame.to_pandas(use_pyarrow_extension_array=True)
        assert_same_table(read_trajectories(arrow, **ROLES), table)

    def test_float32_agrees_with_its_text_twin(self, tmp_path, frame):
        """Upcast float32 exactly: the same as text written after the upcast."""
        narrow = frame.with_columns(pl.col("margin").cast(pl.Float32))
        narrow.with_columns(pl.col("margin").cast(pl.Float64)).write_csv(tmp_path / "twin.csv")
        narrow.write_parquet(tmp_path / "narrow.parquet")
        one, other = (read_trajectories(tmp_path / name, **ROLES) for name in ("twin.csv", "narrow.parquet"))
        assert_same_table(one, other)


class TestTasrPreset:
    """The published package's columns, in one file or two."""

    LOG = pl.DataFrame(
        {
            "qid": ["q1", "q1"],
            "round": [1, 2],
            "current_answer": ["the-cat", "Cat"],
            "current_em": [0.0, 1.0],
            "current_f1": [0.0, 1.0],
            "answer_token_margin": [0.5, None],
            "n_tokens": [9, 4],
            "first_token_margin": [9.0, 9.0],
        }
    )

    def test_reads_a_log(self):
        """Take signals, outcomes and normaliser of the preset and count calls."""
        t = read_trajectories(self.LOG, preset="tasr")
        assert list(t.signals) == ["answer_token_margin", "n_tokens"]
        assert list(t.outcomes) == ["current_f1", "current_em"]
        assert (t.answer.tolist(), t.cost.tolist()) == ([[0, 0]], [[1, 2]])

    def test_reads_a_selection_and_a_final_file(self):
        """Take the two files for one table."""
        other = self.LOG.with_columns(qid=pl.lit("q2"))
        t = read_trajectories([Part(self.LOG, split="selection"), Part(other, split="final")], preset="tasr")
        assert list(t.question) == ["q1", "q2"]


NUMBERS = st.one_of(st.none(), st.floats(width=32), st.sampled_from([0.0, -0.0, 0.25]))
TABLES = st.dictionaries(
    st.tuples(st.sampled_from(["x", "y"]), st.sampled_from(["1", "10", "9", "é"])),
    st.lists(st.tuples(st.floats(-9, 9), NUMBERS, st.sampled_from(["a", "A.", "b", "", None])), min_size=1, max_size=4),
    min_size=1,
)


class TestNaiveReading:
    """The definition: one row after the other into a dict."""

    @given(TABLES, st.randoms(use_true_random=False))
    @settings(max_examples=40, deadline=None)
    def test_equals_one_row_after_the_other(self, table, random):
        """Give for shuffled rows of random ragged tables what a plain loop gives."""
        rows = [
            (cell, question, round_, *values)
            for (cell, question), rounds in table.items()
            for round_, values in enumerate(rounds, start=1)
        ]
        random.shuffle(rows)
        names = ["cell", "question", "round", "quality", "margin", "answer"]
        types = {"quality": pl.Float64, "margin": pl.Float64, "answer": pl.String}
        frame = pl.DataFrame(rows, schema=names, schema_overrides=types, orient="row")
        t = read_trajectories(frame)
        assert list(zip(t.cell, t.question, strict=True)) == sorted(table)
        for i, key in enumerate(sorted(table)):
            quality, margin, answer = zip(*table[key], strict=True)
            assert t.length[i] == len(quality)
            recorded = t.recorded[i]
            np.testing.assert_array_equal(t.quality[i, recorded], quality)
            np.testing.assert_array_equal(
                t.signals["margin"][i, recorded], [np.nan if value is None else value for value in margin]
            )
            for r, one in enumerate(answer):
                for s, other in enumerate(answer):
                    same = normalise(one) == normalise(other) != ""
                    assert same == (t.answer[i, r] == t.answer[i, s] != -1)
            assert np.isnan(t.quality[i, ~recorded]).all()
            assert (t.answer[i, ~recorded] == -1).all()


class TestSeveralSources:
    """A list of files or frames is one table."""

    def test_reads_plain_sources(self):
        """Take frames as they are for parts, and refuse an empty list."""
        frame = pl.DataFrame({"question": ["a", "b"], "round": 1, "quality": [0.5, 1.0]})
        assert_same_table(read_trajectories([frame[1:], frame[:1]]), read_trajectories(frame))
        with pytest.raises(TrajectoryError, match="no part to read"):
            read_trajectories([])
