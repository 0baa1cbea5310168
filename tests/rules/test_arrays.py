"""Rules on whole tables: equal to the definition; and what is refused before."""

import copy
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.rules.arrays import check, check_all, check_names, fires, kleene, term_values
from stoprule.rules.evaluate import rounds_of, truth
from stoprule.rules.expression import HOLE
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError

from .strategies import rules_strategy, tables_strategy
from .tables import MISSING, table


def by_definition(rule, t):
    """(true, false) of every recorded round, from `truth` on the rounds so far."""
    true, false = np.zeros((2, *t.recorded.shape), dtype=bool)
    for q in range(len(t)):
        history = list(rounds_of(t, q))
        for r in range(1, len(history) + 1):
            value = truth(rule, history[:r])
            true[q, r - 1], false[q, r - 1] = value is True, value is False
    return true, false


class TestFires:
    def test_by_hand(self):
        """Fire where the rule is definitely true, on trajectories of unequal length."""
        t = table(margin=[[MISSING, 0.5], [0.3], [0.1, 0.2, 0.25]])
        assert fires(parse("margin > 0.25"), t).tolist() == [
            [False, True, False],
            [True, False, False],
            [False, False, False],
        ]

    @pytest.mark.parametrize("rule", ["round >= 2", "missing(margin)", "~repeat(answer)", "~missing(change(cost))"])
    def test_not_beyond_the_last_round(self, rule):
        """Leave the padding alone, where `missing(margin)` or `round >= 2` would hold."""
        t = table(margin=[[0.5], [0.5, 0.5, 0.5]], answer=[[0], [0, 0, 0]])
        assert not fires(parse(rule), t)[0, 1:].any()

    def test_one_question(self):
        """Work on tables of one round."""
        t = table(a=[[1.0]], answer=[[0]])
        assert fires(parse("change(a) > 0 | repeat(answer) | a > 0"), t).tolist() == [[True]]
        assert fires(parse("change(a) > 0 | streak(answer, 9)"), t).tolist() == [[False]]

    def test_no_questions(self):
        """Work on empty tables."""
        t = table(a=[[1.0]], answer=[[0]]).take(np.zeros(1, dtype=bool))
        for rule in ("change(a) > 0", "so_far_max(a) > 0", "repeat(answer)", "total(a, a > 0) > 1"):
            assert fires(parse(rule), t).shape == (0, 0)

    def test_inputs_are_not_changed(self):
        """Leave the table as it was, and say the same twice (case 28)."""
        t = table(a=[[1.0, MISSING, 3.0], [2.0]], done=[[True, None, False], [True]], answer=[[0, 0, -1], [1]])
        before = copy.deepcopy(t)
        rule = parse("done & ~missing(a) | total(clip(a, 0, 1), change(so_far_max(a))) > 1 | streak(answer, 3)")
        assert np.array_equal(fires(rule, t), fires(rule, t))
        assert np.array_equal(t.answer, before.answer)
        for name, values in t.signals.items():
            assert np.array_equal(values, before.signals[name], equal_nan=True)


class TestCache:
    def test_atoms_are_shared(self):
        """Work out an atom once for all rules that hold it, in a total too."""
        t = table(a=[[1.0, 2.0]], b=[[2.0, 1.0]])
        cache = {}
        kleene(parse("a > 1 & b > 1"), t, cache)
        first = cache[parse("a > 1")]
        kleene(parse("a > 1 | total(a > 1, b > 1) > 1"), t, cache)
        assert cache[parse("a > 1")] is first
        assert {str(atom) for atom in cache} == {"a > 1", "b > 1", "total(a > 1, b > 1) > 1"}

    @given(rules=rules_strategy(), t=tables_strategy())
    @settings(max_examples=50)
    def test_same_with_and_without(self, rules, t):
        """Say the same out of the cache."""
        cache = {}
        plain = kleene(rules, t)
        for _ in range(2):
            assert all(map(np.array_equal, kleene(rules, t, cache), plain))


class TestTermValues:
    def test_largest_floats(self):
        """Overflow to infinity without a warning, as Python's floats do."""
        t = table(a=[[-1.7e308, 1.7e308]])
        assert term_values(parse("change(a) > 0").term, t)[0, 1] == np.inf
        assert term_values(parse("total(a, a) > 0").term, t).tolist() == [[-np.inf, np.inf]]


class TestDefinition:
    @given(rule=rules_strategy(), t=tables_strategy())
    @settings(max_examples=100)
    def test_equal(self, rule, t):
        """Be true and false where the definition is."""
        true, false = kleene(rule, t)
        expected = by_definition(rule, t)
        assert np.array_equal(true & t.recorded, expected[0])
        assert np.array_equal(false & t.recorded, expected[1])
        assert np.array_equal(fires(rule, t), expected[0])


NAMES = st.sampled_from(["margin", "margin", "overlap", "done", "done", "f1", "answer"])
CUTS = st.sampled_from([0.5, 1.0, 2.0, HOLE])


class TestCheck:
    T = table(margin=[[0.5]], marginal=[[0.5]], overlap=[[0.5]], done=[[True]], quality=[[1.0]])

    @pytest.mark.parametrize(
        ("rule", "message"),
        [
            ("margn > 0.5", r"`margn > 0.5` reads the unknown signal 'margn': there are margin, marginal, "),
            ("so_far_max(overlp) > 1", r"unknown signal 'overlp': there are overlap, "),
            ("dome", r"unknown signal 'dome': there are done, "),
            ("f1 > 0.5", r"`f1 > 0.5` reads the outcome 'f1', which no rule may know"),
            ("missing(f1) & margin > 0.5", r"reads the outcome 'f1'"),
            ("repeat(answer)", r"`repeat\(answer\)` reads the answer, but no column has that role"),
            ("margin | done", r"takes the number margin as true or false: compare it, as in `margin > 0.5`"),
            ("margin > ?", r"has a cut still to be chosen"),
        ],
    )
    def test_refused(self, rule, message):
        """Say in one line what is wrong and what to do."""
        for refuse in (check, fires):
            with pytest.raises(RuleError, match=message) as error:
                refuse(parse(rule), self.T)
            assert "\n" not in str(error.value)

    @given(rules=st.lists(rules_strategy(signals=NAMES, flags=NAMES, cuts=CUTS), min_size=1, max_size=4))
    @settings(max_examples=200, deadline=None)
    def test_of_many(self, rules):
        """Refuse the first of several in the words that it has alone, and let pass what passes one by one."""

        def refusals(*checks):
            for each in checks:
                try:
                    each()
                except RuleError as error:
                    return str(error)
            return None

        alone = refusals(*(partial(check, rule, self.T) for rule in rules))
        assert refusals(partial(check_all, rules, self.T)) == alone

    def test_accepted(self):
        """Let pass what is there; a Boolean signal may be compared, and the cost always exists."""
        for rule in (
            "done & ~missing(margin)",
            "done == 1",
            "total(done, margin) > 1",
            "cost > 3 & round > 1",
        ):
            check(parse(rule), self.T)

    def test_names_alone(self):
        """Check a rule before any data are opened, its cuts not yet chosen."""
        check_names(parse("margin > ? & repeat(answer)"), signals=["margin"])
        with pytest.raises(RuleError, match="unknown signal 'margn': there are margin"):
            check_names(parse("margn > ?"), signals=["margin"])
        with pytest.raises(RuleError, match="reads the outcome 'em'"):
            check_names(parse("em > ?"), signals=["margin"], outcomes=["em"])
        with pytest.raises(RuleError, match="there are none"):
            check_names(parse("margin > ?"), signals=[])
        with pytest.raises(RuleError, match="reads the answer"):
            check_names(parse("repeat(answer)"), signals=[], answer=False)
