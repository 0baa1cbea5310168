"""The name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LISTED = 20


def nearest(name: str, known: Iterable[str]) -> str:
    """``" (did you mean 'margin'?)"`` when a known name is near, else nothing: part of an error message."""
    folded = {other.casefold(): other for other in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1)
    return f" (did you mean {folded[close[0]]!r}?)" if close else ""


def listing(names: Iterable[str]) -> str:
    """Names for an error message, on one line; of very many the first ones."""
    every = [name if name.isprintable() else repr(name) for name in names]
    rest = f" and {len(every) - LISTED} more" if len(every) > LISTED else ""
    return ", ".join(every[:LISTED]) + rest
