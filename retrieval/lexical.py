"""Lexical search: BM25 through bm25s, over the tokens of `words.tokenise`."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

from .optional import optional
from .ranking import best_eligible
from .stored import read_card, write_card
from .tools import Hit
from .units import Collection, View
from .words import content_words

SETTINGS = {"kind": "bm25", "method": "lucene", "k1": 1.5, "b": 0.75, "tokens": "words-1"}


class Lexical:
    """BM25 (Lucene's variant, k1 = 1.5, b = 0.75) on content words: casefolded, unstemmed, identifiers whole.

    A unit that holds no word of the query is no hit.
    """

    def __init__(self, collection: Collection, index: Any) -> None:
        self.collection = collection
        self._index = index

    @classmethod
    def build(cls, collection: Collection) -> Lexical:
        """Index every unit's title and text."""
        bm25s = optional("bm25s", extra="retrieval")
        words = [content_words(unit.content) for unit in collection]
        # a sorted vocabulary: bm25s would take it from a set, whose order changes with the hash seed
        vocabulary = {word: number for number, word in enumerate(sorted(set(chain.from_iterable(words))))}
        index = bm25s.BM25(method=SETTINGS["method"], k1=SETTINGS["k1"], b=SETTINGS["b"])
        ids = [[vocabulary[word] for word in unit_words] for unit_words in words]
        index.index(bm25s.tokenization.Tokenized(ids, vocabulary), show_progress=False)
        return cls(collection, index)

    def search(self, query: str, *, rows: int, view: View) -> list[Hit]:
        """See `Tool.search`."""
        words = [word for word in content_words(query) if word in self._index.vocab_dict]
        if not words:
            return []
        scores = self._index.get_scores(words)
        return best_eligible(scores, self.collection, rows=rows, view=view, above=0.0)

    def save(self, folder: str | Path) -> None:
        """Write the index into a folder, with the fingerprint of its collection."""
        self._index.save(folder)
        write_card(Path(folder), self.collection, SETTINGS)

    @classmethod
    def load(cls, folder: str | Path, collection: Collection) -> Lexical:
        """Read an index that was saved for this very collection."""
        read_card(Path(folder), collection, SETTINGS)
        return cls(collection, optional("bm25s", extra="retrieval").BM25.load(folder))
