"""The study file: every key, what it may be, and errors that name the nearest key that exists."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..trajectories.errors import StudyError


class Section(BaseModel):
    """A table of the study: its keys and no others, each of its own TOML type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class CellFiles(Section):
    """One ``[[data.cells]]``: the files of a cell, and the cell whose calibrators it borrows."""

    name: str
    selection: str | None = None
    final: str | None = None
    calibration_from: str | None = None

    @model_validator(mode="after")
    def _has_rows_to_calibrate_on(self) -> Self:
        if self.selection is None and self.calibration_from is None:
            raise ValueError(f'cell "{self.name}" has neither a selection file nor calibration_from')
        return self


class Data(Section):
    """``[data]``: the files and the role of each column."""

    path: str | None = None
    selection: str | None = None
    final: str | None = None
    calibration: str | None = None
    cells: list[CellFiles] = []
    root: str = "."
    question: str | None = None
    round: str | None = None
    quality: str | None = None
    cell: str | None = None
    group: str | None = None
    answer: str | None = None
    text: str | None = None
    split: str | None = None
    cost: str | None = None
    outcomes: list[str] = []
    signals: list[str] | None = None
    range: list[float] | None = Field(default=None, min_length=2, max_length=2)
    normalise: Literal["robust", "squad", "tasr", "exact"] | None = None
    preset: Literal["tasr"] | None = None

    @model_validator(mode="after")
    def _names_its_files_once(self) -> Self:
        by_split = self.selection is not None or self.final is not None or self.calibration is not None
        ways = [self.path is not None, by_split, bool(self.cells)]
        if sum(ways) != 1:
            raise ValueError("name the data once: path, or selection and final, or [[data.cells]]")
        if by_split and (self.selection is None or self.final is None):
            raise ValueError("data in several files needs both selection and final")
        if self.cells and self.cell is not None:
            raise ValueError("[[data.cells]] names the cells; leave out the key cell")
        names = [cell.name for cell in self.cells]
        for cell in self.cells:
            if names.count(cell.name) > 1:
                raise ValueError(f'[[data.cells]] names "{cell.name}" twice')
            if cell.calibration_from is not None and cell.calibration_from not in names:
                raise ValueError(f'cell "{cell.name}" borrows from "{cell.calibration_from}", which is no cell')
        return self


class Split(Section):
    """``[split]``: by a column, or by hash of the group with these shares."""

    column: str | None = None
    calibration: float | None = None
    selection: float | None = None
    seed: int = 0


class Calibrate(Section):
    """``[calibrate.X]``: signal X is this signal, calibrated to this outcome."""

    signal: str
    target: str
    method: Literal["isotonic", "sigmoid"] = "isotonic"
    by: Literal["round", "pooled"] = "round"
    fit: Literal["calibration", "selection"] = "calibration"
    missing: float | None = None


class Search(Section):
    """``[[search]]``: a preset, a family, or a rule with a ``?`` for each cut."""

    preset: str | None = None
    family: str | None = None
    rule: str | None = None
    cuts: str | list[float] | None = None
    max_cells: int | None = None

    @model_validator(mode="after")
    def _names_one_thing(self) -> Self:
        if sum(part is not None for part in (self.preset, self.family, self.rule)) != 1:
            raise ValueError("each [[search]] names one of preset, family, rule")
        return self


NEEDED_BY_POLICY: Mapping[str, frozenset[str]] = {
    "budget": frozenset({"max_cost"}),
    "retain": frozenset({"share", "of"}),
    "utility": frozenset({"price"}),
    "knee": frozenset(),
    "guarantee": frozenset({"max_loss", "alpha", "of"}),
}
USED_BY_POLICY: Mapping[str, frozenset[str]] = {"guarantee": frozenset({"in_every_cell", "also", "test"})}


class Select(Section):
    """``[select]``: the policy that chooses one rule, with just the keys that it needs."""

    policy: Literal["budget", "retain", "utility", "knee", "guarantee"]
    max_cost: float | None = None
    share: float | None = None
    of: str | None = None
    price: float | None = None
    max_loss: float | None = None
    alpha: float | None = None
    in_every_cell: bool | None = None
    also: dict[str, float] | None = None
    test: Literal["betting", "exact"] | None = None

    @model_validator(mode="after")
    def _fits_its_policy(self) -> Self:
        needed = NEEDED_BY_POLICY[self.policy]
        given = self.model_dump(exclude_none=True, exclude={"policy"}).keys()
        if missing := sorted(needed - given):
            raise ValueError(f'policy "{self.policy}" needs {" and ".join(missing)}')
        if extra := sorted(given - needed - USED_BY_POLICY.get(self.policy, frozenset())):
            raise ValueError(f'policy "{self.policy}" does not use {" or ".join(extra)}')
        return self


class Evaluate(Section):
    """``[evaluate]``: what the locked rule is compared with, and how."""

    baselines: list[str] | None = None
    draws: int = Field(default=10_000, ge=1)
    seed: int = Field(default=42, ge=0)
    interval: Literal["percentile", "bca"] = "percentile"
    by: list[str] = []
    margin: float | None = Field(default=None, ge=0)
    alpha: float = Field(default=0.05, gt=0, lt=1)
    of: str | None = None
    transfer: bool = True
    learned: bool = False


class Study(Section):
    """A whole study file."""

    data: Data
    split: Split = Split()
    calibrate: dict[str, Calibrate] = {}
    search: list[Search] = [Search(preset="default")]
    select: Select
    evaluate: Evaluate = Evaluate()

    @model_validator(mode="after")
    def _calibrated_names_are_new(self) -> Self:
        for name in self.calibrate:
            if self.data.signals is not None and name in self.data.signals:
                raise ValueError(f'[calibrate.{name}] makes the signal "{name}"; take it off data.signals')
        if len({each.fit for each in self.calibrate.values()}) > 1:
            raise ValueError("every [calibrate.X] of a study has the same fit")
        return self

    @model_validator(mode="after")
    def _guarantee_can_hold(self) -> Self:
        if self.select.policy != "guarantee":
            return self
        if any(each.fit == "selection" for each in self.calibrate.values()):
            raise ValueError(
                'policy "guarantee" tests fixed knots on new questions: fit = "selection" would fit them on these, '
                'so write fit = "calibration"'
            )
        if self.data.range is None:
            raise ValueError(
                'policy "guarantee" needs data.range, the lowest and highest possible quality, as in range = [0, 1]: '
                "the test bets on bounded losses"
            )
        return self

    @property
    def fits_on_calibration(self) -> bool:
        """Whether some calibrator needs a calibration split of its own."""
        return any(each.fit == "calibration" for each in self.calibrate.values())


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
    line = _line_of(text, where)
    place = f"{path}, line {line}" if line else f"{path}"
    section, key = ".".join(_counted(where[:-1])), where[-1] if where else ""
    if first["type"] == "extra_forbidden":
        known = _keys_at(first["loc"][:-1])
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
        table = f"[{section}] has no key" if section else "there is no table"
        return f'{place}: {table} "{key}"; the nearest one is "{near[0]}" (of {", ".join(known)})'
    if first["type"] == "missing":
        return f"{place}: {f'[{section}] needs' if section else 'the study needs a table'} {key}"
    message = first["msg"].removeprefix("Value error, ")
    message = message[:1].lower() + message[1:] if first["type"] != "value_error" else message
    subject = ".".join(_counted(where))
    got = "" if first["type"] == "value_error" else f", not {first['input']!r}"
    return f"{place}: {f'{subject}: ' if subject else ''}{message}{got}"


def _counted(where: Sequence[str]) -> list[str]:
    """Positions in lists, counted from 1 as a reader does."""
    return [str(int(part) + 1) if part.isdigit() else part for part in where]


def _line_of(text: str, where: Sequence[str]) -> int | None:
    """The line on which the key at ``where`` stands, when its section is written as a header."""
    section, wanted = [part for part in where[:-1] if not part.isdigit()], where[-1] if where else ""
    repeat = next((int(part) for part in where if part.isdigit()), 0)
    current: list[str] = []
    seen = -1
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([^\[\]]+?)\s*\]+", line):
            current = [part.strip().strip('"') for part in header[1].split(".")]
            seen += current == section
            if current == [*section, wanted]:
                return number
        elif current == section and seen == repeat and re.match(rf'\s*"?{re.escape(wanted)}"?\s*=', line):
            return number
    return None


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
    }
    for part in where:
        model = tables.get(str(part), model)
    return list(model.model_fields)
