"""One rule on the final split: figures, comparisons, sentences."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stoprule.analysis.evaluation import evaluate
from stoprule.rules.named import fixed
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError, SplitError, StudyError

RULE = parse("margin > 0.5")

RECORDED = Path(__file__).parents[2] / "examples" / "hotpotqa" / "hotpotqa_gemma3_270m.parquet"


@pytest.fixture
def small(table):
    """Three questions in cell x, one of them in y too; the rule stops at 2 1 3 in x and at 1 in y."""
    return table(
        [[0.0, 1.0, 0.5], [0.5, 0.0], [0.2, 0.4, 0.6], [1.0, 0.0, 0.0]],
        margin=[[0.1, 0.9, 0.9], [0.6, 0.1], [0.1, 0.2, np.nan], [0.8, 0.1, 0.1]],
        cost=[[10, 20, 30], [5, 15], [10, 25, 40], [10, 20, 30]],
        cell=["x", "x", "x", "y"],
        question=["a", "b", "c", "a"],
    )


@pytest.fixture
def recorded(table):
    """The recorded HotpotQA runs, as lists: 495 questions of five rounds in two cells."""
    rows = pl.read_parquet(RECORDED).with_columns(pl.col("qid").cast(pl.String)).sort("cell", "qid", "round")
    columns = rows.group_by("cell", "qid", maintain_order=True).agg("f1", "margin", "answer")
    codes = {answer: i for i, answer in enumerate(sorted(set(rows["answer"])))}
    return table(
        columns["f1"].to_list(),
        margin=columns["margin"].to_list(),
        answer=[[codes[answer] for answer in row] for row in columns["answer"]],
        cell=columns["cell"].to_list(),
        question=columns["qid"].to_list(),
    )


class TestFigures:
    def test_by_hand(self, small):
        """Add up four trajectories: macro is the mean of cell x, (1 + .5 + .6) / 3, and cell y, 1."""
        result = evaluate(small, RULE, baselines=[fixed(1), fixed(3)], draws=50)
        macro = result.macro
        assert (macro.n, macro.groups) == (4, 3)
        assert macro.rule.quality.value == pytest.approx((0.7 + 1) / 2)
        assert macro.rule.cost.value == pytest.approx(((20 + 5 + 40) / 3 + 10) / 2)
        assert macro.rule.calls.value == pytest.approx((2 + 1) / 2)
        assert (macro.rule.fired, macro.rule.exhausted) == (3, 1)
        assert macro.rule.stop_rounds == {1: 2, 2: 1, 3: 1}

        three = macro.comparisons["fixed(3)"]  # stops at 3 2 3 and 3: quality .5 0 .6 and 0
        assert three.quality_difference.value == pytest.approx(0.85 - (1.1 / 3 + 0) / 2)
        assert three.retention.value == pytest.approx(0.85 / (1.1 / 6))
        assert three.cost_ratio.value == pytest.approx((65 / 3 + 10) / ((30 + 15 + 40) / 3 + 30))
        assert (three.wins, three.ties, three.losses, three.alike) == (2, 1, 0, 1)  # of a, b, c
        assert result.reference == "fixed(3)"

    def test_cells_stand_beside(self, small):
        """Give every cell the figures that it has alone."""
        result = evaluate(small, RULE, draws=50)
        assert list(result.cells) == ["x", "y"]
        assert (result.cells["x"].n, result.cells["x"].groups) == (3, 3)
        assert result.cells["x"].rule.quality.value == pytest.approx(0.7)
        alone = evaluate(small.take(small.cell == "x"), RULE, draws=50)
        own, macro = result.cells["x"].to_dict(), alone.macro.to_dict()
        for one in macro["comparisons"].values():
            one["p_holm"] = None  # the family is declared for the macro figures
        assert own == macro

    def test_without_a_cell_column_there_are_no_cells(self, table):
        """Leave cells empty, as `replay --json` does."""
        assert evaluate(table([[0.1, 0.2]]), fixed(1), draws=10).cells == {}

    def test_the_oracle_is_always_there(self, small):
        """Compare with hindsight, marked as undeployable."""
        result = evaluate(small, RULE, baselines=[], draws=50)
        assert list(result.macro.baselines) == ["oracle"]
        assert not result.macro.baselines["oracle"].deployable
        assert result.macro.baselines["oracle"].quality.value == pytest.approx(((1 + 0.5 + 0.6) / 3 + 1) / 2)
        assert result.reference is None

    def test_default_baselines_are_the_ends(self, small):
        """Take fixed(1) and the longest fixed(k) when none are named."""
        assert list(evaluate(small, RULE, draws=10).macro.baselines) == ["fixed(1)", "fixed(3)", "oracle"]

    def test_inputs_are_left_alone(self, small):
        """Answer the same twice (case 28)."""
        cost = small.cost.copy()
        first = evaluate(small, RULE, draws=50).to_dict()
        assert evaluate(small, RULE, draws=50).to_dict() == first
        assert np.array_equal(small.cost, cost, equal_nan=True)


class TestGroups:
    def test_questions_of_a_passage_are_drawn_together(self, table):
        """Count groups, and widen the interval where questions repeat each other (case 25)."""
        quality = np.random.default_rng(0).integers(0, 2, 40).repeat(5)
        rows = [[value] for value in quality.tolist()]
        alone = evaluate(table(rows), fixed(1), draws=400)
        together = evaluate(table(rows, group=[f"g{i // 5:02}" for i in range(200)]), fixed(1), draws=400)
        assert (alone.macro.groups, together.macro.groups) == (200, 40)
        assert together.macro.rule.quality.value == alone.macro.rule.quality.value
        width = [one.macro.rule.quality.high - one.macro.rule.quality.low for one in (alone, together)]
        assert width[1] > 1.5 * width[0]

    def test_groups_of_unequal_size_weigh_equally(self, table):
        """Take the mean of group means and say what it is with questions weighing equally."""
        result = evaluate(table([[1.0], [1.0], [0.0]], group=["g", "g", "h"]), fixed(1), draws=20)
        assert result.macro.rule.quality.value == 0.5
        assert "if questions did, quality would be 0.666667" in result.notes[0]


class TestPublishedBootstrap:
    @pytest.mark.parametrize("text", ["repeat(answer) & margin > 0.25", "margin > 1 | round >= 4"])
    def test_equals_a_direct_loop_on_recorded_runs(self, recorded, text):
        """Equal numpy's loop with default_rng(42), 1000 draws, percentiles 2.5 and 97.5, to 1e-9."""
        result = evaluate(recorded, parse(text), baselines=[fixed(3)], draws=1000, seed=42)
        quality = recorded.quality.reshape(2, 495, 5)
        stop = np.array(
            [next((r for r in range(5) if _stops(recorded, q, r, text)), 4) for q in range(len(recorded))]
        ).reshape(2, 495)
        own = np.take_along_axis(quality, stop[:, :, None], axis=2)[:, :, 0]
        fixed_3 = quality[:, :, 2]
        scopes = {"bm25": [0], "dense": [1], None: [0, 1]}
        for name, cells in scopes.items():
            rng = np.random.default_rng(42)
            differences, retained, calls = [], [], []
            for _ in range(1000):
                drawn = rng.integers(0, 495, 495)
                mean = [own[c][drawn].mean() for c in cells], [fixed_3[c][drawn].mean() for c in cells]
                differences.append(np.mean(mean[0]) - np.mean(mean[1]))
                retained.append(np.mean(mean[0]) / np.mean(mean[1]))
                calls.append(np.mean([stop[c][drawn].mean() + 1 for c in cells]))
            scope = result.macro if name is None else result.cells[name]
            compared = scope.comparisons["fixed(3)"]
            for estimate, draws in (
                (compared.quality_difference, differences),
                (compared.retention, retained),
                (scope.rule.calls, calls),
            ):
                assert (estimate.low, estimate.high) == pytest.approx(np.percentile(draws, [2.5, 97.5]), abs=1e-9)
            assert compared.quality_difference.value == pytest.approx((own[cells] - fixed_3[cells]).mean(), abs=1e-12)


def _stops(t, q: int, r: int, text: str) -> bool:
    margin = t.signals["margin"][q, r]
    if text.startswith("repeat"):
        return r > 0 and t.answer[q, r] == t.answer[q, r - 1] and margin > 0.25
    return margin > 1 or r >= 3


class TestJson:
    def test_holds_no_nan(self, table):
        """Write null with a reason where a ratio has no meaning (case 22)."""
        result = evaluate(table([[0.0, 1.0], [0.0, 0.0]]), fixed(2), baselines=[fixed(1)], draws=20).to_dict()
        json.dumps(result, allow_nan=False)
        retention = result["comparisons"]["fixed(1)"]["retention"]
        assert retention["value"] is None
        assert "the quality of fixed(1) is 0" in retention["reason"]

    def test_keys_of_replay_on_top(self, small):
        """Keep the keys of `replay --json`, for all trajectories and for every cell."""
        result = evaluate(small, RULE, draws=20).to_dict()
        keys = {"n", "quality", "cost", "calls", "fired", "exhausted", "stop_rounds"}
        assert keys | {"rule", "id", "cells"} <= result.keys()
        assert all(keys <= cell.keys() for cell in result["cells"].values())
        assert result["stop_rounds"] == {"1": 2, "2": 1, "3": 1}

    def test_a_saving_names_its_baseline(self, small):
        """Say whose cost a negative saving is a share of (case 29)."""
        saving = evaluate(small, RULE, draws=20).to_dict()["comparisons"]["fixed(1)"]["saving"]
        assert saving["of"] == "fixed(1)"
        assert saving["value"] < 0


class TestVerdicts:
    @pytest.fixture
    def said(self, table):
        """What is said of a rule on 60 questions whose third round gains nothing over the first."""

        def say(rule, **settings):
            quality = np.random.default_rng(3).integers(0, 2, (60, 3)).astype(float)
            margin = np.random.default_rng(4).random((60, 3))
            t = table(quality.tolist(), margin=margin.tolist(), **settings.pop("table", {}))
            return evaluate(t, rule, draws=500, **settings).verdicts

        return say

    def test_no_adaptive_rule_is_better(self, said):
        """Say plainly that none of the adaptive rules beats a fixed one, with the largest difference."""
        sentences = said(RULE, baselines=[fixed(1)], contenders=[parse("margin > 0.7"), fixed(2)])
        (plain,) = [one for one in sentences if one.startswith("no adaptive rule beats fixed(1) significantly")]
        assert "the largest difference, of `margin > 0." in plain
        assert "F1 points [" in plain

    def test_several_that_are_better_prove_nothing(self, table):
        """Count the adaptive rules above a baseline, with the caution that nobody corrected for their number."""
        t = table([[float(i % 4 == 0), 1.0] for i in range(80)], margin=[[0.1, 0.9]] * 80)
        contenders = [parse("margin > 0.8"), parse("margin > 0")]
        sentences = evaluate(t, RULE, baselines=[fixed(1)], contenders=contenders, draws=200).verdicts
        (counted,) = [one for one in sentences if one.startswith("2 of 3 adaptive rules")]
        assert "no proof" in counted

    def test_not_significant(self, said):
        """Call a difference whose interval covers 0 not significant."""
        assert any("`margin > 0.5` does not differ significantly from fixed(1)" in one for one in said(RULE))

    def test_significant_both_ways(self, table):
        """Call a difference significant when its interval leaves out 0, and say in whose favour."""
        quality = [[1.0, float(i % 4 == 0)] for i in range(80)]
        t = table(quality)
        worse = evaluate(t, fixed(2), baselines=[fixed(1)], draws=200).verdicts
        better = evaluate(t, fixed(1), baselines=[fixed(2)], draws=200).verdicts
        assert any("is significantly worse than fixed(1): difference -75.0 F1 points [" in one for one in worse)
        assert any("fixed(1) dominates it" in one for one in worse)
        assert any("beats fixed(2) significantly: difference +75.0 F1 points [" in one for one in better)

    def test_savings_name_their_baseline(self, said):
        """Turn a negative saving into more spent than the baseline by name (case 29)."""
        text = " ".join(said(RULE, baselines=[fixed(1), fixed(3)]))
        assert "more calls than fixed(1)" in text
        assert "of the calls of fixed(3)" in text
        assert "saves -" not in text

    def test_a_fixed_depth_was_chosen(self, said):
        """Say that a fixed depth was chosen, and that it is the baseline itself."""
        sentences = said(fixed(1))
        assert any("no adaptive rule was chosen" in one for one in sentences)
        assert "it stops every trajectory where fixed(1) does" in sentences

    def test_the_oracle_cannot_be_deployed(self, said):
        """End with what hindsight could reach."""
        assert said(RULE)[-1].startswith("the oracle, which reads the outcomes and cannot be deployed, reaches f1")

    def test_other_outcomes_are_printed_in_their_own_unit(self, said):
        """Print F1 and EM as fractions x100, and nothing else."""
        assert "f1 4" in said(fixed(1))[0] or "f1 5" in said(fixed(1))[0]
        assert "support_recall 0." in said(fixed(1), table={"name": "support_recall"})[0]


class TestMistakes:
    def test_an_empty_final_split(self, small):
        """Refuse a table without trajectories."""
        with pytest.raises(SplitError, match="no trajectory"):
            evaluate(small.take(np.zeros(4, bool)), RULE)

    def test_an_unknown_signal(self, small):
        """Refuse a rule or baseline that reads what the table does not have."""
        with pytest.raises(RuleError, match="overlap"):
            evaluate(small, RULE, baselines=[parse("overlap > 1")])

    def test_an_interval_that_is_not_offered(self, small):
        """Refuse other intervals than percentile and BCa."""
        with pytest.raises(StudyError, match="percentile, bca"):
            evaluate(small, RULE, interval="bayes")
