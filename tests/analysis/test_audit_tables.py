"""The audit of tables of rules: by hand, and on the published tables where they are at hand."""

import os
from pathlib import Path

import polars as pl
import pytest
from stoprule.analysis.audit.figure_columns import figure_columns, rule_figures
from stoprule.analysis.audit.rules_table import rules_table
from stoprule.analysis.audit.table_checks import audit_table
from stoprule.trajectories.errors import SelectionError, StudyError
from stoprule.trajectories.sources import open_source

PUBLISHED = Path(os.environ.get("STOPRULE_PUBLISHED", Path(__file__).parents[3] / "shared" / "published"))
needs_published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published tables are not at hand")


def answers(rows, **settings):
    """Findings by check of a table given as a frame or a file."""
    source = open_source(rows)
    columns = {role: settings.pop(role) for role in ("final", "selection", "cell") if role in settings}
    figures = rule_figures(source, figure_columns(source.columns, source.name, **columns))
    return {each.check: each for each in audit_table(rules_table(figures, **settings))}


@pytest.fixture
def rules():
    """Four rules on two splits: b and c tie on selection, d is dear, a is plain."""
    return pl.DataFrame(
        {
            "rule": ["a", "b", "c", "d"],
            "selection": [60.0, 70.0, 70.0, 75.0],
            "selection_cost": [1.0, 2.0, 2.5, 4.0],
            "final": [58.0, 61.0, 64.0, 66.0],
            "final_cost": [1.0, 2.1, 2.0, 4.0],
        }
    )


class TestFigureColumns:
    @pytest.mark.parametrize(
        ("columns", "expected"),
        [
            (["rule", "selection", "final"], ("rule", "selection", None, "final", None)),
            (
                ["formula", "tune_f1", "tune_calls", "eval_f1", "eval_em", "eval_calls"],
                ("formula", "tune_f1", "tune_calls", "eval_f1", "eval_calls"),
            ),
            (["cell", "rule", "f1", "calls"], ("rule", None, None, "f1", "calls")),
        ],
    )
    def test_knows_usual_names(self, columns, expected):
        """Own names, splits as prefixes, one split."""
        found = figure_columns(columns, "table")
        assert (found.rule, found.selection, found.selection_cost, found.final, found.final_cost) == expected

    def test_takes_what_is_named(self):
        """Before any usual name."""
        found = figure_columns(["rule", "f1", "em"], "table", final="em")
        assert (found.final, found.selection) == ("em", None)

    def test_refuses_what_is_not_there(self):
        """Name the nearest column, and the option."""
        with pytest.raises(StudyError, match=r"no column 'fianl' for the final \(did you mean 'final'\?\)"):
            figure_columns(["rule", "final"], "table", final="fianl")
        with pytest.raises(StudyError, match="--rule-column"):
            figure_columns(["x", "final"], "table")


class TestRuleFigures:
    @pytest.mark.parametrize(
        ("column", "value", "said"),
        [("final", None, "is no number"), ("final", float("inf"), "is no number"), ("rule", "a", "twice")],
    )
    def test_refuses(self, rules, column, value, said):
        """A figure that is missing, and a rule that stands twice."""
        broken = rules.with_columns(
            pl.when(pl.int_range(4) == 1).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
        )
        with pytest.raises(StudyError, match=said):
            answers(broken)


class TestRulesTable:
    def test_chooses_as_a_budget_does(self, rules):
        """The best selection figure within it; of those that tie the cheapest."""
        found = answers(rules, max_cost=3)
        assert found["ties"].figure == 2
        assert "the cheapest, b (2.00), reaches 61.00 at 2.10" in found["ties"].cause
        assert "the luckiest, c (2.50), reaches 64.00 at 2.00" in found["ties"].cause
        assert "the best by final figures has 64.00" in found["ties"].cause

    def test_refuses_a_budget_that_allows_nothing(self, rules):
        """Say so."""
        with pytest.raises(SelectionError, match="--max-cost"):
            answers(rules, max_cost=0.5)

    def test_refuses_an_unknown_rule(self, rules):
        """Whoever names one."""
        with pytest.raises(StudyError, match="'e'"):
            answers(rules, locked="e")


class TestChecks:
    def test_picked_on_final(self, rules):
        """First by final and not by selection figures."""
        assert answers(rules, max_cost=3)["picked-on-final"].verdict == "pass"
        rules = rules.with_columns(selection=pl.Series([60.0, 71.0, 70.0, 75.0]))
        assert answers(rules, locked="c", max_cost=3)["picked-on-final"].verdict == "fail"
        assert answers(rules, locked="b", max_cost=3)["picked-on-final"].verdict == "pass"

    def test_dominated(self, rules):
        """By a rule of the selection front with more quality at no more cost."""
        found = answers(rules, locked="b")["dominated"]
        assert (found.verdict, found.figure) == ("pass", 0)  # c dominates b, but b dominated c before
        rules = rules.with_columns(selection_cost=pl.Series([1.0, 2.0, 2.0, 4.0]))
        found = answers(rules, locked="b")["dominated"]
        assert (found.verdict, found.figure) == ("note", 1)
        assert "by c" in found.cause

    def test_fronts_and_ranks(self, rules):
        """Two of three points stay on the front; the ranks agree."""
        found = answers(rules)
        assert found["front-agreement"].cause == (
            "front by selection 3 distinct points (3 rules), by final 3 distinct points (3 rules), on both 2 distinct "
            "points (2 rules)"
        )
        assert found["rank-agreement"].figure == pytest.approx(0.9486832980505138)

    def test_optimism(self, rules):
        """What the chosen rule loses beyond what all lose."""
        assert answers(rules, max_cost=3)["optimism"].figure == pytest.approx(9 - (2 + 9 + 6 + 9) / 4)

    def test_duplicates(self, rules):
        """Rules with every figure alike."""
        assert answers(rules)["duplicate-behaviours"].verdict == "pass"
        twice = pl.concat([rules, rules.tail(1).with_columns(rule=pl.lit("e"))])
        assert answers(twice)["duplicate-behaviours"].figure == 1

    def test_leaves_the_oracle_aside(self, rules):
        """It dominates everybody and cannot be deployed."""
        oracle = rules.tail(1).with_columns(rule=pl.lit("oracle"), final=pl.lit(99.0), final_cost=pl.lit(1.0))
        both = pl.concat([rules, oracle]).drop("selection", "selection_cost")
        assert answers(both, locked="d")["dominated"].figure == 0
        assert answers(both, locked="d", aside=())["dominated"].figure == 1

    def test_one_split_alone(self, rules):
        """What needs selection figures is not run."""
        found = answers(rules.drop("selection", "selection_cost"), locked="b")
        idle = {check for check, each in found.items() if each.what == "not run"}
        assert idle == {"picked-on-final", "optimism", "ties", "rank-agreement", "front-agreement"}


@needs_published
class TestPublished:
    def test_876_groupings(self):
        """The fronts of tuning and evaluation share half of their points, and nine rules tie."""
        found = answers(PUBLISHED / "dnf_876.csv", max_cost=3.0)
        assert found["front-agreement"].cause == (
            "front by selection 14 distinct points (40 rules), by final 35 distinct points (59 rules), on both "
            "7 distinct points (15 rules)"
        )
        assert found["rank-agreement"].figure == pytest.approx(0.919, abs=5e-4)
        assert found["ties"].figure == 9
        for said in (
            "9 rules have 74.46, the best selection figure within a cost of 3",
            "the cheapest, as&ovl|gap&mrg (2.42), reaches 65.70 at 2.49",
            "the luckiest, as&ovl|cnf&gap&mrg (2.69), reaches 67.95 at 2.87",
            "the best by final figures has 68.07",
        ):
            assert said in found["ties"].cause

    def test_headline(self):
        """`No rule dominates it` is contradicted in three cells, and in no other, nor in the macro mean."""
        found = answers(PUBLISHED / "headline.csv", locked="AS_m25")["dominated"]
        assert (found.verdict, found.figure) == ("note", 3)
        assert found.cause == (
            "AS_m25 is dominated in qwen_hp by AS_ov_or_en; in gemma_hp by C2of4, famB_m20; in gemma_2w by D_soft15, "
            "famA_m20; not in qwen_2w, devstral_hp, devstral_2w, macro"
        )
