"""Are the intervals as wide as figures really move? Groups, cells and ratios against simulated recordings."""

import numpy as np
import pytest
from stoprule.analysis.bootstrap import paired_bootstrap, strata

GROUPS, SIZE, WORLDS = 40, 5, 300


def passages(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Right or wrong in two cells for questions that share a passage: (2, questions) of rule and of baseline.

    Half of what decides is the passage's, and the cells see the same passages.
    """
    ease = rng.normal(size=(1, GROUPS, 1)) + 0.3 * rng.normal(size=(2, GROUPS, 1))
    own = rng.normal(size=(2, GROUPS, SIZE))
    rule = (ease + own > -0.3).astype(float).reshape(2, -1)
    baseline = (ease + 0.7 * own + 0.7 * rng.normal(size=own.shape) > 0).astype(float).reshape(2, -1)
    return rule, baseline


CELL = np.repeat(["x", "y"], GROUPS * SIZE).astype(object)
GROUP = np.tile(np.repeat([f"g{i:02}" for i in range(GROUPS)], SIZE), 2).astype(object)
QUESTION = np.tile([f"q{i:03}" for i in range(GROUPS * SIZE)], 2).astype(object)
STATISTICS = {
    "macro mean": lambda drawn: drawn.mean("rule"),
    "difference": lambda drawn: drawn.difference("rule", "baseline"),
    "ratio": lambda drawn: drawn.ratio("rule", "baseline", of="the baseline"),
}


@pytest.fixture(scope="module")
def worlds():
    """Each figure with its interval in 300 independent recordings, resampled by passage and by question."""
    rng = np.random.default_rng(11)
    found = {(unit, name): [] for unit in ("passage", "question") for name in STATISTICS}
    for _ in range(WORLDS):
        rule, baseline = passages(rng)
        for unit, ids in (("passage", GROUP), ("question", QUESTION)):
            columns = {"rule": rule.ravel(), "baseline": baseline.ravel()}
            drawn = paired_bootstrap(strata(CELL, ids), columns, draws=200, seed=1)
            for name, figure in STATISTICS.items():
                found[unit, name].append(figure(drawn))
    return found


class TestWidths:
    @pytest.mark.parametrize("name", STATISTICS)
    def test_by_group_they_are_right(self, worlds, name):
        """Resampling passages, each in both of its cells: intervals hold the mean of all worlds as often as said."""
        estimates = worlds["passage", name]
        values = np.array([one.value for one in estimates])
        covered = np.mean([one.low <= values.mean() <= one.high for one in estimates])
        assert 0.90 <= covered <= 0.98  # 95% less what 40 groups and 200 draws cost; SE .013
        width = np.mean([one.high - one.low for one in estimates])
        assert width == pytest.approx(2 * 1.96 * values.std(), rel=0.12)

    def test_by_question_they_are_too_narrow(self, worlds):
        """Taking the questions of a passage for independent misses what they share (case 25)."""
        estimates = worlds["question", "macro mean"]
        true = np.mean([one.value for one in estimates])
        assert np.mean([one.low <= true <= one.high for one in estimates]) < 0.85

    def test_cells_drawn_apart_are_too_narrow(self):
        """A question's cells move together: drawing them as if they were different questions misses that."""
        rng = np.random.default_rng(12)
        apart = np.array([f"{cell}{group}" for cell, group in zip(CELL, GROUP, strict=True)], dtype=object)
        together, separate = [], []
        for _ in range(30):
            rule, _ = passages(rng)
            for ids, widths in ((GROUP, together), (apart, separate)):
                one = paired_bootstrap(strata(CELL, ids), {"rule": rule.ravel()}, draws=200, seed=1).mean("rule")
                widths.append(one.high - one.low)
        assert np.mean(separate) < 0.85 * np.mean(together)
