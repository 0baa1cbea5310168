"""States of lists of rules by round masks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import compiled
from stoprule.enumerate.encode import mask_states
from stoprule.enumerate.families import grouped
from stoprule.enumerate.replay import states
from stoprule.rules.text import parse

from ..rules.strategies import rules_strategy, tables_strategy
from ..rules.tables import table


class TestMaskStates:
    def test_by_hand(self):
        """Give the index of the first round, R where there is none."""
        t = table(a=[[0, 1, 2], [2, 0]], answer=[[0, 0, 0], [0, 1]])
        rules = [parse("a > 1"), parse("a > 0 & repeat(answer) | round == 2"), parse("a > 5")]
        assert mask_states(rules, t).tolist() == [[2, 0], [1, 1], [3, 3]]

    def test_no_rules(self):
        """Answer an empty list with no states."""
        assert mask_states([], table(a=[[0]])).shape == (0, 1)

    def test_a_part_that_is_a_rule(self):
        """Tell apart an OR of its own and one inside another rule, and give a rule that comes twice twice."""
        t = table(a=[[0, 1, 2], [2, 0]], b=[[0, 0, 3], [0, 3]])
        texts = [
            "(a > 1 | b > 2) & b > 2",
            "a > 1 | b > 2",
            "~(a > 1 | b > 2)",
            "b > 2 | a > 1",
            "a > 0 | a > 1 & b > 2",
        ]
        rules = [parse(text) for text in texts]
        assert mask_states(rules, t).tolist() == [[2, 1], [2, 0], [0, 3], [2, 0], [1, 0]]

    @given(t=tables_strategy())
    @settings(max_examples=30, deadline=None)
    def test_groupings(self, t):
        """Equal the vectorised replay for every grouping of some atoms, on values that tie."""
        rules = list(grouped([parse(text) for text in ("round >= 2", "a > 0", "a >= 0", "b <= 1", "missing(b)")]))
        np.testing.assert_array_equal(mask_states(rules, t), states(rules, t))

    @pytest.mark.parametrize("numba", [True, False])
    @given(rules=st.lists(rules_strategy(), max_size=4), t=tables_strategy())
    @settings(max_examples=60, deadline=None)
    def test_equals_replay(self, numba, rules, t):
        """Equal the vectorised replay for rules of every kind, with and without numba."""
        with pytest.MonkeyPatch.context() as patch:
            if not numba:
                patch.setattr(compiled, "available", lambda: False)
            found = mask_states(rules, t)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, states(rules, t))
