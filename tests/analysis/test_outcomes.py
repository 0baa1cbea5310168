"""The same stops by another outcome."""

import pytest
from stoprule.analysis.evaluation import evaluate
from stoprule.rules.named import fixed


class TestOutcomes:
    def test_side_by_side(self, table):
        """More evidence may help at one cutoff and hurt at another."""
        t = table(
            [[0.4, 0.6], [0.2, 0.4]],
            name="ndcg4",
            outcomes={"ndcg3": [[0.5, 0.4], [0.3, 0.4]], "calls": [[1, 1], [0, 0]]},
        )
        result = evaluate(t, fixed(1), baselines=[fixed(2)], draws=30)
        ndcg3, calls = result.outcomes
        assert result.macro.comparisons["fixed(2)"].quality_difference.value == pytest.approx(-0.2)
        assert ndcg3.value.value == pytest.approx(0.4)
        assert ndcg3.differences["fixed(2)"].value == pytest.approx(0.0)
        assert ndcg3.baselines["fixed(2)"].value == pytest.approx(0.4)
        assert calls.value.value == 0.5  # an outcome may have the name of a figure
        assert result.macro.rule.calls.value == 1

    def test_share_the_resamples_of_the_quality(self, table):
        """An outcome equal to the quality has its interval."""
        quality = [[float(i % 3 == 0)] for i in range(30)]
        result = evaluate(table(quality, outcomes={"twin": quality}), fixed(1), draws=100)
        assert result.outcomes[0].value == result.macro.rule.quality
