"""Tables of the page: every cell has a text, and a number to sort by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One cell of a table.

    Attributes
    ----------
    text : str
    number : float or None
        What it sorts by; None for text, and for a figure that is missing.
    kind : str
        How it is set: "text", "code", "id" (code that is not broken), "number", "verdict" of the audit, or "choose": a
        rule of the front that can be shown.
    """

    text: str
    number: float | None = None
    kind: str = "text"


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table with a caption; it is left out where it has no row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    note: str = ""

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether a column holds numbers."""
        return tuple(any(entry.kind == "number" for entry in column) for column in zip(*self.rows, strict=True))


def table(caption: str, columns: Sequence[str], rows: Iterable[Iterable[Entry]], note: str = "") -> Table:
    """A table of rows."""
    return Table(caption=caption, columns=tuple(columns), rows=tuple(map(tuple, rows)), note=note)


def text(value: object) -> Entry:
    """Plain words; a dash for none."""
    return Entry("–" if value is None else str(value))


def code(value: object) -> Entry:
    """A rule, an id, a fingerprint."""
    return Entry(str(value), kind="code")


def number(value: float | int | None, form: str = ",.4g") -> Entry:
    """A figure; a dash for one that is missing."""
    if value is None or not math.isfinite(value):
        return Entry("–", kind="number")
    return Entry(f"{value:{',' if isinstance(value, int) else form}}", float(value), "number")


@dataclass(frozen=True)
class Units:
    """How the qualities and costs of a study are called and printed.

    Attributes
    ----------
    quality, cost : str
    percent : bool
        Whether quality is a fraction that is printed x100.
    """

    quality: str
    cost: str
    percent: bool

    @property
    def scale(self) -> float:
        """Factor on a quality."""
        return 100.0 if self.percent else 1.0

    @property
    def digits(self) -> int:
        """Decimals of a quality."""
        return 2 if self.percent else 4

    @property
    def quality_label(self) -> str:
        """The name of the quality with its unit."""
        return f"{self.quality} ×100" if self.percent else self.quality

    @property
    def costs(self) -> dict[str, str]:
        """Where the figures of cost and calls stand, by their names; one name where calls are the cost."""
        return {self.cost: "cost", "calls": "calls"}

    def plain_quality(self, value: float | None) -> Entry:
        """A quality without an interval."""
        return number(None if value is None else self.scale * value, f".{self.digits}f")

    def of_quality(self, estimate: Mapping[str, Any] | None, sign: str = "") -> Entry:
        """A quality or a difference of two, with its interval."""
        return interval(estimate, self.scale, f"{sign}.{self.digits}f")

    def of_cost(self, estimate: Mapping[str, Any] | None, sign: str = "") -> Entry:
        """A cost, with its interval."""
        return interval(estimate, 1.0, f"{sign},.3f")


def interval(estimate: Mapping[str, Any] | None, scale: float = 1.0, form: str = ".3f") -> Entry:
    """An estimate of evaluation.json with its interval, or the reason why it has none."""
    if estimate is None or estimate["value"] is None:
        why = "" if estimate is None else estimate.get("reason")
        return Entry(why or "–", kind="number")
    value = scale * estimate["value"]
    told = f"{value:{form}}"
    if not estimate["degenerate"] and estimate["low"] is not None and estimate["high"] is not None:
        told += f" [{scale * estimate['low']:{form}}, {scale * estimate['high']:{form}}]"
    return Entry(told, value, "number")


def figures(content: Mapping[str, Any]) -> list[tuple[str, Entry]]:
    """Every figure of a nested JSON object, named by the way to it: for entries whose form is not known here."""
    found: list[tuple[str, Entry]] = []

    def walk(value: Any, way: tuple[str, ...]) -> None:
        match value:
            case {"value": _, "low": _, "high": _, "degenerate": _}:
                found.append((" · ".join(way), interval(value, form=",.4g")))
            case Mapping():
                for key, inner in value.items():
                    walk(inner, (*way, str(key).replace("_", " ")))
            case bool() | str():
                found.append((" · ".join(way), text(value)))
            case int() | float():
                found.append((" · ".join(way), number(value)))
            case list() if any(isinstance(inner, Mapping | list) for inner in value):
                for i, inner in enumerate(value, start=1):
                    walk(inner, (*way, str(i)))
            case list():
                found.append((" · ".join(way), text(", ".join(map(str, value)))))

    walk(content, ())
    return found
