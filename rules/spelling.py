"""How names and numbers are spelled in the text of a rule."""

from __future__ import annotations

import json
import keyword
import math
import re
import reprlib
import unicodedata
from numbers import Real
from typing import Any

from ..trajectories.errors import RuleError

ROLES = frozenset({"answer", "round", "cost"})
FUNCTIONS = frozenset(
    {
        "signal",
        "repeat",
        "streak",
        "missing",
        "change",
        "so_far_max",
        "so_far_min",
        "clip",
        "at_least",
        "total",
        "fixed",
        "tasr",
    }
)
RESERVED = ROLES | FUNCTIONS | {"inf", "nan", "true", "false"} | frozenset(keyword.kwlist)

# Control, bidirectional and invisible characters: a text must show what it reads, on one line.
_UNSEEN = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


def plain_name(name: str) -> bool:
    """Whether a signal's name can stand as it is; Python folds a name that is not NFKC into another one."""
    return name.isidentifier() and name not in RESERVED and unicodedata.is_normalized("NFKC", name)


def quoted(name: str) -> str:
    """A name as a JSON string, readable beyond ASCII, with unseen characters escaped."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(name, ensure_ascii=False))


def name_text(name: str) -> str:
    """``margin``, or ``signal("top score")`` where the name cannot stand as it is."""
    return name if plain_name(name) else f"signal({quoted(name)})"


def number_text(value: float) -> str:
    """The shortest text that reads back as the same float: ``1``, ``0.25``, ``1e-7``, ``-inf``."""
    mantissa, marked, exponent = repr(value).removesuffix(".0").partition("e")
    return f"{mantissa}e{int(exponent)}" if marked else mantissa


def shown(value: object) -> str:
    """A value as an error shows it: short, on one line."""
    if isinstance(value, float):
        return number_text(float(value))
    return " ".join(reprlib.repr(value).split())


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def number(value: Any, what: str) -> float:
    """A float that is not NaN; -0 becomes 0, so that equal cuts have equal text.

    Raises
    ------
    RuleError
        When ``value`` is no real number (Booleans are none), is NaN, or exceeds the range of a float.
    """
    if not _is_number(value):
        raise RuleError(f"{what} must be a number, not {shown(value)}")
    try:
        result = float(value)
    except OverflowError:
        raise RuleError(f"{what} exceeds the range of a float: write inf or -inf") from None
    if math.isnan(result):
        raise RuleError(f"{what} is nan, which no value passes: ask for missing values with missing(x)")
    return result + 0.0


def whole(value: Any, what: str, low: int, high: int) -> int:
    """A whole number in ``low``..``high``.

    Raises
    ------
    RuleError
        When ``value`` is anything else.
    """
    if not _is_number(value) or not low <= value <= high or value != int(value):
        raise RuleError(f"{what} must be a whole number from {low} to {high}, not {shown(value)}")
    return int(value)
