"""Sign-flip tests of differences, and Holm over the family."""

import numpy as np
import pytest
from scipy.stats import binomtest
from stoprule.analysis.difference_tests import adjusted, difference_test
from stoprule.analysis.evaluation import evaluate
from stoprule.rules.named import fixed


class TestDifferenceTest:
    def test_right_or_wrong_is_mcnemar(self, table):
        """100 questions, 14 won and 3 lost: the binomial test at any n."""
        quality = [[0.0, 1.0]] * 14 + [[1.0, 0.0]] * 3 + [[1.0, 1.0]] * 83
        compared = evaluate(table(quality), fixed(2), baselines=[fixed(1)], draws=20).macro.comparisons["fixed(1)"]
        assert (compared.test.flip.method, compared.test.flip.nonzero) == ("binomial", 17)
        assert compared.test.flip.p == pytest.approx(binomtest(14, 17).pvalue)
        assert (compared.wins, compared.ties, compared.losses) == (14, 83, 3)

    def test_a_group_flips_with_all_its_cells(self, table):
        """Three questions in two cells are three units, not six."""
        t = table([[0.0, 1.0]] * 6, cell=["x"] * 3 + ["y"] * 3, question=["a", "b", "c"] * 2)
        compared = evaluate(t, fixed(2), baselines=[fixed(1)], draws=20)
        assert compared.macro.comparisons["fixed(1)"].test.flip.p == pytest.approx(2 / 2**3)
        assert compared.cells["x"].comparisons["fixed(1)"].test.flip.p == pytest.approx(2 / 2**3)

    def test_rounding_is_no_difference(self):
        """Thirds summed in two orders are equal."""
        values = np.array([0.1 + 0.2, 1.0])
        assert difference_test(values, np.array([0.3, 1.0]), draws=10, seed=0).flip.nonzero == 0


class TestHolm:
    def test_equals_statsmodels(self):
        """Adjust over the family, leave the others alone."""
        multitest = pytest.importorskip("statsmodels.stats.multitest")
        rng = np.random.default_rng(2)
        tests = {
            name: difference_test(rng.normal(shift, 1, 15), np.zeros(15), draws=500, seed=1)
            for name, shift in (("a", 0.1), ("b", 0.9), ("c", 0.5), ("d", 2.0), ("oracle", 5.0))
        }
        found = adjusted(tests, {"a", "b", "c", "d"})
        raw = [tests[name].flip.p for name in "abcd"]
        assert [found[name].p_holm for name in "abcd"] == pytest.approx(multitest.multipletests(raw, method="holm")[1])
        assert found["oracle"].p_holm is None
        assert found["oracle"].flip == tests["oracle"].flip
