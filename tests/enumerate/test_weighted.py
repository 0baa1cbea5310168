"""Candidates under weights, against replay."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import expand as planning
from stoprule.enumerate import weighted
from stoprule.enumerate.expand import Shape, expand
from stoprule.enumerate.gather import tasks
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.replay import states
from stoprule.enumerate.space import space
from stoprule.enumerate.weighted import weighted_sums

from ..rules.strategies import tables_strategy
from ..rules.tables import table

VALUES = [float("nan"), -1.0, 0.0, 1.0, 2.0, 2.0]


class TestWeightedSums:
    """Sums of every candidate of a task."""

    def test_by_hand(self):
        """Weigh the stop of each trajectory: rounds 1 and 2, worth 3 and 5, drawn never and twice."""
        t = table(margin=[[1, 0], [0, 1]])
        book = ledger(t)
        (_, _, task), *_ = tasks(expand(space({"rule": "margin > 0.5"}, t).families, t, book), t, book)
        tables = np.array([[[3, 4, 4], [4, 5, 6]]])
        ((row, start, sums),) = weighted_sums(task, tables, np.array([[0, 2]]))
        assert (row, start, sums.tolist()) == (0, 0, [[10]])

    @pytest.mark.parametrize("listed", [2, 10**6])
    @given(t=tables_strategy(values=VALUES), seed=st.integers(0, 2**32))
    @settings(max_examples=10, deadline=None)
    def test_equals_replay(self, listed, t, seed):
        """Sum over the states that a replay of every candidate has: of lists, grids, families and sweeps."""
        rng = np.random.default_rng(seed)
        weights = rng.integers(-1, 4, (3, len(t)))
        tables = rng.integers(-(2**52), 2**52, (2, len(t), t.rounds + 1))
        tables[:, np.arange(len(t)), -1] = tables[:, np.arange(len(t)), t.length - 1]  # exhausted is the last round
        entries = [
            {"rule": "a > ? & b > ? | repeat(answer)", "cuts": [0, 1, 5]},
            {"family": "or_of_ands", "cuts": [0.5, 1.5]},
            {"rule": "repeat(answer) | a > ?", "cuts": [0.5]},
        ]
        exact = [{"rule": shape, "cuts": "exact"} for shape in ("a > ?", "a > ? & b <= ?", "total(a > ?, b) > 1")]
        book = ledger(t)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(planning, "MOST_LISTED", listed)
            patch.setattr(weighted, "RUN", 40)
            plan = expand((space(entries, t) + space(exact, t)).families, t, book)
            for number, _, task in tasks(plan, t, book, chunk=7):
                item = plan.items[number]
                if isinstance(item, Shape):
                    if item.rule.holes == 2:
                        continue  # cells are numbered by plateaus: compared as sets below
                    rules = list(task().rules)
                else:
                    rules = list(task.source.rules(np.arange(len(task.source))))
                found = np.zeros((len(weights), 2, len(rules)), dtype=np.int64)
                for row, start, sums in weighted_sums(task, tables, weights):
                    found[row, :, start : start + sums.shape[1]] += sums
                assert found.tolist() == self.by_replay(rules, t, tables, weights)

    @given(t=tables_strategy(values=VALUES), seed=st.integers(0, 2**32))
    @settings(max_examples=10, deadline=None)
    def test_two_cuts(self, t, seed):
        """Sum over every pair of cuts."""
        rng = np.random.default_rng(seed)
        weights = rng.integers(0, 4, (2, len(t)))
        tables = rng.integers(-9, 9, (2, len(t), t.rounds + 1))
        book = ledger(t)
        plan = expand(space({"rule": "a > ? & b <= ?", "cuts": "exact"}, t).families, t, book)
        for _, _, task in tasks(plan, t, book):
            sweep = weighted.open_shape(task.shape.rule, t).sweep_two(None)
            rules = [task.shape.rule.fill(cuts) for cuts in product(*(axis.written().tolist() for axis in sweep.axes))]
            found = np.zeros((len(weights), 2, len(rules)), dtype=np.int64)
            for row, start, sums in weighted_sums(task, tables, weights):
                found[row, :, start : start + sums.shape[1]] = sums
            assert found.tolist() == self.by_replay(rules, t, tables, weights)

    @staticmethod
    def by_replay(rules, t, tables, weights):
        found = states(rules, t)
        return [
            [[int((table[np.arange(len(t)), state] * weight).sum()) for state in found] for table in tables]
            for weight in weights
        ]
