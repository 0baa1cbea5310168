"""Pictures that the commands leave behind: which, in which formats, the same bytes every time."""

import json

import polars as pl
import pytest
from matplotlib import rc_context
from stoprule.analysis.plots import plot_frontier, save_figure
from stoprule.cli import drawing

from .conftest import contents
from .small_study import STUDY, recorded, written

ONE_CUT = 'search=[{rule = "margin > ?", cuts = "exact"}]'
TWO_CUTS = 'search=[{rule = "margin > ? | coverage > ?", cuts = [0.5, 1.0]}]'
OF_SEARCH = {"frontier", "cells", "band", "threshold-1", "signals", "reliability", "question"}
NEED_PROFILES = {"signals", "reliability"}
OF_EVALUATE = {"final", "stops", "selection-final", "transfer"}


@pytest.fixture
def one_format(monkeypatch) -> None:
    """SVG alone, which is quick; that every format has the same bytes twice is tested picture by picture."""
    monkeypatch.setattr(drawing, "KINDS", ("svg",))


def drawn(folder):
    """Names of the pictures in a folder, each with its formats."""
    found = {}
    for path in sorted((folder / "figures").iterdir()):
        found.setdefault(path.stem, set()).add(path.suffix[1:])
    return found


@pytest.fixture
def searched_without(monkeypatch) -> None:
    """A search that draws nothing, where the evaluation's pictures are looked at."""
    monkeypatch.setattr("stoprule.cli.searching.draw", lambda *_, **__: None)


@pytest.fixture
def one_cell(tmp_path):
    """The small study without its column of cells."""
    table = recorded().filter(pl.col("cell") == "dense").drop("cell")
    return written(tmp_path, STUDY.replace('cell = "cell"\n', ""), table)


class TestPictures:
    @pytest.mark.usefixtures("pictures", "profiles", "one_format")
    def test_are_those_that_apply_and_have_the_same_bytes_twice(self, stoprule, study, tmp_path):
        """A search draws its own, an evaluation adds to them; no clock, no random ids, any number of workers."""
        for jobs in (1, 2):
            stoprule("search", study, "--out", tmp_path / f"{jobs}", "--jobs", jobs, "--set", ONE_CUT)
            assert drawn(tmp_path / f"{jobs}").keys() == OF_SEARCH
            stoprule("evaluate", tmp_path / f"{jobs}")
            assert drawn(tmp_path / f"{jobs}").keys() == OF_SEARCH | OF_EVALUATE
        first, second = (contents(tmp_path / name) for name in ("1", "2"))
        assert [name for name in first if first[name] != second[name]] == []

    @pytest.mark.usefixtures("pictures", "charts", "one_format")
    def test_are_drawn_aside_in_a_run(self, stoprule, study, tmp_path):
        """By one worker or two, which put the charts' script together meanwhile: the same bytes, also of the page."""
        for jobs in (1, 2):
            ran = stoprule("run", study, "--out", tmp_path / f"{jobs}", "--jobs", jobs, "--set", ONE_CUT)
            assert ran.status in (0, 1), ran.err
        first, second = (contents(tmp_path / name) for name in ("1", "2"))
        assert drawn(tmp_path / "2").keys() == (OF_SEARCH | OF_EVALUATE) - NEED_PROFILES
        assert [name for name in first if first[name] != second.get(name)] == []
        assert b"window.vegaEmbed" in second["report.html"]

    @pytest.mark.usefixtures("pictures", "one_format")
    def test_of_a_search_stay_when_its_evaluation_is_refused(self, stoprule, mine):
        """A run whose final split was opened for another lock has its search, and the pictures of it."""
        refused = stoprule("run", mine.study, "--set", ONE_CUT)
        assert (refused.status, "--look-again" in refused.err) == (2, True)
        assert drawn(mine.out).keys() == OF_SEARCH - NEED_PROFILES

    @pytest.mark.usefixtures("pictures", "searched_without")
    def test_come_in_every_format(self, stoprule, one_cell):
        """PNG for the screen, SVG for the page, PDF for print."""
        stoprule("search", one_cell, "--set", ONE_CUT)
        stoprule("evaluate", one_cell.parent / "out")
        assert drawn(one_cell.parent / "out") == {name: {"png", "svg", "pdf"} for name in OF_EVALUATE - {"transfer"}}

    @pytest.mark.usefixtures("pictures", "one_format")
    def test_of_an_earlier_search_are_replaced(self, stoprule, one_cell):
        """Two cuts have a plane; it is taken away when it no longer applies, and the evaluation's picture stays."""
        folder = one_cell.parent / "out"
        stoprule("search", one_cell, "--set", TWO_CUTS)
        assert {"plane-1-quality", "plane-1-cost"} <= drawn(folder).keys()
        (folder / "figures" / "final.svg").write_bytes(b"of the evaluation")
        stoprule("search", one_cell, "--set", 'search=[{family = "fixed"}]')
        names = drawn(folder).keys()
        assert not [name for name in names if name.startswith(("plane", "threshold"))]
        assert {"frontier", "final"} <= names

    @pytest.mark.usefixtures("pictures", "one_format")
    def test_are_left_out_on_request(self, stoprule, mine):
        """Those of an earlier search, which show other rules, go too."""
        (mine.searched / "figures").mkdir()
        for name in OF_SEARCH | OF_EVALUATE:
            (mine.searched / "figures" / f"{name}.svg").write_bytes(b"of an earlier search")
        assert stoprule("search", mine.study, "--out", mine.searched, "--no-pictures").status == 0
        assert stoprule("evaluate", mine.searched, "--no-pictures").status == 0
        assert not list(mine.searched.glob("figures/*"))

    @pytest.mark.usefixtures("pictures", "one_format", "searched_without")
    def test_carry_the_reason_of_a_second_look(self, stoprule, mine):
        """It stands in the text of the SVG."""
        stoprule("search", mine.study, "--set", ONE_CUT)
        assert stoprule("evaluate", mine.out, "--look-again", "budget was cut").status == 0
        for name in OF_EVALUATE:
            assert "exploratory: budget was cut" in (mine.out / "figures" / f"{name}.svg").read_text()


class TestSaving:
    @pytest.mark.parametrize("kind", ["svg", "png"])
    def test_lays_out_as_drawing_does(self, tmp_path, kind):
        """The same bytes as of a figure that is drawn once, and so laid out, before it is saved."""
        candidates = pl.DataFrame(
            {"rule": ["a", "b"], "quality": [0.5, 0.625], "cost": [1.0, 2.0], "on_front": [True, True]}
        )
        for name in ("drawn", "laid out"):
            ax = plot_frontier(candidates, points={"fixed(1)": (1.0, 0.5)}, locked=(2.0, 0.625))
            if name == "drawn":
                with rc_context({"svg.fonttype": "none"}):
                    ax.figure.draw_without_rendering()
                ax.figure.set_layout_engine(None)
            save_figure(ax, tmp_path / f"{name}.{kind}")
        assert (tmp_path / f"drawn.{kind}").read_bytes() == (tmp_path / f"laid out.{kind}").read_bytes()


@pytest.mark.usefixtures("profiles")
class TestSignalsOfASearch:
    def test_are_those_of_the_selection_rows(self, stoprule, study):
        """Every signal and the calibrated one, over all rounds, by round and by cell; clipped rows are counted."""
        stoprule("search", study, "--set", 'search=[{family = "fixed"}]')
        table = pl.read_csv(study.parent / "out" / "signals.csv")
        lock = json.loads((study.parent / "out" / "lock.json").read_text())
        assert set(table["signal"]) == {"coverage", "margin", "margin_cal"}
        assert set(table["target"]) == {"em"}
        whole = table.filter(pl.col("round").is_null() & pl.col("cell").is_null())
        assert set(whole["n"]) == {2 * 4 * len(lock["split"]["selection_ids"])}
        assert whole["sentence"].null_count() == 0
        clipped = dict(whole.select("signal", "clipped").iter_rows())
        assert clipped["margin"] is None
        assert clipped["margin_cal"] >= 0
        by_round = table.filter((pl.col("signal") == "margin_cal") & pl.col("round").is_not_null())
        assert by_round["clipped"].sum() == clipped["margin_cal"]
