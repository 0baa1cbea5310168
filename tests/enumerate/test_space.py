"""Search spaces as a study spells them."""

import pytest
from stoprule.enumerate.cuts import Exact, Given, Quantiles
from stoprule.enumerate.families import DEFAULT_CUTS
from stoprule.enumerate.space import Space, space
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError, SearchError

from ..rules.tables import table

TABLE = table(answer=[[0, 0, 1]], margin=[[0.1, 0.2, 0.3]], gap=[[0.3, 0.2, 0.1]])


class TestSpace:
    def test_entries(self):
        """Join the families of all entries in their order."""
        found = space(
            [
                {"rule": "repeat(answer) & margin > ?", "cuts": "exact"},
                {"family": "guard", "cuts": [0.1, 0.2], "max_cells": 100, "preset": None},
                {"family": "fixed"},
                {"rule": parse("margin > 0.2")},
            ],
            TABLE,
        )
        assert [(family.name, family.cuts) for family in found.families] == [
            ("rule", Exact()),
            ("guard", Given((0.1, 0.2))),
            ("fixed", DEFAULT_CUTS),
            ("rule", DEFAULT_CUTS),
        ]
        assert [family.max_cells for family in found.families] == [None, 100, None, None]

    def test_preset(self):
        """Name a preset by a text or by an entry."""
        assert space("default", TABLE) == space({"preset": "default"}, TABLE)

    def test_sum(self):
        """Add up, notes once."""
        one = Space((), ("a",))
        assert (one + one).notes == ("a",)

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ("defalt", "no preset is called 'defalt'.*did you mean 'default'"),
            ({"family": "guards"}, "no family is called 'guards'.*did you mean 'guard'"),
            ({"family": "guard", "cut": "exact"}, "no key 'cut'.*did you mean 'cuts'"),
            ({"cuts": "exact"}, "names one of preset, family, rule, not none"),
            ({"family": "guard", "rule": "margin > ?"}, "not family and rule"),
            ([], "nothing to search"),
            ({"rule": "margin > 0.1", "cuts": "exact"}, "has no . for its cuts"),
            ({"rule": "margin > ?"}, "say which cuts"),
            ({"preset": "default", "cuts": "exact"}, "chooses its own cuts"),
            ({"family": "guard", "max_cells": 0}, "max_cells = 0"),
            ({"family": "guard", "cuts": "quantile(3)"}, "did you mean quantiles"),
        ],
    )
    def test_errors(self, entry, message):
        """Name the nearest that exists, or what to write."""
        with pytest.raises(SearchError, match=message):
            space(entry, TABLE)

    def test_unreadable_rule(self):
        """Refuse a rule that the table cannot answer."""
        with pytest.raises(RuleError, match="margin"):
            space({"rule": "margn > ?", "cuts": "exact"}, TABLE)
        with pytest.raises(RuleError):
            space({"rule": "margin >", "cuts": "exact"}, TABLE)

    def test_empty_family(self):
        """Say why a family has no rule on a table."""
        with pytest.raises(SearchError, match=r"family guard has no rule on this table.*no answer"):
            space({"family": "guard"}, table(margin=[[0.1, 0.2]]))

    def test_too_many_shapes(self, monkeypatch):
        """Refuse a family that grows beyond what can be tried, before it is built."""
        monkeypatch.setattr("stoprule.enumerate.space.MOST_SHAPES", 100)
        t = table(**{name: [[0.1, 0.2]] for name in "abcdefghijklmnopqrst"})
        with pytest.raises(SearchError, match="more than 100 shapes with 20 signals"):
            space({"family": "soft_total"}, t)

    def test_quantiles_by_default(self):
        """Cut a family at ten quantiles when its entry does not say."""
        (family,) = space({"family": "threshold"}, TABLE).families
        assert family.cuts == Quantiles(10)
