"""Rules and policies in words."""

import pytest
from stoprule.analysis.report.words import policy_in_words, rule_in_words, said, searched_in_words
from stoprule.rules.named import NAMED
from stoprule.rules.text import parse


class TestRuleInWords:
    def test_says_when_it_stops_and_what_happens_otherwise(self):
        """One sentence."""
        assert rule_in_words(parse("repeat(answer) & margin > 0.25")) == (
            "Stop at the first round at which margin is above 0.25 and the answer is that of the round before; "
            "where that never comes, stop at the last round."
        )

    @pytest.mark.parametrize(
        ("rule", "words"),
        [
            ("fixed(3)", "it is round 3 or later"),
            ("round == 1", "it is round 1"),
            ("cost < 100", "what has been spent is below 100"),
            ("streak(answer, 3)", "the last 3 answers are the same"),
            ("~repeat(answer)", "it is not so that the answer is that of the round before"),
            ("missing(margin)", "margin is missing"),
            ("change(margin) < 0.05", "the change of margin since the round before is below 0.05"),
            ("so_far_max(coverage) >= 0.8", "the largest coverage so far is at least 0.8"),
            ("so_far_min(gap) != 1", "the smallest gap so far is not 1"),
            ("clip(margin, 0, inf) <= 2", "margin kept within 0 to inf is at most 2"),
            ("total(repeat(answer), x) > 1", "the sum of 1 if the answer is that of the round before and x is above 1"),
            ("a > 1 | b > 2 | c > 3", "a is above 1, b is above 2 or c is above 3"),
            ("(a > 1 & b > 2) | c > 3", "(a is above 1 and b is above 2) or c is above 3"),
            ("at_least(1, a > 1, b > 2)", "at least 1 of these 2 hold: a is above 1; b is above 2"),
        ],
    )
    def test_has_words_for_every_kind_of_condition(self, rule, words):
        """Read aloud after "the first round at which"."""
        assert said(parse(rule)) == words

    @pytest.mark.parametrize("name", sorted(NAMED))
    def test_leaves_no_sign_of_the_text_form(self, name):
        """Every named rule has words for all of its parts."""
        assert not set("&|~><=") & set(rule_in_words(NAMED[name]))


class TestPolicyInWords:
    @pytest.mark.parametrize(
        ("policy", "words"),
        [
            ({"policy": "budget", "max_cost": 3.0}, "The best f1 for a mean of at most 3 calls."),
            (
                {"policy": "retain", "share": 0.99, "of": "fixed(5)"},
                "The cheapest rule that keeps 99% of the f1 of `fixed(5)`.",
            ),
            ({"policy": "utility", "price": 0.01}, "The largest f1 less 0.01 for each unit of calls."),
            (
                {"policy": "knee"},
                "The knee of the frontier: farthest above the line between its ends (f1 against calls).",
            ),
            (
                {"policy": "guarantee", "max_loss": 0.02, "alpha": 0.05, "of": "fixed(5)", "test": "betting"},
                "The cheapest rule certified to lose at most 0.02 of mean f1 to `fixed(5)`, at level 0.05, on groups "
                "that it was not found on.",
            ),
            ({"policy": "newer", "k": 3}, "The policy newer: k 3."),
        ],
    )
    def test_says_how_the_rule_was_chosen(self, policy, words):
        """A policy without words of its own is told by its keys."""
        assert policy_in_words(policy, "f1", "calls") == words


class TestSearchedInWords:
    def test_names_each_entry_with_its_cuts(self):
        """Presets, families and rules; cuts by name or by value."""
        assert searched_in_words(
            [
                {"preset": "default", "cuts": None},
                {"rule": "margin > ?", "cuts": "exact"},
                {"family": "threshold", "cuts": [0.5, 1.0]},
            ]
        ) == ["preset default", "rule margin > ?, cuts exact", "family threshold, cuts 0.5, 1"]
