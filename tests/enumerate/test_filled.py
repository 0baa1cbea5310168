"""Fillings of a shape, and their texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate.filled import Filled, atoms, keeps_order, pieces, texts
from stoprule.rules.expression import HOLE
from stoprule.rules.text import parse

from ..rules.strategies import ANY_NAMES, TYING_CUTS, rules_strategy


class TestFilled:
    """Rules made when asked for."""

    def test_rules(self):
        """Fill in the cuts of one, or of a slice."""
        filled = Filled(parse("a > ? & b < ?"), np.array([[1.0, 2.0], [0.5, np.inf]]))
        assert [str(rule) for rule in filled] == ["a > 1 & b < 2", "a > 0.5 & b < inf"]
        assert str(filled[1:][0]) == "a > 0.5 & b < inf"

    @given(
        rules_strategy(signals=ANY_NAMES, flags=ANY_NAMES, cuts=TYING_CUTS | st.just(HOLE)).filter(
            lambda rule: 0 < rule.holes < 5
        ),
        st.lists(st.lists(TYING_CUTS | st.floats(allow_nan=False), min_size=4, max_size=4), max_size=4),
    )
    @settings(max_examples=200, deadline=None)
    def test_texts_and_atoms(self, shape, cuts):
        """Tell texts and atoms without making the rules."""
        filled = Filled(shape, np.array([each[: shape.holes] for each in cuts]).reshape(-1, shape.holes))
        rules = [shape.fill(each) for each in filled.cuts.tolist()]
        assert texts(filled) == texts(rules) == [str(rule) for rule in rules]
        assert atoms(filled) == atoms(rules) == [rule.atoms for rule in rules]


class TestKeepsOrder:
    """Whether texts can be put together from pieces."""

    @pytest.mark.parametrize("shape", ["a > ?", "a > ? & b > ?", "a > ? & round >= 2 | b < 1", "total(a > ?, b) > ?"])
    def test_keeps(self, shape):
        """Keep the order where the texts differ before the cut."""
        assert keeps_order(parse(shape))

    @pytest.mark.parametrize("shape", ["a > ? & a > ?", "a > 0.5 | a > ?", "b & (a > ? & c | a > ? & d)"])
    def test_sorts_anew(self, shape):
        """Sort anew where it hangs on the cut, or two parts may become one."""
        assert not keeps_order(parse(shape))


class TestPieces:
    """The text around the cuts."""

    def test_question_mark_in_a_name(self):
        """Part the text at a cut, not inside a name."""
        assert pieces(parse('signal("a?\\"?") > ? & b > ?')) == ["b > ", ' & signal("a?\\"?") > ', ""]
