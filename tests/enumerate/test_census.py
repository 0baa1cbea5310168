"""Counting behaviours."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.enumerate import census
from stoprule.enumerate.census import Census, census_bytes


def words(*numbers):
    return np.array(numbers, dtype=np.uint64)


class TestCensus:
    """Distinct words, however they come."""

    def test_by_hand(self):
        """Count a word once."""
        assert Census(words(3, 1, 3)).distinct == 2
        assert Census().distinct == 0

    @given(st.lists(st.lists(st.integers(0, 9))))
    def test_parts(self, parts):
        """Count over all parts, added one after the other or counted apart."""
        total = Census()
        for part in parts:
            total.add(words(*part))
        assert total.distinct == len({word for part in parts for word in part})
        assert Census.of(Census(words(*part)) for part in parts).distinct == total.distinct

    def test_estimate(self, monkeypatch):
        """Estimate within a few standard errors where there are more than can be held, in any order."""
        monkeypatch.setattr(census, "MOST", 2500)
        monkeypatch.setattr(census, "FEWEST", 100)
        every = np.random.default_rng(1).integers(0, 2**64, 100_000, dtype=np.uint64)
        forth, back = Census(), Census()
        for part in np.array_split(every, 40):
            forth.add(part)
        for part in np.array_split(every[::-1], 7):
            back.add(part)
        assert forth.distinct == pytest.approx(len(every), rel=3 / 2500**0.5)
        assert forth.distinct == back.distinct
        assert len(forth.words) == 2500

    def test_bytes(self, monkeypatch):
        """Take no more than is reckoned while words are counted, and while the count is added to another."""
        monkeypatch.setattr(census, "MOST", 300_000)
        rng = np.random.default_rng(1)
        for highest in (2**64 - 1, 200_000):
            tracemalloc.start()
            one, total = Census(), Census()
            for _ in range(20):
                one.add(rng.integers(0, highest, 50_000, dtype=np.uint64))
                assert one.held <= min(1_000_000, 2 * 300_000 + 50_000)
            total.add(one.words)
            assert total.distinct
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak <= census_bytes(1_000_000, 50_000) + 2 * 8 * 50_000  # drawn, and without what is too large
        assert census_bytes(1_000_000, 50_000) == 17 * 650_000
