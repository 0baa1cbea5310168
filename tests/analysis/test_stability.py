"""Stability of a front: by hand, and as replaying every candidate in every resample has it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis import stability as module
from stoprule.analysis.bootstrap import strata
from stoprule.analysis.stability import dominated, resampled_weights, with_stability
from stoprule.analysis.streams import stream
from stoprule.enumerate import expand, pairs
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.pareto import pareto_mask_naive
from stoprule.enumerate.replay import replay
from stoprule.enumerate.search import search_result
from stoprule.enumerate.space import space
from stoprule.rules.text import parse
from stoprule.trajectories.errors import StudyError

from ..rules.tables import MISSING
from ..rules.tables import table as small_table

ENTRIES = [
    {"family": "fixed"},
    {"rule": "repeat(answer) & margin > ?", "cuts": "exact"},
    {"rule": "gap >= ? | margin > ?", "cuts": "exact"},
    {"rule": "total(gap >= ?, margin) > 1", "cuts": "exact"},
    {"family": "at_least", "cuts": "quantiles(2)"},
]


def random_table(seed=3, trajectories=14, rounds=3):
    rng = np.random.default_rng(seed)
    shape = trajectories, rounds
    return small_table(
        answer=rng.integers(0, 2, shape).tolist(),
        quality=(rng.integers(0, 3, shape) / 2).tolist(),
        cells=sorted(rng.choice(["x", "y"], trajectories).tolist()),
        margin=np.where(rng.random(shape) < 0.1, MISSING, rng.integers(0, 5, shape) / 4).tolist(),
        gap=rng.integers(0, 3, shape).tolist(),
    )


def by_replay(result, t, draws, seed):
    """The share of resamples in which each rule of the front is on it, every candidate replayed."""
    texts = [rule for row in result.frame.iter_rows(named=True) for rule in (row["rule"], *row["equivalents"])]
    book, here = ledger(t), np.arange(len(t))
    states = [replay(parse(text), t).state for text in texts]
    front = [texts.index(rule) for rule in result.frame.filter(result.frame["on_front"])["rule"]]
    shares = np.zeros(len(front))
    for weight in resampled_weights(t, draws=draws, seed=seed):
        points = [[int((table[here, s] * weight).sum()) for table in (book.quality, book.cost)] for s in states]
        shares += pareto_mask_naive(np.array(points, dtype=np.float64))[front]
    return shares / draws


class TestWithStability:
    def test_by_hand(self):
        """Every question is right from round 2 on: fixed(1) is the cheapest, fixed(2) the best, fixed(3) neither."""
        t = small_table(quality=[[0.0, 1, 1]] * 6)
        result = with_stability(search_result(space({"family": "fixed"}, t), t), t)
        assert result.frame.select("rule", "stability").rows() == [
            ("round >= 1", 1.0),
            ("round >= 2", 1.0),
            ("round >= 3", None),
        ]

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_equals_replay(self, seed, monkeypatch):
        """Count what a replay of every candidate in every resample counts, lists and sweeps alike."""
        t = random_table(seed)
        result = search_result(space(ENTRIES, t), t)
        expected = by_replay(result, t, 40, 9)
        found = with_stability(result, t, draws=40, seed=9).frame
        assert found.filter(found["on_front"])["stability"].to_list() == expected.tolist()
        assert found.filter(~found["on_front"])["stability"].null_count() == (~found["on_front"]).sum()
        monkeypatch.setattr(module, "MOST_SWEPT", 0)
        assert with_stability(result, t, draws=40, seed=9).frame.equals(found)

    def test_streams(self, monkeypatch):
        """Let what was kept of a stream stand for it."""
        monkeypatch.setattr(expand, "MOST_LISTED", 5)
        monkeypatch.setattr(expand, "ALL_KEPT", 5)
        monkeypatch.setattr(pairs, "ALL_KEPT", 5)
        t = random_table()
        result = search_result(space(ENTRIES, t), t)
        assert result.tried > len(result.frame)
        found = with_stability(result, t, draws=40, seed=9).frame
        assert found["stability"].drop_nulls().is_between(0, 1).all()

    @pytest.mark.parametrize("backend", ["threads", "processes"])
    def test_same_bytes(self, backend):
        """Give the same shares for two workers of any kind (case 21)."""
        t = random_table()
        result = search_result(space(ENTRIES, t), t)
        alone = with_stability(result, t, draws=30).frame
        assert with_stability(result, t, draws=30, jobs=2, backend=backend).frame.equals(alone)

    def test_no_draws(self):
        """Refuse no draws."""
        t = random_table()
        with pytest.raises(StudyError, match="draws"):
            with_stability(search_result(space({"family": "fixed"}, t), t), t, draws=0)


class TestResampledWeights:
    def test_drawn_in_strata(self):
        """Draw as many groups of each set of cells as there are, from a stream of its own; cells stay together."""
        t = random_table()
        groups = strata(t.cell, t.group)
        rng = stream(5, "stability")
        for weight in resampled_weights(t, draws=3, seed=5):
            begin = 0
            for size in groups.sizes:
                drawn = np.bincount(rng.integers(0, size, size), minlength=size)
                for position, times in enumerate(drawn, start=begin):
                    assert (weight[groups.position == position] == times).all()
                begin += size


class TestDominated:
    @given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 9))
    @settings(max_examples=100, deadline=None)
    def test_equals_the_definition(self, seed, size, others):
        """Ask for at least the quality at no more cost, and more of one of them."""
        rng = np.random.default_rng(seed)
        quality, cost = rng.integers(0, 4, (2, size))
        other_quality, other_cost = rng.integers(0, 4, (2, others))
        expected = [
            any(
                q >= quality[k] and c <= cost[k] and (q > quality[k] or c < cost[k])
                for q, c in zip(other_quality, other_cost, strict=True)
            )
            for k in range(size)
        ]
        assert dominated(quality, cost, other_quality, other_cost).tolist() == expected
