import json
import subprocess
import sys
from math import log
from pathlib import Path

import pytest
from stoprule.retrieval.errors import RetrievalError
from stoprule.retrieval.lexical import Lexical
from stoprule.retrieval.units import Collection, Snapshot, Unit

SMALL = Collection([Unit("a", "wing flow"), Unit("b", "wing heat heat"), Unit("c", "the slab")])


def found(index: Lexical, query: str, rows: int = 6) -> list[str]:
    return [hit.unit.id for hit in index.search(query, rows=rows, view=Snapshot.of(index.collection))]


class TestLexical:
    def test_worked(self) -> None:
        """Score BM25 by hand: idf ln(1 + (N - n + .5) / (n + .5)), k1 1.5, b .75, mean length 2."""
        score = Lexical.build(SMALL).search("heat", rows=1, view=Snapshot.of(SMALL))[0].score
        idf = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
        assert score == pytest.approx(idf * 2 / (2 + 1.5 * (1 - 0.75 + 0.75 * 3 / 2)), rel=1e-6)

    def test_no_shared_word_is_no_hit(self) -> None:
        """Return only units that hold a word of the query, and none for stop words or unknown ones."""
        index = Lexical.build(SMALL)
        assert found(index, "wing") == ["a", "b"]
        assert found(index, "the of") == found(index, "unknown") == []

    def test_identifier_trap(self, collection: Collection) -> None:
        """Do not return a unit for RX-20 because it holds RX-200."""
        index = Lexical.build(collection)
        assert set(found(index, "RX-20")) == {"rx20-battery", "rx20-reset"}
        assert set(found(index, "RX-200")) == {"rx200-battery", "rx200-reset"}

    def test_view(self, collection: Collection) -> None:
        """Skip what the view hides and fill the rows with what it shows."""
        view = Snapshot.of(unit for unit in collection if unit.id != "rx20-reset")
        hits = Lexical.build(collection).search("receiver of the RX-20", rows=2, view=view)
        assert [hit.unit.id for hit in hits] == ["rx20-battery", "rx200-battery"]

    def test_saved_and_loaded(self, tmp_path: Path, collection: Collection) -> None:
        """Answer the same from disk."""
        index = Lexical.build(collection)
        index.save(tmp_path / "index")
        loaded = Lexical.load(tmp_path / "index", collection)
        view = Snapshot.of(collection)
        for query in ("reset RX-200", "cold store door"):
            assert loaded.search(query, rows=6, view=view) == index.search(query, rows=6, view=view)

    def test_of_another_collection(self, tmp_path: Path, collection: Collection) -> None:
        """Refuse an index by the fingerprint of its collection."""
        Lexical.build(SMALL).save(tmp_path)
        with pytest.raises(RetrievalError, match="built on another collection"):
            Lexical.load(tmp_path, collection)

    def test_of_other_settings(self, tmp_path: Path) -> None:
        """Refuse an index that was built another way."""
        Lexical.build(SMALL).save(tmp_path)
        card = json.loads((tmp_path / "index.json").read_text())
        (tmp_path / "index.json").write_text(json.dumps({**card, "k1": 1.2}))
        with pytest.raises(RetrievalError, match=r"k1 is 1\.2, not 1\.5"):
            Lexical.load(tmp_path, SMALL)

    def test_nothing_there(self, tmp_path: Path) -> None:
        """Say that a folder holds no index, or none that can be read."""
        with pytest.raises(RetrievalError, match=r"no index\.json there"):
            Lexical.load(tmp_path, SMALL)
        (tmp_path / "index.json").write_text("{")
        with pytest.raises(RetrievalError, match="is no JSON; save it again"):
            Lexical.load(tmp_path, SMALL)

    def test_bytes_do_not_depend_on_the_hash_seed(self, tmp_path: Path, inventory: Path) -> None:
        """Write the same index in two processes with different hash seeds."""
        code = (
            "import sys; from stoprule.retrieval.lexical import Lexical;"
            "from stoprule.retrieval.formats import read_collection;"
            f"Lexical.build(read_collection({str(inventory)!r})).save(sys.argv[1])"
        )
        for seed in ("1", "2"):
            folder = str(tmp_path / seed)
            subprocess.run([sys.executable, "-c", code, folder], env={"PYTHONHASHSEED": seed}, check=True)
        first, second = (sorted((tmp_path / seed).iterdir()) for seed in ("1", "2"))
        assert [path.name for path in first] == [path.name for path in second]
        assert all(one.read_bytes() == two.read_bytes() for one, two in zip(first, second, strict=True))
