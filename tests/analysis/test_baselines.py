"""What a rule is compared with."""

import pytest
from stoprule.analysis.baselines import adaptive, depth, exactly_right, first_right, label, oracle, stops
from stoprule.rules.named import fixed
from stoprule.rules.text import parse


class TestOracle:
    def test_by_hand(self, table):
        """Stop at the earliest of the best rounds, of the rounds that exist."""
        quality = [[0.2, 0.9, 0.9], [0.0], [0.0, 0.0], [1.0, 0.5]]
        result = oracle(table(quality, cost=[[3, 5, 9], [1], [2, 4], [0, 1]]))
        assert result.stop_round.tolist() == [2, 1, 1, 1]
        assert result.quality.tolist() == [0.9, 0, 0, 1]
        assert result.cost.tolist() == [5, 1, 2, 0]

    def test_outcomes_below_zero(self, table):
        """Find the least bad round, and never padding."""
        assert oracle(table([[-3.0, -1.0], [-5.0]])).stop_round.tolist() == [2, 1]

    def test_no_rule_is_better_or_as_good_and_earlier(self, table):
        """Bound every rule's quality, trajectory by trajectory."""
        t = table([[0.2, 0.9, 0.4], [0.5], [0.0, 0.3]], margin=[[0.1, 0.9, 0.5], [0.2], [0.8, 0.1]])
        best = oracle(t)
        assert not best.deployable
        for text in ("margin > 0.4", "margin > 0.05", "fixed(2)"):
            rule = stops(parse(text), t)
            assert (rule.quality <= best.quality).all()
            assert ((rule.quality < best.quality) | (rule.stop_round >= best.stop_round)).all()


class TestFirstRight:
    QUALITY = ((0.5, 1.0, 1.0), (0.0, 0.9), (1.0,), (0.0, 0.0, 0.0))

    def test_by_hand(self, table):
        """Stop at the first round with the best possible quality; a question never right runs to its end."""
        result = first_right(table(self.QUALITY, declared=(0, 1)))
        assert result.stop_round.tolist() == [2, 2, 1, 3]
        assert result.fired.tolist() == [True, False, True, False]
        assert result.quality.tolist() == [1, 0.9, 1, 0]
        assert not result.deployable

    def test_costs_what_the_other_oracle_saves(self, table):
        """Reach no more than the earliest best round, later."""
        t = table(self.QUALITY, declared=(0, 1))
        right, best = first_right(t), oracle(t)
        assert (right.quality <= best.quality).all()
        assert right.cost.sum() > best.cost.sum()

    def test_needs_a_declared_range(self, table):
        """Nobody can tell what is exactly right without one."""
        t = table(self.QUALITY)
        assert first_right(t) is exactly_right(t) is None


class TestFixed:
    def test_a_shorter_question_is_exhausted(self, table):
        """Stop at round 2 or at the end, and fire only where there is a round 2."""
        result = stops(fixed(2), table([[0.1, 0.2, 0.3], [0.4]]))
        assert result.name == "fixed(2)"
        assert result.stop_round.tolist() == [2, 1]
        assert result.fired.tolist() == [True, False]
        assert result.quality.tolist() == [0.2, 0.4]

    @pytest.mark.parametrize(
        ("text", "k"),
        [("fixed(3)", 3), ("round >= 3", 3), ("round > 3", None), ("round >= 2.5", None), ("cost >= 3", None),
         ("round >= 0", None), ("repeat(answer)", None), ("round >= inf", None)],
    )  # fmt: skip
    def test_depth(self, text, k):
        """Recognise fixed(k) however it is written, and nothing else."""
        assert depth(parse(text)) == k

    def test_adaptive(self):
        """Call adaptive what reads a signal, an answer or the cost, however deep."""
        for text in ("margin > 1 | round >= 3", "~repeat(answer)", "change(cost) > 5"):
            assert adaptive(parse(text))
        for text in ("fixed(3)", "round > 2", "at_least(1, round == 2, round >= 4)"):
            assert not adaptive(parse(text))

    def test_label(self):
        """Call fixed(k) by that name and any other rule by its text."""
        assert label(parse("round >= 3")) == "fixed(3)"
        assert label(parse("margin > 1")) == "margin > 1"
