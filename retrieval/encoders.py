"""Encoders, ``list[str] -> (n, d)``: latent semantic analysis, and a local sentence-transformers model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .errors import RetrievalError
from .optional import optional
from .words import content_words


class Encoder(Protocol):
    """Anything that turns n texts into n vectors of one length; their inner product is their likeness."""

    def __call__(self, texts: list[str], /) -> NDArray[np.floating[Any]]: ...


class Lsa:
    """Latent semantic analysis: TF-IDF (sublinear counts), a truncated SVD, vectors of length 1.

    A text with no known word is the zero vector, like nothing. Source: Deerwester et al. (1990), "Indexing by
    latent semantic analysis".

    Parameters
    ----------
    words : list of str, sorted
    idf : (words,) float64
    axes : (d, words) float64
    """

    def __init__(self, words: list[str], idf: NDArray[np.float64], axes: NDArray[np.float64]) -> None:
        self.words, self.idf, self.axes = words, idf, axes
        self._weigh = _vectorizer(words)
        self._weigh.idf_ = idf
        self._columns = np.ascontiguousarray(axes.T)  # else each query would copy them

    def __repr__(self) -> str:
        return f"Lsa({len(self.axes)} axes, {len(self.words)} words)"

    @classmethod
    def fit(cls, texts: list[str], *, dimensions: int = 128, seed: int = 0) -> Lsa:
        """Fit on the texts of a collection.

        Parameters
        ----------
        dimensions : int
            Axes to keep; fewer where there are fewer texts or words.
        seed : int
            Of the randomised SVD.
        """
        from sklearn.decomposition import TruncatedSVD

        if not any(map(content_words, texts)):
            raise RetrievalError("encoder: the texts hold no content word; name a corpus with text in it")
        weigh = _vectorizer()
        weighted = weigh.fit_transform(texts)
        kept = max(1, min(dimensions, *(size - 1 for size in weighted.shape)))
        svd = TruncatedSVD(kept, random_state=seed).fit(weighted)
        return cls(list(weigh.get_feature_names_out()), weigh.idf_, svd.components_)

    def __call__(self, texts: list[str], /) -> NDArray[np.float32]:
        projected: NDArray[np.float64] = np.asarray(self._weigh.transform(texts) @ self._columns)
        length = np.linalg.norm(projected, axis=1, keepdims=True)
        np.divide(projected, length, out=projected, where=length > 0)
        return projected.astype(np.float32)

    def save(self, folder: str | Path) -> None:
        """Write words, weights and axes into a folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        np.save(Path(folder, "idf.npy"), self.idf)
        np.save(Path(folder, "axes.npy"), self.axes)
        Path(folder, "words.json").write_text(json.dumps(self.words), encoding="utf-8")

    @classmethod
    def load(cls, folder: str | Path) -> Lsa:
        """Read what `save` wrote."""
        words = json.loads(Path(folder, "words.json").read_text(encoding="utf-8"))
        return cls(words, np.load(Path(folder, "idf.npy")), np.load(Path(folder, "axes.npy")))


def _vectorizer(words: list[str] | None = None) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer=content_words, sublinear_tf=True, vocabulary=words)


def sentence_transformer(folder: str | Path, *, batch: int = 64) -> Encoder:
    """The encoder of a sentence-transformers model that stands in a local folder; nothing is downloaded.

    Raises
    ------
    RetrievalError
        When there is no such folder, or the library is not installed.
    """
    if not Path(folder).is_dir():
        raise RetrievalError(f"encoder: {folder} is no folder; name the folder of a downloaded model")
    library = optional("sentence_transformers", extra="encoders")
    model = library.SentenceTransformer(str(folder), local_files_only=True)

    def encode(texts: list[str], /) -> NDArray[np.floating[Any]]:
        vectors = model.encode(
            texts, batch_size=batch, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(vectors)

    return encode
