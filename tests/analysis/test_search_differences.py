"""Differences of a whole search against those of a replay of every candidate."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis import search_differences as module
from stoprule.analysis.bootstrap import strata
from stoprule.analysis.differences import MatrixDifferences
from stoprule.analysis.family_wide import family_wide
from stoprule.analysis.search_differences import SearchDifferences
from stoprule.analysis.streams import random_signs
from stoprule.enumerate.expand import Shape, expand
from stoprule.enumerate.gather import tasks
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.replay import states, stop_rounds
from stoprule.enumerate.shapes import open_shape
from stoprule.enumerate.space import space
from stoprule.rules.named import fixed

from ..rules.strategies import tables_strategy
from ..rules.tables import table

ENTRIES = [
    {"family": "fixed"},
    {"rule": "a > ?", "cuts": "exact"},
    {"rule": "a > ? & b <= ?", "cuts": "exact"},
    {"rule": "repeat(answer) | a > ?", "cuts": [0.5]},
]
VALUES = [float("nan"), -1.0, 0.0, 1.0, 2.0, 2.0]


def with_quality(t, seed: int, cells: int):
    """The table with random outcomes, its trajectories spread over cells; questions of several cells are groups."""
    rng = np.random.default_rng(seed)
    quality = np.where(t.recorded, rng.integers(0, 5, t.recorded.shape) / 4, np.nan)
    names = np.array([f"g{i // cells}" for i in range(len(t))], dtype=object)
    cell = np.array([f"c{i % cells}" for i in range(len(t))], dtype=object)
    return replace(t, outcomes={"f1": quality}, group=names, question=names, cell=cell)


def both(t, baseline, **settings):
    """The differences of a search of the table, and the same by replay of every candidate."""
    book, groups = ledger(t), strata(t.cell, t.group)
    plan = expand(space(ENTRIES, t).families, t, book)
    every = [(number, task) for number, _, task in tasks(plan, t, book)]
    rules = []
    for number, task in every:
        item = plan.items[number]
        if isinstance(item, Shape) and item.rule.holes == 2:
            axes = open_shape(item.rule, t).sweep_two(None).axes
            rules += [item.rule.fill(cuts) for cuts in product(*(axis.written().tolist() for axis in axes))]
        else:
            rules += (
                list(task().rules) if isinstance(item, Shape) else list(task.source.rules(np.arange(len(task.source))))
            )
    worth = t.cost if settings.get("of") == "cost" else t.quality - settings.get("price", 0.0) * t.cost
    stop = stop_rounds(states([baseline, *rules], t), t.length) - 1
    chosen = worth[np.arange(len(t)), stop]
    naive = MatrixDifferences([np.stack([groups.contributions(row) for row in chosen[1:] - chosen[0]])])
    return SearchDifferences([task for _, task in every], t, baseline, groups, **settings), naive


class TestSearchDifferences:
    def test_by_hand(self):
        """Two questions, fixed(1) against fixed(2): one is lost, one gained."""
        t = table(a=[[1, 1], [1, 1]], quality=[[0, 1], [1, 0.5]])
        book = ledger(t)
        plan = expand(space({"family": "fixed"}, t).families, t, book)
        every = (task for *_, task in tasks(plan, t, book))
        found = SearchDifferences(every, t, fixed(2), strata(t.cell, t.group))
        assert found.sums(np.array([[1.0, 1.0], [1.0, -1.0]])).tolist() == [[-0.25, 0], [-0.75, 0]]
        assert found.squares(np.ones((1, 2))).tolist() == [[0.25 + 0.0625, 0]]
        assert found.nonzero(np.ones((1, 2))).tolist() == [[2, 0]]

    @pytest.mark.parametrize("cells", [1, 2])
    @pytest.mark.parametrize("settings_", [{}, {"of": "cost"}, {"price": 0.25}], ids=str)
    @given(t=tables_strategy(values=VALUES), seed=st.integers(0, 2**32))
    @settings(max_examples=6, deadline=None)
    def test_equals_replay(self, cells, settings_, t, seed):
        """Give the sums, squares and counts of a replay: lists, one cut, two cuts, groups over cells."""
        if len(t) < cells:
            return
        t = with_quality(t.take(np.arange(len(t) - len(t) % cells)), seed, cells)
        found, naive = both(t, fixed(2), **settings_)
        weights = random_signs(np.random.default_rng(seed), 3, found.groups)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "AT_ONCE", 10)
            for name in ("sums", "squares", "nonzero"):
                ours, theirs = getattr(found, name)(weights), getattr(naive, name)(weights)
                assert ours == pytest.approx(theirs, abs=1e-12), name

    def test_the_family_wide_maximum(self):
        """Give the family the p-values that all its rules held in memory have."""
        rng = np.random.default_rng(3)
        t = table(
            a=rng.normal(size=(60, 4)).tolist(),
            b=rng.normal(size=(60, 4)).round(1).tolist(),
            answer=rng.integers(0, 3, (60, 4)).tolist(),
            quality=rng.integers(0, 2, (60, 4)).astype(float).tolist(),
        )
        found, naive = (family_wide(each, seed=1, draws=99) for each in both(t, fixed(4)))
        assert len(found.adjusted) > 5000
        assert found.adjusted == pytest.approx(naive.adjusted, nan_ok=True)
        assert found.left_out == naive.left_out
