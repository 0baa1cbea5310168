"""The study file: read, checked, and errors that name the nearest key that exists."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..trajectories.errors import StudyError
from .sections import Calibrate, CellFiles, Costs, Data, Evaluate, Extra, Search, Section, Select, Split, Study

__all__ = ["Select", "Study", "load_study"]

KINDS = ("str", "list[float]")  # how pydantic tells apart what one key may be
SEVERAL_KINDS = 'a list of numbers, or a text such as "exact", is expected'
LISTED = ("search", "data.cells", "costs.extra")


def load_study(path: Path, overrides: Sequence[str] = ()) -> Study:
    """Read and check a study file.

    Parameters
    ----------
    path : Path
    overrides : sequence of str
        ``section.key=value`` each; the value is TOML, or else plain text.

    Raises
    ------
    StudyError
        For a file that is missing or no TOML, an unknown or missing key, a value of the wrong kind.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}); name a study file") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: is not UTF-8 text at byte {error.start}; name a study file") from error
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{path}: is no valid TOML: {error}") from error
    for override in overrides:
        _set(content, override)
    try:
        return Study.model_validate(content)
    except ValidationError as error:
        raise StudyError(_explain(path, text, error)) from error


def _set(content: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    names = key.strip().split(".")
    if not equals or not all(names):
        raise StudyError(f"--set {override}: write it as section.key=value")
    table: Any = content
    for name in names[:-1]:
        table = table.setdefault(name, {}) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            raise StudyError(f"--set {override}: {name} is no table of keys; only section.key=value can be set")
    try:
        table[names[-1]] = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        table[names[-1]] = text


def _explain(path: Path, text: str, error: ValidationError) -> str:
    # a misspelt key is also a missing one: the first says more
    first = min(error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden")
    where = [str(part) for part in first["loc"]]
    several = next((i for i, part in enumerate(where) if part in KINDS), None)
    where = where[:several]
    line = _line_of(text, where) or _line_of(text, where[:-1])
    place = f"{path}, line {line}" if line else f"{path}"
    section, key = ".".join(_counted(where[:-1])), where[-1] if where else ""
    if first["type"] == "extra_forbidden":
        known = _keys_at(first["loc"][:-1])
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
        table = f"[{section}] has no key" if section else "there is no table"
        return f'{place}: {table} "{key}"; the nearest one is "{near[0]}" (of {", ".join(known)})'
    if first["type"] == "missing":
        return f"{place}: {f'[{section}] needs' if section else 'the study needs a table'} {key}"
    subject = ".".join(_counted(where))
    said = SEVERAL_KINDS if several is not None else _expected(first, subject)
    got = "" if first["type"] == "value_error" else f", not {first['input']!r}"
    return f"{place}: {f'{subject}: ' if subject else ''}{said}{got}"


def _expected(found: Mapping[str, Any], subject: str) -> str:
    """What a value should have been, in the words of a study."""
    match found["type"]:
        case "value_error":
            return str(found["msg"]).removeprefix("Value error, ")
        case "model_type" | "dict_type":
            return "a table of keys is expected"
        case "list_type":
            return f"a list is expected, as [[{subject}]] makes one" if subject in LISTED else "a list is expected"
        case "too_short":
            return f"a list of at least {found['ctx']['min_length']} is expected"
        case "too_long":
            return f"a list of at most {found['ctx']['max_length']} is expected"
    message = str(found["msg"])
    return message[:1].lower() + message[1:]


def _counted(where: Sequence[str]) -> list[str]:
    """Positions in lists, counted from 1 as a reader does."""
    return [str(int(part) + 1) if part.isdigit() else part for part in where]


def _line_of(text: str, where: Sequence[str]) -> int | None:
    """The line on which the key at ``where`` stands, when its section is written as a header."""
    in_list = bool(where) and where[-1].isdigit()
    repeat = next((int(part) for part in where if part.isdigit()), 0)
    section, wanted = [part for part in where[:-1] if not part.isdigit()], where[-1] if where else ""
    current: list[str] = []
    seen = -1
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([^\[\]]+?)\s*\]+", line):
            current = [part.strip().strip('"') for part in header[1].split(".")]
            seen += current == section
            if current == [*section, wanted] or (in_list and current == section and seen == repeat):
                return number
        elif current == section and seen == repeat and re.match(rf'\s*"?{re.escape(wanted)}"?\s*=', line):
            return number
    return _line_of(text, where[:-1]) if in_list else None


def _keys_at(where: Sequence[int | str]) -> list[str]:
    model: type[Section] = Study
    tables: Mapping[str, type[Section]] = {
        "data": Data,
        "cells": CellFiles,
        "split": Split,
        "calibrate": Calibrate,
        "search": Search,
        "select": Select,
        "evaluate": Evaluate,
        "costs": Costs,
        "extra": Extra,
    }
    for part in where:
        model = tables.get(str(part), model)
    return list(model.model_fields)
