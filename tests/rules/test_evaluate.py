"""What a rule says, by definition: each rule of the three-valued logic worked by hand."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.rules import expression
from stoprule.rules.evaluate import Decision, Observed, decisions, rounds_of, truth
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError

from .strategies import rules_strategy, tables_strategy
from .tables import MISSING, table

INF = float("inf")


def said(rule, **rounds):
    """The value of a rule at every round of one trajectory."""
    history = list(rounds_of(table(**{name: [values] for name, values in rounds.items()}), 0))
    return [truth(parse(rule), history[:r]) for r in range(1, len(history) + 1)]


class TestMissingValues:
    def test_comparison_with_a_missing_value_is_unknown(self):
        """Stop at round 2 of the margins (missing, 0.5), not at once (case 1)."""
        assert said("margin > 0.25", margin=[MISSING, 0.5]) == [None, True]

    def test_negation_of_unknown_is_unknown(self):
        """Leave `~(margin > 0.25)` unknown on a missing margin, as `margin <= 0.25` is."""
        assert said("~(margin > 0.25)", margin=[MISSING, 0.5, 0.1]) == [None, False, True]

    @pytest.mark.parametrize("operator", [">", ">=", "<", "<=", "==", "!="])
    def test_no_operator_holds(self, operator):
        """Find no comparison true, `!=` included, nor false."""
        assert said(f"margin {operator} 0", margin=[MISSING]) == [None]

    def test_missing_is_two_valued(self):
        """Ask for missing values by name."""
        assert said("missing(margin)", margin=[MISSING, 0.5]) == [True, False]
        assert said("~missing(margin)", margin=[MISSING, 0.5]) == [False, True]

    def test_boolean_signal_may_be_missing(self):
        """Take a Boolean signal as it is, unknown where it is missing."""
        assert said("done", done=[True, False, None]) == [True, False, None]
        assert said("~done", done=[True, False, None]) == [False, True, None]

    def test_none_and_nan_are_the_same(self):
        """Accept both spellings of a missing value."""
        for nothing in (None, MISSING):
            assert truth(parse("missing(a)"), [Observed(cost=1.0, signals={"a": nothing})]) is True

    def test_infinite_cut_needs_a_known_value(self):
        """Let `margin > -inf` fire on every known margin but that of minus infinity."""
        assert said("margin > -inf", margin=[MISSING, -INF, -1.0]) == [None, False, True]


class TestComparison:
    def test_strict_and_not(self):
        """Fire once with `>` and three times with `>=` on .2 .5 .5 .9 (case 6)."""
        scores = [0.2, 0.5, 0.5, 0.9]
        assert said("score > 0.5", score=scores).count(True) == 1
        assert said("score >= 0.5", score=scores).count(True) == 3

    def test_equality(self):
        """Compare floats exactly."""
        assert said("score == 0.3", score=[0.3, 0.1 + 0.2]) == [True, False]
        assert said("score != 0.3", score=[0.3, 0.1 + 0.2]) == [False, True]

    def test_roles(self):
        """Read the number of the round and what was spent."""
        assert said("round >= 2", a=[0.0, 0.0, 0.0]) == [False, True, True]
        assert said("cost > 100", cost=[90.0, 100.0, 170.0]) == [False, False, True]


class TestStreak:
    def test_repeat(self):
        """Fire where an answer equals the one before."""
        assert said("repeat(answer)", answer=[0, 0, 1, 0]) == [False, True, False, False]

    def test_missing_answer_repeats_nothing(self):
        """Never match a missing or empty answer with another (case 18)."""
        assert said("repeat(answer)", answer=[-1, -1, 0, -1, 0]) == [False] * 5

    def test_longer(self):
        """Ask for the last k answers, not for any k."""
        assert said("streak(answer, 3)", answer=[0, 0, 0, 1, 1, 1, 1]) == [
            False,
            False,
            True,
            False,
            False,
            True,
            True,
        ]

    def test_two_valued(self):
        """Fire `~repeat(answer)` at round 1 and on a missing answer."""
        assert said("~repeat(answer)", answer=[0, -1, 0, 0]) == [True, True, True, False]

    def test_streak_of_one(self):
        """Ask only that there is an answer."""
        assert said("streak(answer, 1)", answer=[-1, 0]) == [False, True]


class TestConnectives:
    VALUES = (True, False, None)

    def truth_of(self, rule, *values):
        signals = dict(zip("pqr", values, strict=False))
        return truth(parse(rule), [Observed(cost=1.0, signals=signals)])

    @pytest.mark.parametrize(("p", "q"), list(product(VALUES, VALUES)))
    def test_and_or(self, p, q):
        """Follow Kleene's tables: the minimum and the maximum of false < unknown < true."""
        order = [False, None, True]
        assert self.truth_of("p & q", p, q) is min(p, q, key=order.index)
        assert self.truth_of("p | q", p, q) is max(p, q, key=order.index)

    @pytest.mark.parametrize("values", list(product(VALUES, repeat=3)))
    def test_at_least(self, values):
        """Be true when k are, false when fewer than k could be, else unknown."""
        for k in (1, 2, 3):
            worlds = {
                sum(true for true in filled) >= k
                for filled in product((True, False), repeat=3)
                if all(value in (None, true) for value, true in zip(values, filled, strict=True))
            }
            expected = worlds.pop() if len(worlds) == 1 else None
            assert self.truth_of(f"at_least({k}, p, q, r)", *values) is expected

    def test_at_least_counts_doubles(self):
        """Count an operand that is given twice twice."""
        assert self.truth_of("at_least(2, p, p, q)", True, False) is True


class TestTerms:
    def test_change(self):
        """Subtract the round before, signed; missing at round 1 and beside a missing value."""
        assert said("change(a) < 0", a=[3.0, 1.0, 2.0, MISSING, 0.0]) == [None, True, False, None, None]

    def test_change_between_equal_infinities(self):
        """Find no value in inf - inf."""
        assert said("missing(change(a))", a=[INF, INF, -INF, 0.0]) == [True, True, False, False]

    def test_so_far(self):
        """Ignore missing values; be missing before the first known one."""
        assert said("so_far_max(a) >= 2", a=[MISSING, 1.0, 2.0, MISSING, 0.0]) == [
            None,
            False,
            True,
            True,
            True,
        ]
        assert said("so_far_min(a) <= 1", a=[MISSING, 2.0, 1.0, MISSING, 3.0]) == [
            None,
            False,
            True,
            True,
            True,
        ]

    def test_clip(self):
        """Keep a value within its bounds and a missing one missing."""
        assert said("clip(a, 0, 1) == 1", a=[5.0, 0.5, MISSING]) == [True, False, None]
        assert said("clip(a, 0, 1) == 0", a=[-5.0, 0.5, MISSING]) == [True, False, None]

    def test_total(self):
        """Add numbers, and rules as 0 or 1."""
        assert said("total(a, repeat(answer)) > 1.5", a=[1.6, 0.6, 0.6], answer=[0, 0, 1]) == [
            True,
            True,
            False,
        ]

    def test_total_with_something_missing(self):
        """Be missing if one operand is missing or unknown, even where the others would do."""
        assert said("total(a, b > 0) > 1", a=[9.0, MISSING, 9.0], b=[MISSING, 1.0, 1.0]) == [None, None, True]

    def test_total_of_opposite_infinities(self):
        """Find no value in inf - inf."""
        assert said("missing(total(a, b))", a=[INF, INF], b=[-INF, 1.0]) == [True, False]

    def test_nested(self):
        """Work out a term of a term at every round."""
        assert said("so_far_max(change(a)) >= 2", a=[0.0, 1.0, 3.0, 3.0]) == [None, False, True, True]

    def test_deep_nesting_takes_no_time(self):
        """Work out each term once a round: without that, 45 changes within each other would never end."""
        rule = "change(" * 45 + "a" + ")" * 45 + " > 0"
        assert list(decisions(parse(rule), rounds_of(table(a=[[0.0] * 60]), 0)))[-1].value is False


class TestDecisions:
    def test_end_with_the_stop(self):
        """Say round and value up to the first round at which the rule is true."""
        rounds = rounds_of(table(margin=[[MISSING, 0.1, 0.5, 0.9]]), 0)
        assert list(decisions(parse("margin > 0.25"), rounds)) == [
            Decision(1, None, stop=False),
            Decision(2, False, stop=False),
            Decision(3, True, stop=True),
        ]

    def test_end_with_the_rounds(self):
        """Never stop where the rule never fires: the trajectory is exhausted."""
        rounds = rounds_of(table(margin=[[0.1, 0.2]]), 0)
        assert [said.stop for said in decisions(parse("margin > 0.25"), rounds)] == [False, False]

    def test_rounds_are_drawn_one_at_a_time(self):
        """Ask for no round before the decision at it is asked for."""
        drawn = []

        def live():
            for r in (1, 2, 3):
                drawn.append(r)
                yield Observed(cost=float(r), signals={})

        each = decisions(parse("round >= 3"), live())
        next(each)
        assert drawn == [1]

    def test_outcomes_are_not_shown(self):
        """Hand over signals, cost and answer codes of the rounds that exist, and nothing else."""
        t = table(margin=[[0.5], [0.1, 0.2]], answer=[[3], [-1, 0]], quality=[[1.0], [0.0, 1.0]])
        assert list(rounds_of(t, 1)) == [
            Observed(answer=None, cost=1.0, signals={"margin": 0.1}),
            Observed(answer=0, cost=2.0, signals={"margin": 0.2}),
        ]

    def test_hole(self):
        """Refuse a cut that is still to be chosen, in one line."""
        rule = parse("margin > ?")
        with pytest.raises(RuleError, match=r"`margin > \?` has a cut still to be chosen"):
            next(decisions(rule, []))
        with pytest.raises(RuleError, match="still to be chosen"):
            truth(rule, [Observed(cost=1.0, signals={"margin": 0.5})])


EVERY_KIND = (
    "margin > 0.25",
    "done",
    "~done",
    "streak(answer, 3)",
    "missing(a)",
    "a > 0 & b > 0",
    "a > 0 | b > 0",
    "at_least(2, a > 0, b > 0, repeat(answer))",
    "round >= 2",
    "cost > 3",
    "change(a) > 0",
    "so_far_max(a) > 1",
    "so_far_min(a) < 1",
    "clip(a, 0, 1) > 0.5",
    "total(a, b > 0) > 1",
)


def kinds(part):
    """Classes of the nodes of a rule."""
    return {type(part)}.union(*map(kinds, part.operands))


def leaf_classes(node):
    """The classes of nodes that can be built."""
    below = node.__subclasses__()
    return set().union(*map(leaf_classes, below)) if below else {node}


class TestNoPeeking:
    def test_every_kind_is_here(self):
        """List a rule for every kind of node that there is."""
        assert set().union(*(kinds(parse(rule)) for rule in EVERY_KIND)) == leaf_classes(expression.Expression)

    @pytest.mark.parametrize("rule", EVERY_KIND)
    @given(past=tables_strategy(max_trajectories=1), future=tables_strategy(max_trajectories=1))
    @settings(max_examples=25)
    def test_value_depends_on_rounds_so_far(self, rule, past, future):
        """Say the same of rounds 1..r whatever comes after them, and when nothing does."""
        rule = parse(rule.replace("margin", "a"))
        seen, later = list(rounds_of(past, 0)), list(rounds_of(future, 0))
        alone = list(decisions(rule, seen))
        assert list(decisions(rule, seen + later))[: len(seen)] == alone
        assert [truth(rule, seen[:r]) for r in range(1, len(alone) + 1)] == [said.value for said in alone]

    @given(rule=rules_strategy(), t=tables_strategy(max_trajectories=1), r=st.integers(1, 5))
    def test_random_rules(self, rule, t, r):
        """Decide on a prefix as on the whole."""
        rounds = list(rounds_of(t, 0))
        assert list(decisions(rule, rounds[:r])) == list(decisions(rule, rounds))[:r]
