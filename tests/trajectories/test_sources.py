"""Files and frames: what can be read, and what is said of what cannot."""

import csv
import errno
import gzip
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.trajectories.columns import as_numbers, as_text, from_objects
from stoprule.trajectories.errors import TrajectoryError
from stoprule.trajectories.sources import open_source


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class TestFormats:
    """Every format gives the same columns."""

    FRAME = pl.DataFrame({"question": ["a", "b"], "margin": [0.1, None], "sure": [True, False]})

    @pytest.mark.parametrize(
        ("suffix", "write"),
        [
            (".parquet", lambda frame, path: frame.write_parquet(path)),
            (".arrow", lambda frame, path: frame.write_ipc(path)),
            (".feather", lambda frame, path: frame.write_ipc(path)),
            (".ipc", lambda frame, path: frame.write_ipc_stream(path)),
            (".csv", lambda frame, path: frame.write_csv(path)),
            (".CSV", lambda frame, path: frame.write_csv(path)),
            (".jsonl", lambda frame, path: frame.write_ndjson(path)),
            (".ndjson", lambda frame, path: frame.write_ndjson(path)),
            (".csv.gz", lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode()))),
        ],
    )
    def test_reads_columns_and_chosen_rows(self, tmp_path, suffix, write):
        """Find columns and height, and read some rows only."""
        path = tmp_path / f"log [1]*{suffix}"
        write(self.FRAME, path)
        source = open_source(path)
        assert (source.columns, source.height) == (("question", "margin", "sure"), 2)
        chosen = source.load(["sure", "question"], np.array([1]))
        assert as_text(chosen["question"])[0].to_list() == ["b"]
        assert as_numbers(chosen["sure"])[0].to_list() == [False]
        assert as_numbers(source.load(["margin"])["margin"])[0].to_list() == [0.1, None]

    def test_opens_a_source_once(self, tmp_path):
        """Hand back a source that is open already."""
        source = open_source(written(tmp_path, "a.csv", "q\n1\n"))
        assert open_source(source) is source

    def test_reads_csv_as_spreadsheets_write_it(self, tmp_path):
        """Take a byte order mark, CRLF, quoted line breaks and blank lines; know the line of each row."""
        path = written(tmp_path, "a.csv", '\ufeffq,"a,b"\r\n\r\n1,"x\r\ny"\r\n2,"say ""hi"""\r\n\r\n')
        source = open_source(path)
        assert source.load(["q", "a,b"]).rows() == [("1", "x\r\ny"), ("2", 'say "hi"')]
        assert [source.place(row) for row in range(2)] == ["line 4", "line 5"]

    def test_reads_a_column_without_a_name(self, tmp_path):
        """Take the index that pandas writes into a CSV file, under its empty name."""
        indexed = open_source(written(tmp_path, "a.csv", ",q\n0,a\n1,b\n"))
        assert indexed.load(["", "q"]).rows() == [("0", "a"), ("1", "b")]
        assert open_source(written(tmp_path, "a.jsonl", '{"": 0, "q": "a"}')).columns == ("", "q")
        assert open_source(pd.DataFrame({"": [0], "q": ["a"]})).columns == ("", "q")

    def test_reads_long_cells(self, tmp_path):
        """Take a prompt of any length, and leave the limit of the csv module alone."""
        before = csv.field_size_limit()
        source = open_source(written(tmp_path, "a.csv", "q,prompt\na," + "x" * 200_000 + "\n"))
        assert source.load(["prompt"])["prompt"].str.len_chars().to_list() == [200_000]
        assert csv.field_size_limit() == before

    def test_keeps_json_numbers_as_they_are(self, tmp_path):
        """Lose no digit of an id; 1 and 1.0 are one id; NaN and absent keys are missing."""
        lines = '{"q": 1582218195625938945, "m": NaN}\n\n{"q": 1.0, "m": -Infinity, "b": true}\n{"q": "1"}'
        source = open_source(written(tmp_path, "a.jsonl", lines))
        frame = source.load(source.columns)
        assert frame["q"].to_list() == ["1582218195625938945", "1", "1"]
        assert as_numbers(frame["m"])[0].to_list() == [None, -np.inf, None]
        assert as_numbers(frame["b"])[0].to_list() == [None, True, None]
        assert source.place(1) == "line 3"

    def test_survives_odd_json_values(self, tmp_path):
        """Read integers of any length and half a surrogate pair."""
        lines = '{"q": "\\ud800", "m": %s}' % ("1" * 5000)
        source = open_source(written(tmp_path, "a.jsonl", lines))
        assert source.load(["q"])["q"].to_list() == ["\\ud800"]
        assert as_numbers(source.load(["m"])["m"])[0].to_list() == [np.inf]

    @given(st.lists(st.floats(), min_size=1, max_size=5))
    @settings(max_examples=30)
    def test_numbers_survive_text(self, values):
        """Read every float64 back from the text that was written of it."""
        text = pl.Series([repr(value) for value in values])
        known = [None if np.isnan(value) else value for value in values]
        assert as_numbers(text)[0].to_list() == known


class TestPandas:
    """pandas frames in all their kinds of columns."""

    def test_reads_every_kind_of_column(self):
        """Take nullable, categorical, arrow-backed, narrow and mixed columns."""
        frame = pd.DataFrame(
            {
                "nullable": pd.array([1, None, 3], dtype="Int64"),
                "boolean": pd.array([True, None, False], dtype="boolean"),
                "category": pd.Categorical(["x", "y", None]),
                "arrow": pd.array([1, 2, None], dtype="int64[pyarrow]"),
                "arrow_text": pd.array(["q", None, "r"], dtype="string[pyarrow]"),
                "narrow": np.array([0.1, 0.2, np.nan], dtype="float32"),
                "mixed": pd.Series([1, "1", None], dtype=object),
                "large": pd.Series([2**70, 1, 2], dtype=object),
                "flags": pd.Series([True, None, False], dtype=object),
                "scalars": pd.Series([np.float64(0.5), np.int64(2), pd.NA], dtype=object),
                "decimals": pd.Series([Decimal("0.5"), None, Decimal(2)], dtype=object),
            }
        )
        frame.index = [7, 7, 9]
        before = frame.copy(deep=True)
        columns = open_source(frame).load(list(frame.columns))
        numbers = {name: as_numbers(columns[name])[0].to_list() for name in frame.columns}
        assert numbers["nullable"] == [1, None, 3]
        assert numbers["boolean"] == numbers["flags"] == [True, None, False]
        assert numbers["arrow"] == [1, 2, None]
        assert numbers["narrow"] == [float(np.float32(0.1)), float(np.float32(0.2)), None]
        assert numbers["scalars"] == [0.5, 2, None]
        assert numbers["decimals"] == [0.5, None, 2]
        assert columns["decimals"].dtype == pl.Float64
        assert as_text(columns["category"])[0].to_list() == ["x", "y", None]
        assert as_text(columns["arrow_text"])[0].to_list() == ["q", None, "r"]
        assert as_text(columns["mixed"])[0].to_list() == ["1", "1", None]
        assert as_text(columns["large"])[0].to_list() == [str(2**70), "1", "2"]
        pd.testing.assert_frame_equal(frame, before)

    def test_refuses_what_it_cannot_read(self):
        """Name the column and its type; refuse two columns of one name."""
        sparse = pd.DataFrame({"m": pd.arrays.SparseArray([1.0, np.nan])})
        with pytest.raises(TrajectoryError, match=r"column 'm' of type Sparse.*convert it"):
            open_source(sparse)
        with pytest.raises(TrajectoryError, match=r"column 'm' of type complex128.*convert it"):
            open_source(pd.DataFrame({"m": [1 + 2j]}))
        with pytest.raises(TrajectoryError, match="cannot be read from Series; give a path"):
            open_source(pd.Series([1]))
        with pytest.raises(TrajectoryError, match="two columns are called '1'"):
            open_source(pd.DataFrame([[1, 2]], columns=["1", 1]))


class TestColumns:
    """One column as ids and as numbers."""

    @pytest.mark.parametrize(
        ("column", "ids"),
        [
            (pl.Series([1, 2, None]), ["1", "2", None]),
            (pl.Series([1.0, -2.0, float("nan")]), ["1", "-2", None]),
            (pl.Series(["1", "", " x"]), ["1", None, " x"]),
            (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"]),
            (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), ["a", "b"]),
            (pl.Series([2**64 - 1], dtype=pl.UInt64), ["18446744073709551615"]),
            (pl.Series([True, False]), ["true", "false"]),
        ],
    )
    def test_ids_are_text(self, column, ids):
        """Write whole numbers without a fraction, whatever type holds them."""
        text, unfit = as_text(column)
        assert text.to_list() == ids
        assert not unfit.any()

    @pytest.mark.parametrize("column", [pl.Series([1.0, 1.5]), pl.Series([1.0, 2.0**53]), pl.Series([None, [1]])])
    def test_finds_what_is_no_id(self, column):
        """Mark fractions, floats that no longer tell neighbours apart, and lists."""
        assert as_text(column)[1].to_list() == [False, True]

    def test_upcasts_exactly(self):
        """Keep the value of narrow floats, decimals and large integers."""
        assert as_numbers(pl.Series([0.1], dtype=pl.Float32))[0].to_list() == [float(np.float32(0.1))]
        assert as_numbers(pl.Series([Decimal("0.10")]))[0].to_list() == [0.1]
        assert as_numbers(pl.Series([2**53 + 1, 2**62]))[0].to_list() == [float(2**53 + 1), float(2**62)]

    def test_reads_words_as_booleans_only_together(self):
        """Take true and false in any case; beside numbers they are no numbers."""
        assert as_numbers(pl.Series(["true", " False", ""]))[0].to_list() == [True, False, None]
        values, unfit = as_numbers(pl.Series(["true", "0.5"]))
        assert (values.to_list(), unfit.to_list()) == ([None, 0.5], [True, False])

    def test_has_no_rows_to_stumble_over(self):
        """Take empty columns."""
        for column in (pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.Float64), from_objects("x", [])):
            assert len(as_text(column)[0]) == len(as_numbers(column)[0]) == 0


HEADER = "question,round,f1\n"
ROW = '{"question": "a"}\n'


class TestErrors:
    """One line that says what, where and what to do."""

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("empty.csv", "", r"is empty; it needs a header"),
            ("header.csv", HEADER, r"has no rows"),
            ("short.csv", HEADER + "a,1,0\na,2\n", r"line 3 has 2 cells, the header 3"),
            ("long.csv", HEADER + "a,1,0\n\na,2,0,5\n", r"line 4 has 4 cells, the header 3"),
            ("quote.csv", HEADER + 'a,1,"0\n', r"line 2 is no CSV \(unexpected end of data\)"),
            ("twice.csv", "question,f1,f1\na,1,0\n", r"two columns are called 'f1'"),
            ("latin.csv", (HEADER + "é,1,0\n").encode("latin1"), r"is not UTF-8 text"),
            ("cut.csv.gz", gzip.compress(HEADER.encode() * 99, mtime=0)[:30], r"is broken"),
            ("plain.csv.gz", HEADER, r"is broken or of another format \(Not a gzipped file"),
            ("empty.jsonl", "\n\n", r"has no rows"),
            ("bad.jsonl", ROW + "\n{bad\n", r"line 3 is no JSON \(Expecting property name"),
            ("list.jsonl", ROW + "[1]\n", r"line 2 is no JSON object"),
            ("double.jsonl", '{"a": 1, "a": 2}', r"line 1 is no JSON \(a key stands twice"),
            ("deep.jsonl", "[" * 100_000, r"line 1 is no JSON"),
            ("latin.jsonl", b'{"a": "\xe9"}', r"is not UTF-8 text"),
            ("text.parquet", "this is no Parquet file", r"is broken or of another format"),
            ("empty.parquet", "", r"is broken or of another format"),
            ("text.arrow", "this is no Arrow file", r"is broken or of another format"),
            ("cut.arrow", b"ARROW1\0\0cut", r"is broken or of another format"),
            ("stub.arrow", b"ARR", r"is broken or of another format"),
            ("table.xlsx", "", r"files .xlsx cannot be read; write one of .parquet, .*\.csv"),
            ("table", "", r"files without a suffix cannot be read"),
        ],
    )
    def test_names_file_and_line(self, tmp_path, name, content, message):
        """Refuse a file that is not what it should be."""
        path = written(tmp_path, name, content)
        with pytest.raises(TrajectoryError, match=message) as caught:
            open_source(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("kept", [0.5, 0.95])
    def test_refuses_a_truncated_parquet_file(self, tmp_path, kept):
        """Notice that the end is missing."""
        whole = tmp_path / "whole.parquet"
        pl.DataFrame({"m": np.arange(1000.0)}).write_parquet(whole)
        data = whole.read_bytes()
        with pytest.raises(TrajectoryError, match="is broken or of another format"):
            open_source(written(tmp_path, "cut.parquet", data[: int(len(data) * kept)]))

    def test_refuses_a_parquet_file_that_is_corrupt_inside(self, tmp_path):
        """Say so when the column is read, if not before."""
        path = tmp_path / "a.parquet"
        pl.DataFrame({"m": np.random.default_rng(0).random(1000)}).write_parquet(path)
        data = bytearray(path.read_bytes())
        data[100:2000] = b"\xff" * 1900
        path.write_bytes(data)
        with pytest.raises(TrajectoryError, match="is broken or of another format"):
            open_source(path).load(["m"])

    def test_names_a_missing_file_and_its_neighbour(self, tmp_path):
        """Propose the file that was probably meant; refuse a folder."""
        written(tmp_path, "trajectories.csv", "q\n1\n")
        with pytest.raises(TrajectoryError, match=r"no such file \(did you mean 'trajectories.csv'\?\)"):
            open_source(tmp_path / "trajectory.csv")
        with pytest.raises(TrajectoryError, match=r"no such file$"):
            open_source(tmp_path / "nowhere" / "trajectory.csv")
        with pytest.raises(TrajectoryError, match="is a folder"):
            open_source(tmp_path)

    def test_names_a_file_that_may_not_be_read(self, tmp_path, monkeypatch):
        """Say that the permission is missing."""

        def refuse(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

        path = written(tmp_path, "a.jsonl", ROW)
        monkeypatch.setattr(Path, "read_bytes", refuse)
        with pytest.raises(TrajectoryError, match=r"cannot be read \(Permission denied\)"):
            open_source(path)

    def test_refuses_other_objects(self):
        """Say what can be read."""
        with pytest.raises(TrajectoryError, match="cannot be read from dict; give a path"):
            open_source({"question": ["a"]})
