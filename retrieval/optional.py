"""Libraries of an extra, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import RetrievalError


def optional(module: str, *, extra: str) -> Any:
    """The module, or an error that says what to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise RetrievalError(f"{error.name} is not installed; pip install 'stoprule[{extra}]'") from None
