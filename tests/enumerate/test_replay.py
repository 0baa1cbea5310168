"""Where rules stop: by hand, and the vectorised path against the definition."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from stoprule.enumerate.replay import chunks, replay, replay_naive, states
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError

from ..rules.strategies import rules_strategy, tables_strategy
from ..rules.tables import MISSING, table


class TestReplay:
    def test_by_hand(self):
        """Stop at the first round that fires, else at the last one, exhausted."""
        t = table(
            margin=[[0.1, 0.5, 0.9], [0.2, 0.1], [0.4]],
            quality=[[0, 1, 2], [3, 4], [5]],
            cost=[[10, 20, 30], [10, 10], [7]],
        )
        one = replay(parse("margin > 0.3"), t)
        assert one.stop_round.tolist() == [2, 2, 1]
        assert one.fired.tolist() == [True, False, True]
        assert one.state.tolist() == [1, 3, 0]
        assert one.quality.tolist() == [1, 4, 5]
        assert one.cost.tolist() == [20, 10, 7]

    def test_fixed_depth_of_a_short_question(self):
        """Let a question shorter than k be exhausted under fixed(k)."""
        one = replay(parse("fixed(3)"), table(margin=[[0, 0, 0], [0, 0]]))
        assert one.stop_round.tolist() == [3, 2]
        assert one.fired.tolist() == [True, False]

    def test_case_1(self):
        """Do not fire on a missing value, as a NaN that compares true would."""
        assert replay(parse("margin > 0.25"), table(margin=[[MISSING, 0.5]])).stop_round.tolist() == [2]

    def test_case_2(self):
        """Take every figure from the one round that was chosen."""
        t = table(answer=[[-1, 0]], quality=[[0.0, 1.0]], cost=[[1.0, 2.0]], margin=[[0.0, 0.0]])
        one = replay(parse("repeat(answer) | round >= 1"), t)
        assert (one.quality.tolist(), one.cost.tolist()) == ([0.0], [1.0])

    @pytest.mark.parametrize(("rule", "fired"), [("s > 0.5", 1), ("s >= 0.5", 3)])
    def test_case_6(self, rule, fired):
        """Tell > from >= at the cut itself."""
        assert replay(parse(rule), table(s=[[0.2], [0.5], [0.5], [0.9]])).fired.sum() == fired

    @given(rules_strategy(), tables_strategy())
    @settings(max_examples=150, deadline=None)
    def test_naive(self, rule, t):
        """Equal the definition in every array, on ragged tables with ties and missing values."""
        one, other = replay(rule, t), replay_naive(rule, t)
        for name in ("state", "stop_round", "fired", "quality", "cost"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))

    @given(rules_strategy(), tables_strategy())
    @settings(max_examples=50, deadline=None)
    def test_inputs_unchanged(self, rule, t):
        """Answer the same twice and leave the table as it was."""
        before = copy.deepcopy(t)
        np.testing.assert_array_equal(replay(rule, t).state, replay(rule, t).state)
        for name, values in t.signals.items():
            np.testing.assert_array_equal(values, before.signals[name])
        np.testing.assert_array_equal(t.answer, before.answer)

    @pytest.mark.parametrize("run", [replay, replay_naive])
    def test_refusals(self, run):
        """Refuse an unknown signal and a `?` before anything is replayed."""
        t = table(margin=[[0.1]])
        with pytest.raises(RuleError, match="margin"):
            run(parse("margn > 0.1"), t)
        with pytest.raises(RuleError, match=r"\?"):
            run(parse("margin > ?"), t)


class TestStates:
    def test_shared_atoms(self):
        """Answer alike with a cache that other rules have filled."""
        t = table(answer=[[0, 0, 1]], margin=[[0.1, 0.2, 0.9]])
        rules = [parse(text) for text in ("repeat(answer)", "repeat(answer) & margin > 0.5", "margin > 0.5")]
        cache = {}
        first = states(rules, t, cache)
        assert first.tolist() == [[1], [3], [2]]
        np.testing.assert_array_equal(states(rules[::-1], t, cache), first[::-1])


class TestChunks:
    def test_size(self):
        """Cut rules into runs that keep their order."""
        t = table(margin=[[0.1]])
        assert chunks([1, 2, 3, 4, 5], t, 2) == [[1, 2], [3, 4], [5]]
        assert chunks([], t) == []
