import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from stoprule.retrieval.dense import Dense
from stoprule.retrieval.encoders import Lsa, sentence_transformer
from stoprule.retrieval.errors import RetrievalError
from stoprule.retrieval.units import Collection, Snapshot, Unit

LETTERS = Collection([Unit("a", "aab"), Unit("b", "bbb"), Unit("c", "ccc")])


def counts(texts: list[str]) -> np.ndarray:
    """An encoder: how often a, b and c stand in a text."""
    return np.array([[text.count(letter) for letter in "abc"] for text in texts], float)


class TestDense:
    def test_worked(self) -> None:
        """Order by the inner product: "ab" with aab is 3, with bbb 3, with ccc 0; ties by id."""
        hits = Dense.build(LETTERS, counts).search("ab", rows=3, view=Snapshot.of(LETTERS))
        assert [(hit.unit.id, hit.score) for hit in hits] == [("a", 3.0), ("b", 3.0), ("c", 0.0)]

    def test_view(self) -> None:
        """Skip what the view hides."""
        hits = Dense.build(LETTERS, counts).search("ab", rows=1, view=Snapshot.of([LETTERS["b"]]))
        assert [hit.unit.id for hit in hits] == ["b"]

    def test_zero_vector(self) -> None:
        """Return nothing for a query that is like nothing."""
        assert Dense.build(LETTERS, counts).search("xyz", rows=3, view=Snapshot.of(LETTERS)) == []

    @pytest.mark.parametrize("vectors", [np.zeros((2, 3)), np.zeros(3), np.array([[1.0], [np.nan], [1.0]])], ids=str)
    def test_unusable_vectors(self, vectors: np.ndarray) -> None:
        """Refuse vectors of another shape, or that are not finite."""
        with pytest.raises(RetrievalError, match=r"give \(3, d\), finite"):
            Dense.build(LETTERS, lambda _: vectors)

    def test_another_encoder(self) -> None:
        """Say that queries and units were encoded differently."""
        index = Dense(LETTERS, lambda _: np.ones((1, 2)), counts(["aab", "bbb", "ccc"]), name="short")
        with pytest.raises(RetrievalError, match="encoder short: 2 numbers a query, 3 a unit"):
            index.search("ab", rows=1, view=Snapshot.of(LETTERS))

    def test_saved_and_loaded(self, tmp_path: Path, collection: Collection) -> None:
        """Answer the same from disk, encoder included."""
        index, view = Dense.lsa(collection, dimensions=8), Snapshot.of(collection)
        index.save(tmp_path / "index")
        loaded = Dense.load(tmp_path / "index", collection)
        for query in ("reset RX-200", "wet tent"):
            assert loaded.search(query, rows=6, view=view) == index.search(query, rows=6, view=view)

    def test_own_encoder_saved_and_loaded(self, tmp_path: Path) -> None:
        """Take the vectors from disk and the encoder from the user, under the same name."""
        Dense.build(LETTERS, counts, name="counts").save(tmp_path)
        assert (
            Dense.load(tmp_path, LETTERS, counts, name="counts").vectors.tolist()
            == counts([unit.content for unit in LETTERS]).tolist()
        )
        with pytest.raises(RetrievalError, match="encoder is 'counts', not 'lsa'"):
            Dense.load(tmp_path, LETTERS)


class TestLsa:
    def test_one_axis_by_hand(self) -> None:
        """Put two texts of the same words on one point, and a text of other words at a right angle."""
        encode = Lsa.fit(["wing flow", "flow wing", "slab heat"], dimensions=2)
        same, again, other = encode(["wing flow", "flow wing", "slab heat"])
        assert same @ again == pytest.approx(1.0)
        assert same @ other == pytest.approx(0.0, abs=1e-6)

    def test_words_that_go_together(self) -> None:
        """Bring a query near a text that shares none of its words, through texts that hold both."""
        encode = Lsa.fit(
            ["boat hull", "boat hull repair", "hull repair tin", "slab heat", "heat slab wall"], dimensions=2
        )
        query, near, far = encode(["boat", "repair tin", "slab wall"])
        assert query @ near > 0.9
        assert abs(query @ far) < 0.1

    def test_same_seed_same_vectors(self, collection: Collection) -> None:
        """Give the same bytes for the same seed, whatever the global generator did."""
        texts = [unit.content for unit in collection]
        np.random.seed(1)  # noqa: NPY002
        one = Lsa.fit(texts, dimensions=8, seed=3)(texts)
        np.random.seed(2)  # noqa: NPY002
        state = np.random.get_state()[1].tolist()  # type: ignore[index,union-attr]  # noqa: NPY002
        two = Lsa.fit(texts, dimensions=8, seed=3)(texts)
        assert one.tobytes() == two.tobytes()
        assert np.random.get_state()[1].tolist() == state  # type: ignore[index,union-attr]  # noqa: NPY002

    def test_unknown_words(self) -> None:
        """Give the zero vector for a text without known words."""
        assert not Lsa.fit(["wing flow", "slab heat", "wall"])(["unknown"]).any()

    def test_more_axes_than_words(self) -> None:
        """Keep as many axes as there are."""
        assert Lsa.fit(["wing flow", "slab heat", "wall"], dimensions=500)(["wing"]).shape == (1, 2)

    def test_no_words(self) -> None:
        """Refuse texts without a content word."""
        with pytest.raises(RetrievalError, match="no content word"):
            Lsa.fit(["the", "of"])


class TestSentenceTransformer:
    def test_from_a_local_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Load from the folder without the network, and normalise."""
        asked: dict[str, object] = {}

        class Model:
            def __init__(self, path: str, *, local_files_only: bool) -> None:
                asked.update(path=path, local_files_only=local_files_only)

            def encode(self, texts: list[str], **settings: object) -> np.ndarray:
                asked.update(settings)
                return counts(texts)

        monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Model))
        assert sentence_transformer(tmp_path)(["ab"]).tolist() == [[1, 1, 0]]
        assert asked["path"] == str(tmp_path)
        assert asked["local_files_only"] is True
        assert asked["normalize_embeddings"] is True

    def test_no_folder(self) -> None:
        """Download nothing for a name that is no folder."""
        with pytest.raises(RetrievalError, match="no-such/model is no folder"):
            sentence_transformer("no-such/model")

    def test_not_installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Say what to install."""
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        with pytest.raises(RetrievalError, match=r"pip install 'stoprule\[encoders\]'"):
            sentence_transformer(tmp_path)
