"""Families over the subsets of some atoms."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate import memory
from stoprule.enumerate.combined import Combination, and_bytes, combined, refuse_combination
from stoprule.enumerate.cuts import holes
from stoprule.enumerate.encode import mask_states
from stoprule.rules.text import parse
from stoprule.trajectories.errors import SearchError

from ..rules.strategies import tables_strategy
from ..rules.tables import table

KINDS = "and", "or", "at_least", "or_of_ands"
ATOMS = tuple(parse(text) for text in ("repeat(answer)", "a > ?", "b > ?", "c < ?", "done"))


def filled(choices):
    return [[atom.fill([cut]) for cut in range(number)] if atom.holes else [atom] for atom, number in choices]


class TestCombination:
    """The rules of a family."""

    @pytest.mark.parametrize(("kind", "six"), [("and", 63), ("or", 63), ("at_least", 72), ("or_of_ands", 876)])
    def test_published_counts(self, kind, six):
        """Count 63 subsets and 876 groupings of six atoms, all different rules."""
        atoms = tuple(parse(f"{name} > 0") for name in "abcdef")
        rules = list(Combination(kind, atoms))
        assert len(rules) == len(set(rules)) == Combination(kind, atoms).count([1] * 6) == six

    def test_too_few_atoms(self):
        """Hold no 2 of 2, which is an AND."""
        assert not Combination("at_least", ATOMS[:2])
        assert list(Combination("at_least", ATOMS[:2])) == []
        assert Combination("at_least", ATOMS[:3])


class TestCombined:
    """The same rules by number."""

    @pytest.mark.parametrize("kind", KINDS)
    @given(st.lists(st.integers(1, 3), min_size=5, max_size=5))
    @settings(max_examples=20, deadline=None)
    def test_rules(self, kind, numbers):
        """Number every filling of every rule once, small subsets first."""
        t = table(answer=[[0, 0]], a=[[1, 2]], b=[[1, 2]], c=[[1, 2]], done=[[True, False]])
        combination, choices = Combination(kind, ATOMS), filled(zip(ATOMS, numbers, strict=True))
        found = combined(combination, choices, t)
        rules = found.rules(np.arange(len(found)))
        assert len(rules) == len(found) == combination.count([len(each) for each in choices])
        cuts = dict(zip(ATOMS, map(range, numbers), strict=True))
        by_hand = {
            shape.fill(each) for shape in combination for each in product(*(cuts[hole] for hole in holes(shape)))
        }
        assert set(rules) == by_hand
        atoms = [rule.atoms for rule in rules]
        assert atoms == sorted(atoms)

    @pytest.mark.parametrize("kind", KINDS)
    @given(tables_strategy(), st.integers(1, 9))
    @settings(max_examples=25, deadline=None)
    def test_states(self, kind, t, run):
        """Stop where the rules themselves do."""
        found = combined(Combination(kind, ATOMS), filled(zip(ATOMS, (1, 2, 2, 1, 1), strict=True)), t)
        expected = mask_states(found.rules(np.arange(len(found))), t)
        for begin in range(0, len(found), run * 40):
            states, which = found.states(begin, min(begin + run * 40, len(found)))
            if which is not None:
                states = np.minimum.reduceat(states[which.member], which.first[:-1], axis=0)
            assert np.minimum(states, t.rounds).tolist() == expected[begin : begin + run * 40].tolist()

    def test_too_many(self, monkeypatch):
        """Refuse what cannot be held, naming the way out."""
        t = table(a=[[1]])
        atoms = tuple(parse(f"a > {k}") for k in range(30))
        with pytest.raises(SearchError, match="or: 30 atoms combine in too many ways; list fewer signals"):
            refuse_combination(Combination("or", atoms), [1] * 30, t)
        family = Combination("or_of_ands", atoms[:2])
        needed = and_bytes(36, t)
        monkeypatch.setattr(memory, "available", lambda: 2 * needed)
        refuse_combination(family, [5, 5], t, copies=2)
        monkeypatch.setattr(memory, "available", lambda: 2 * needed - 8)
        with pytest.raises(SearchError, match=r"make 36 different ANDs, which take at least .* of memory .*tuned"):
            refuse_combination(family, [5, 5], t, copies=2)
        refuse_combination(Combination("and", atoms[:2]), [5, 5], t, copies=2)  # holds none
