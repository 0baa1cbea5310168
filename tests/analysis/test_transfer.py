"""Rules of one cell used in another."""

import numpy as np
import pytest
from stoprule.analysis.evaluation import evaluate
from stoprule.analysis.transfer import own_rules, transfer
from stoprule.analysis.wording import Wording
from stoprule.rules.named import fixed
from stoprule.trajectories.errors import SelectionError

SETTINGS = {"draws": 200, "seed": 1, "interval": "percentile"}


@pytest.fixture
def cells(table):
    """Cell x is right early, cell y late: four questions in each, two rounds."""
    early, late = [[1.0, 0.0]] * 3 + [[1.0, 1.0]], [[0.0, 1.0]] * 3 + [[1.0, 1.0]]
    return table([*early, *late], cell=["x"] * 4 + ["y"] * 4, question=["a", "b", "c", "d"] * 2, declared=(0, 1))


def best_depth(t):
    """The fixed depth of the best quality, where it is better than nothing."""
    return fixed(1) if t.quality[:, 0].mean() > t.quality[:, 1].mean() else fixed(2)


class TestOwnRules:
    def test_every_cell_chooses_alone(self, cells):
        """x would stop at once, y would go on."""
        found = own_rules(cells, best_depth)
        assert found.rules == {"x": "round >= 1", "y": "round >= 2"}

    def test_a_cell_without_a_rule_has_a_reason(self, cells):
        """A policy that nothing in the cell meets is no error for the others."""

        def choose(t):
            if t.cell[0] == "y":
                raise SelectionError("budget: no candidate costs at most 0.5")
            return fixed(1)

        found = own_rules(cells, choose)
        assert (found.rules, found.reasons) == ({"x": "round >= 1"}, {"y": "budget: no candidate costs at most 0.5"})


class TestTransfer:
    @pytest.fixture
    def found(self, cells):
        """Both cells' rules in both cells, the locked rule being fixed(2)."""
        entry = own_rules(cells, best_depth).to_dict()
        return transfer(cells, fixed(2), entry, reference=fixed(2), **SETTINGS)

    def test_the_matrix_by_hand(self, found):
        """The rule of x in y keeps 1/4 of 4/4 and regrets 3/4; at home it regrets nothing."""
        by_pair = {(one.locked_in, one.evaluated_in): one for one in found.entries}
        assert list(by_pair) == [(a, b) for a in ("all cells", "x", "y") for b in ("x", "y")]
        away = by_pair["x", "y"]
        assert (away.rule, away.quality.value, away.retention.value) == ("fixed(1)", 0.25, 0.25)
        assert (away.quality_regret.value, away.cost_regret.value) == (0.75, -1)
        assert by_pair["y", "x"].quality_regret.value == 0.75
        assert by_pair["y", "x"].retention.value == 1
        for name in "xy":
            assert by_pair[name, name].quality_regret.value == by_pair[name, name].cost_regret.value == 0
        assert by_pair["all cells", "x"].quality_regret.value == 0.75

    def test_the_locked_rule_has_the_intervals_of_its_cell(self, cells, found):
        """A row of the matrix is the evaluation by cell, draws and all."""
        alone = evaluate(cells, fixed(2), **SETTINGS).cells["y"]
        (own,) = [one for one in found.entries if (one.locked_in, one.evaluated_in) == ("all cells", "y")]
        assert own.quality == alone.rule.quality

    def test_said_in_words(self, found):
        """The range of retention abroad, and the worst regret with its rule and cells."""
        said = found.sentence(Wording("f1", "calls", percent=True))
        assert "keep 25% to 100% of the f1 of fixed(2) there" in said
        assert "regret against the rule of the cell's own is +75.0 F1 points" in said

    def test_a_cell_without_a_rule_has_no_regret(self, cells):
        """Foreign rules are still measured there."""
        entry = {"rules": {"x": "round >= 1"}, "reasons": {"y": "none"}}
        found = transfer(cells, fixed(1), entry, reference=fixed(2), **SETTINGS)
        assert [one.quality_regret is None for one in found.entries] == [False, True] * 2
        assert found.to_dict()["entries"][3]["quality_regret"] is None

    def test_a_reference_without_quality_has_no_retention(self, table):
        """Null with a reason that names the cell (case 22)."""
        t = table([[1.0, 0.0], [1.0, 1.0]], cell=["x", "y"], question=["a", "a"])
        found = transfer(t, fixed(1), {"rules": {}, "reasons": {}}, reference=fixed(2), **SETTINGS)
        assert "the quality of fixed(2) in x is 0" in found.entries[0].retention.reason
        assert np.isfinite(found.entries[1].retention.value)
