"""Rules of many atoms by round masks, against truth tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import compiled, loops
from stoprule.enumerate.masks import Lookup, Parts, combine, first_set, pack


@pytest.fixture(params=["numba", "numpy"])
def way(request, monkeypatch):
    """With the compiled loops, and as on a machine without numba."""
    if request.param == "numba":
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(compiled, "available", lambda: False)


def naive_states(true):
    """The definition on (K, N, R) truth: the first true round, R where there is none."""
    return np.where(true.any(axis=2), true.argmax(axis=2), true.shape[2])


def naive_combine(true, parts):
    return np.array(
        [
            true[parts.member[begin:stop]].sum(axis=0) >= need
            for begin, stop, need in zip(parts.first[:-1], parts.first[1:], parts.need, strict=True)
        ]
    )


def naive_sums(tables, states):
    return np.array([[int(table[np.arange(len(state)), state].sum()) for state in states] for table in tables])


@st.composite
def cases(draw):
    """Atoms of random truth on a few or on hundreds of trajectories of 1 to 81 rounds; rules over them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([1, 2, 3, 127, 128, 129, 259]))
    rounds = draw(st.sampled_from([1, 3, 8, 9, 64, 70, 73, 80, 81]))
    atoms, rules = draw(st.integers(1, 6)), draw(st.integers(1, 8))
    true = rng.random((atoms, n, rounds)) < draw(st.sampled_from([0.02, 0.3, 1]))
    members = [rng.integers(0, atoms, rng.integers(1, 6)).tolist() for _ in range(rules)]
    need = [int(rng.integers(1, len(each) + 1)) for each in members]
    tables = rng.integers(-(2**60), 2**60, size=(draw(st.integers(1, 6)), n, rounds + 1))
    return true, Parts.at_least(need, members), tables


class TestMasks:
    """Pack, combine, find the first round, sum."""

    pytestmark = pytest.mark.usefixtures("way")

    def test_hand_worked(self):
        """Fire 2 of 3 atoms at round 2, their AND never, their OR at round 1: worth 20, 30, 10."""
        true = np.array([[[1, 0]], [[0, 1]], [[0, 1]]], dtype=bool)
        parts = Parts.at_least([2, 3, 1], [[0, 1, 2]] * 3)
        masks = combine(pack(true), parts)
        assert masks[:, 0, 0].tolist() == [0b10, 0b00, 0b11]
        states = first_set(masks)
        assert states[:, 0].tolist() == [1, 8, 0]
        assert Lookup.of(np.array([[[10, 20, 30]]])).sums(states).tolist() == [[20, 30, 10]]

    @given(cases())
    @settings(max_examples=60, deadline=None)
    def test_equals_the_definition(self, case):
        """Equal truth tables and a loop, sums wrapping modulo 2**64 alike."""
        true, parts, tables = case
        masks = combine(pack(true), parts)
        states = first_set(masks)
        expected = naive_states(naive_combine(true, parts))
        assert np.where(states == 8 * masks.shape[1], true.shape[2], states).tolist() == expected.tolist()
        assert Lookup.of(tables).sums(states).tolist() == naive_sums(tables, expected).tolist()

    @given(cases(), st.integers(0, 99))
    @settings(max_examples=60, deadline=None)
    def test_or_of_parts(self, case, seed):
        """Take the least state of the members of an OR."""
        true, parts, tables = case
        rng = np.random.default_rng(seed)
        members = [rng.integers(0, len(parts), rng.integers(1, 4)).tolist() for _ in range(5)]
        ors = Parts.any_of(members)
        states = first_set(combine(pack(true), parts))
        whole = first_set(combine(combine(pack(true), parts), ors))
        lookup = Lookup.of(tables)
        assert lookup.sums(states, ors).tolist() == lookup.sums(whole).tolist()
        assert lookup.sums(states, ors.take(slice(1, 4))).tolist() == lookup.sums(whole[1:4]).tolist()


class TestAddUp:
    @pytest.mark.parametrize("kind", [np.uint8, np.uint16])
    def test_equals_the_definition(self, kind):
        """Add the same entries with vectors written out as in plain Python, from any row on, and to no other rule."""
        numba = pytest.importorskip("numba")
        from stoprule.enumerate import vectors  # noqa: F401 - imports numba

        compiled_way = numba.njit(loops_add_up)
        rng = np.random.default_rng(1)
        table = rng.integers(-(2**62), 2**62, (9, 300 if kind is np.uint16 else 81, loops.SIX))
        for begin, size in [(0, 0), (0, 9), (3, 4), (8, 1)]:
            place = rng.integers(0, table.shape[1], size).astype(kind)
            ours, expected = np.ones((2, 3, loops.SIX), dtype=np.int64)
            compiled_way(table, begin, place, ours, 1)
            loops.add_up(table, begin, place, expected, 1)
            assert ours.tolist() == expected.tolist()


def loops_add_up(table, begin, place, result, k):
    """A loop as numba compiles them."""
    loops.add_up(table, begin, place, result, k)
