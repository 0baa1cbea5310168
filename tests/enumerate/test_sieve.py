"""What is kept of a stream of candidates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import sieve
from stoprule.enumerate.pareto import pareto_mask_naive
from stoprule.enumerate.sieve import Sieve


def stream(quality, cost, behaviour):
    behaviour = np.asarray(behaviour)
    return np.stack([quality, cost, behaviour, behaviour, behaviour, -behaviour]).astype(np.int64)


def sifted(sums, blocks=1):
    keeper = Sieve(0, 10_000)
    for part in np.array_split(np.arange(sums.shape[1]), blocks):
        if len(part):
            keeper.add(sums[:, part], int(part[0]))
    return keeper.kept()


class TestSieve:
    """Keep the front and the best at each step of cost."""

    def test_by_hand(self):
        """Drop what is neither on the front nor best among candidates of about its cost."""
        kept = sifted(stream(quality=[5, 9, 3, 8], cost=[10, 100, 101, 103], behaviour=[0, 1, 2, 3]))
        assert kept.position.tolist() == [0, 1]
        kept = sifted(stream(quality=[5, 9, 3, 8], cost=[10, 100, 500, 900], behaviour=[0, 1, 2, 3]))
        assert kept.position.tolist() == [0, 1, 2, 3]

    def test_one_of_a_behaviour(self):
        """Keep equal points of different behaviours, and one of each."""
        kept = sifted(stream(quality=[7, 7, 7], cost=[4, 4, 4], behaviour=[5, 6, 5]))
        assert (kept.position.tolist(), kept.tried, kept.distinct) == ([0, 1], 3, 2)

    @given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 7))
    @settings(max_examples=100, deadline=None)
    def test_front_and_counts(self, seed, size, blocks):
        """Keep a rule of every behaviour on the front, however the stream is cut."""
        rng = np.random.default_rng(seed)
        behaviour = rng.integers(0, 12, size)
        quality, cost = rng.integers(0, 6, 12)[behaviour], (rng.integers(0, 6, 12) * 7)[behaviour]
        sums = stream(quality, cost, behaviour)
        kept = sifted(sums, blocks)
        front = pareto_mask_naive(np.stack([quality, cost], axis=1))
        firsts = {int(np.flatnonzero(behaviour == one)[0]) for one in behaviour[front]}
        assert firsts <= set(kept.position.tolist())
        assert kept.sums.tolist() == sums[:, kept.position].tolist()
        assert (kept.tried, kept.distinct) == (size, len(set(behaviour)))
        assert kept.position.tolist() == sifted(sums).position.tolist()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sieve, "HOPEFUL", 3)
            assert kept.position.tolist() == sifted(sums, blocks).position.tolist()

    @given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 7))
    @settings(max_examples=60, deadline=None)
    def test_join(self, seed, size, blocks):
        """Keep the same when every part of the stream goes through a sieve of its own first."""
        rng = np.random.default_rng(seed)
        behaviour = rng.integers(0, 12, size)
        quality, cost = rng.integers(0, 6, 12)[behaviour], (rng.integers(0, 6, 12) * 7)[behaviour]
        sums = stream(quality, cost, behaviour)
        joined = Sieve(0, 10_000)
        for part in np.array_split(np.arange(size), blocks):
            if len(part):
                joined.join(sifted(sums[:, part]), int(part[0]))
        alone = sifted(sums)
        assert joined.kept().position.tolist() == alone.position.tolist()
        assert joined.kept().sums.tolist() == alone.sums.tolist()
        assert (joined.kept().tried, joined.kept().distinct) == (alone.tried, alone.distinct)
