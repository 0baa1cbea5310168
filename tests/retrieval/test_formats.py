from pathlib import Path

import pytest
from stoprule.retrieval.errors import RetrievalError
from stoprule.retrieval.formats import read_collection, read_qrels, read_queries


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str, name: str = "file.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


class TestCollection:
    def test_json_lines(self, write) -> None:
        """Read ids as text, with or without title and revision."""
        path = write('{"_id": 2, "text": "two"}\n\n{"id": "1", "title": "T", "text": "one", "revision": "r"}\n')
        one, two = read_collection(path)
        assert (one.id, one.content, one.revision) == ("1", "T\none", "r")
        assert (two.id, two.content) == ("2", "two")

    def test_long_ids_survive(self, write) -> None:
        """Keep an id that a float would bend."""
        assert next(iter(read_collection(write('{"_id": 1582218195625938945, "text": ""}')))).id[-3:] == "945"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{", "line 1 is no JSON"),
            ("[1]", "line 1 is no JSON object"),
            ('{"text": "x"}', "line 1: '_id' must be a text or a whole number, not None"),
            ('{"_id": 1.5, "text": "x"}', "not 1.5"),
            ('{"_id": true, "text": "x"}', "not True"),
            ('{"_id": "a"}', "line 1: 'text' must be a text; there is NoneType"),
            ('{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}', "unit id 'a' stands for several units"),
            ("", "holds no unit"),
        ],
    )
    def test_unreadable(self, write, text: str, message: str) -> None:
        """Name file, line and offender."""
        with pytest.raises(RetrievalError, match=message):
            read_collection(write(text))

    def test_no_file(self, tmp_path: Path) -> None:
        """Say what a folder lacks."""
        with pytest.raises(RetrievalError, match=r"corpus\.jsonl: no such file"):
            read_collection(tmp_path)


class TestQueries:
    def test_sorted_by_id(self, write) -> None:
        """Forget the order of the file."""
        path = write('{"_id": "b", "text": "two"}\n{"_id": "a", "text": "one"}')
        assert [query.id for query in read_queries(path)] == ["a", "b"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "no query in it"),
            ('{"_id": 1, "text": "x"}\n{"_id": "1", "text": "y"}', "line 2: query '1' is there twice"),
        ],
    )
    def test_unreadable(self, write, text: str, message: str) -> None:
        """Refuse an empty file and a query that is there twice."""
        with pytest.raises(RetrievalError, match=message):
            read_queries(write(text))


class TestQrels:
    def test_both_layouts(self, write) -> None:
        """Read BEIR with its header and TREC without one alike."""
        beir = write("query-id\tcorpus-id\tscore\nq\ta\t2\nq\tb\t-1\n", "beir.tsv")
        trec = write("q 0 a 2\nq 0 b -1\n", "trec.qrels")
        assert read_qrels(beir) == read_qrels(trec) == {"q": {"a": 2, "b": -1}}

    def test_folder(self, write, tmp_path: Path) -> None:
        """Take the folder's test judgements."""
        write("q\ta\t1\n", "qrels/test.tsv")
        assert read_qrels(tmp_path) == {"q": {"a": 1}}

    @pytest.mark.parametrize(
        ("text", "message"),
        [("q a 1\nq b\n", "line 2: expected query, unit, grade"), ("q a 1\nq a 2\n", "line 2: q a has two grades")],
    )
    def test_unreadable(self, write, text: str, message: str) -> None:
        """Name the line that is no judgement, or contradicts one."""
        with pytest.raises(RetrievalError, match=message):
            read_qrels(write(text))
