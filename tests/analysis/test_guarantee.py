"""Selection that holds: the parts, the sequence, the tests, the claim."""

import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.analysis.betting import Bet, betting_p
from stoprule.analysis.certificate import certified
from stoprule.analysis.exact_margin import exact_margin_p
from stoprule.analysis.guarantee import Guarantee, Judged, Trial, parts, sequence
from stoprule.analysis.multiplicity import fixed_sequence
from stoprule.rules.named import fixed
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError, SelectionError, StudyError

POLICY = Guarantee(max_loss=0.05, alpha=0.1, of="fixed(2)")


@pytest.fixture
def trial_of(table):
    """Build a trial: one row a trajectory, its quality at two rounds."""

    def build(quality, policy=POLICY, **columns):
        return Trial(policy, parts(table(quality, **{"declared": (0.0, 1.0), **columns})))

    return build


def two_rounds(n: int, lost: int = 0, gained: int = 0, seed: int = 1) -> list[list[float]]:
    """Right and wrong: so many questions that round 2 answers and round 1 does not, and the reverse."""
    rows = [[0.0, 1.0]] * lost + [[1.0, 0.0]] * gained + [[1.0, 1.0]] * (n - lost - gained)
    return [rows[i] for i in np.random.default_rng(seed).permutation(n)]


class TestGuarantee:
    def test_of_is_kept_in_canonical_form(self):
        """Know fixed(2) by its rule."""
        assert POLICY.of == "round >= 2"

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"alpha": 0.0}, "alpha must lie between 0 and 1"),
            ({"max_loss": -0.1}, "max_loss is a mean loss that is still acceptable, not -0.1"),
            ({"max_loss": float("nan")}, "max_loss is a mean loss"),
            ({"also": {"em": -1.0}}, "em is a mean loss"),
            ({"of": "oracle"}, "of = 'oracle' reads the outcomes and cannot be deployed"),
        ],
    )
    def test_refusals(self, changed, said):
        """Refuse what cannot be tested or deployed."""
        with pytest.raises(SelectionError, match=said):
            replace(POLICY, **changed)


class TestParts:
    def test_a_third_by_hash_over_all_cells(self, table):
        """Rank blake2b("guarantee" + id) once for all cells; the first floor(n / 3) groups choose."""
        ids = [f"q{i:02}" for i in range(11)]
        found = parts(table([[1, 0]] * 22, cell=["a"] * 11 + ["b"] * 11, question=ids * 2))
        by_hash = sorted(ids, key=lambda one: hashlib.blake2b(f"guarantee{one}".encode()).digest())
        assert set(found.choosing.group) == set(by_hash[:3])
        assert found.certifying_ids == tuple(sorted(by_hash[3:]))
        assert (len(found.choosing), len(found.certifying)) == (6, 16)

    def test_groups_stay_whole(self, table):
        """Put all questions of a group into one part (case 25)."""
        found = parts(table([[1, 0]] * 12, group=[f"g{i // 2}" for i in range(12)]))
        assert set(found.choosing.group).isdisjoint(found.certifying.group)
        assert len(found.choosing) == 4

    def test_too_few_groups(self, table):
        """Refuse a part without a group, naming the cell."""
        with pytest.raises(SelectionError, match="the choosing third of 2 selection groups has none; record more"):
            parts(table([[1, 0]] * 2))
        with pytest.raises(SelectionError, match="has none in cell 'b'"):
            parts(table([[1, 0]] * 7, cell=["a"] * 6 + ["b"], question=[*"abcdef", "a"]))


class TestSequence:
    def test_best_quality_first(self):
        """Order the front by quality, cost, atoms and text."""
        rules = ["a > 1", "a > 1 & b > 1", "b > 1", "round >= 1", "round >= 9"]
        frame = pl.DataFrame(
            {
                "rule": rules,
                "quality": [0.5, 0.6, 0.6, 0.1, 0.9],
                "cost": [1.0, 2.0, 2.0, 0.5, 9.0],
                "on_front": [True, True, True, True, False],
            }
        )
        assert [str(rule) for rule in sequence(frame)] == ["b > 1", "a > 1 & b > 1", "a > 1", "round >= 1"]


class TestTrial:
    def test_hand_worked(self, trial_of):
        """Give the p-value of the recipe's own check vector: 50 losses of zero, mean 0, variance .02 on A."""
        trial = trial_of([[1, 1]] * 75)
        found = trial.test(fixed(1))
        assert len(found.losses[0]) == 50
        assert betting_p(np.zeros(50), max_loss=0.05, alpha=0.1, bet=Bet(0, 0.02)) == pytest.approx(0.0988612795)
        floored = Bet(0.0, 2 / 25)  # no variance on A's 25 counts as that of two questions which lose all
        assert found.p == (betting_p(np.zeros(50), max_loss=0.05, alpha=0.1, bet=floored),)

    @given(st.lists(st.sampled_from([0.01, 0.1, 0.10001, 0.2, 1.0]), min_size=1, max_size=6))
    @settings(max_examples=60, deadline=None)
    def test_up_to_the_first_failure(self, p):
        """Test in turn, end at the first failure, look at nothing after it (case 12)."""
        looked: list[int] = []

        class Stubbed(Trial):
            def __init__(self):
                self.policy = POLICY

            def test(self, rule, *, alpha=None):  # noqa: ARG002 - the form of the real one
                looked.append(int(str(rule).split()[-1]) - 1)
                return Judged(rule=rule, p=(p[looked[-1]],), losses=())

        trial = Stubbed()
        passed = trial.passed(trial.run([fixed(k + 1) for k in range(len(p))]))
        assert len(passed) == fixed_sequence(p, alpha=0.1)
        assert looked == list(range(min(len(passed) + 1, len(p))))

    def test_in_every_cell_takes_the_largest_p(self, trial_of):
        """Fail where one cell fails, though the macro mean passes."""
        ids = [f"q{i:03}" for i in range(300)]
        quality = two_rounds(300, lost=36) + two_rounds(300, gained=90)
        columns = {"cell": ["bad"] * 300 + ["good"] * 300, "question": ids * 2}
        macro = trial_of(quality, **columns).test(fixed(1))
        every = trial_of(quality, replace(POLICY, in_every_cell=True), **columns).test(fixed(1))
        assert macro.largest_p <= 0.1
        assert len(every.p) == 2
        assert every.p[1] <= 0.1 < every.p[0] == every.largest_p

    def test_further_outcomes(self, trial_of):
        """Hold each outcome to its own limit; the largest p decides."""
        policy = replace(POLICY, also={"em": 0.02})
        trial = trial_of([[1, 1]] * 300, policy, outcomes={"em": two_rounds(300, lost=60)})
        found = trial.test(fixed(1))
        assert [each.outcome for each in trial.constraints] == ["f1", "em"]
        assert found.p[0] <= 0.1 < found.p[1] == found.largest_p

    def test_exact(self, trial_of):
        """Give Tango's p-value where it was asked for."""
        trial = trial_of(two_rounds(90, lost=4, gained=3), replace(POLICY, test="exact"))
        found = trial.test(fixed(1))
        assert found.p == (exact_margin_p(found.losses[0], max_loss=0.05),)

    def test_comparison_with_all_at_once(self, trial_of):
        """Certify by Bonferroni and Holm what has no loss, and nothing that loses much."""
        trial = trial_of(two_rounds(400, lost=80))
        found = trial.without_sequence([fixed(2), fixed(1)])
        assert found == {"bonferroni": [fixed(2)], "holm": [fixed(2)]}

    def test_power_is_that_of_what_a_hopes_for(self, trial_of):
        """Take the last rule within the limit on A, and know nothing of B."""
        quality = two_rounds(297, gained=30)
        trial = trial_of(quality)
        hoped, (found,) = trial.certifiable([fixed(2), fixed(1)])
        assert hoped == fixed(1)
        assert found.certifying == 198
        b_spoilt = trial_of(quality)
        b_spoilt.parts.certifying.quality[:] = 0.5
        assert b_spoilt.certifiable([fixed(2), fixed(1)])[1] == [found]

    def test_power_of_the_exact_test(self, trial_of):
        """Simulate the test that was asked for."""
        quality = two_rounds(150, lost=6, gained=6)
        betting, exact = (
            trial_of(quality, replace(POLICY, test=test)).certifiable([fixed(1)])[1][0].max_loss
            for test in ("betting", "exact")
        )
        assert 0.03 < exact < betting

    @pytest.mark.parametrize(
        ("policy", "columns", "error", "said"),
        [
            (POLICY, {"declared": None}, StudyError, "needs data.range"),
            (replace(POLICY, of="margn > 1"), {"margin": [[1, 2]] * 9}, RuleError, "margin"),
            (replace(POLICY, also={"em": 0.1}), {}, StudyError, "no outcome 'em'"),
            (replace(POLICY, also={"em": 0.1}), {"outcomes": {"em": [[0, 7]] * 9}}, StudyError, "leaves the declared"),
            (
                replace(POLICY, test="exact"),
                {"cell": [*"aaaaaaaab"], "question": [*"abcdefgha"]},
                SelectionError,
                "record more|in one cell or with in_every_cell",
            ),
            (
                replace(POLICY, test="exact"),
                {"group": [f"g{i // 3}" for i in range(9)]},
                SelectionError,
                "for one trajectory a group",
            ),
            (replace(POLICY, max_loss=1.0), {}, StudyError, "max_loss must be a finite number below the largest"),
        ],
    )
    def test_refusals(self, trial_of, policy, columns, error, said):
        """Refuse what the test is not valid for."""
        with pytest.raises(error, match=said):
            trial_of([[1, 0]] * 9, policy, **columns).run([fixed(1)])


class TestCertificate:
    def test_claim(self, trial_of):
        """Name the population, the unit, the loss, the reference and the error."""
        found = certified(trial_of([[1, 1]] * 300), [fixed(2), fixed(1)])
        assert found.rule == fixed(1)
        assert found.claim() == (
            "on new groups from the population of the certifying ones, groups weighing equally (200 groups), "
            "`round >= 1` loses on average less than 5.0 F1 points to fixed(2): a wrong claim has probability 0.1 at "
            "most, betting test, finite-sample"
        )
        assert found.certifying_figures() == {"quality": 1.0, "cost": 1.0, "calls": 1.0, "fired": 200}

    def test_none_passed(self, trial_of):
        """Answer with the reference itself, whose loss is zero."""
        found = certified(trial_of(two_rounds(60, lost=30)), [fixed(1)])
        assert (found.rule, found.passed) == (fixed(2), [])
        assert "no rule passed: the answer is fixed(2) itself, whose loss is zero" in found.claim()

    @pytest.mark.parametrize(
        ("cells", "said"),
        [
            ({"a": range(90), "b": range(90)}, "60 groups, each the mean over its cells"),
            ({"a": range(80), "b": range(10, 90)}, r"the \d+ of 60 groups that are in every cell"),
            ({"a": range(90), "b": range(90, 180)}, r"\d+ tuples over the cells of \d+ of 120 groups\)"),
            (
                {"a": range(60), "b": [*range(30), *range(60, 90)], "c": range(30, 90)},
                "no finite-sample claim",
            ),
        ],
    )
    def test_the_unit_is_named(self, trial_of, cells, said):
        """Say what was made of the cells: shared, common, disjoint, or disjoint with shared questions."""
        pairs = [(cell, f"q{i:03}") for cell, ids in cells.items() for i in ids]
        trial = trial_of([[1, 1]] * len(pairs), cell=[c for c, _ in pairs], question=[q for _, q in pairs])
        found = certified(trial, [fixed(1)])
        text = found.claim() if found.passed else str(trial.constraints[0].certifying)
        assert re.search(said, text)
        assert found.finite_sample == ("no finite" not in said)

    def test_several_limits(self, trial_of):
        """Name every limit, and say the power of each."""
        policy = replace(POLICY, also={"em": 0.1}, in_every_cell=True)
        ids = [f"q{i:03}" for i in range(240)]
        trial = trial_of(
            [[1, 1]] * 480, policy, cell=["a"] * 240 + ["b"] * 240, question=ids * 2, outcomes={"em": [[1, 1]] * 480}
        )
        found = certified(trial, [fixed(1)])
        assert "less than 5.0 F1 points in a and 5.0 F1 points in b and 10.0 EM points in a and" in found.claim()
        assert [line.split(": ")[0] for line in found.to_dict()["power"]["sentences"]] == [
            "f1 in a",
            "f1 in b",
            "em in a",
            "em in b",
        ]

    def test_the_entry_of_the_lock(self, trial_of):
        """Hold what was tested, its p-values, and others beside that decide nothing."""
        quality = two_rounds(240, lost=20, gained=20)
        entry = certified(trial_of(quality), [fixed(2), fixed(1)]).to_dict()
        assert json.loads(json.dumps(entry, allow_nan=False)) == entry
        assert [each["rule"] for each in entry["tested"]] == ["round >= 2", "round >= 1"]
        assert entry["tested"][0]["by_constraint"][0]["mean_loss"] == 0
        beside = entry["tested"][1]["by_constraint"][0]["for_comparison"]
        assert set(beside) == {"exact", "hoeffding_bentkus", "t_asymptotic"}
        assert None not in beside.values()
        assert (entry["choosing_groups"], entry["certifying_groups"]) == (80, 160)

    def test_the_order_of_b_has_no_knob(self, trial_of):
        """Give the same certificate whatever the order of the rows (a seed there is none)."""
        quality = two_rounds(90, lost=3, gained=9)
        ids = [f"q{i:03}" for i in range(90)]
        once = certified(trial_of(quality, question=ids), [fixed(1)]).to_dict()
        again = certified(trial_of(quality[::-1], question=ids[::-1]), [fixed(1)]).to_dict()
        assert once["tested"] == again["tested"]


def test_rules_are_tested_as_they_are_written(table):
    """Take the literal cut to B, where it may part what A did not."""
    margin = [[float(i % 7), 9.0] for i in range(30)]
    trial = Trial(POLICY, parts(table([[0, 1]] * 30, margin=margin, declared=(0.0, 1.0))))
    rule = parse("margin > 3.5")
    shares = [float(np.mean(trial.losses(rule, part)[0])) for part in ("choosing", "certifying")]
    stopped = [t.signals["margin"][:, 0] > 3.5 for t in (trial.parts.choosing, trial.parts.certifying)]
    assert shares == pytest.approx([each.mean() for each in stopped])
