"""Calibrated signals: fitted curves, their knots, and what they give."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from stoprule.trajectories.calibration import Calibrator, fit
from stoprule.trajectories.errors import CalibrationError
from stoprule.trajectories.fingerprints import fingerprint_rows
from stoprule.trajectories.knots import fit_knots
from stoprule.trajectories.roles import Roles
from stoprule.trajectories.table import Trajectories

NAN, INF = math.nan, math.inf
EXAMPLE = Path(__file__).parents[2] / "examples" / "hotpotqa"


def table(margin, em, cell=None):
    """Trajectories of ragged rows of margin and em, in the given cells (sorted)."""
    length = np.array([len(row) for row in margin])
    rounds = int(length.max())

    def padded(rows):
        return np.array([[*row, *[NAN] * (rounds - len(row))] for row in rows], dtype=np.float64)

    question = np.array([f"q{i:03}" for i in range(len(margin))], dtype=object)
    return Trajectories(
        question=question,
        cell=np.array(cell or [""] * len(margin), dtype=object),
        group=question,
        length=length,
        answer=None,
        signals={"margin": padded(margin)},
        booleans=frozenset(),
        outcomes={"em": padded(em)},
        cost=padded([range(1, n + 1) for n in length]),
        roles=Roles(quality="em"),
    )


def one_round(margin, em):
    """A table of one round."""
    return table([[x] for x in margin], [[y] for y in em])


def margin_cal(t, **options):
    """The calibrated margin."""
    return fit(t, **{"name": "margin_cal", "signal": "margin", "target": "em", **options})


def rising(shift=0.0, count=10):
    """Margins 0, 1, ... and outcomes that rise with them, but for the fourth."""
    return [i + shift for i in range(count)], [float(i == 3 or i > 5) for i in range(count)]


# values with ties, and some that differ in the last bits only
signal_values = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-1e6, 1e6), st.sampled_from([0.1, np.nextafter(0.1, 1), -0.0])
)
missing_values = st.one_of(signal_values, st.just(NAN))
outcome_values = st.sampled_from([0.0, 0.25, 2 / 3, 1.0])


@st.composite
def tables(draw, values=missing_values):
    """A ragged table in up to two cells."""
    length = draw(st.lists(st.integers(1, 3), min_size=6, max_size=24))
    margin = [draw(st.lists(values, min_size=n, max_size=n)) for n in length]
    em = [draw(st.lists(outcome_values, min_size=n, max_size=n)) for n in length]
    return table(margin, em, sorted(draw(st.sampled_from("ab")) for _ in length))


def isotonic(x, y):
    """scikit-learn's isotonic regression, as published."""
    return IsotonicRegression(y_min=0, y_max=1, increasing=True, out_of_bounds="clip").fit(x, y)


class TestIsotonic:
    def test_hand_worked(self):
        """Pool neighbours that fall: 0 0 0 | 1 0 0 | 1 1 becomes 0 0 0 | 1/3 | 1 1."""
        t = one_round(range(8), [0, 0, 0, 1, 0, 0, 1, 1])
        calibrated = margin_cal(t).apply(t)[:, 0]
        assert calibrated.tolist() == [0, 0, 0, 1 / 3, 1 / 3, 1 / 3, 1, 1]
        assert margin_cal(t).value(2.5, round=1) == pytest.approx(1 / 6)

    def test_beyond_the_fitted_range(self):
        """Clip, and count what was clipped (case 8)."""
        calibrator = margin_cal(one_round(*rising()))
        other = one_round([-5, 0, 9, 9.5, 100, NAN], [0] * 6)
        assert calibrator.apply(other)[:5, 0].tolist() == [0, 0, 1, 1, 1]
        assert calibrator.clipped(other) == 3
        assert calibrator.clipped(one_round(*rising())) == 0
        assert calibrator.range == (0, 9)

    def test_anti_ordered(self):
        """Collapse to one level, the mean, and note it (case 7)."""
        t = one_round(range(6), [1, 1, 1, 0, 0, 0])
        calibrator = margin_cal(t)
        assert set(calibrator.apply(t)[:, 0]) == {0.5}
        assert [knots.levels for knots in calibrator.fits] == [1, 1]
        assert calibrator.notes()[1] == (
            "margin_cal, round 1: 1 level left of 6 known values; em does not rise with margin"
        )

    def test_levels(self):
        """Count the levels that are left."""
        assert {knots.levels for knots in margin_cal(one_round(*rising())).fits} == {3}
        assert margin_cal(one_round(*rising())).notes() == ()

    @given(tables(), st.lists(st.floats(-2e6, 2e6), min_size=1, max_size=20))
    @settings(max_examples=150, deadline=None)
    def test_equals_scikit_learn(self, t, elsewhere):
        """Be scikit-learn's prediction to the last bit, on the fitted values and between and beyond them."""
        for by in ("round", "pooled"):
            for knots in margin_cal(t, by=by).fits:
                rows = t.recorded & (t.cell == knots.cell)[:, None]
                if knots.round is not None:
                    rows = rows & (np.arange(1, t.rounds + 1) == knots.round)
                x, y = t.signals["margin"][rows], t.outcomes["em"][rows]
                known = ~np.isnan(x)
                if known.sum() < 5 or len(set(x[known])) == 1 or len(set(y)) == 1:
                    assert knots.kind == "constant"
                    assert knots.y == (pytest.approx(y.mean(), abs=1e-15),)
                else:
                    model = isotonic(x[known], y[known])
                    points = np.concatenate([x[known], elsewhere])
                    assert (knots.at(points) == model.predict(points)).all()

    def test_infinite(self):
        """Count an infinite value as the farthest finite one."""
        x, y = [-INF, 0, 1, 2, 3, INF, INF], [0, 1, 0, 1, 1, 1, 0]
        calibrator, finite = margin_cal(one_round(x, y)), margin_cal(one_round([0, 0, 1, 2, 3, 3, 3], y))
        assert calibrator.fits[0].x == finite.fits[0].x
        assert calibrator.fits[0].y == finite.fits[0].y
        assert calibrator.range == (0, 3)
        assert calibrator.value(INF, round=1) == calibrator.value(3, round=1)
        assert calibrator.value(-INF, round=1) == calibrator.value(0, round=1)


class TestSigmoid:
    @given(st.lists(st.tuples(signal_values, st.integers(0, 1)), min_size=5, max_size=40))
    @settings(max_examples=40, deadline=None)
    def test_maximises_the_likelihood_of_platts_targets(self, pairs):
        """Leave residuals of mean 0, and 0 weighted by the signal: the two equations of the optimum."""
        x, y = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
        knots = fit_knots(x, y, cell="", round=None, method="sigmoid")
        if knots.kind == "sigmoid":
            right, wrong = y.sum(), len(y) - y.sum()
            target = np.where(y == 1, (right + 1) / (right + 2), 1 / (wrong + 2))
            residual = target - knots.at(x)
            share = (x - x.min()) / (x.max() - x.min())
            assert abs(residual.mean()) < 1e-6
            assert abs((residual * share).mean()) < 1e-6

    def test_equals_scikit_learn(self):
        """Agree with scikit-learn's Platt scaling to what its own tolerance allows."""
        random = np.random.default_rng(5)
        x = random.normal(size=300)
        y = (random.random(300) < 1 / (1 + np.exp(-2 * x))).astype(np.float64)
        knots = fit_knots(x, y, cell="", round=None, method="sigmoid")
        points = np.linspace(-5, 5, 101)
        assert knots.at(points) == pytest.approx(_SigmoidCalibration().fit(x, y).predict(points), abs=1e-6)

    def test_formula(self):
        """Evaluate Platt's 1 / (1 + exp(A f + B)), A and B read off the two knots."""
        knots = margin_cal(one_round(*rising()), method="sigmoid").fits[0]
        (low, high), (start, end) = knots.x, knots.y
        model = _SigmoidCalibration()
        model.a_ = -(end - start) / (high - low)
        model.b_ = -(start + model.a_ * low)
        points = np.linspace(-3, 12, 61)
        assert knots.at(points) == pytest.approx(model.predict(points), abs=1e-15, rel=1e-14)

    def test_fractional_outcomes(self):
        """Take an F1 of .5 as half a right answer: twice the rows, half of them right, give the same odds."""
        x = np.repeat(np.arange(200.0), 2)
        whole = np.tile([0.0, 1.0], 200) * (x % 2) + (1 - x % 2) * (x > 100)
        fraction = whole.reshape(-1, 2).mean(axis=1)
        twice = fit_knots(x, whole, cell="", round=None, method="sigmoid")
        once = fit_knots(x[::2], fraction, cell="", round=None, method="sigmoid")
        assert once.at(x) == pytest.approx(twice.at(x), abs=0.01)

    @pytest.mark.parametrize(("scale", "shift"), [(1e200, 0), (1e-200, 0), (1, 1e9), (-1, 0)])
    def test_unit_and_zero_do_not_matter(self, scale, shift):
        """Give the same values in any unit; with the sign turned too, for a sigmoid may fall."""
        x, y = (np.array(column, dtype=np.float64) for column in rising())
        plain = fit_knots(x, y, cell="", round=None, method="sigmoid")
        other = fit_knots(x * scale + shift, y, cell="", round=None, method="sigmoid")
        assert other.at(x * scale + shift) == pytest.approx(plain.at(x), abs=1e-6)

    def test_nothing_to_learn(self):
        """Regression: a solver that starts at the optimum warned that it did not converge."""
        knots = fit_knots(np.tile([0.0, 1.0], 4), np.repeat([0.0, 1.0], 4), cell="", round=None, method="sigmoid")
        assert knots.at(np.array([0.0, 0.5, 1.0])).tolist() == [0.5] * 3

    def test_infinite(self):
        """Have the limit of the sigmoid at infinity, and stay finite in fitting."""
        x, y = rising()
        calibrator = margin_cal(one_round([*x, INF, -INF, 1.7e308], [*y, 1, 0, 1]), method="sigmoid")
        assert [calibrator.value(v, round=1) for v in (-INF, INF, 1.7e308)] == [0, 1, 1]
        assert calibrator.range == (0, 9)

    def test_levels(self):
        """Leave each signal value its own value, hence no count of levels and no note."""
        calibrator = margin_cal(one_round(*rising()), method="sigmoid")
        assert [knots.levels for knots in calibrator.fits] == [None, None]
        assert calibrator.notes() == ()


class TestConstant:
    @pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
    def test_fewer_than_five_known(self, method):
        """Give the mean outcome of the round; a missing value stays missing there too."""
        t = one_round([1, 2, 3, 4, NAN, NAN], [0, 1, 1, 1, 0, 1])
        calibrator = margin_cal(t, method=method)
        np.testing.assert_array_equal(calibrator.apply(t)[:, 0], [4 / 6] * 4 + [NAN] * 2)
        assert calibrator.notes()[1] == (
            "margin_cal, round 1: constant, from 4 known values (fewer than 5, or no variance)"
        )

    @pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
    def test_no_variance(self, method):
        """Give the mean outcome where the signal does not vary, and where the outcome does not."""
        signal, outcome = one_round([2] * 6, [0, 1, 0, 1, 1, 1]), one_round(range(6), [1] * 6)
        assert set(margin_cal(signal, method=method).apply(signal)[:, 0]) == {4 / 6}
        assert set(margin_cal(outcome, method=method).apply(outcome)[:, 0]) == {1}

    def test_nothing_known(self):
        """Fit on a round that is missing throughout; any value there lies outside what was seen."""
        calibrator = margin_cal(one_round([NAN] * 5, [0, 1, 0, 1, 1]))
        assert calibrator.value(3, round=1) == 0.6
        assert calibrator.range is None
        assert calibrator.clipped(one_round([3, NAN], [0, 0])) == 1

    def test_five_known(self):
        """Fit a curve from five known values on."""
        assert margin_cal(one_round(range(5), [0, 0, 0, 1, 1])).fits[0].kind == "isotonic"

    def test_only_infinite(self):
        """See no variance where no finite value is."""
        assert margin_cal(one_round([INF, -INF] * 3, [1, 0] * 3)).value(INF, round=1) == 0.5


class TestCellsAndRounds:
    def two_cells(self):
        """Ten trajectories of two rounds in each of two cells, every margin shifted."""
        x, y = rising()
        rows = [[v, v + 100] for v in x] + [[v + 1000, v + 2000] for v in x]
        return table(rows, [[v, 1 - v] for v in y] * 2, ["a"] * 10 + ["b"] * 10)

    def test_one_curve_a_cell_and_round(self):
        """Fit every cell's rounds on their own rows, and all its rounds together."""
        calibrator = margin_cal(self.two_cells())
        assert [(knots.cell, knots.round) for knots in calibrator.fits] == [
            *(("a", None), ("a", 1), ("a", 2)),
            *(("b", None), ("b", 1), ("b", 2)),
        ]
        assert [(knots.low, knots.high) for knots in calibrator.fits[1:3]] == [(0, 9), (100, 109)]
        assert calibrator.cells == ("a", "b")

    def test_unseen_round(self):
        """Use the cell's pooled curve at a round that calibration never saw."""
        calibrator = margin_cal(self.two_cells())
        assert calibrator.value(104, cell="a", round=3) == calibrator.fits[0].at(np.array([104.0]))[0]
        longer = table([[4.0, 104.0, 104.0]], [[0, 0, 0]], ["a"])
        assert calibrator.apply(longer)[0, 2] == calibrator.value(104, cell="a", round=3)

    def test_pooled(self):
        """Use the pooled curve at every round when asked."""
        calibrator, by_round = margin_cal(self.two_cells(), by="pooled"), margin_cal(self.two_cells())
        assert calibrator.fits == (by_round.fits[0], by_round.fits[3])
        assert calibrator.value(4, cell="a", round=1) == calibrator.value(4, cell="a", round=2)

    def test_unseen_cell(self):
        """Refuse a cell without a curve, in a table and live, a missing value too."""
        calibrator = margin_cal(self.two_cells())
        for call in (
            lambda: calibrator.apply(table([[1.0]], [[0]], ["c"])),
            lambda: calibrator.value(1, cell="c", round=1),
            lambda: calibrator.value(None, cell="c", round=1),
        ):
            with pytest.raises(CalibrationError, match=r'no curve for the cell "c".*a, b; .*calibration_from'):
                call()

    def test_borrow(self):
        """Give a cell another's curves, though it has rows of its own or none."""
        calibrator = margin_cal(self.two_cells(), borrow={"b": "a", "c": "a"})
        assert calibrator.cells == ("a", "b", "c")
        assert {knots.cell for knots in calibrator.fits} == {"a"}
        for cell in ("b", "c"):
            assert calibrator.value(4.5, cell=cell, round=1) == calibrator.value(4.5, cell="a", round=1)

    @pytest.mark.parametrize("borrow", [{"b": "c"}, {"b": "b"}, {"a": "b", "b": "a"}, {"c": "b", "b": "a"}])
    def test_borrow_from_none(self, borrow):
        """Refuse a lender that has no curve of its own."""
        with pytest.raises(CalibrationError, match="which has no curve of its own; borrow from one of"):
            margin_cal(self.two_cells(), borrow=borrow)


class TestCalibrator:
    @given(tables(), st.sampled_from(["isotonic", "sigmoid"]), st.sampled_from([None, 0.5]))
    @settings(max_examples=30, deadline=None)
    def test_live_equals_table(self, t, method, missing):
        """Give one value as the table gives it, bit for bit."""
        calibrator = margin_cal(t, method=method, missing=missing)
        live = np.full((len(t), t.rounds), NAN)
        for i, j in np.argwhere(t.recorded):
            live[i, j] = calibrator.value(t.signals["margin"][i, j], cell=t.cell[i], round=int(j) + 1)
        np.testing.assert_array_equal(calibrator.apply(t), live)

    @given(tables(), st.sampled_from(["isotonic", "sigmoid"]), st.sampled_from(["round", "pooled"]))
    @settings(max_examples=30, deadline=None)
    def test_json(self, t, method, by):
        """Come back equal from JSON, and give the same bits."""
        calibrator = margin_cal(t, method=method, by=by, missing=0.5, borrow={"z": t.cell_names[0]})
        again = Calibrator.from_dict(json.loads(json.dumps(calibrator.to_dict(), allow_nan=False)))
        assert again == calibrator
        assert hash(again) == hash(calibrator)
        assert again.apply(t).tobytes() == calibrator.apply(t).tobytes()

    def test_broken_json(self):
        """Refuse a stored form with an entry too few or too many."""
        stored = margin_cal(one_round(*rising())).to_dict()
        for broken in ({**stored, "extra": 1}, {k: v for k, v in stored.items() if k != "fits"}):
            with pytest.raises(CalibrationError, match="a stored calibrator is broken"):
                Calibrator.from_dict(broken)

    def test_equality(self):
        """Differ when a knot does."""
        first, other = margin_cal(one_round(*rising())), margin_cal(one_round(*rising(shift=1e-9)))
        assert first == margin_cal(one_round(*rising())) != other

    def test_missing(self):
        """Leave a missing value missing, or fill it when asked; never beyond the length (case 1)."""
        t = table([[0, NAN], [1, 2], [2], [3, 4], [4, 5], [5, 6]], [[0, 0], [0, 1], [1], [1, 0], [1, 1], [0, 1]])
        plain, filled = margin_cal(t).apply(t), margin_cal(t, missing=0.5).apply(t)
        assert np.argwhere(np.isnan(plain)).tolist() == [[0, 1], [2, 1]]
        assert filled[0, 1] == 0.5
        assert math.isnan(filled[2, 1])
        assert margin_cal(t, missing=0.5).value(None, round=2) == 0.5
        assert math.isnan(margin_cal(t).value(NAN, round=2))

    def test_rises_and_stays_in_0_1(self):
        """Keep the order of the signal and give shares."""
        t = one_round(*rising())
        curve = margin_cal(t).fits[0].at(np.linspace(-1, 10, 500))
        assert (np.diff(curve) >= 0).all()
        assert curve.min() == 0
        assert curve.max() == 1

    def test_fitted_on(self):
        """Hold the fingerprint of the rows, so that another split is told apart (case 24)."""
        t = table([[v] for v in rising()[0]] * 2, [[v] for v in rising()[1]] * 2)
        half = t.take(np.arange(10))
        assert margin_cal(half).fitted_on == fingerprint_rows(half) != fingerprint_rows(t)

    def test_deterministic_and_inputs_stay(self):
        """Give the same twice, and change no input (case 28)."""
        t = one_round([*rising()[0], NAN, INF], [*rising()[1], 1, 1])
        before = t.signals["margin"].copy(), t.outcomes["em"].copy()
        first = margin_cal(t, missing=0.5)
        values = first.apply(t)
        assert first == margin_cal(t, missing=0.5)
        np.testing.assert_array_equal(first.apply(t), values)
        np.testing.assert_array_equal(t.signals["margin"], before[0])
        np.testing.assert_array_equal(t.outcomes["em"], before[1])

    def test_row_order(self):
        """Fit the same curves on the same rows under other ids, that is, in another order."""
        x, y = rising()
        assert margin_cal(one_round(x[::-1], y[::-1])).fits == margin_cal(one_round(x, y)).fits

    def test_live_needs_no_scikit_learn(self):
        """Apply stored curves without importing scikit-learn or polars."""
        stored = json.dumps(margin_cal(one_round(*rising()), method="isotonic").to_dict())
        code = (
            "import json, sys; from stoprule.trajectories.calibration import Calibrator; "
            "print(Calibrator.from_dict(json.loads(sys.argv[1])).value(2.5, round=1)); "
            "print(sorted({'sklearn', 'scipy', 'polars'} & set(sys.modules)))"
        )
        run = subprocess.run([sys.executable, "-c", code, stored], capture_output=True, text=True, check=True)
        assert run.stdout.split("\n")[1] == "[]"


class TestMistakes:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"signal": "margn"}, r'no signal "margn" \(did you mean \'margin\'\?\); choose one of margin'),
            ({"signal": "em"}, 'no signal "em"'),
            ({"target": "margin"}, 'no outcome "margin"; choose one of em'),
            ({"name": "margin"}, 'has a column "margin" already'),
            ({"name": "em"}, 'has a column "em" already'),
            ({"method": "isotone"}, 'method = "isotone" is not known; choose isotonic or sigmoid'),
            ({"by": "cell"}, 'by = "cell" is not known; choose round or pooled'),
            ({"missing": NAN}, "missing = nan is not finite"),
        ],
    )
    def test_one_line(self, options, message):
        """Say what is wrong and what there is."""
        with pytest.raises(CalibrationError, match=message) as error:
            margin_cal(one_round(*rising()), **options)
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("outcome", [1.5, -0.5])
    def test_target_outside_0_1(self, outcome):
        """Refuse an outcome that is no share."""
        with pytest.raises(CalibrationError, match=r"target em runs from .*must lie in \[0, 1\]"):
            margin_cal(one_round([1, 2], [0.5, outcome]))

    def test_no_rows(self):
        """Refuse a calibration split without rows."""
        with pytest.raises(CalibrationError, match="no rows to fit on"):
            margin_cal(one_round([1], [0]).take(np.array([False])))

    def test_table_without_the_signal(self):
        """Refuse a table that lacks the raw signal."""
        calibrator = margin_cal(one_round(*rising()))
        other = one_round([1], [0])
        other = other.with_signal("gap", other.signals["margin"])
        lacking = Trajectories(**{**vars(other), "signals": {"gap": other.signals["gap"]}})
        with pytest.raises(CalibrationError, match='margin_cal: the table has no signal "margin"'):
            calibrator.apply(lacking)


class TestRecorded:
    """On the recorded HotpotQA trajectories."""

    @pytest.fixture(scope="class")
    @staticmethod
    def frame():
        (path,) = EXAMPLE.glob("*.parquet")
        return pl.read_parquet(path).sort("cell", "qid", "round")

    @pytest.fixture(scope="class")
    @staticmethod
    def recorded(frame):
        rows = frame.partition_by("cell", "qid", maintain_order=True)
        return table(
            [part["margin"].to_list() for part in rows],
            [part["em"].to_list() for part in rows],
            [part["cell"][0] for part in rows],
        )

    def test_isotonic(self, frame, recorded):
        """Equal a loop over cells and rounds with scikit-learn."""
        calibrated = margin_cal(recorded).apply(recorded)
        for cell in recorded.cell_names:
            for column in range(recorded.rounds):
                rows = frame.filter((pl.col("cell") == cell) & (pl.col("round") == column + 1))
                x, y = rows["margin"].to_numpy(), rows["em"].to_numpy()
                assert (calibrated[recorded.cell == cell, column] == isotonic(x, y).predict(x)).all()

    def test_sigmoid(self, frame, recorded):
        """Equal scikit-learn's Platt scaling, cell by cell, to its tolerance."""
        calibrated = margin_cal(recorded, method="sigmoid", by="pooled").apply(recorded)
        for cell in recorded.cell_names:
            rows = frame.filter(pl.col("cell") == cell)
            x, y = rows["margin"].to_numpy(), rows["em"].to_numpy().astype(np.float64)
            expected = _SigmoidCalibration().fit(x, y).predict(x)
            assert calibrated[recorded.cell == cell].ravel() == pytest.approx(expected, abs=1e-6)
