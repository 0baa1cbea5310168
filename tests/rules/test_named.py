"""The published rules by name."""

import pytest
from stoprule.rules.named import NAMED, fixed, tasr
from stoprule.rules.text import parse

# The rule table of TASR (arXiv 2606.13814), as text.
PUBLISHED = {
    "AS": "repeat(answer)",
    "AS_m20": "repeat(answer) & margin_cal > 0.20",
    "AS_m25": "repeat(answer) & margin_cal > 0.25",
    "famA": "margin_cal > 0.725 | overlap > 0.15",
    "famB": "conf_cal > 0.60 | margin_cal > 0.675 | overlap > 0.15",
    "famA_m20": "margin_cal > 0.725 | (overlap > 0.15 & margin_cal > 0.20)",
    "famB_m20": "margin_cal > 0.675 | (conf_cal > 0.60 & margin_cal > 0.20) | (overlap > 0.15 & margin_cal > 0.20)",
    "C2of4": "at_least(2, repeat(answer), margin_cal > 0.6, overlap > 0.15, conf_cal > 0.7)",
    "D_soft15": "total(repeat(answer), clip(margin_cal, 0, inf), overlap) > 1.5",
}


class TestNamed:
    """The rules that the paper compares."""

    @pytest.mark.parametrize("name", PUBLISHED)
    def test_equals_its_published_text(self, name):
        """Build each rule as it was published."""
        assert NAMED[name] == parse(PUBLISHED[name])

    def test_holds_no_other(self):
        """Hold the table's rules, in its order, unchangeably."""
        assert list(NAMED) == list(PUBLISHED)
        with pytest.raises(TypeError):
            NAMED["AS"] = tasr()

    def test_tasr_is_the_locked_one(self):
        """Take TASR's own rule to be the repeated answer with the floor of 0.25."""
        assert tasr() == NAMED["AS_m25"] == parse("tasr()")

    def test_fixed_is_a_comparison_of_the_round(self):
        """Give fixed(3) and round >= 3 one id."""
        assert fixed(3).id == parse("fixed(3)").id == parse("round >= 3").id
