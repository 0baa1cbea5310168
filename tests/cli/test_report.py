"""The report as a file: what it holds, where it comes from, what it refuses. In a browser: test_report_browser.py."""

import json
import shutil
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stoprule.analysis.report import extra

from .small_study import BARE, written

VOID = {"meta", "input", "img", "br", "link"}
LIBRARY = 1_000_000  # bytes of the charts' script, which these tests leave out


class Page(HTMLParser):
    """A page taken apart: its elements with their attributes, its text by element."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.source = (folder / "report.html").read_text(encoding="utf-8")
        self.found: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def data(self) -> dict:
        """What the page's script reads."""
        return json.loads(self.scripts[0])

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture
def folder(mine) -> Path:
    """The folder of a search."""
    return mine.searched


@pytest.fixture
def complete(once) -> Path:
    """A folder that was evaluated and audited, with its report."""
    return once.out


class TestReport:
    def test_after_a_search_says_what_was_not_run(self, stoprule, folder):
        """The frontier is there; the final split and the audit are not."""
        assert stoprule("report", folder).status == 0
        found = Page(folder)
        assert found.text.count("Not run.") == 2
        assert "stoprule evaluate DIR" in found.text
        front = pl.read_csv(folder / "front.csv")
        assert {row["rule"] for row in found.data["rows"]} == set(front["rule"])
        assert set(found.data["charts"]) == {"frontier", "signals"}

    def test_of_a_run_holds_every_section(self, complete):
        """Words, figures, verdicts, commands and fingerprints, as the other artefacts have them."""
        found = Page(complete)
        lock = json.loads((complete / "lock.json").read_text())
        audit = json.loads((complete / "audit.json").read_text())
        assert found.open == []
        assert "Not run." not in found.text
        for told in (lock["rule"], lock["sha256"], lock["split"]["selection_rows"], "Stop at the first round at which"):
            assert told in found.text
        for check in audit["checks"]:
            assert check["check"] in found.text
        for command in ("search study.toml --out DIR", "evaluate DIR", "audit DIR", "report DIR"):
            assert f"stoprule {command}" in found.text
        assert (complete / "study.toml").read_text().strip().splitlines()[0] in found.text
        assert set(found.data["charts"]) == {"frontier", "signals", "stops"}

    def test_carries_stop_rounds_and_cells_of_each_rule(self, complete):
        """Those of the search, qualities printed x100; a rule's trajectories add up."""
        stopping = pl.read_parquet(complete / "stopping.parquet")
        for row in Page(complete).data["rows"]:
            assert row["cells"].keys() == {"dense", "lexical"}
            for cell, (n, quality, _, _, _, stops) in row["cells"].items():
                kept = stopping.row(by_predicate=(pl.col("rule") == row["rule"]) & (pl.col("cell") == cell), named=True)
                assert quality == pytest.approx(100 * kept["quality"])
                assert stops == kept["stops"]
                assert sum(stops) == n
            assert row["quality"] == pytest.approx(np.mean([one[1] for one in row["cells"].values()]))

    def test_reads_nothing_but_the_folder(self, stoprule, complete, tmp_path):
        """The data may be gone, the folder elsewhere: the same bytes, and no path in them."""
        before = (complete / "report.html").read_bytes()
        moved = shutil.copytree(complete, tmp_path / "elsewhere")
        (moved / "report.html").unlink()
        answered = stoprule("report", moved)
        assert (answered.status, answered.out) == (0, f"{moved}/report.html\n"), answered.err
        assert (moved / "report.html").read_bytes() == before
        for place in (tmp_path, complete):
            assert str(place).encode() not in before

    def test_loads_nothing(self, complete):
        """No address to load from, and a policy that forbids it."""
        found = Page(complete)
        assert not found.all("link")
        assert all("src" not in script for script in found.all("script"))
        assert all(image["src"].startswith("data:") for image in found.all("img"))
        policy = next(each["content"] for each in found.all("meta") if "http-equiv" in each)
        assert "default-src 'none'" in policy

    def test_leaves_out_what_belongs_to_another_lock(self, stoprule, mine):
        """A new search makes the evaluation and the audit old, with their pictures, and takes the page away."""
        (mine.out / "figures").mkdir()
        for name in ("frontier", "transfer", "simplicity"):
            (mine.out / "figures" / f"{name}.svg").write_text("<svg/>")
        assert stoprule("search", mine.study, "--set", "select.max_cost=1.5").status == 0
        (mine.out / "figures" / "frontier.svg").write_text("<svg/>")
        assert not (mine.out / "report.html").exists()
        assert stoprule("report", mine.out).status == 0
        found = Page(mine.out)
        assert found.text.count("Not run.") == 2
        assert "--set select.max_cost=1.5" in found.text
        assert len(found.all("img")) == 1

    def test_marks_a_second_look(self, stoprule, mine):
        """The reason stands at its head."""
        stoprule("search", mine.study, "--set", "select.max_cost=1.5")
        stoprule("evaluate", mine.out, "--look-again", "budget was cut")
        stoprule("report", mine.out)
        assert "Exploratory: budget was cut" in Page(mine.out).text


class TestAccessibility:
    @pytest.fixture
    def found(self, complete) -> Page:
        return Page(complete)

    def test_has_landmarks_and_a_language(self, found):
        """Header, navigation, main, footer; a way past the navigation."""
        assert found.all("html") == [{"lang": "en"}]
        for landmark in ("header", "nav", "main", "footer", "h1"):
            assert len(found.all(landmark)) == 1
        assert found.all("a")[0]["href"] == "#main"

    def test_has_names_that_lead_somewhere(self, found):
        """Every id is there once, and every reference to one has its target."""
        ids = [attributes["id"] for _, attributes in found.found if "id" in attributes]
        assert [name for name, count in Counter(ids).items() if count > 1] == []
        for _, attributes in found.found:
            for key in ("aria-labelledby", "aria-describedby", "for"):
                if key in attributes:
                    assert attributes[key] in ids
            if attributes.get("href", "").startswith("#"):
                assert attributes["href"][1:] in ids

    def test_has_a_caption_for_every_table_and_a_text_for_every_picture(self, found):
        """A chart has a description and a table behind it."""
        assert len(found.all("table")) == len(found.all("caption")) > 8
        assert all(head.get("scope") == "col" for head in found.all("th"))
        assert all(image["alt"] for image in found.all("img"))
        assert all(chart["description"] for chart in found.data["charts"].values())


class TestHostileText:
    def test_stays_text(self, stoprule, study):
        """A cell, a column and a comment that look like markup."""
        evil = "</script><b>&"
        table = pl.read_parquet(study.parent / "table.parquet")
        renamed = table.with_columns(pl.col("cell").replace("dense", evil)).rename({"coverage": evil})
        renamed.write_parquet(study.parent / "table.parquet")
        study.write_text("# <i>slanted</i> </script>\n" + study.read_text().replace('"coverage"', f'"{evil}"'))
        answered = stoprule("run", study)
        assert answered.status in (0, 1)
        assert f"report: {study.parent}/out/report.html" in answered.out
        found = Page(study.parent / "out")
        assert found.open == []
        assert not found.all("i")
        assert "# <i>slanted</i> </script>" in found.text
        assert evil in found.data["rows"][0]["cells"]


class TestRefusals:
    @pytest.mark.parametrize("name", ["lock.json", "looks.jsonl"])
    def test_of_what_was_changed(self, stoprule, folder, name):
        """One line, status 2, and no page."""
        path = folder / name
        path.write_text(path.read_text().replace("a", "b", 1))
        answered = stoprule("report", folder)
        assert answered.status == 2
        assert len(answered.err.strip().splitlines()[-1:]) == 1
        assert name in answered.err
        assert not (folder / "report.html").exists()

    def test_of_a_folder_without_a_search(self, stoprule, tmp_path):
        """It says what to run first."""
        answered = stoprule("report", tmp_path / "none")
        assert answered.status == 2
        assert "stoprule search" in answered.err

    def test_of_candidates_without_the_locked_rule(self, stoprule, folder):
        """They are of another search."""
        for name in ("candidates", "stopping"):
            path = folder / f"{name}.parquet"
            pl.read_parquet(path).filter(pl.col("rule") == "none").write_parquet(path)
        answered = stoprule("report", folder)
        assert answered.status == 2
        assert "does not hold the locked rule" in answered.err

    def test_without_the_extra_says_how_to_install_it(self, stoprule, folder, monkeypatch):
        """One line, status 2."""
        monkeypatch.setattr(extra, "EXTRA", ("altair", "no_such_module"))
        answered = stoprule("report", folder)
        assert answered.status == 2
        assert answered.err == "stoprule: the report needs no_such_module: pip install 'stoprule[report]'\n"

    def test_a_run_without_the_extra_ends_well(self, stoprule, tmp_path, monkeypatch):
        """It says how to get the page, and leaves all else."""
        monkeypatch.setattr(extra, "EXTRA", ("no_such_module",))
        answered = stoprule("run", written(tmp_path, BARE))
        assert answered.status == 0
        assert "no report.html" in answered.out
        assert "stoprule[report]" in answered.out


class TestManyCandidates:
    @pytest.fixture
    def crowded(self, folder) -> Path:
        """A million candidates, with a front of thousands that have many aliases."""
        rng = np.random.default_rng(0)
        own = pl.read_parquet(folder / "candidates.parquet")
        locked = json.loads((folder / "lock.json").read_text())["rule"]
        k, on_front = 1_000_000, 4_000
        cost = rng.uniform(1, 4, k)
        quality = np.sqrt(cost / 4) * rng.uniform(0.2, 0.6, k)
        cost[:on_front] = np.linspace(1, 4, on_front)
        quality[:on_front] = 0.7 + np.arange(on_front) / 20_000
        many = pl.DataFrame({"quality": quality, "cost": cost, "calls": cost}).with_row_index("i")
        alias = pl.lit([f"at_least(2, margin > {i}, coverage > {i}, repeat(answer))" for i in range(60)])
        rows = many.select(
            ("margin > " + pl.col("i").cast(pl.String)).alias("rule"),
            pl.col("i").cast(pl.String).alias("id"),
            pl.lit("rule").alias("family"),
            "quality",
            "cost",
            "calls",
            pl.lit(80).cast(pl.Int64).alias("fired"),
            (pl.col("i") < on_front).alias("on_front"),
            pl.lit(0.5).alias("stability"),
            pl.when(pl.col("i") < on_front).then(alias).otherwise([]).alias("equivalents"),
        )
        kept = own.filter(pl.col("rule") == locked).with_columns(pl.lit(True).alias("on_front"))
        pl.concat([rows, kept.select(rows.columns).cast(rows.schema)]).write_parquet(folder / "candidates.parquet")
        return folder

    def test_are_a_density_and_the_page_stays_small(self, stoprule, crowded):
        """Five million bytes with the charts' script; the locked rule is kept when the front is thinned."""
        assert stoprule("report", crowded).status == 0
        found = Page(crowded)
        assert len(found.source.encode()) + LIBRARY < 5_000_000
        assert "1,000,001 candidates" in found.text
        assert "of 4,001; all in front.csv" in found.text
        cloud = found.data["charts"]["frontier"]["datasets"]["cloud"]
        assert len(cloud) <= 72 * 44
        assert sum(each["count"] for each in cloud) == 1_000_001
        rows = found.data["rows"]
        assert len(rows) <= 1001
        assert sum(row["locked"] for row in rows) == 1
        assert all(len(row["aliases"]) + row["more"] == 60 for row in rows if not row["locked"])
