"""Policies: which candidate is locked."""

import polars as pl
import pytest
from stoprule.analysis.selection import POLICIES, Budget, Knee, Retain, Utility, select
from stoprule.trajectories.errors import SearchError, SelectionError, StopruleError

FIXED = [("round >= 1", 0.50, 1.0), ("round >= 3", 0.70, 3.0), ("round >= 5", 0.80, 5.0)]
ADAPTIVE = [("repeat(answer)", 0.72, 2.5), ("margin > 0.5", 0.60, 1.5)]


def frame(*rows: tuple[str, float, float], equivalents: dict[str, list[str]] | None = None) -> pl.DataFrame:
    """Candidates out of (rule, quality, cost)."""
    others = equivalents or {}
    return pl.DataFrame(
        [
            {"rule": rule, "quality": quality, "cost": cost, "equivalents": others.get(rule, [])}
            for rule, quality, cost in rows
        ],
        schema={
            "rule": pl.String,
            "quality": pl.Float64,
            "cost": pl.Float64,
            "equivalents": pl.List(pl.String),
        },
    )


CANDIDATES = frame(*FIXED, *ADAPTIVE)


class TestBudget:
    def test_by_hand(self):
        """Take the best quality of those within the budget, the budget itself included."""
        assert select(CANDIDATES, Budget(max_cost=3.0))["rule"] == "repeat(answer)"
        assert select(CANDIDATES, Budget(max_cost=1.5))["rule"] == "margin > 0.5"

    def test_a_budget_that_no_rule_meets(self):
        """Say what the cheapest rule costs."""
        with pytest.raises(SelectionError, match="the cheapest, `round >= 1`, costs 1:"):
            select(CANDIDATES, Budget(max_cost=0.5))

    def test_a_mean_that_rounded_up_is_within(self):
        """Keep a rule whose cost is the budget but for the last bit."""
        assert select(frame(("a > 1", 0.5, 0.1 + 0.2)), Budget(max_cost=0.3))["rule"] == "a > 1"


class TestRetain:
    def test_by_hand(self):
        """Take the cheapest with 90% of the .8 of fixed(5), which is .72."""
        assert select(CANDIDATES, Retain(share=0.9, of="fixed(5)"))["rule"] == "repeat(answer)"

    def test_the_other_rule_may_stand_among_the_equivalents(self):
        """Find the quality of a rule that is listed under a simpler name."""
        candidates = frame(*ADAPTIVE, equivalents={"repeat(answer)": ["round >= 5"]})
        assert select(candidates, Retain(share=0.8, of="fixed(5)"))["rule"] == "margin > 0.5"

    def test_its_quality_may_be_given(self):
        """Take the given quality of a rule that is no candidate, and ask for it when it is not given."""
        policy = Retain(share=0.9, of="fixed(4)")
        assert select(CANDIDATES, policy, reference=0.6)["rule"] == "margin > 0.5"
        with pytest.raises(SelectionError, match="`round >= 4` is no candidate"):
            select(CANDIDATES, policy)

    @pytest.mark.parametrize("quality", [0.0, -0.5, float("nan")])
    def test_a_share_of_nothing(self, quality):
        """Refuse a share of a quality that is not positive: with -1, 90% would ask for more than it has."""
        with pytest.raises(SelectionError, match="a share of that means nothing"):
            select(CANDIDATES, Retain(share=0.9, of="fixed(5)"), reference=quality)

    def test_a_share_that_no_rule_keeps(self):
        """Say what the best rule has."""
        with pytest.raises(SelectionError, match=r"the best, `round >= 5`, has 0\.8"):
            select(CANDIDATES, Retain(share=1.1, of="fixed(5)"))

    def test_a_tie_of_cost_goes_to_quality(self):
        """Prefer the better of two rules that cost the same."""
        candidates = frame(("a > 1", 0.75, 2.0), ("b > 1", 0.78, 2.0), *FIXED)
        assert select(candidates, Retain(share=0.9, of="fixed(5)"))["rule"] == "b > 1"


class TestUtility:
    def test_by_hand(self):
        """Pay .1 a call: .4 .4 .3 .47 .45."""
        assert select(CANDIDATES, Utility(price=0.1))["rule"] == "repeat(answer)"

    def test_a_price_of_nothing_takes_the_best(self):
        """Take the best quality when calls are free, and one call when they are dear."""
        assert select(CANDIDATES, Utility(price=0))["rule"] == "round >= 5"
        assert select(CANDIDATES, Utility(price=10))["rule"] == "round >= 1"


class TestKnee:
    def test_by_hand(self):
        """Take the point farthest over the chord from (1, .5) to (5, .8)."""
        assert select(CANDIDATES, Knee())["rule"] == "repeat(answer)"

    def test_one_candidate(self):
        """Take the only one there is."""
        assert select(frame(FIXED[0]), Knee())["rule"] == "round >= 1"

    def test_two_ends_tie(self):
        """Prefer quality where the front has no inner point."""
        assert select(frame(FIXED[0], FIXED[2]), Knee())["rule"] == "round >= 5"


class TestTies:
    def test_quality_cost_atoms_text(self):
        """Break ties by quality, then cost, then fewer atoms, then text, in any order of the rows."""
        rows = [
            ("a > 1 & b > 1", 0.7, 2.0),
            ("z > 1", 0.7, 2.0),
            ("y > 1", 0.7, 2.0),
            ("c > 1", 0.7, 2.5),
            ("d > 1", 0.6, 1.0),
        ]
        for order in (rows, rows[::-1]):
            assert select(frame(*order), Budget(max_cost=3))["rule"] == "y > 1"


class TestMistakes:
    @pytest.mark.parametrize(
        ("build", "message"),
        [
            (lambda: Budget(max_cost=float("nan")), "max_cost has to be a finite number, not nan"),
            (lambda: Budget(max_cost="3"), "max_cost has to be a finite number, not '3'"),
            (lambda: Retain(share=0, of="fixed(5)"), "share has to be a finite number above 0, not 0"),
            (lambda: Retain(share=0.9, of="fixed("), "fixed"),
            (lambda: Utility(price=-1), "price has to be a finite number of at least 0, not -1"),
        ],
    )
    def test_a_policy_that_cannot_be(self, build, message):
        """Refuse it when it is built, with the key and what came."""
        with pytest.raises(StopruleError) as caught:
            build()
        assert message in str(caught.value)

    def test_no_candidates(self):
        """Say that there is nothing to choose from."""
        with pytest.raises(SelectionError, match="no candidates"):
            select(CANDIDATES.clear(), Knee())

    def test_a_missing_figure(self):
        """Refuse NaN, which passes no comparison, by the rule's name (case 4)."""
        with pytest.raises(SearchError, match="rule `margin > 2`"):
            select(frame(*FIXED, ("margin > 2", float("nan"), 1.0)), Budget(max_cost=3))

    def test_candidates_are_left_alone(self):
        """Choose the same again from the same frame (case 28)."""
        before = CANDIDATES.clone()
        first = select(CANDIDATES, Budget(max_cost=3))
        assert select(CANDIDATES, Budget(max_cost=3)) == first
        assert CANDIDATES.equals(before)

    def test_policies_by_name(self):
        """Offer every policy under the name that a study gives it."""
        assert set(POLICIES) == {"budget", "retain", "utility", "knee"}
