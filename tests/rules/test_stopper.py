"""The live stopper: by hand, what it refuses, and equal to replay."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from stoprule.analysis.lock import lock_bytes
from stoprule.rules.arrays import fires, kleene
from stoprule.rules.evaluate import Decision, decisions, rounds_of, truth
from stoprule.rules.stopper import Stopper
from stoprule.rules.text import parse
from stoprule.trajectories.calibration import fit
from stoprule.trajectories.errors import CalibrationError, LockError, RuleError, TrajectoryError

from .strategies import rules_strategy, tables_strategy
from .tables import MISSING, table

GUARD = parse("repeat(answer) & margin > 0.25")


class TestObserve:
    def test_by_hand(self):
        """Stop where the answer repeats and the margin passes, and not before."""
        stopper = Stopper(GUARD)
        assert stopper.observe(answer="Paris", margin=0.9) == Decision(1, False, stop=False)
        assert stopper.observe(answer="Rome", margin=None) == Decision(2, False, stop=False)
        assert stopper.observe(answer="the rome!", margin=None) == Decision(3, None, stop=False)
        assert stopper.observe(answer="Rome.", margin=0.26) == Decision(4, True, stop=True)

    @pytest.mark.parametrize("missing", [None, MISSING, np.float64("nan")])
    def test_missing_margin(self, missing):
        """Stop at round 2 of the margins (missing, 0.5) (case 1)."""
        stopper = Stopper(parse("margin > 0.25"))
        assert stopper.observe(margin=missing) == Decision(1, None, stop=False)
        assert stopper.observe(margin=0.5) == Decision(2, True, stop=True)

    @pytest.mark.parametrize(
        ("first", "second"), [("A", "The"), (None, None), ("", ""), ("?!", "..."), (MISSING, MISSING)]
    )
    def test_nothing_repeats_nothing(self, first, second):
        """Never take two answers of which nothing is left for a repeat (case 18)."""
        stopper = Stopper(parse("repeat(answer)"), normalise="squad")
        stopper.observe(answer=first)
        assert stopper.observe(answer=second).value is False

    def test_normaliser(self):
        """Compare answers as the study does."""
        for how, equal in (("robust", True), ("exact", False)):
            stopper = Stopper(parse("repeat(answer)"), normalise=how)
            stopper.observe(answer="−3.5")
            assert stopper.observe(answer="-3.5").stop is equal

    def test_answers_that_are_no_text(self):
        """Compare classes and numbers by their text."""
        stopper = Stopper(parse("streak(answer, 3)"))
        assert [stopper.observe(answer=answer).stop for answer in (7, np.int64(7), "7")] == [
            False,
            False,
            True,
        ]

    def test_numbers_of_any_kind(self):
        """Take numpy's numbers, Booleans and whole numbers; float32 is upcast exactly."""
        stopper = Stopper(parse("done & total(a, b) == 3.5"))
        assert stopper.observe(done=np.bool_(True), a=np.float32(0.5), b=np.int16(3)).stop

    def test_cost(self):
        """Read what was spent, in its own unit."""
        stopper = Stopper(parse("cost >= 500"))
        assert [stopper.observe(cost=cost).stop for cost in (200, 499.5, 500)] == [False, False, True]

    def test_odd_names(self):
        """Accept names that are no identifiers, and the name `self`."""
        stopper = Stopper(parse('signal("top score") > 1 & signal("self") > 1'))
        assert stopper.observe(**{"top score": 2.1, "self": 2}).stop

    def test_reset(self):
        """Begin again without a memory of the trajectory before."""
        stopper = Stopper(GUARD)
        for _ in range(2):
            assert not stopper.observe(answer="x", margin=1.0).stop
            assert stopper.observe(answer="x", margin=1.0).stop
            stopper.reset()


class TestRefusals:
    @pytest.mark.parametrize(
        ("observed", "message"),
        [
            ({"answer": "x"}, r"round 2: the rule reads margin: observe it, as None where it is missing"),
            ({"margin": 1.0}, r"round 2: the rule reads answer: observe it"),
            ({}, r"the rule reads margin, answer: observe"),
            (
                {"answer": "x", "margin": 1.0, "f1": 1.0},
                r"round 2: the rule reads no signal 'f1'; it reads margin",
            ),
            (
                {"answer": "x", "margn": 1.0},
                r"reads no signal 'margn' \(did you mean 'margin'\?\); it reads margin",
            ),
            ({"answer": "x", "margin": "0.5"}, r"round 2: margin must be a number, .* not '0.5'"),
            ({"answer": "x", "margin": np.ones(2)}, r"margin must be a number"),
            ({"answer": "x", "margin": 10**400}, r"margin must be a number"),
        ],
    )
    def test_round_that_cannot_be_judged(self, observed, message):
        """Name what is forgotten, unknown or of the wrong kind; the round does not count."""
        stopper = Stopper(GUARD)
        stopper.observe(answer="x", margin=0.5)
        with pytest.raises(RuleError, match=message) as error:
            stopper.observe(**observed)
        assert "\n" not in str(error.value)
        assert stopper.observe(answer="x", margin=0.5) == Decision(2, True, stop=True)

    def test_after_the_stop(self):
        """Refuse another round and say the way out."""
        stopper = Stopper(parse("round >= 1"))
        stopper.observe()
        with pytest.raises(RuleError, match=r"the rule stopped at round 1; call reset\(\)"):
            stopper.observe()

    def test_number_for_a_boolean(self):
        """Take 0 and 1 for a Boolean signal, and nothing between."""
        stopper = Stopper(parse("done"))
        assert stopper.observe(done=0).value is False
        with pytest.raises(RuleError, match=r"round 2: done is true or false to the rule, not 0\.7"):
            stopper.observe(done=0.7)

    @pytest.mark.parametrize(
        ("cost", "message"),
        [
            ({}, "the rule reads the cost: observe what has been spent"),
            ({"cost": None}, "cost must be a finite number, not None"),
            ({"cost": float("inf")}, "cost must be a finite number, not inf"),
            ({"cost": 4.0}, "cannot fall from 5 to 4"),
        ],
    )
    def test_cost(self, cost, message):
        """Refuse what a table refuses: no cost, one that is missing, infinite or falls."""
        stopper = Stopper(parse("cost > 9"))
        stopper.observe(cost=5.0)
        with pytest.raises(RuleError, match=message):
            stopper.observe(**cost)

    def test_rounds_as_cost(self):
        """Know the cost where a round costs one, and refuse another."""
        stopper = Stopper(parse("cost >= 2"), cost_is_round=True)
        assert not stopper.observe().stop
        with pytest.raises(RuleError, match="is the number of rounds: leave cost out"):
            stopper.observe(cost=900)
        assert stopper.observe().stop

    def test_rule_that_cannot_run(self):
        """Say at once, not in the middle of a run, that something cannot work."""
        with pytest.raises(RuleError, match="still to be chosen"):
            Stopper(parse("margin > ?"))
        with pytest.raises(RuleError, match=r"a signal named 'answer', .* rename it"):
            Stopper(parse('signal("answer") > 1'))
        with pytest.raises(TrajectoryError, match="no normaliser 'robst'"):
            Stopper(GUARD, normalise="robst")


RECORDED = table(
    answer=[[0, 0, 1], [0, 1, 1], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
    margin=[
        [0.1, 0.6, 0.3],
        [0.2, 0.1, 0.5],
        [0.7, 0.9, 0.8],
        [0.4, MISSING, 0.9],
        [0.5, 0.2, 0.6],
        [0.8, 0.3, 0.1],
    ],
    quality=[
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 0.0, 0.0],
    ],
    cells=["bm25"] * 3 + ["dense"] * 3,
)
CALIBRATOR = fit(RECORDED, name="margin_cal", signal="margin", target="f1", by="pooled", missing=0.5)
CALIBRATED = RECORDED.with_signal("margin_cal", CALIBRATOR.apply(RECORDED))
CALIBRATED_GUARD = parse("repeat(answer) & margin_cal >= 0.5")


class TestCalibrated:
    def test_from_the_raw_signal(self):
        """Decide live, out of the raw signal, as replay does on the calibrated one."""
        replayed = fires(CALIBRATED_GUARD, CALIBRATED)
        for q in range(len(RECORDED)):
            stopper = Stopper(CALIBRATED_GUARD, calibrators=[CALIBRATOR], cell=RECORDED.cell[q])
            assert stopper.reads == {"margin"}
            for r, seen in enumerate(rounds_of(RECORDED, q)):
                decision = stopper.observe(answer=seen.answer, margin=seen.signals["margin"])
                assert decision.stop == replayed[q, r]
                if decision.stop:
                    break

    def test_calibrated_value_is_refused(self):
        """Ask for the raw signal instead, so that nobody calibrates twice."""
        stopper = Stopper(CALIBRATED_GUARD, calibrators=[CALIBRATOR], cell="bm25")
        with pytest.raises(RuleError, match="'margin_cal' is worked out from 'margin': observe that"):
            stopper.observe(answer="x", margin=0.3, margin_cal=0.5)

    def test_unknown_cell(self):
        """Refuse a cell without a fit before the first round."""
        with pytest.raises(CalibrationError, match='for the cell "bm52"'):
            Stopper(CALIBRATED_GUARD, calibrators=[CALIBRATOR], cell="bm52")

    def test_unread_calibrator(self):
        """Ignore calibrators of signals that the rule does not read."""
        assert Stopper(GUARD, calibrators=[CALIBRATOR]).reads == {"margin"}

    def test_as_true_or_false(self):
        """Refuse to take a calibrated signal, a number, as a Boolean."""
        with pytest.raises(RuleError, match="takes the number margin_cal as true or false"):
            Stopper(parse("margin_cal"), calibrators=[CALIBRATOR], cell="bm25")


class TestFromLock:
    @pytest.fixture
    def lock(self, tmp_path):
        """The lock of a guard on the calibrated margin."""
        path = tmp_path / "lock.json"
        path.write_bytes(
            lock_bytes(
                rule=CALIBRATED_GUARD,
                plateaus=[],
                selection=CALIBRATED,
                calibrators=[CALIBRATOR],
                calibration={},
                split={},
                policy={},
                figures={},
                evaluate={},
                baselines=[],
                comparator=None,
                tried=1,
                distinct=1,
            )
        )
        return path

    def test_same_decisions(self, lock):
        """Decide as the stopper that was built by hand."""
        by_hand = Stopper(CALIBRATED_GUARD, calibrators=[CALIBRATOR], cell="dense")
        stopper = Stopper.from_lock(lock, cell="dense")
        assert stopper.rule == CALIBRATED_GUARD
        for answer, margin in (("x", 0.9), ("y", 0.1), ("y", None)):
            assert stopper.observe(answer=answer, margin=margin) == by_hand.observe(answer=answer, margin=margin)

    def test_names(self, lock):
        """Accept the study's other signals; refuse its outcomes."""
        stopper = Stopper.from_lock(lock, cell="dense")
        with pytest.raises(RuleError, match="no signal 'f1'"):
            stopper.observe(answer="x", margin=0.9, f1=1.0)

    def test_changed_lock(self, lock):
        """Refuse a lock that was changed by hand (case 27)."""
        content = json.loads(lock.read_text())
        lock.write_text(json.dumps({**content, "rule": "margin_cal > 0.1"}, indent=2))
        with pytest.raises(LockError):
            Stopper.from_lock(lock, cell="dense")


# Texts of the codes of `tables_strategy`, spelled differently each time.
TEXTS = {None: (None, "", "?!"), 0: ("Paris", "paris", "the Paris."), 1: ("Rome", "ROME", "“Rome”")}


def observed(seen, rule):
    """One recorded round as a live process would report it."""
    reported = {name: seen.signals[name] for name in rule.signals}
    return {"answer": TEXTS[seen.answer][hash(seen.cost) % 3], "cost": seen.cost, **reported}


def by_arrays(rule, t):
    """True, False or None at every recorded round, a list a trajectory."""
    true, false = kleene(rule, t)
    values = np.where(true, True, np.where(false, False, None))
    return [row[:length].tolist() for row, length in zip(values, t.length, strict=True)]


class TestThreeWays:
    @given(rule=rules_strategy(), t=tables_strategy())
    @settings(max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
    def test_definition_arrays_and_stopper_agree(self, rule, t):
        """Agree on 2,000 random rules and ragged tables with ties, missing values and one-round questions."""
        for q, values in enumerate(by_arrays(rule, t)):
            rounds = list(rounds_of(t, q))
            assert values == [truth(rule, rounds[:r]) for r in range(1, len(rounds) + 1)]
            stop = values.index(True) + 1 if True in values else len(rounds)
            stopper = Stopper(rule)
            live = [stopper.observe(**observed(seen, rule)) for seen in rounds[:stop]]
            assert live == list(decisions(rule, rounds))
            assert [said.value for said in live] == values[:stop]
            assert [said.stop for said in live] == fires(rule, t)[q, :stop].tolist()
