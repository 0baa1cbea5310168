"""Many rules against one, with intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis.bootstrap import paired_bootstrap, strata
from stoprule.analysis.rule_differences import rule_differences
from stoprule.enumerate.replay import replay_naive
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError, StudyError

from ..rules.strategies import rules_strategy, tables_strategy
from ..rules.tables import table

SMALL = table(quality=[[1, 0], [0, 1], [0, 1]], a=[[5, 5], [1, 5], [1, 1]])


class TestRuleDifferences:
    def test_by_hand(self):
        """`a > 3` stops at rounds 1, 2, 2 and is right three times; fixed(1) is right once."""
        found = rule_differences([parse("a > 3"), parse("round >= 1")], SMALL, parse("round >= 1"))
        assert found.columns == [
            "rule",
            *("f1", "f1_low", "f1_high"),
            *("calls", "calls_low", "calls_high"),
        ]
        assert found["rule"].to_list() == ["a > 3", "round >= 1"]
        assert found["f1"].to_list() == pytest.approx([2 / 3, 0])
        assert found["calls"].to_list() == pytest.approx([2 / 3, 0])
        assert found.row(0)[2:4] == (0.0, 1.0)
        assert found.row(1)[1:] == (0.0,) * 6

    @given(
        rules=st.lists(rules_strategy(), min_size=1, max_size=4),
        baseline=rules_strategy(),
        t=tables_strategy(),
        jobs=st.sampled_from([1, 2]),
    )
    @settings(max_examples=60, deadline=None)
    def test_equals_the_paired_bootstrap(self, rules, baseline, t, jobs):
        """Of each rule alone, replayed by the definition."""
        found = rule_differences(rules, t, baseline, draws=20, seed=3, jobs=jobs)
        groups, beside = strata(t.cell, t.group), replay_naive(baseline, t)
        for k, rule in enumerate(rules):
            own = replay_naive(rule, t)
            cost = t.roles.cost_name
            for name, values in (("f1", own.quality - beside.quality), (cost, own.cost - beside.cost)):
                one = paired_bootstrap(groups, {0: values}, draws=20, seed=3).mean(0)
                expected = [one.value, one.low, one.high]
                actual = [found[f"{name}{end}"][k] for end in ("", "_low", "_high")]
                np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-9)

    def test_no_rules(self):
        """Give no rows."""
        assert rule_differences([], SMALL, parse("round >= 1")).shape == (0, 7)

    def test_refusals(self):
        """Say what a rule lacks before anything is drawn."""
        with pytest.raises(RuleError, match="margin"):
            rule_differences([parse("margin > 1")], SMALL, parse("round >= 1"))
        with pytest.raises(StudyError, match="draws"):
            rule_differences([parse("a > 1")], SMALL, parse("round >= 1"), draws=0)
