"""Where rows come from: files and frames."""

from __future__ import annotations

import codecs
import csv
import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from .columns import from_objects, written
from .errors import TrajectoryError
from .nearest import listing, nearest
from .table import Ints

Rows: TypeAlias = Any  # a path, a polars or pandas frame, or a Source

ROWS_AT_ONCE = 20_000
LONGEST_CELL = 2**31 - 1  # characters; a prompt or its passages may fill one


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """Rows that can be read column by column.

    Attributes
    ----------
    name : str
        What messages call it: the path as given, or the kind of frame.
    columns : names in their order
    height : int
        Number of rows.
    frame : polars LazyFrame
        Text files hold text only: what a column is shows when its values are looked at.
    typed : bool
        False for text files.
    line : (height,) int64 or None
        The line on which each row of a text file ends.
    """

    name: str
    columns: tuple[str, ...]
    height: int
    frame: pl.LazyFrame
    typed: bool = True
    line: Ints | None = None

    def load(self, names: Sequence[str], rows: Ints | None = None) -> pl.DataFrame:
        """The named columns, of some rows only where asked."""
        with _readable(self.name):
            loaded = self.frame.select(names).collect()
            return loaded if rows is None else loaded[rows]

    def place(self, row: int) -> str:
        """``line 7`` of a text file, else ``row 6``, counted from 1."""
        return f"row {row + 1}" if self.line is None else f"line {self.line[row]}"


def open_source(rows: Rows) -> Source:
    """Open a file by its suffix, or wrap a polars or pandas frame; a Source stays what it is.

    Raises
    ------
    TrajectoryError
        When there is no such file, it cannot be read as what its suffix says, it has no rows or two columns
        of one name, or ``rows`` is none of these.
    """
    if isinstance(rows, Source):
        return rows
    if isinstance(rows, (pl.DataFrame, pl.LazyFrame)):
        source = _framed("the polars frame", rows.lazy())
    elif isinstance(rows, (str, os.PathLike)):
        source = _file(Path(rows))
    elif type(rows).__module__.partition(".")[0] == "pandas" and hasattr(rows, "columns"):
        source = _from_pandas(rows)
    else:
        raise TrajectoryError(
            f"trajectories cannot be read from {type(rows).__name__}; give a path, a polars or a pandas frame"
        )
    if source.height == 0:
        raise TrajectoryError(f"{source.name}: has no rows; a table has one for each question and round")
    return source


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Say of every way in which reading fails what it means for the user."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise TrajectoryError(f"{name}: is not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except (OSError, EOFError, zlib.error, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).strip().partition("\n")[0]
        # decoders raise an OSError without a number for what they cannot make out; polars writes the number out
        if isinstance(error, OSError) and (error.errno or "os error" in reason):
            raise TrajectoryError(f"{name}: cannot be read ({error.strerror or reason})") from error
        raise TrajectoryError(f"{name}: is broken or of another format ({reason}); write it anew") from error


def _framed(name: str, frame: pl.LazyFrame) -> Source:
    with _readable(name):
        columns = tuple(frame.collect_schema())
        height = frame.select(pl.len()).collect().item()
    return Source(name=name, columns=columns, height=height, frame=frame)


def _file(path: Path) -> Source:
    suffix = next((known for known in READERS if path.name.lower().endswith(known)), None)
    with _readable(str(path)):
        if path.is_dir():
            raise TrajectoryError(f"{path}: is a folder; name the file in it")
        if not path.exists():
            beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
            raise TrajectoryError(f"{path}: no such file{nearest(path.name, beside)}")
        if suffix is None:
            kind = path.suffix or "without a suffix"
            raise TrajectoryError(f"{path}: files {kind} cannot be read; write one of {listing(READERS)}")
        return READERS[suffix](path)


def _parquet(path: Path) -> Source:
    return _framed(str(path), pl.scan_parquet(path, glob=False, hive_partitioning=False))


def _arrow(path: Path) -> Source:
    data = path.read_bytes()
    read = pl.read_ipc if data.startswith(b"ARROW1") else pl.read_ipc_stream  # the file begins with its name
    return _framed(str(path), read(BytesIO(data)).lazy())


def _csv(path: Path) -> Source:
    """Comma-separated text (RFC 4180) with a header; blank lines do not count."""
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with _long_cells(), opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            header = next((cells for cells in reader if cells), None)
            if header is None:
                raise TrajectoryError(f"{path}: is empty; it needs a header and rows")
            _refuse_doubles(str(path), header)
            lines: list[int] = []
            rows = _full_rows(path, reader, len(header), lines)
            chunks = [pl.DataFrame(schema=dict.fromkeys(header, pl.String))]
            while chunk := list(islice(rows, ROWS_AT_ONCE)):
                columns = zip(header, zip(*chunk, strict=True), strict=True)
                chunks.append(_named_frame(pl.Series(name, cells, pl.String) for name, cells in columns))
        except csv.Error as error:
            raise TrajectoryError(
                f"{path}: line {reader.line_num} is no CSV ({error}); quote the cell, or write Parquet"
            ) from error
    return _text_source(path, pl.concat(chunks), lines)


@contextmanager
def _long_cells() -> Iterator[None]:
    """Read cells of any length, and leave the module's own limit as it was."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _named_frame(columns: Iterable[pl.Series]) -> pl.DataFrame:
    """A frame of columns that keep their names; a list of them would give an empty name away."""
    return pl.DataFrame({column.name: column for column in columns})


def _full_rows(path: Path, reader: Any, width: int, lines: list[int]) -> Iterator[list[str]]:
    """The rows that have a cell for each column, noting where they end; another number is an error."""
    for cells in reader:
        if len(cells) == width:
            lines.append(reader.line_num)
            yield cells
        elif cells:
            raise TrajectoryError(
                f"{path}: line {reader.line_num} has {len(cells)} cells, the header {width}; "
                "quote cells that hold commas and leave missing ones empty"
            )


def _json_lines(path: Path) -> Source:
    """One JSON object a line; a key that a line lacks is missing there; blank lines do not count.

    Numbers stay the text that they are: no id loses a digit, and nothing is converted before it is read.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=_keys_once,
        parse_int=str,
        parse_float=lambda text: text.removesuffix(".0"),  # the same number, and the same id as 1
        parse_constant=lambda text: None if text == "NaN" else text,
    )
    raw = path.read_bytes().removeprefix(codecs.BOM_UTF8).splitlines()
    full = ((number, line) for number, line in enumerate(raw, start=1) if line.strip())
    lines: list[int] = []
    chunks = [pl.DataFrame()]
    while chunk := list(islice(full, ROWS_AT_ONCE)):
        objects = [_json_object(path, line, number, decoder) for number, line in chunk]
        names = dict.fromkeys(name for each in objects for name in each)
        chunks.append(_named_frame(_text_column(name, [each.get(name) for each in objects]) for name in names))
        lines += [number for number, _ in chunk]
    return _text_source(path, pl.concat(chunks, how="diagonal"), lines)


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _json_object(path: Path, line: bytes, number: int, decoder: json.JSONDecoder) -> dict[str, Any]:
    text = line.decode()
    try:
        found = decoder.decode(text)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(": line")[0]  # JSON counts lines from this one
        raise TrajectoryError(f"{path}: line {number} is no JSON ({reason}); write one object a line") from error
    if not isinstance(found, dict):
        raise TrajectoryError(f"{path}: line {number} is no JSON object; write one object a line")
    return found


def _text_column(name: str, values: Sequence[object]) -> pl.Series:
    if all(value is None or type(value) is str for value in values):
        try:
            return pl.Series(name, values, dtype=pl.String)
        except UnicodeEncodeError:  # half of a surrogate pair
            pass
    return pl.Series(name, [written(value) for value in values], dtype=pl.String)


def _text_source(path: Path, frame: pl.DataFrame, lines: Sequence[int]) -> Source:
    return Source(
        name=str(path),
        columns=tuple(frame.columns),
        height=frame.height,
        frame=frame.lazy(),
        typed=False,
        line=np.array(lines, dtype=np.int64),
    )


def _from_pandas(frame: Any) -> Source:
    name = "the pandas frame"
    names = [str(column) for column in frame.columns]
    _refuse_doubles(name, names)
    columns = (_pandas_column(name, column, frame.iloc[:, i]) for i, column in enumerate(names))
    return _framed(name, _named_frame(columns).lazy())


def _pandas_column(frame: str, name: str, column: Any) -> pl.Series:
    if column.dtype == object:
        return from_objects(name, column.where(column.notna(), None).tolist())
    try:
        return pl.Series(name, pl.from_pandas(column))
    except (TypeError, ValueError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise TrajectoryError(
            f"{frame}: column {name!r} of type {column.dtype} cannot be read ({reason}); convert it"
        ) from error


def _refuse_doubles(name: str, columns: Sequence[str]) -> None:
    for position, column in enumerate(columns):
        if column in columns[:position]:
            raise TrajectoryError(f"{name}: two columns are called {column!r}; rename or drop one")


READERS: Mapping[str, Callable[[Path], Source]] = {
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".ipc": _arrow,
    ".csv": _csv,
    ".csv.gz": _csv,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}
