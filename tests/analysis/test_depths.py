"""Every fixed depth, and time-sharing between two of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis.bootstrap import strata
from stoprule.analysis.depths import shared
from stoprule.analysis.evaluation import evaluate
from stoprule.rules.named import fixed
from stoprule.rules.text import parse


class TestShared:
    def test_by_hand(self):
        """Mean cost 2.25: fixed(2) three times in four, fixed(3) once."""
        below, share, quality = shared(2.25, [0.2, 0.4, 0.8], [1.0, 2.0, 3.0])
        assert (below, share, quality) == (1, pytest.approx(0.25), pytest.approx(0.5))

    def test_at_the_ends(self):
        """At or beyond the last depth there is nothing to share with."""
        for cost in (3.0, 3.5):
            assert shared(cost, [0.2, 0.4, 0.8], [1.0, 2.0, 3.0]) == (2, 0, pytest.approx(0.8))

    def test_a_round_that_costs_nothing(self):
        """Take the deeper of two depths of one cost."""
        assert shared(1.0, [0.2, 0.4], [1.0, 1.0])[2] == 0.4

    def test_every_resample_has_its_own_neighbours(self):
        """Vectorised over resamples."""
        costs = [np.full(3, float(k)) for k in (1, 2, 3)]
        below, share, quality = shared(np.array([1.5, 2.0, 2.9]), [np.zeros(3), np.ones(3), np.full(3, 3.0)], costs)
        assert below.tolist() == [0, 1, 1]
        assert share == pytest.approx([0.5, 0, 0.9])
        assert quality == pytest.approx([0.5, 1, 2.8])


class TestTimeSharing:
    @settings(max_examples=30, deadline=None)
    @given(st.integers(0, 2**32))
    def test_equals_the_formula_in_rounds(self, seed):
        """mean(y_rule - y_k - (c - k) (ybar_{k+1} - ybar_k)) in every resample, k the whole part of the mean cost."""
        from stoprule.analysis.baselines import stops
        from stoprule.analysis.bootstrap import paired_bootstrap
        from stoprule.analysis.depths import depth_columns, time_sharing

        rng = np.random.default_rng(seed)
        quality, stop = rng.integers(0, 2, (12, 4)).astype(float), rng.integers(1, 5, 12)
        t = _table(quality, stop)
        rule = stops(parse("margin > 0.5"), t)
        assert rule.stop_round.tolist() == stop.tolist()
        columns = {**depth_columns(t), (rule.name, "quality"): rule.quality, (rule.name, "cost"): rule.cost}
        drawn = paired_bootstrap(strata(t.cell, t.group), columns, draws=40, seed=1)
        found = time_sharing(rule, 4, drawn)

        def formula(q):
            k = int(np.floor(stop[q].mean()))
            after = quality[q, min(k, 3)].mean()
            lottery = quality[q, k - 1].mean() + (stop[q].mean() - k) * (after - quality[q, k - 1].mean())
            return rule.quality[q].mean() - lottery

        draws = np.random.default_rng(1)
        expected = [formula(draws.integers(0, 12, 12)) for _ in range(40)]
        assert found.quality_difference.value == pytest.approx(formula(np.arange(12)))
        if not found.quality_difference.degenerate:
            ends = found.quality_difference.low, found.quality_difference.high
            assert ends == pytest.approx(np.percentile(expected, [2.5, 97.5]), abs=1e-9)

    def test_a_fixed_depth_is_worth_its_own_lottery(self, table):
        """No difference, in any resample."""
        t = table(np.random.default_rng(0).random((20, 3)).tolist())
        found = evaluate(t, fixed(2), draws=50).time_sharing
        assert (found.k, found.share) == (2, 0)
        assert found.quality_difference.degenerate
        assert found.quality_difference.value == pytest.approx(0, abs=1e-15)


def _table(quality, stop):
    """Trajectories that `margin > 0.5` stops where it should."""
    from stoprule.trajectories.roles import Roles
    from stoprule.trajectories.table import Trajectories

    count, rounds = quality.shape
    ids = np.array([f"q{i:03}" for i in range(count)], dtype=object)
    return Trajectories(
        question=ids,
        cell=np.array([""] * count, dtype=object),
        group=ids,
        length=np.full(count, rounds),
        answer=None,
        signals={"margin": (np.arange(1, rounds + 1) == stop[:, None]).astype(float)},
        booleans=frozenset(),
        outcomes={"em": quality},
        cost=np.tile(np.arange(1.0, rounds + 1), (count, 1)),
        roles=Roles(quality="em"),
    )


class TestDepths:
    def test_by_hand(self, table):
        """Every k has its difference, its own p-value and Holm's; the comparator's own stands outside."""
        quality = [[0.0, 1.0, 0.0]] * 6 + [[0.0, 0.0, 0.0]] * 4
        found = evaluate(table(quality), fixed(2), baselines=[fixed(1), fixed(3)], comparator=fixed(2), draws=50)
        one, two, three = found.depths
        assert [depth.quality_difference.value for depth in found.depths] == pytest.approx([0.6, 0, 0.6])
        assert [depth.comparator for depth in found.depths] == [False, True, False]
        assert one.test.flip.p == three.test.flip.p == pytest.approx(2 / 2**6)  # six of six questions won
        assert one.test.p_holm == three.test.p_holm == pytest.approx(4 / 2**6)  # two comparisons
        assert (two.test.flip.p, two.test.p_holm) == (1.0, None)
        assert found.comparator == "fixed(2)"

    def test_a_declared_comparator_stays_in_the_family(self, table):
        """Whoever names it as a baseline as well has it corrected."""
        t = table([[0.0, 1.0]] * 6)
        found = evaluate(t, fixed(2), baselines=[fixed(1)], comparator=fixed(1), draws=50)
        assert found.depths[0].test.p_holm is not None

    def test_a_shorter_question_ends_at_its_last_round(self, table):
        """fixed(3) of one round is that round."""
        found = evaluate(table([[0.5], [0.0, 0.0, 1.0]]), fixed(1), draws=20)
        assert found.depths[2].quality.value == pytest.approx(0.75)
        assert found.depths[2].cost.value == pytest.approx(2)
