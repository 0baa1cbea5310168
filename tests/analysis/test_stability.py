"""Stability of a front: by hand, and as drawing the groups one by one has it."""

import numpy as np
import pytest
from stoprule.analysis.stability import front_stability
from stoprule.enumerate.pareto import pareto_mask
from stoprule.enumerate.replay import replay
from stoprule.rules.text import parse


class TestFrontStability:
    def test_of_rules_that_are_always_or_never_best(self, table):
        """Every question is right from round 2 on: fixed(1) is the cheapest, fixed(2) the best, fixed(3) neither."""
        t = table([[0.0, 1.0, 1.0]] * 6)
        rules = [parse(f"fixed({k})") for k in (1, 2, 3)]
        assert front_stability(rules, t, draws=50).tolist() == [1.0, 1.0, 0.0]

    def test_is_what_drawing_one_by_one_gives(self, table):
        """The front of each resample of whole questions, both of their cells with them."""
        rng = np.random.default_rng(5)
        quality = rng.integers(0, 3, (40, 3)) / 2
        t = table(
            quality.tolist(),
            margin=(quality + rng.normal(size=(40, 3))).tolist(),
            cell=["a"] * 20 + ["b"] * 20,
            question=[f"q{i:02}" for i in range(20)] * 2,
        )
        rules = [parse(text) for text in ("fixed(1)", "fixed(2)", "fixed(3)", "margin > 0", "margin > 1")]
        stopped = [replay(rule, t) for rule in rules]
        points = np.array([[each.quality.reshape(2, 20).mean(0), each.cost.reshape(2, 20).mean(0)] for each in stopped])
        generator = np.random.default_rng(9)
        fronts = [pareto_mask(points[:, :, generator.integers(0, 20, 20)].mean(axis=2)) for _ in range(60)]
        assert front_stability(rules, t, draws=60, seed=9) == pytest.approx(np.mean(fronts, axis=0), abs=2 / 60)
