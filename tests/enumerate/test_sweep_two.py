"""Every pair of cuts of two comparisons at once, against a loop over cuts, trajectories and rounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import compiled
from stoprule.enumerate.plateaus import OPERATORS
from stoprule.enumerate.staircase import Quadrants, corners, corners_numpy
from stoprule.enumerate.sweep_two import sweep_two
from stoprule.trajectories.errors import SearchError

HOLDS = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}
MISSING = float("nan")


def naive_states(values, ops, cuts, fires):
    """The definition: the first round at which the rule is true, R where there is none."""
    states = []
    for q in range(fires.shape[2]):
        rounds = [
            r
            for r in range(fires.shape[3])
            if fires[
                int(HOLDS[ops[0]](values[0][q, r], cuts[0])),
                int(HOLDS[ops[1]](values[1][q, r], cuts[1])),
                q,
                r,
            ]
        ]
        states.append(rounds[0] if rounds else fires.shape[3])
    return np.array(states)


def naive_sums(tables, states):
    return tables[:, np.arange(len(states)), states].sum(axis=1)


@pytest.fixture(params=["numba", "numpy"])
def way(request, monkeypatch):
    """With the compiled loops, and as on a machine without numba."""
    if request.param == "numba":
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(compiled, "available", lambda: False)


@st.composite
def cases(draw, most_rounds=5, most_trajectories=6, values=3):
    """Small integers, so that ties abound; ragged lengths; missing values; & and | with any conditions."""
    n, r = draw(st.integers(1, most_trajectories)), draw(st.integers(1, most_rounds))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    pair = rng.integers(0, values, size=(2, n, r)).astype(float)
    pair[rng.random((2, n, r)) < draw(st.sampled_from([0, 0.3]))] = MISSING
    if draw(st.booleans()):
        pair[rng.random((2, n, r)) < 0.2] = rng.choice([-np.inf, np.inf])
    recorded = np.arange(r) < rng.integers(1, r + 1, size=n)[:, None]
    joined = draw(st.sampled_from(["&", "|", "mixed"]))
    first = recorded & (rng.random((n, r)) < draw(st.sampled_from([0.7, 1])) * (joined != "&"))
    second = recorded & (rng.random((n, r)) < draw(st.sampled_from([0.7, 1])) * (joined != "&"))
    if joined == "mixed":
        first &= rng.random((n, r)) < 0.5
        second &= rng.random((n, r)) < 0.5
    neither = first & second & (rng.random((n, r)) < draw(st.sampled_from([0, 0.2])))
    both = first | second | (recorded & (rng.random((n, r)) < 0.8) * (joined != "|"))
    tables = rng.integers(-9, 10, size=(2, n, r + 1))
    return pair, np.array([[neither, second], [first, both]]), tables


def agrees(sweep, case, ops, weights=None):
    pair, fires, tables = case
    sums = sweep.sums(tables, weights)
    weighted = tables if weights is None else tables * weights[:, None]
    assert sums.shape == (len(tables), *sweep.shape)
    for i, first in enumerate(sweep.axes[0].written()):
        for j, second in enumerate(sweep.axes[1].written()):
            state = naive_states(pair, ops, (first, second), fires)
            assert sums[:, i, j].tolist() == naive_sums(weighted, state).tolist()


class TestSweepTwo:
    """Figures at every distinguishable pair of cuts."""

    @pytest.mark.usefixtures("way")
    def test_hand_worked_and(self):
        """Stop where both hold: signals (2, 1) then (1, 2) fire at 1 or 2, worth 1 and 10, else 100."""
        pair = np.array([[[2.0, 1.0]], [[1.0, 2.0]]])
        fires = np.zeros((2, 2, 1, 2), bool)
        fires[1, 1] = True
        sweep = sweep_two(tuple(pair), (">", ">"), fires)
        assert [list(axis.low) for axis in sweep.axes] == [[-np.inf, 1, 2], [-np.inf, 1, 2]]
        assert sweep.sums(np.array([[[1, 10, 100]]])).tolist() == [[[1, 10, 100], [1, 100, 100], [100, 100, 100]]]

    @pytest.mark.usefixtures("way")
    def test_hand_worked_or(self):
        """Stop where either holds: each pair of cuts stops where its earlier comparison does."""
        pair = np.array([[[1.0, 2.0]], [[1.0, 2.0]]])
        fires = np.ones((2, 2, 1, 2), bool)
        fires[0, 0] = False
        sweep = sweep_two(tuple(pair), (">", ">"), fires)
        assert sweep.sums(np.array([[[1, 10, 100]]])).tolist() == [[[1, 1, 1], [1, 10, 10], [1, 10, 100]]]

    @pytest.mark.parametrize("first", OPERATORS)
    @pytest.mark.parametrize("second", OPERATORS)
    @given(data=st.data())
    @settings(max_examples=25, deadline=None)
    def test_equals_the_definition(self, first, second, data):
        """Equal the loop at every pair of written cuts."""
        pair, fires, tables = data.draw(cases())
        agrees(sweep_two(tuple(pair), (first, second), fires), (pair, fires, tables), (first, second))

    @given(cases())
    @settings(max_examples=60, deadline=None)
    def test_no_pair_is_left_out(self, case):
        """Behave at any pair of cuts as at the plateaus that they lie in."""
        pair, fires, tables = case
        sweep = sweep_two(tuple(pair), (">", "<="), fires)
        sums = sweep.sums(tables)
        for first in (-np.inf, -0.5, 0, 1, 1.5, 2, np.inf):
            for second in (-np.inf, 0, 0.5, 1, 2, np.inf):
                i, j = sweep.axes[0].at(np.array([first]))[0], sweep.axes[1].at(np.array([second]))[0]
                state = naive_states(pair, (">", "<="), (first, second), fires)
                assert sums[:, i, j].tolist() == naive_sums(tables, state).tolist()

    @given(cases(most_rounds=64, most_trajectories=2, values=9), st.integers(0, 99))
    @settings(max_examples=15, deadline=None)
    def test_many_rounds_and_weights(self, case, seed):
        """Keep tall staircases, with one weight a trajectory."""
        pair, fires, _ = case
        weights = np.random.default_rng(seed).integers(-1, 4, size=fires.shape[2])
        agrees(sweep_two(tuple(pair), (">=", ">"), fires), case, (">=", ">"), weights)

    @given(cases(values=6), st.integers(4, 20))
    @settings(max_examples=60, deadline=None)
    def test_cap(self, case, max_cells):
        """Choose true plateaus, always and never among them, where the grid would exceed the cap."""
        pair, fires, _ = case
        whole = sweep_two(tuple(pair), (">", "<"), fires)
        sweep = sweep_two(tuple(pair), (">", "<"), fires, max_cells=max_cells)
        assert np.prod(sweep.shape) <= max_cells
        for axis, full in zip(sweep.axes, whole.axes, strict=True):
            assert set(axis.low) <= set(full.low)
            assert (axis.low[0], axis.high[-1]) == (full.low[0], full.high[-1])
        agrees(sweep, case, (">", "<"))

    def test_cap_below_four(self):
        """Refuse a cap under which always and never do not fit."""
        with pytest.raises(SearchError, match="max_cells = 3"):
            sweep_two((np.ones((1, 1)),) * 2, (">", ">"), np.ones((2, 2, 1, 1), bool), max_cells=3)

    @given(cases(values=6), st.integers(1, 5), st.sampled_from(OPERATORS))
    @settings(max_examples=60, deadline=None)
    def test_strips(self, case, rows, op):
        """Give the same grid in strips of any height."""
        pair, fires, tables = case
        sweep = sweep_two(tuple(pair), (op, ">"), fires)
        grid = np.full((2, *sweep.shape), -(10**6))
        for where, block in sweep.strips(tables, rows=rows):
            grid[:, where] = block
        assert grid.tolist() == sweep.sums(tables).tolist()

    @given(cases())
    @settings(max_examples=60, deadline=None)
    def test_numpy_way(self, case):
        """Give the same grid without numba."""
        pair, fires, tables = case
        with pytest.MonkeyPatch.context() as patch:
            fast = sweep_two(tuple(pair), (">", ">"), fires, max_cells=12)
            sums = fast.sums(tables).tolist()
            patch.setattr(compiled, "available", lambda: False)
            slow = sweep_two(tuple(pair), (">", ">"), fires, max_cells=12)
            assert [list(axis.low) for axis in slow.axes] == [list(axis.low) for axis in fast.axes]
            assert slow.sums(tables).tolist() == sums


class TestCorners:
    """Signed corners of growing unions of quadrants."""

    @pytest.mark.parametrize("build", [corners, corners_numpy])
    @given(data=st.data())
    @settings(max_examples=100, deadline=None)
    def test_equals_the_definition(self, build, data):
        """Give every cell the state of the first quadrant that covers it, else the end."""
        n, never = 2, 6
        rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
        m = data.draw(st.integers(0, 12))
        trajectory, state = np.sort(rng.integers(0, n, m)), np.zeros(m, np.int64)
        for q in range(n):
            own = trajectory == q
            state[own] = np.sort(rng.integers(0, never, own.sum()))
        x, y = rng.integers(0, 4, m), rng.integers(0, 4, m)
        end = np.full(n, never)
        found = build(Quadrants(trajectory=trajectory, state=state, x=x, y=y, end=end, never=never))
        table = rng.integers(-9, 9, size=n * (never + 1))
        for i in range(5):
            for j in range(5):
                counts = (found.row <= i) & (found.column <= j)
                total = (table[found.gain[counts]] - table[found.loss[counts]]).sum()
                expected = 0
                for q in range(n):
                    covering = state[(trajectory == q) & (x <= i) & (y <= j)]
                    first = covering[0] if len(covering) else never
                    expected += table[q * (never + 1) + first] - table[q * (never + 1) + never]
                assert total == expected
