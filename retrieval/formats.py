"""Collections on disk: JSON Lines, the BEIR folder layout, TREC judgements."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .errors import RetrievalError
from .units import Collection, Unit

Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Query:
    """A query of a collection: its identity and its wording."""

    id: str
    text: str = field(repr=False)


def read_collection(path: str | Path) -> Collection:
    """A corpus of JSON Lines with ``_id`` (or ``id``), ``text`` and optionally ``title`` and ``revision``.

    A folder stands for its ``corpus.jsonl``. Ids are text: 1 and "1" are the same unit.
    """
    lines = _file(path, "corpus.jsonl")
    return Collection(
        Unit(
            _id(entry, lines, number),
            _text(entry, "text", lines, number),
            _text(entry, "title", lines, number, default=""),
            _text(entry, "revision", lines, number, default=""),
        )
        for number, entry in _entries(lines)
    )


def read_queries(path: str | Path) -> tuple[Query, ...]:
    """Queries of JSON Lines with ``_id`` (or ``id``) and ``text``, sorted by id; or a folder of them."""
    lines = _file(path, "queries.jsonl")
    queries: dict[str, Query] = {}
    for number, entry in _entries(lines):
        query = Query(_id(entry, lines, number), _text(entry, "text", lines, number))
        if query.id in queries:
            raise RetrievalError(f"{lines}: line {number}: query {query.id!r} is there twice; rename one")
        queries[query.id] = query
    if not queries:
        raise RetrievalError(f"{lines}: no query in it; give at least one line")
    return tuple(queries[key] for key in sorted(queries))


def read_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """Judgements: query, unit, grade; grades over 0 are relevant.

    Either BEIR (``query-id``, ``corpus-id``, ``score``, one header line) or TREC (query, iteration, unit,
    grade). A folder stands for its ``qrels/test.tsv``.
    """
    table = _file(path, "qrels/test.tsv")
    qrels: dict[str, dict[str, int]] = {}
    for number, line in _lines(table):
        parts = line.split()
        if number == 1 and not _whole(parts[-1]):
            continue  # the header of the BEIR layout
        if len(parts) not in (3, 4) or not _whole(parts[-1]):
            raise RetrievalError(
                f"{table}: line {number}: expected query, unit, grade or query, iteration, unit, grade"
            )
        query, unit, grade = parts[0], parts[-2], int(parts[-1])
        if qrels.setdefault(query, {}).setdefault(unit, grade) != grade:
            raise RetrievalError(f"{table}: line {number}: {query} {unit} has two grades; keep one")
    return qrels


def _whole(text: str) -> bool:
    return text.lstrip("-").isdecimal()


def _file(path: str | Path, inside: str) -> Path:
    found = Path(path, inside) if Path(path).is_dir() else Path(path)
    if not found.is_file():
        raise RetrievalError(f"{found}: no such file; name a file, or a folder that holds {inside}")
    return found


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with path.open(encoding="utf-8-sig") as lines:
        yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _entries(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    for number, line in _lines(path):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            raise RetrievalError(f"{path}: line {number} is no JSON; mend it") from None
        if not isinstance(entry, dict):
            raise RetrievalError(f"{path}: line {number} is no JSON object; give one object a line")
        yield number, entry


def _id(entry: Mapping[str, object], path: Path, number: int) -> str:
    value = entry.get("_id", entry.get("id"))
    if not isinstance(value, str | int) or isinstance(value, bool) or value == "":
        raise RetrievalError(f"{path}: line {number}: '_id' must be a text or a whole number, not {value!r}")
    return str(value)


def _text(entry: Mapping[str, object], key: str, path: Path, number: int, default: str | None = None) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str):
        raise RetrievalError(f"{path}: line {number}: {key!r} must be a text; there is {type(value).__name__}")
    return value
