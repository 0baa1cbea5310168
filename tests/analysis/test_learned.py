"""The learned stopper: backward induction, and the leaks it must not have."""

from dataclasses import replace

import numpy as np
import pytest
from stoprule.analysis import learned as module
from stoprule.analysis.learned import decision_rounds, folds, learn
from stoprule.analysis.learned_features import features
from stoprule.analysis.simplicity import Frozen, refit, simplicity
from stoprule.analysis.wording import Wording
from stoprule.rules.text import parse


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Enough for these signals, and quick."""
    monkeypatch.setitem(module.MODEL, "max_iter", 12)
    monkeypatch.setitem(module.MODEL, "learning_rate", 0.4)


def recorded(table, questions=160, rounds=3, seed=0, *, told=True):
    """Each question becomes right at some round and stays so; the margin tells, or is noise."""
    rng = np.random.default_rng(seed)
    turns = rng.integers(1, rounds + 1, questions)
    right = (np.arange(1, rounds + 1) >= turns[:, None]).astype(float)
    margin = right if told else rng.random((questions, rounds))
    return table(right.tolist(), margin=(margin + 0.1 * rng.random((questions, rounds))).tolist(), declared=(0, 1))


class TestFeatures:
    def test_by_hand(self, table):
        """Value, change, largest and smallest so far; cost; how long the answer has stood, how many there were."""
        t = table(
            [[0.0, 0.0, 0.0, 1.0]], margin=[[0.5, 0.2, np.nan, np.inf]], answer=[[7, 7, -1, 3]], cost=[[1, 2, 3, 9]]
        )
        found = features(t, ["margin"])[0]
        np.testing.assert_allclose(
            found,
            [
                [0.5, np.nan, 0.5, 0.5, 1, 1, 1],
                [0.2, -0.3, 0.5, 0.2, 2, 2, 1],
                [np.nan, np.nan, 0.5, 0.2, 3, 0, 1],
                [1e30, np.nan, 1e30, 0.2, 9, 1, 2],
            ],
        )

    def test_see_no_later_round_and_not_how_many_there_are(self, table):
        """Cut or change the rest of a trajectory: the history of the earlier rounds stays."""
        rng = np.random.default_rng(1)
        margin, answer = rng.random((20, 5)), rng.integers(-1, 3, (20, 5))
        whole = table(np.zeros((20, 5)).tolist(), margin=margin.tolist(), answer=answer.tolist())
        for r in range(1, 5):
            cut = table(np.zeros((20, r)).tolist(), margin=margin[:, :r].tolist(), answer=answer[:, :r].tolist())
            np.testing.assert_array_equal(features(whole, ["margin"])[:, :r], features(cut, ["margin"]))


class TestFolds:
    def test_keep_a_group_together_over_its_cells(self, table):
        """Neither rounds nor cells nor questions of a group are torn."""
        t = table(
            [[0.0]] * 40, cell=["x", "y"] * 20, question=[f"q{i // 2}" for i in range(40)],
            group=[f"g{i // 4}" for i in range(40)],
        )  # fmt: skip
        by_group = {group: set(folds(t)[t.group == group]) for group in set(t.group)}
        assert all(len(found) == 1 for found in by_group.values())
        assert set(folds(t)) == {0, 1, 2}


class TestDecisionRounds:
    def test_all_or_eight(self):
        """Never the last round, where there is nothing to decide."""
        assert decision_rounds(1) == ()
        assert decision_rounds(4) == (1, 2, 3)
        assert decision_rounds(40) == (1, 6, 12, 17, 23, 28, 34, 39)


class TestLearn:
    def test_a_signal_that_tells_is_learned(self, table):
        """Stop where the answer turns right, and at once where a round costs more than it can bring."""
        found = learn(recorded(table), ["margin"], [0.1, 2.0])
        fresh = recorded(table, seed=9)
        first_right = fresh.quality.argmax(axis=1) + 1
        assert (found.stop_rounds(fresh, 0) == first_right).mean() > 0.95
        assert (found.stop_rounds(fresh, 1) == 1).all()
        assert found.quality[0] > 0.95

    def test_noise_promises_nothing(self, table):
        """Cross-fitted and on fresh questions alike, trees on noise reach what the best fixed depth does."""
        gaps = []
        for seed in range(6):
            rng = np.random.default_rng(seed)
            quality = rng.integers(0, 2, (120, 4)).astype(float)  # no round is better than another
            t = table(quality.tolist(), margin=rng.random((120, 4)).tolist())
            gaps.append(learn(t, ["margin"], [0.0]).quality[0] - quality.mean())
        assert abs(np.mean(gaps)) < 0.035  # fitted on itself it promises .15 and more

    def test_a_question_does_not_decide_its_own_case(self, table, monkeypatch):
        """Give one group other outcomes: where its models are cross-fitted, its own last decision stays."""
        t = recorded(table, rounds=2, told=False)
        stops = {}

        def keep(*given, **named):
            models, stop = real(*given, **named)
            stops.setdefault("stop", []).append(stop)
            return models, stop

        real = module._backward
        monkeypatch.setattr(module, "_backward", keep)
        learn(t, ["margin"], [0.05])
        for q in (0, 17, 80):
            changed = t.quality.copy()
            changed[q] = 1 - changed[q, ::-1]
            learn(replace(t, outcomes={"f1": changed}), ["margin"], [0.05])
            assert stops["stop"][-1][q] == stops["stop"][0][q]

    def test_later_signals_do_not_move_an_earlier_stop(self, table):
        """Decisions at round r read rounds 1 to r (no peeking)."""
        found = learn(recorded(table), ["margin"], [0.1])
        fresh = recorded(table, seed=3)
        stop = found.stop_rounds(fresh, 0)
        spoilt = fresh.signals["margin"].copy()
        spoilt[np.arange(3) >= stop[:, None]] = -99.0
        again = found.stop_rounds(replace(fresh, signals={"margin": spoilt}), 0)
        assert (again[stop < 3] == stop[stop < 3]).all()

    def test_the_same_twice(self, table):
        """Same rows, same trees, same stops (case 21); another outcome, another fingerprint."""
        t = recorded(table)
        first, again = (learn(t, ["margin"], [0.1]).fingerprint for _ in range(2))
        assert first == again
        assert learn(recorded(table, seed=1), ["margin"], [0.1]).fingerprint != first

    def test_few_rows_leave_the_mean(self, table):
        """Five questions split no tree: all stop where stopping is worth more on average."""
        t = table([[0.0, 1.0]] * 5, margin=[[0.1, 0.9]] * 5)
        found = learn(t, ["margin"], [0.1, 2.0])
        assert [found.stop_rounds(t, i).tolist() for i in (0, 1)] == [[2] * 5, [1] * 5]

    def test_a_single_round_leaves_nothing_to_learn(self, table):
        """No decision, no model."""
        t = table([[1.0], [0.0]], margin=[[0.5], [0.1]])
        assert learn(t, ["margin"], [0.1]).stop_rounds(t, 0).tolist() == [1, 1]

    def test_ragged_and_missing(self, table):
        """A shorter trajectory ends at its last round; a signal that is never known is no obstacle."""
        t = table([[1.0, 1.0]] * 30 + [[0.0]] * 30, margin=[[np.nan, np.nan]] * 30 + [[np.nan]] * 30)
        stop = learn(t, ["margin"], [0.1]).stop_rounds(t, 0)
        assert set(stop[:30]) == {1}
        assert set(stop[30:]) == {1}


class TestPrices:
    def test_start_at_nothing_and_rise(self, table):
        """From free to a third of a standard deviation of quality for a step of cost."""
        t = recorded(table, questions=30)
        prices = learn(t, ["margin"]).prices
        assert prices[0] == 0
        assert list(prices) == sorted(prices)
        assert prices[-1] == pytest.approx(0.3 * t.quality.std())

    def test_cost_in_tokens(self, table):
        """A price is quality for a unit of cost: hundredfold costs, a hundredth of the price."""
        t = recorded(table, questions=30)
        dear = replace(t, cost=100 * t.cost)
        assert learn(dear, ["margin"]).prices == pytest.approx(np.array(learn(t, ["margin"]).prices) / 100)


class TestSimplicity:
    @pytest.fixture
    def selection(self, table):
        """What the stopper is fitted on."""
        return recorded(table)

    def test_the_price_is_the_nearest_in_selection_cost(self, selection):
        """Chosen by what the locked rule costs on the selection split."""
        found = learn(selection, ["margin"], [0.0, 0.1, 2.0])
        assert found.cost[2] == 1
        assert Frozen.of(found, 1.1).chosen == 2
        assert Frozen.of(found, 9.0).chosen == int(found.cost.argmax())

    def test_fitted_again_it_is_recognised(self, selection, table):
        """The lock's recipe on the lock's rows gives the lock's stopper; on other rows another one."""
        entry = Frozen.of(learn(selection, ["margin"], [0.1]), 2.0).to_dict()
        assert refit(selection, entry).fingerprint == entry["fingerprint"]
        assert refit(recorded(table, seed=5), entry) is None

    def test_what_the_rule_gives_away(self, selection, table):
        """A rule that always stops at once gives away what the signal would have told."""
        found = learn(selection, ["margin"], [0.1])
        fresh = recorded(table, seed=9)
        at_once = simplicity(fresh, parse("fixed(1)"), found, chosen=0, draws=100, seed=1, interval="percentile")
        right_at_once = fresh.quality[:, 0].mean()
        assert at_once.given_away.value == pytest.approx(at_once.frontier[0].quality.value - right_at_once)
        assert at_once.given_away.low > 0.3
        assert at_once.cost_difference.value == pytest.approx(at_once.frontier[0].cost.value - 1)
        good = simplicity(fresh, parse("margin > 0.5"), found, chosen=0, draws=100, seed=1, interval="percentile")
        assert abs(good.given_away.value) < 0.05

    def test_said_in_words(self, selection, table):
        """Points with an interval, at which cost, and that it is a lower bound."""
        found = learn(selection, ["margin"], [0.1])
        result = simplicity(
            recorded(table, seed=9), parse("fixed(1)"), found, chosen=0, draws=100, seed=1, interval="percentile"
        )
        said = result.sentence(Wording("f1", "calls", percent=True))
        assert "the one-line rule gives away +" in said
        assert "more calls than the rule" in said
        assert "lower bound" in said
