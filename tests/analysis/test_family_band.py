"""The band around the frontier of a family, out of its replay."""

import numpy as np
import pytest
from stoprule.analysis.bootstrap import strata
from stoprule.analysis.differences import MatrixDifferences
from stoprule.analysis.family_band import band_frame, family_band, search_band
from stoprule.analysis.simultaneous import frontier_band, simultaneous
from stoprule.enumerate import expand
from stoprule.enumerate.replay import replay
from stoprule.enumerate.search import search_result
from stoprule.enumerate.space import space
from stoprule.rules.text import parse
from stoprule.trajectories.errors import StudyError


@pytest.fixture
def recorded(table):
    """Forty questions in two cells."""
    rng = np.random.default_rng(7)
    quality = rng.integers(0, 2, (80, 3)).astype(float)
    ids = [f"q{i}" for i in range(40)]
    return table(
        quality.tolist(), margin=(quality + rng.normal(size=(80, 3))).tolist(), cell=["a"] * 40 + ["b"] * 40,
        question=ids * 2,
    )  # fmt: skip


class TestFamilyBand:
    def test_is_made_of_replayed_differences(self, recorded):
        """As one rule after the other, by group."""
        rules = [parse(text) for text in ("fixed(1)", "margin > 0.5", "margin > 1")]
        units = strata(recorded.cell, recorded.group)
        base = replay(parse("fixed(3)"), recorded)
        found = family_band(rules, parse("fixed(3)"), recorded, draws=200, seed=1)
        by_hand = {}
        for name in ("quality", "cost"):
            each = [getattr(replay(rule, recorded), name) - getattr(base, name) for rule in rules]
            rows = np.stack([units.contributions(one) for one in each]) * len(units.groups)
            by_hand[name] = MatrixDifferences([rows])
        direct = frontier_band(
            simultaneous(by_hand["quality"], by_hand["cost"], units.sizes, alpha=0.05, seed=1, draws=200)
        )
        for name in ("low_cost", "low", "high_cost", "high"):
            assert getattr(found, name) == pytest.approx(getattr(direct, name))

    def test_holds_the_observed_front(self, recorded):
        """At each of its costs."""
        rules = [parse(f"margin > {cut}") for cut in (-1, 0, 0.5, 1, 2)]
        band = family_band(rules, parse("fixed(3)"), recorded, draws=200)
        base = replay(parse("fixed(3)"), recorded)
        for rule in rules:
            stopped = replay(rule, recorded)
            cost, quality = (stopped.cost - base.cost).mean(), (stopped.quality - base.quality).mean()
            assert band.at(np.array([cost]))[1][0] >= quality

    def test_needs_a_rule(self, recorded):
        """And says so."""
        with pytest.raises(StudyError, match="give one rule at least"):
            family_band([], parse("fixed(3)"), recorded)


class TestSearchBand:
    ENTRIES = ({"rule": "margin > ?", "cuts": "exact"}, {"family": "fixed"})

    def test_equals_the_band_of_all_rules(self, recorded):
        """Hold every cut of a sweep, not only those on the front."""
        result = search_result(space(self.ENTRIES, recorded), recorded)
        found = search_band(result, parse("fixed(3)"), recorded, draws=150, seed=1)
        every = [rule for batch in result.batches for rule in batch.rules]
        direct = family_band(every, parse("fixed(3)"), recorded, draws=150, seed=1)
        for name in ("low_cost", "low", "high_cost", "high"):
            assert getattr(found, name) == pytest.approx(getattr(direct, name), abs=1e-9)

    def test_none_where_not_all_take_part(self, recorded, monkeypatch):
        """Give no band over a part of what was searched."""
        monkeypatch.setattr(expand, "MOST_LISTED", 2)
        monkeypatch.setattr(expand, "ALL_KEPT", 2)
        result = search_result(space({"rule": "margin > ?", "cuts": "linspace(9)"}, recorded), recorded)
        assert search_band(result, parse("fixed(3)"), recorded) is None

    def test_frame(self, recorded):
        """Tell both ends at every cost; below the first sure cost there is no lower one."""
        baseline = parse("fixed(3)")
        result = search_result(space(self.ENTRIES, recorded), recorded)
        frame = band_frame(search_band(result, baseline, recorded, draws=150), baseline)
        assert frame.columns == ["baseline", "cost", "low", "high"]
        assert frame["low"][0] is None
        known = frame.drop_nulls()
        assert (known["low"] <= known["high"]).all()
        assert frame["cost"].is_sorted()
