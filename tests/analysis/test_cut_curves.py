"""Quality and cost over cuts: by hand, and as replaying every cut has them."""

import math

import numpy as np
import pytest
from stoprule.analysis.cut_curves import cut_curve, cut_plane
from stoprule.enumerate.replay import replay
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError, SearchError


@pytest.fixture
def recorded(table):
    """Random margins with ties and gaps, in two cells of unlike size."""

    def build(seed):
        rng = np.random.default_rng(seed)
        quality = rng.integers(0, 2, (9, 3)).astype(float).tolist()
        margin = np.where(rng.random((9, 3)) < 0.2, math.nan, rng.integers(0, 4, (9, 3))).tolist()
        return table(quality, margin=margin, cell=["a"] * 3 + ["b"] * 6, answer=rng.integers(0, 2, (9, 3)).tolist())

    return build


def macro(values, t):
    """Unweighted mean of cell means."""
    return float(np.mean([values[t.cell == cell].mean() for cell in t.cell_names]))


class TestCutCurve:
    def test_by_hand(self, table):
        """Margins 1, 3: a cut below 1 stops at once, one in [1, 3) at round 2, a higher one never fires."""
        curve = cut_curve(parse("margin > ?"), table([[0.25, 1.0, 0.5]], margin=[[1, 3, 2]]))
        assert curve.plateaus.low.tolist() == [-math.inf, 1, 3]
        assert curve.quality.tolist() == [0.25, 1.0, 0.5]
        assert curve.cost.tolist() == [1, 2, 3]

    @pytest.mark.parametrize("text", ["margin > ?", "margin <= ? & repeat(answer)", "margin < ? | round >= 2"])
    @pytest.mark.parametrize("seed", range(8))
    def test_is_what_replay_gives(self, recorded, seed, text):
        """At the cut that stands for each plateau."""
        t = recorded(seed)
        curve = cut_curve(parse(text), t)
        for cut, quality, cost in zip(curve.plateaus.written(), curve.quality, curve.cost, strict=True):
            stopped = replay(curve.shape.fill([cut]), t)
            assert (quality, cost) == pytest.approx((macro(stopped.quality, t), macro(stopped.cost, t)))

    def test_is_none_for_a_shape_that_no_sweep_knows(self, recorded):
        """A `?` inside a total."""
        assert cut_curve(parse("total(margin > ?, repeat(answer)) > 1"), recorded(0)) is None

    @pytest.mark.parametrize(
        ("text", "error", "said"),
        [
            ("margin > 1", SearchError, "0 cuts"),
            ("margin > ? | f1 > 1", RuleError, "f1"),
            ("gap > ?", RuleError, "gap"),
        ],
    )
    def test_refuses(self, recorded, text, error, said):
        """No `?`, an outcome, an unknown signal."""
        with pytest.raises(error, match=said):
            cut_curve(parse(text), recorded(0))


class TestCutPlane:
    def test_is_what_replay_gives(self, recorded):
        """At the cuts that stand for each pair of plateaus."""
        t = recorded(3)
        t = t.with_signal("gap", t.signals["margin"][:, ::-1])
        plane = cut_plane(parse("margin > ? & gap > ? | repeat(answer)"), t)
        firsts, seconds = (axis.written() for axis in plane.plateaus)
        assert plane.quality.shape == plane.cost.shape == (len(firsts), len(seconds))
        for i, first in enumerate(firsts):
            for j, second in enumerate(seconds):
                stopped = replay(plane.shape.fill([first, second]), t)
                assert plane.quality[i, j] == pytest.approx(macro(stopped.quality, t))
                assert plane.cost[i, j] == pytest.approx(macro(stopped.cost, t))

    def test_thins_out_many_pairs(self, recorded):
        """At most so many cells."""
        t = recorded(3)
        t = t.with_signal("gap", t.signals["margin"][:, ::-1])
        assert cut_plane(parse("margin > ? | gap > ?"), t, max_cells=9).quality.size <= 9
