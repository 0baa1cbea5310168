"""One column: as text, as numbers, or made from Python objects."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np
import polars as pl

LARGEST_WHOLE = 2**53  # beyond it a float no longer tells neighbouring whole numbers apart
BOOLEAN_WORDS = ("true", "false")


def as_text(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """A column of ids or answers as text: 1, 1.0 and "1" are the same.

    Returns
    -------
    text : (n,) series of str
        Null where the value is null, NaN or the empty text. Floats below 2**53 without a fraction are written
        as whole numbers, others in their shortest form; Booleans as ``true`` and ``false``.
    unfit : (n,) series of bool
        True where the value is no id: a float with a fraction, or one too large to tell neighbours apart, or
        a value that is no text at all, such as a list.
    """
    kind = column.dtype
    if kind.is_nested() or kind in (pl.Binary, pl.Object):
        return pl.Series(column.name, [None] * len(column), dtype=pl.String), column.is_not_null()
    text = column.cast(pl.String)
    unfit = pl.repeat(False, len(column), eager=True)
    if kind.is_float():
        known = column.is_not_null() & column.is_not_nan()
        whole = column.is_finite() & (column == column.round()) & (column.abs() < LARGEST_WHOLE)
        digits = column.cast(pl.Int64, strict=False).cast(pl.String)
        text = digits.zip_with(whole.fill_null(False), text)
        text = text.set(~known.fill_null(False), None)
        unfit = (known & ~whole).fill_null(False)
    return text.set(text == "", None), unfit


def no_text(column: pl.Series) -> pl.Series:
    """(n,) true where a value, such as a list, has no text that stands for it."""
    text, unfit = as_text(column)
    return unfit & text.is_null()


def as_numbers(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """A column as Booleans or float64; text is read as text files write numbers.

    Returns
    -------
    values : (n,) series of bool or float64
        Null where missing (null, NaN or an empty text). Boolean when the column is, or when every text in it
        is true or false. Narrower floats, integers and decimals are upcast.
    unfit : (n,) series of bool
        True where there is a value that is no number; it is null in ``values``.
    """
    kind = column.dtype
    none_unfit = pl.repeat(False, len(column), eager=True)
    if kind == pl.Boolean:
        return column, none_unfit
    if kind.is_numeric() or kind == pl.Null:
        return column.cast(pl.Float64).fill_nan(None), none_unfit
    if kind not in (pl.String, pl.Categorical, pl.Enum):
        return pl.Series(column.name, [None] * len(column), dtype=pl.Float64), column.is_not_null()
    text = column.cast(pl.String).str.strip_chars()
    text = text.set(text == "", None)
    words = text.drop_nulls()
    if words.head(1).str.to_lowercase().is_in(BOOLEAN_WORDS).any():  # one look saves most columns the full one
        words = words.str.to_lowercase()
        if words.is_in(BOOLEAN_WORDS).all():
            return text.str.to_lowercase() == BOOLEAN_WORDS[0], none_unfit
    values = text.cast(pl.Float64, strict=False)
    return values.fill_nan(None), text.is_not_null() & values.is_null()


def shown(column: pl.Series, at: int) -> str:
    """One value for an error message, on one line and short."""
    value = column[at]
    plain = value.to_list() if isinstance(value, pl.Series) else value
    return "missing" if written(plain) in (None, "") else reprlib.repr(plain)


def from_objects(name: str, values: Sequence[object]) -> pl.Series:
    """A column of Python objects, as a pandas column of type object holds them.

    All Booleans, all whole numbers or all numbers keep their type; anything else is written as text, so that
    ids survive whatever their length and 1 beside "1" is the same id.
    """
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in plain} - {type(None)}
    if Decimal in kinds and kinds <= {int, float, Decimal} and _within(plain, LARGEST_WHOLE):
        plain = [float(value) if isinstance(value, Decimal) else value for value in plain]
        kinds = {float}
    if not kinds:
        return pl.Series(name, plain, dtype=pl.Null)
    if kinds == {bool}:
        return pl.Series(name, plain, dtype=pl.Boolean)
    if kinds == {float} or (kinds == {int, float} and _within(plain, LARGEST_WHOLE)):
        return pl.Series(name, plain, dtype=pl.Float64, strict=False)
    if kinds == {int} and _within(plain, 2**63 - 1):
        return pl.Series(name, plain, dtype=pl.Int64)
    return pl.Series(name, [written(value) for value in plain], dtype=pl.String)


def _within(values: Iterable[object], largest: int) -> bool:
    return all(-largest <= value <= largest for value in values if isinstance(value, int | Decimal))


def written(value: object) -> str | None:
    """A Python value as the text that stands for it; None where it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return BOOLEAN_WORDS[0] if value else BOOLEAN_WORDS[1]
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_WHOLE:
        return str(int(value))
    # Half of a surrogate pair, as broken model output has it, cannot be stored as it is.
    return str(value).encode(errors="backslashreplace").decode()
