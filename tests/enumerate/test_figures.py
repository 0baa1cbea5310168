"""Figures of many rules: macro means as exact sums, and the hash of a behaviour."""

import numpy as np
import pytest
from hypothesis import given, settings
from stoprule.enumerate.figures import Figures, tally
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.replay import replay, states, stop_rounds
from stoprule.rules.text import parse

from ..rules.strategies import rules_strategy, tables_strategy
from ..rules.tables import table


def macro(values, t):
    return np.mean([values[t.cell == cell].mean() for cell in t.cell_names])


class TestTally:
    def test_by_hand(self):
        """Average cells of unequal size without weights, and count firings plainly."""
        t = table(
            cells=["a", "b", "b"],
            margin=[[0, 1], [1, 0], [0, 0]],
            quality=[[1, 0], [0.5, 1], [0, 1]],
            cost=[[2, 4], [6, 8], [1, 2]],
        )
        figures = tally(states([parse("margin > 0.5")], t), ledger(t))
        assert figures.quality.tolist() == [(0 + (0.5 + 1) / 2) / 2]
        assert figures.cost.tolist() == [(4 + (6 + 2) / 2) / 2]
        assert figures.calls.tolist() == [(2 + (1 + 2) / 2) / 2]
        assert figures.fired.tolist() == [2]

    @given(rules_strategy(), tables_strategy())
    @settings(max_examples=60, deadline=None)
    def test_plain_means(self, rule, t):
        """Agree with plain means of a replay."""
        one = replay(rule, t)
        figures = tally(one.state[None], ledger(t))
        assert figures.quality[0] == pytest.approx(macro(one.quality, t))
        assert figures.cost[0] == pytest.approx(macro(one.cost, t))
        assert figures.calls[0] == pytest.approx(macro(one.stop_round, t))
        assert figures.fired[0] == one.fired.sum()

    @given(rules_strategy(), rules_strategy(), tables_strategy())
    @settings(max_examples=60, deadline=None)
    def test_behaviour(self, rule, other, t):
        """Hash alike exactly when every trajectory stops at the same round, fired or exhausted there."""
        both = states([rule, other], t)
        first, second = stop_rounds(both, t.length)
        words = tally(both, ledger(t)).behaviour
        assert (words[:, 0] == words[:, 1]).all() == (first == second).all()

    def test_concatenate(self):
        """Join batches in their order."""
        t = table(margin=[[0, 1]], quality=[[0, 1]])
        parts = [tally(states([parse(f"round >= {k}")], t), ledger(t)) for k in (1, 2)]
        joined = Figures.concatenate(parts)
        assert joined.quality.tolist() == [0, 1]
        assert joined.behaviour.shape == (2, 2)
        assert len(joined) == 2
