"""Indexes on disk: a folder with a card that says what was indexed and how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from .errors import RetrievalError
from .units import Collection

CARD = "index.json"


def write_card(folder: Path, collection: Collection, settings: Mapping[str, object]) -> None:
    """Write the card last, so that a folder with a card is a whole index."""
    card = {"fingerprint": collection.fingerprint, "units": len(collection), **settings}
    (folder / CARD).write_text(json.dumps(card, sort_keys=True, indent=1) + "\n", encoding="utf-8")


def read_card(folder: Path, collection: Collection, settings: Mapping[str, object]) -> None:
    """Refuse a folder that holds no index, another kind of index, or one of another collection."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RetrievalError(f"{folder}: no {CARD} there; save an index into it first") from None
    except json.JSONDecodeError as error:
        raise RetrievalError(f"{folder / CARD}: line {error.lineno} is no JSON; save it again") from None
    if card.get("fingerprint") != collection.fingerprint:
        raise RetrievalError(f"{folder}: it was built on another collection; build and save it again")
    for name, value in settings.items():
        if card.get(name) != value:
            raise RetrievalError(f"{folder}: {name} is {card.get(name)!r}, not {value!r}; build it again")
