"""Figures by a label of the questions."""

import numpy as np
import pytest
from stoprule.analysis.evaluation import evaluate
from stoprule.rules.named import fixed
from stoprule.trajectories.errors import StudyError


class TestBreakdown:
    def test_by_hand(self, table):
        """One level a value, sorted, a missing label among them; each as if it were evaluated alone."""
        quality = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
        kind = ["bridge", "bridge", "comparison", "comparison", ""]
        t = table(quality, labels={"kind": kind})
        found = evaluate(t, fixed(2), baselines=[fixed(1)], draws=40).levels
        assert [(one.value, one.n, one.groups) for one in found] == [("", 1, 1), ("bridge", 2, 2), ("comparison", 2, 2)]
        bridge, comparison = found[1:]
        assert (bridge.quality.value, comparison.quality.value) == (1.0, 0.0)
        quality, difference = comparison.baselines["fixed(1)"]
        assert (quality.value, difference.value) == (0.5, -0.5)
        alone = evaluate(t.take(np.array(kind) == "bridge"), fixed(2), baselines=[fixed(1)], draws=40)
        assert bridge.quality == alone.macro.rule.quality

    def test_small_groups_are_marked(self, table):
        """Fewer than 30 groups are a rough guess, however many trajectories there are."""
        labels = ["few"] * 58 + ["many"] * 60
        t = table(
            [[1.0]] * 118,
            labels={"kind": labels},
            cell=["x", "y"] * 59,
            question=[f"q{i // 2}" for i in range(118)],
        )
        assert [(one.n, one.small) for one in evaluate(t, fixed(1), draws=10).levels] == [(58, True), (60, False)]

    def test_macro_over_the_cells_that_have_the_value(self, table):
        """Mean over cells, of unequal numbers of questions."""
        t = table([[1.0], [1.0], [0.0]], labels={"kind": ["a"] * 3}, cell=["x", "x", "y"], question=["1", "2", "1"])
        assert evaluate(t, fixed(1), draws=10).levels[0].quality.value == 0.5

    def test_too_many_values_are_no_kinds(self, table):
        """Refuse an id as a label."""
        t = table([[1.0]] * 51, labels={"id": [str(i) for i in range(51)]})
        with pytest.raises(StudyError, match="'id' has 51 values in the final split, at most 50"):
            evaluate(t, fixed(1), draws=10)
