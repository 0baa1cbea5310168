"""Every cut of one comparison at once, against a loop over cuts, trajectories and rounds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate.plateaus import OPERATORS
from stoprule.enumerate.sweep_one import sweep_one
from stoprule.trajectories.errors import RuleError

HOLDS = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}
MISSING = float("nan")


def naive_states(values, op, cut, fires):
    """The definition: the first round at which the rule is true, R where there is none."""
    states = []
    for q in range(len(values)):
        rounds = [
            r for r in range(values.shape[1]) if fires[int(HOLDS[op](values[q, r], cut)), q, r]
        ]  # a comparison with NaN is false
        states.append(rounds[0] if rounds else values.shape[1])
    return np.array(states)


def naive_sums(tables, states, weights=None):
    picked = tables[..., np.arange(len(states)), states]
    return (picked if weights is None else picked * weights).sum(axis=-1)


@st.composite
def cases(draw, most_rounds=5):
    """Small integers, so that ties abound; ragged lengths; missing and infinite values; any conditions."""
    n, r = draw(st.integers(1, 6)), draw(st.integers(1, most_rounds))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = seed.integers(-2, 3, size=(n, r)).astype(float)
    values[seed.random((n, r)) < draw(st.sampled_from([0, 0.3, 1]))] = MISSING
    if draw(st.booleans()):
        values[seed.random((n, r)) < 0.2] = seed.choice([-np.inf, np.inf])
    length = seed.integers(1, r + 1, size=n)
    recorded = np.arange(r) < length[:, None]
    holds = recorded & (seed.random((n, r)) < draw(st.sampled_from([0.6, 1])))
    fails = holds & (seed.random((n, r)) < draw(st.sampled_from([0, 0.2])))
    tables = seed.integers(-9, 10, size=(2, n, r + 1))
    return values, np.stack([fails, holds]), length, tables


class TestSweepOne:
    """Figures at every distinguishable cut."""

    def test_hand_worked(self):
        """Sum what a stop is worth: signals .2 .5 .5 .9 stop at 1, 2 or 4, worth 1, 2, 4; never, worth 8."""
        values = np.array([[0.2, 0.5, 0.5, 0.9]])
        fires = np.stack([np.zeros((1, 4), bool), np.ones((1, 4), bool)])
        sweep = sweep_one(values, ">", fires, np.array([4]))
        assert list(sweep.plateaus.low) == [-np.inf, 0.2, 0.5, 0.9]
        assert list(sweep.plateaus.written()) == [-np.inf, 0.3, 0.7, np.inf]
        assert list(sweep.sums(np.array([[1, 2, 3, 4, 8]]))) == [1, 2, 4, 8]
        assert list(sweep.behaviours().low) == [-np.inf, 0.2, 0.5]  # firing at the last round is exhaustion

    def test_conditions(self):
        """Let a condition joined by & bar a round, and one joined by | end the trajectory there."""
        values = np.array([[5.0, 3.0, 4.0, 9.0]])
        barred_first_ends_third = np.array([[[0, 0, 1, 0]], [[0, 1, 1, 1]]], dtype=bool)
        sweep = sweep_one(values, ">", barred_first_ends_third, np.array([4]))
        assert list(sweep.plateaus.low) == [-np.inf, 3]
        assert list(sweep.sums(np.array([[1, 2, 4, 8, 16]]))) == [2, 4]

    def test_missing_value(self):
        """Never fire on a missing value, not even at the cut -inf."""
        fires = np.stack([np.zeros((1, 2), bool), np.ones((1, 2), bool)])
        sweep = sweep_one(np.array([[MISSING, 0.5]]), ">", fires, np.array([2]))
        assert list(sweep.sums(np.array([[1, 2, 4]]))) == [2, 4]

    @pytest.mark.parametrize("op", OPERATORS)
    @given(data=st.data())
    @settings(max_examples=100)
    def test_equals_the_definition(self, op, data):
        """Equal the loop at the written cut of every plateau, and tell no cut apart that it does not."""
        values, fires, length, tables = data.draw(cases())
        sweep = sweep_one(values, op, fires, length)
        sums, cuts = sweep.sums(tables), sweep.plateaus.written()
        states = [naive_states(values, op, cut, fires) for cut in cuts]
        for i, state in enumerate(states):
            assert sums[:, i].tolist() == naive_sums(tables, state).tolist()
        assert all((one != other).any() for one, other in pairwise(states))
        for cut in (-np.inf, -2.0, -0.5, 0.0, 1.0, 2.5, np.inf):
            home = sweep.plateaus.at(np.array([cut]))[0]
            assert (states[home] == naive_states(values, op, cut, fires)).all()

    @pytest.mark.parametrize("op", OPERATORS)
    @given(data=st.data())
    @settings(max_examples=50)
    def test_behaviours(self, op, data):
        """Join the plateaus of equal stop rounds, and no others."""
        values, fires, length, _ = data.draw(cases())
        sweep = sweep_one(values, op, fires, length)
        stops = [np.minimum(naive_states(values, op, cut, fires), length - 1) for cut in sweep.behaviours().written()]
        assert all((one != other).any() for one, other in pairwise(stops))
        for fine in sweep.plateaus.written():
            home = sweep.behaviours().at(np.array([fine]))[0]
            assert (stops[home] == np.minimum(naive_states(values, op, fine, fires), length - 1)).all()

    @given(case=cases(most_rounds=64), seed=st.integers(0, 99))
    @settings(max_examples=20)
    def test_weights(self, case, seed):
        """Weigh trajectories by integers: one resample, or a change of sign."""
        values, fires, length, tables = case
        weights = np.random.default_rng(seed).integers(-1, 4, size=len(values))
        sweep = sweep_one(values, ">=", fires, length)
        for cut, total in zip(sweep.plateaus.written(), sweep.sums(tables, weights).T, strict=True):
            state = naive_states(values, ">=", cut, fires)
            assert total.tolist() == naive_sums(tables, state, weights).tolist()

    def test_words_wrap(self):
        """Carry sums modulo 2**64."""
        fires = np.stack([np.zeros((2, 1), bool), np.ones((2, 1), bool)])
        words = np.array([[2**63 + 1, 7], [2**63 + 2, 5]], dtype=np.uint64)
        sweep = sweep_one(np.array([[1.0], [2.0]]), ">", fires, np.array([1, 1]))
        assert sweep.sums(words.view(np.int64)).view(np.uint64).tolist() == [3, 2**63 + 9, 12]

    def test_equality_operator(self):
        """Refuse an operator whose cuts have no plateaus."""
        fires = np.ones((2, 1, 1), bool)
        with pytest.raises(RuleError, match="not !="):
            sweep_one(np.ones((1, 1)), "!=", fires, np.array([1]))

    def test_inputs_are_not_changed(self):
        """Leave the arrays as they were."""
        values, fires = np.array([[-0.0, MISSING]]), np.ones((2, 1, 2), bool)
        before = values.tobytes(), fires.tobytes()
        sweep_one(values, "<", fires, np.array([2])).sums(np.ones((1, 3), np.int64), np.array([2]))
        assert (values.tobytes(), fires.tobytes()) == before
