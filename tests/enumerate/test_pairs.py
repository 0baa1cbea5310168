"""Pairs of cuts within the memory there is."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from stoprule.enumerate import compiled, pairs
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.memory import ENDLESS, Room
from stoprule.enumerate.pairs import Pairs
from stoprule.enumerate.shapes import open_shape
from stoprule.rules.text import parse
from stoprule.trajectories.errors import SearchError

from ..rules.strategies import tables_strategy
from ..rules.tables import table

SHAPES = [parse("a > ? & b > ?"), parse("a > ? | b < ?")]


def swept(shape, t, room=ENDLESS, cap=None):
    return Pairs(shape, open_shape(shape, t).sweep_two(cap), ledger(t), Room(room))


def drawn(trajectories, rounds, quality=None):
    rng = np.random.default_rng(3)
    draw = rng.random((3, trajectories, rounds))
    return table(
        quality=draw[2].tolist() if quality is None else [[quality] * rounds] * trajectories, a=draw[0], b=draw[1]
    )


class TestPeak:
    """The real peak against what is reckoned."""

    @pytest.mark.parametrize("takes", [0, np.inf], ids=["compiled", "numpy"])
    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    @pytest.mark.parametrize(
        ("t", "cap"),
        [
            (drawn(60, 8), None),
            (drawn(60, 8, quality=1.0), None),  # every cell ties with the best
            (drawn(400, 8), 3_000_000),
            (drawn(2000, 3), 4000),
            (drawn(5000, 8), 20_000),
        ],
        ids=["small", "ties", "strips", "whole", "corners"],
    )
    def test_bound(self, t, cap, shape, takes, monkeypatch):
        """Refuse when there is no more than the peak; be content with four times as much, for cells may tie."""
        monkeypatch.setattr(compiled, "COMPILES_IN", takes)
        monkeypatch.setattr(pairs, "told_bytes", lambda *_: 0)  # taken later
        swept(shape, drawn(4, 3)).kept(asked=True)  # compiles
        found = swept(shape, t, cap=cap)
        tracemalloc.start()
        found.kept(asked=True)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        with pytest.raises(SearchError, match="of memory where"):
            swept(shape, t, peak, cap).kept(asked=True)
        assert swept(shape, t, 4 * peak, cap).kept(asked=True).tried == len(found)


class TestPairs:
    tables = tables_strategy(max_trajectories=8, values=tuple(map(float, range(30))))

    @given(st.sampled_from(SHAPES), tables, st.integers(50, 200), st.integers(1, 30))
    @settings(max_examples=200, deadline=None)
    def test_cap(self, shape, t, hundreds, strip):
        """Name a cap that is accepted with the same memory."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pairs, "ALL_KEPT", 5)
            patch.setattr(pairs, "STRIP", strip)
            try:
                swept(shape, t, 100 * hundreds).kept(asked=False)
            except SearchError as error:
                told, _, cap = str(error).rpartition(" = ")
                event("a cap" if told else "no cap")
                if told:
                    assert swept(shape, t, 100 * hundreds, int(cap)).kept(asked=True).tried <= int(cap)

    @given(st.sampled_from(SHAPES), tables, st.integers(4, 200), st.integers(4, 200))
    @settings(max_examples=60, deadline=None)
    def test_breadth(self, shape, t, one, other):
        """Keep two plateaus more of the second cut at most under a lower cap, on which the named cap rests."""
        lower, higher = (swept(shape, t, cap=cap).sweep.shape[1] for cap in sorted([one, other]))
        assert lower <= higher + 2
