"""Pictures, by what is drawn: the artists, their data and labels, never pixels; and the bytes of their files."""

import math

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from stoprule.analysis import plots
from stoprule.analysis.baselines import FIRST_RIGHT, ORACLE
from stoprule.analysis.cut_curves import cut_curve, cut_plane
from stoprule.analysis.explain import explain
from stoprule.analysis.plots.canvas import glyphs, wrapped
from stoprule.analysis.reliability import reliability
from stoprule.analysis.signals import signal_profiles
from stoprule.analysis.simultaneous import Band
from stoprule.rules.text import parse


def labels(ax):
    """What the legend says."""
    return ax.get_legend_handles_labels()[1]


def scatter(ax, label):
    """The (n, 2) points of the scatter with that label."""
    (found,) = [each for each in ax.collections if each.get_label() == label]
    return np.asarray(found.get_offsets())


def texts(ax):
    """Everything written inside the axes."""
    return [text.get_text() for text in ax.texts]


@pytest.fixture
def candidates():
    """Four rules, two of them on the front."""
    return pl.DataFrame(
        {
            "rule": ["a", "b", "c", "d"],
            "quality": [0.2, 0.5, 0.4, 0.1],
            "cost": [1.0, 2.0, 3.0, 4.0],
            "on_front": [True, True, False, False],
            "stability": [0.25, 1.0, None, None],
        }
    )


@pytest.fixture
def recorded(table):
    """Thirty questions of three rounds, margins above 0 and coverages in [0, 1]."""
    rng = np.random.default_rng(4)
    em = (rng.random((30, 3)) < 0.5).astype(float)
    t = table(
        em.tolist(),
        margin=(rng.normal(size=(30, 3)) + em).round(1).tolist(),
        answer=rng.integers(0, 2, (30, 3)).tolist(),
        name="em",
        cell=["bm25"] * 15 + ["dense"] * 15,
    )
    return t.with_signal("coverage", rng.integers(0, 5, (30, 3)) / 4)


class TestFrontier:
    def test_draws_every_rule_and_the_front_as_steps(self, candidates):
        """Candidates as points, the front as a line that rises where a better rule becomes affordable."""
        ax = plots.plot_frontier(candidates, scale=100, quality="f1", cost="calls")
        assert scatter(ax, "4 rules").tolist() == [[1, 20], [2, 50], [3, 40], [4, 10]]
        (line,) = ax.lines
        assert line.get_drawstyle() == "steps-post"
        assert line.get_xydata().tolist() == [[1, 20], [2, 50]]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("mean calls", "mean f1 × 100")

    def test_shows_stability_as_marker_size(self, candidates):
        """The rule that is on the front of every resample is drawn largest."""
        ax = plots.plot_frontier(candidates)
        (front,) = [each for each in ax.collections if each.get_label() == "front (2), size: stability"]
        assert front.get_sizes().tolist() == [14.0, 44.0]
        unknown = plots.plot_frontier(candidates.with_columns(stability=pl.lit(None, pl.Float64)))
        assert "front (2)" in labels(unknown)

    def test_draws_the_locked_rule_with_both_intervals(self, candidates):
        """Error bars across and along."""
        ax = plots.plot_frontier(candidates, locked=(2.0, 0.5), intervals=((1.5, 2.25), (0.4, 0.7)), scale=100)
        assert scatter(ax, "locked, 95%").tolist() == [[2, 50]]
        segments = [segment.tolist() for each in ax.collections for segment in getattr(each, "get_segments", list)()]
        assert segments == [[[1.5, 50], [2.25, 50]], [[2, pytest.approx(40)], [2, pytest.approx(70)]]]

    def test_names_baselines_inside_their_markers(self, candidates):
        """k for fixed(k), letters for other rules, which the legend spells out; triangles for the oracles."""
        points = {"fixed(1)": (1, 0.2), "fixed(3)": (3, 0.3), "repeat(answer)": (2, 0.3), FIRST_RIGHT: (2, 0.6)}
        ax = plots.plot_frontier(candidates, points=points, oracle=(1.5, 0.7))
        assert texts(ax) == ["1", "3", "a"]
        assert {"fixed(k)", "a: repeat(answer)", FIRST_RIGHT, ORACLE} <= set(labels(ax))

    def test_draws_many_rules_as_a_density(self):
        """Case 26: no picture grows with the number of rules."""
        rng = np.random.default_rng(0)
        many = pl.DataFrame(
            {"quality": rng.random(6000), "cost": rng.random(6000), "on_front": [True] + [False] * 5999}
        )
        ax = plots.plot_frontier(many)
        assert "6,000 rules (density)" in labels(ax)
        assert max(len(each.get_offsets()) for each in ax.collections) < 6000


class TestCells:
    def test_draws_one_panel_a_cell_on_the_same_axes(self, candidates):
        """Each with its title, its own front, its own locked point."""
        cells = {"bm25": candidates, "dense": candidates.with_columns(quality=pl.col("quality") + 0.1)}
        axes = plots.plot_cells(cells, locked={"bm25": (2.0, 0.5), "dense": (2.0, 0.6)})
        assert [ax.get_title() for ax in axes] == ["bm25", "dense"]
        assert [scatter(ax, "locked").tolist() for ax in axes] == [[[2, 0.5]], [[2, 0.6]]]
        assert axes[0].get_xlim() == axes[1].get_xlim()
        assert axes[0].get_ylim() == axes[1].get_ylim()

    def test_draws_on_given_axes(self, candidates):
        """As many as there are cells."""
        given = Figure().subplots(1, 2)
        axes = plots.plot_cells({"a": candidates, "b": candidates}, axes=given)
        assert axes == list(given)


class TestFinal:
    def test_draws_intervals_in_both_directions(self):
        """The locked rule first; a missing interval has no length."""
        rows = [
            {"name": "locked", "cost": 2, "quality": 0.5, "cost_interval": (1, 3), "quality_interval": (0.4, 0.6)},
            {"name": "fixed(3)", "cost": 3, "quality": 0.4, "cost_interval": None, "quality_interval": (0.3, 0.5)},
        ]
        ax = plots.plot_final(rows, scale=100)
        assert scatter(ax, "locked, 95%").tolist() == [[2, 50]]
        assert texts(ax) == ["3"]
        segments = [segment.tolist() for each in ax.collections for segment in getattr(each, "get_segments", list)()]
        assert segments[0] == [[3, 40], [3, 40]]
        assert [[1, 50], [3, 50]] in segments


class TestStops:
    def test_draws_shares_by_round(self):
        """One row of bars a rule, the first on top; shares from a tenth on are written."""
        ax = plots.plot_stops({"margin > 1": {1: 1, 2: 3}, "fixed(2)": {2: 4}}, locked="margin > 1")
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["margin > 1", "fixed(2)"]
        first, second = ax.containers
        assert [bar.get_height() / 0.74 for bar in first] == pytest.approx([0.25, 0.75])
        assert [bar.get_height() / 0.74 for bar in second] == pytest.approx([0, 1])
        assert first[0].get_y() > second[0].get_y()
        assert texts(ax) == ["25%", "75%", "100%"]

    def test_scales_each_rule_by_itself_over_many_rounds(self):
        """Its tallest bar is written out."""
        ax = plots.plot_stops({"a": dict.fromkeys(range(1, 41), 1)})
        assert max(bar.get_height() for bar in ax.containers[0]) == pytest.approx(0.74)
        assert texts(ax) == ["2%"]


class TestShrinkage:
    def test_draws_both_figures_of_every_rule(self):
        """The best on selection apart, with the mean of both their figures."""
        rules = pl.DataFrame({"rule": list("abcd"), "selection": [0.4, 0.3, 0.2, 0.1], "final": [0.2, 0.2, 0.2, 0.1]})
        ax = plots.plot_shrinkage(rules, locked="a", best=2, scale=100, quality="f1")
        assert scatter(ax, "best 2 on selection").tolist() == [[40, 20], [30, 20]]
        assert len(scatter(ax, "2 other rules")) == 2
        assert scatter(ax, "locked").tolist() == [[40, 20]]
        assert texts(ax) == ["best 2: 35.00 → 20.00"]
        assert ax.get_xlim() == ax.get_ylim()


class TestTransfer:
    def test_writes_every_figure(self):
        """A dash where there is none."""
        ax = plots.plot_transfer(np.array([[1.0, 0.9], [math.nan, 0.5]]), locked_in=["bm25", "dense"])
        assert texts(ax) == ["1.00", "0.90", "-", "0.50"]
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["bm25", "dense"]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("evaluated in", "locked in")


class TestSimplicity:
    def test_draws_the_learned_frontier_beside_the_rules(self):
        """By cost, whatever the order of the prices; intervals of the frozen price and of the locked rule."""
        ends = {"cost_interval": (1.0, 1.4), "quality_interval": (0.2, 0.4)}
        learned = [{"quality": 0.4, "cost": 2.0, **ends}, {"quality": 0.3, "cost": 1.2, **ends}]
        ax = plots.plot_simplicity(
            learned,
            chosen=1,
            locked={"quality": 0.35, "cost": 1.5, **ends},
            rules=[(1.5, 0.35), (1.0, 0.2)],
            points={"fixed(1)": (1.0, 0.2), ORACLE: (1.1, 0.6)},
            scale=100,
        )
        line = ax.lines[0]
        assert (line.get_label(), line.get_xydata().tolist()) == ("learned stopper, by price", [[1.2, 30], [2, 40]])
        assert scatter(ax, "2 one-line rules of the front").tolist() == [[1.5, 35], [1, 20]]
        assert scatter(ax, "locked, 95%").tolist() == [[1.5, 35]]
        assert scatter(ax, ORACLE).tolist() == [[1.1, 60]]
        assert {"its frozen price, 95%", "fixed(k)"} <= set(labels(ax))


class TestBand:
    def test_draws_the_stairs_of_both_ends(self):
        """And the observed front inside."""
        band = Band(
            low_cost=np.array([2.0, 3.0]), low=np.array([0.1, 0.2]), high_cost=np.array([1.0]), high=np.array([0.9])
        )
        ax = plots.plot_band(band, front=(np.array([1.5]), np.array([0.5])), baseline="fixed(5)")
        assert labels(ax) == ["95% band", "upper end", "observed front"]
        assert ax.get_ylabel() == "mean quality minus fixed(5)"
        filled = ax.collections[0].get_paths()[0].get_extents()
        assert (filled.x0, filled.y0, filled.y1) == (2.0, 0.1, 0.9)


class TestThreshold:
    def test_draws_every_plateau(self, recorded):
        """Quality and cost as stairs over the same edges, the chosen cut's plateau shaded."""
        curve = cut_curve(parse("margin > ?"), recorded)
        ax = plots.plot_threshold(curve, cut=0.3, scale=100, quality="em", cost="calls")
        (quality,) = [each for each in ax.patches if each.get_label() == "mean em"]
        assert quality.get_data().values.tolist() == (curve.quality * 100).tolist()
        assert quality.get_data().edges[1:-1].tolist() == curve.plateaus.low[1:].tolist()
        (twin,) = [other for other in ax.get_figure().axes if other is not ax]
        assert twin.patches[0].get_data().values.tolist() == curve.cost.tolist()
        assert "plateau of 0.3" in labels(ax)
        assert ax.get_title() == "margin > ?"
        assert ax.get_xlabel() == f"cut of margin, {len(curve.plateaus)} plateaus"


class TestPlane:
    @pytest.mark.parametrize("show", ["quality", "cost"])
    def test_draws_one_figure_over_both_cuts(self, recorded, show):
        """With the line of the budget and the chosen cuts."""
        plane = cut_plane(parse("margin > ? | coverage > ?"), recorded)
        ax = plots.plot_plane(plane, show=show, budget=2.0, cuts=(0.5, 0.5))
        mesh = ax.collections[0]
        assert mesh.get_array().ravel().tolist() == getattr(plane, show).T.ravel().tolist()
        assert labels(ax) == ["budget 2", "chosen"]
        assert {ax.get_xlabel(), ax.get_ylabel()} == {"cut of margin", "cut of coverage"}

    def test_draws_no_line_for_a_budget_that_is_never_met(self, recorded):
        """Everything is cheaper."""
        plane = cut_plane(parse("margin > ? | coverage > ?"), recorded)
        assert labels(plots.plot_plane(plane, budget=99)) == []


class TestSeparation:
    def test_draws_intervals_strongest_first(self, recorded):
        """A line for each interval, a mark for each round."""
        ax = plots.plot_separation(signal_profiles(recorded))
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["margin", "coverage"]
        assert len(ax.lines) == 3  # 1/2, and two intervals
        assert labels(ax) == ["one round", "all rounds, 95%"]
        assert len(scatter(ax, "one round")) == 3

    def test_draws_distributions_of_right_and_wrong(self):
        """Two steps functions and their largest distance."""
        ax = plots.plot_distributions(np.array([1.0, 2, 3, np.nan]), np.array([False, True, True, True]))
        assert labels(ax) == ["right (2)", "the others (1)", "KS 1.00"]
        assert ax.lines[2].get_xydata().tolist() == [[1, 0], [1, 1]]


class TestReliability:
    def test_draws_every_bin_with_its_interval(self):
        """Before and after calibration, each with its calibration error."""
        rng = np.random.default_rng(1)
        forecast = rng.random(200)
        right = rng.random(200) < forecast
        curve = reliability(forecast, right, np.arange(200))
        ax = plots.plot_reliability({"before": curve, "after": curve}, answers="right answers (em)")
        error = f"{curve.calibration_error:.3f}"
        assert labels(ax) == [f"before: ECE {error}", f"after: ECE {error}"]
        assert scatter(ax, f"before: ECE {error}").tolist() == np.stack([curve.forecast, curve.share], axis=1).tolist()
        assert ax.get_ylabel() == "share of right answers (em)"


class TestQuestion:
    def test_writes_what_the_rule_saw(self, table):
        """A column a round, a row an atom, a frame around the stop, the reason above."""
        t = table([[0.0, 1.0, 1.0]], margin=[[0.1, 0.9, 0.2]], answer=[[1, 1, 2]], question=["q1"])
        ax = plots.plot_question(explain(parse("margin > 0.5"), t, "q1"))
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["answer", "margin > 0.5", "f1", "calls"]
        assert texts(ax) == ["A", "A", "B", "0.1", "0.9", "0.2", "0", "1", "1", "1", "2", "3"]
        (frame,) = [each for each in ax.patches if each.get_label() == "stop"]
        assert frame.get_x() == 1.5
        assert "stops at round 2" in ax.get_title(loc="left")

    def test_shows_the_rounds_around_the_stop_of_many(self, table):
        """Seven of them."""
        rows = [[float(r) for r in range(30)]]
        t = table(rows, margin=rows, question=["q1"])
        ax = plots.plot_question(explain(parse("margin > 18.5"), t, "q1"))
        shown = [int(tick.get_text()) for tick in ax.get_xticklabels()]
        assert len(shown) == 7
        assert 20 in shown


class TestNames:
    def test_glyphs_fit_into_a_marker(self):
        """One letter or a depth."""
        assert glyphs(["fixed(1)", "x > 1", ORACLE, "y > 1", "fixed(40)"]) == {
            "fixed(1)": "1", "x > 1": "a", "y > 1": "b", "fixed(40)": "40",
        }  # fmt: skip

    def test_long_rules_are_cut_off(self):
        """In so many lines."""
        text = wrapped(" | ".join(f"signal_{i} > {i}" for i in range(20)), 30)
        assert len(text.splitlines()) == 2
        assert text.endswith(" ...")


class TestFiles:
    @pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
    def test_have_the_same_bytes_twice(self, candidates, tmp_path, kind):
        """No date, no random ids; drawing again draws the same."""
        for name in ("one", "two"):
            plots.save_figure(plots.plot_frontier(candidates, locked=(2.0, 0.5)), tmp_path / f"{name}.{kind}")
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()

    def test_leave_no_state_behind(self, candidates, tmp_path):
        """No figure in pyplot, no changed setting, the axes as they were."""
        import matplotlib as mpl
        from matplotlib import pyplot

        before = mpl.rcParams.copy()
        ax = plots.plot_frontier(candidates)
        plots.save_figure(ax, tmp_path / "one.svg")
        assert pyplot.get_fignums() == []
        assert [name for name in before if name != "backend" and before[name] != mpl.rcParams[name]] == []
        assert ax.get_figure().get_layout_engine() is not None

    def test_draw_on_the_axes_they_are_given(self, candidates, recorded):
        """And return them."""
        for draw, data in (
            (plots.plot_frontier, candidates),
            (plots.plot_separation, signal_profiles(recorded)),
            (plots.plot_stops, {"a": {1: 1}}),
        ):
            given = Figure().add_subplot()
            assert draw(data, ax=given) is given
