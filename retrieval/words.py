"""Words and identifiers: the one tokeniser behind the lexical index and the coverage proxy."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_STOP_LIST = """
    a an and any are as at be been by can could did do does for from had has have how i if in into is it its
    may me my of on or our should so some such than that the their them then there these they this those to up
    was we were what when where which while who whom why will with would you your
"""
STOP_WORDS = frozenset(_STOP_LIST.split())
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_RUN = re.compile(r"[^\W_]+(?:-[^\W_]+|(?<=\d)\.\d+)*")  # a dot joins digits only
_IDENTIFIER = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W_]+)*?-\d.*")


def tokenise(text: str) -> list[str]:
    """Tokens in their order: identifiers as written, everything else casefolded and parted at hyphens.

    A device-style identifier begins with a letter and has a digit after a hyphen (``RX-200``, ``GIMP-2.10``).
    It stays whole and keeps its case, because only an exactly equal one is the same device. Nothing is
    stemmed: what counts as matched stands in the text as it is. Text is NFKC, its dashes folded.
    """
    tokens: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).translate(_DASHES)):
        if "-" in run and _IDENTIFIER.fullmatch(run):  # few have a hyphen
            tokens.append(run)
        else:
            tokens.extend(run.casefold().split("-"))
    return tokens


def is_identifier(token: str) -> bool:
    """Whether a token of `tokenise` is a device-style identifier: those alone keep a hyphen."""
    return "-" in token


def content_words(text: str) -> list[str]:
    """The tokens of a text without `STOP_WORDS`."""
    return [token for token in tokenise(text) if token not in STOP_WORDS]


@dataclass(frozen=True, slots=True)
class Features:
    """What the controller reads in a query: its distinct content words and identifiers, in order."""

    terms: tuple[str, ...]

    @classmethod
    def of(cls, query: str) -> Features:
        return cls(tuple(dict.fromkeys(content_words(query))))

    @property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(term for term in self.terms if is_identifier(term))

    def held_by(self, text: str) -> tuple[str, ...]:
        """The retained terms that the text holds, in the query's order."""
        return self.among(tokenise(text))

    def among(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """The retained terms that are among the tokens, in the query's order."""
        present = set(tokens)
        return tuple(term for term in self.terms if term in present)
