"""Tokens, seconds, money and energy out of rounds."""

import numpy as np
import pytest
from stoprule.analysis.baselines import stops
from stoprule.analysis.costs import CostModel, cost_figures
from stoprule.rules.named import fixed
from stoprule.rules.text import parse
from stoprule.trajectories.errors import StudyError

EVERYTHING = {
    "prompt_tokens": "prompt",
    "answer_tokens": "answer",
    "prompt_tokens_per_second": 1000,
    "answer_tokens_per_second": 50,
    "seconds_per_call": 0.5,
    "price_per_million_prompt_tokens": 2.0,
    "price_per_million_answer_tokens": 10.0,
    "joules_per_prompt_token": 0.1,
    "joules_per_answer_token": 2.0,
    "pue": 1.5,
    "grams_co2_per_kwh": 400,
}


@pytest.fixture
def small(table):
    """Two questions: 300 and 500 tokens read, 10 and 20 written; then 400 and 5."""
    return table(
        [[0.0, 1.0], [1.0]],
        margin=[[0.1, 0.9], [0.9]],
        measures={"prompt": [[300, 500], [400]], "answer": [[10, 20], [5]]},
    )


class TestSpent:
    def test_by_hand(self, small):
        """Sum the rounds up to the stop; every figure from its stated numbers."""
        found = CostModel.from_dict(EVERYTHING).spent(small, np.array([2, 1]), ())
        assert found["tokens"] == pytest.approx([830, 405])
        assert found["seconds"] == pytest.approx([0.8 + 0.6 + 1.0, 0.4 + 0.1 + 0.5])
        assert found["money"] == pytest.approx([(800 * 2 + 30 * 10) / 1e6, (400 * 2 + 5 * 10) / 1e6])
        joules = np.array([800 * 0.1 + 30 * 2, 400 * 0.1 + 5 * 2])
        assert found["energy"] == pytest.approx(joules * 1.5 / 3600)
        assert found["co2"] == pytest.approx(joules * 1.5 / 3.6e6 * 400)

    def test_prompts_that_grow_by_passage(self, small):
        """Without a column: 200 tokens and 100 more for each passage, 300 + 400 in two rounds."""
        model = CostModel.from_dict({"prompt_tokens": {"base": 200, "per_round": 100}})
        assert model.spent(small, np.array([2, 1]), ())["tokens"].tolist() == [700, 300]
        assert model.measures == ()

    def test_what_is_not_stated_is_not_derived(self, small):
        """No figure out of nothing."""
        assert CostModel().spent(small, np.array([1, 1]), ()) == {}
        assert list(CostModel(seconds_per_call=2.0).units) == ["seconds"]
        priced = CostModel(prompt_tokens="prompt", price_per_million_prompt_tokens=1.0, currency="EUR")
        assert priced.units == {"tokens": "tokens", "money": "EUR"}

    def test_an_extra_call_is_charged_to_the_rules_that_read_it(self, small):
        """The judge is asked in every round that a reading rule runs, and by no other."""
        judge = {"name": "judge", "signals": ["confidence"], "prompt_tokens": 50, "answer_tokens": 1, "price": 0.01}
        model = CostModel.from_dict({**EVERYTHING, "extra": [judge]})
        without, asked = (model.spent(small, np.array([2, 1]), reads) for reads in (("margin",), ("confidence",)))
        assert asked["tokens"] - without["tokens"] == pytest.approx([102, 51])
        assert asked["money"] - without["money"] == pytest.approx([2 * (0.01 + 110 / 1e6), 0.01 + 110 / 1e6])
        assert asked["seconds"] - without["seconds"] == pytest.approx([2 * 0.07, 0.07])

    def test_mistakes(self, table):
        """A rate without its tokens, a footprint without energy, a negative count."""
        with pytest.raises(StudyError, match=r"costs\.answer_tokens_per_second needs costs\.answer_tokens"):
            CostModel(answer_tokens_per_second=50)
        with pytest.raises(StudyError, match=r"costs\.grams_co2_per_kwh needs"):
            CostModel(prompt_tokens="prompt", grams_co2_per_kwh=400)
        t = table([[1.0]], measures={"prompt": [[-5]]})
        with pytest.raises(StudyError, match="'prompt' has a negative number of tokens"):
            CostModel(prompt_tokens="prompt").spent(t, np.array([1]), ())


class TestCostFigures:
    def test_against_baselines(self, small):
        """Mean, difference and ratio, on the same resamples."""
        rule = parse("margin > 0.5")
        pairs = [(one, stops(one, small)) for one in (rule, fixed(1), fixed(2))]
        model = CostModel.from_dict(EVERYTHING)
        tokens, *rest = cost_figures(
            small, model, pairs[0], pairs[1:], calibrated={}, draws=100, seed=1, interval="percentile"
        )
        assert [one.name for one in rest] == ["seconds", "money", "energy", "co2"]
        assert tokens.value.value == pytest.approx((830 + 405) / 2)
        assert tokens.baselines["fixed(1)"].value == pytest.approx((310 + 405) / 2)
        assert tokens.differences["fixed(1)"].value == pytest.approx(520 / 2)
        assert tokens.ratios["fixed(2)"].value == 1
        assert tokens.value.low < tokens.value.value < tokens.value.high
        assert rest[1].unit == "USD"

    def test_a_calibrated_signal_costs_what_it_is_made_of(self, table):
        """A rule on conf_cal asks the judge, as one on confidence does."""
        t = table([[0.0, 1.0]], signals={"conf_cal": [[0.1, 0.9]]})
        judge = {"name": "judge", "signals": ["confidence"], "seconds": 3.0}
        model = CostModel.from_dict({"seconds_per_call": 1.0, "extra": [judge]})
        pairs = [(one, stops(one, t)) for one in (parse("conf_cal > 0.5"), fixed(2))]
        (seconds,) = cost_figures(
            t, model, pairs[0], pairs[1:], calibrated={"conf_cal": "confidence"}, draws=5, seed=1, interval="percentile"
        )
        assert (seconds.value.value, seconds.baselines["fixed(2)"].value) == (8.0, 2.0)
