"""Dense search: the exact inner product of the query's vector with every unit's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encoders import Encoder, Lsa
from .errors import RetrievalError
from .ranking import best_eligible
from .stored import read_card, write_card
from .tools import Hit
from .units import Collection, View

VECTORS = "vectors.npy"


class Dense:
    """Exact search over vectors; no approximation, so that a miss is the encoder's.

    Parameters
    ----------
    collection : Collection
    encoder : Encoder
        Must be the one that made the vectors.
    vectors : (units, d) floating
        One a unit, in the collection's order.
    """

    def __init__(
        self, collection: Collection, encoder: Encoder, vectors: NDArray[np.floating[Any]], *, name: str
    ) -> None:
        self.collection, self.encoder, self.name = collection, encoder, name
        self.vectors = _checked(vectors, len(collection))

    @classmethod
    def build(cls, collection: Collection, encoder: Encoder, *, name: str = "encoder") -> Dense:
        """Encode every unit's title and text; ``name`` tells encoders apart when the index is loaded."""
        return cls(collection, encoder, encoder([unit.content for unit in collection]), name=name)

    @classmethod
    def lsa(cls, collection: Collection, *, dimensions: int = 128, seed: int = 0) -> Dense:
        """The default that downloads nothing: latent semantic analysis fitted on the collection itself."""
        encoder = Lsa.fit([unit.content for unit in collection], dimensions=dimensions, seed=seed)
        return cls.build(collection, encoder, name="lsa")

    def search(self, query: str, *, rows: int, view: View) -> list[Hit]:
        """See `Tool.search`."""
        vector = _checked(self.encoder([query]), 1)[0]
        if len(vector) != self.vectors.shape[1]:
            raise RetrievalError(
                f"encoder {self.name}: {len(vector)} numbers a query, {self.vectors.shape[1]} a unit; "
                "search with the encoder that made the index"
            )
        if not vector.any():  # like nothing: no order among the units would mean anything
            return []
        return best_eligible(self.vectors @ vector, self.collection, rows=rows, view=view)

    def save(self, folder: str | Path) -> None:
        """Write the vectors, and the encoder where it is latent semantic analysis, into a folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        np.save(Path(folder, VECTORS), self.vectors)
        if isinstance(self.encoder, Lsa):
            self.encoder.save(folder)
        write_card(Path(folder), self.collection, {"kind": "dense", "encoder": self.name})

    @classmethod
    def load(
        cls, folder: str | Path, collection: Collection, encoder: Encoder | None = None, *, name: str = "lsa"
    ) -> Dense:
        """Read an index that was saved for this very collection; without an encoder, the saved `Lsa`."""
        read_card(Path(folder), collection, {"kind": "dense", "encoder": name})
        vectors = np.load(Path(folder, VECTORS))
        return cls(collection, Lsa.load(folder) if encoder is None else encoder, vectors, name=name)


def _checked(vectors: NDArray[np.floating[Any]], texts: int) -> NDArray[np.floating[Any]]:
    if vectors.ndim != 2 or len(vectors) != texts or not np.isfinite(vectors).all():
        raise RetrievalError(
            f"encoder: {texts} texts gave an array of shape {vectors.shape}; give ({texts}, d), finite"
        )
    return vectors
