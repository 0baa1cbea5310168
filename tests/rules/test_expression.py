"""What a rule is, and its Python form."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.rules.build import (
    COST,
    ROUND,
    at_least,
    change,
    clip,
    fixed,
    missing,
    repeat,
    signal,
    so_far_max,
    so_far_min,
    streak,
    total,
)
from stoprule.rules.expression import HOLE, And, Compare, Flag, Or, Signal, Total
from stoprule.trajectories.errors import RuleError

from .strategies import ANY_CUTS, ANY_NAMES, rules_strategy

SPELLED = rules_strategy(signals=ANY_NAMES, flags=ANY_NAMES, cuts=ANY_CUTS)
margin, overlap = signal("margin"), signal("overlap")


class TestPythonForm:
    """Python's operators build the tree; nothing is evaluated."""

    @pytest.mark.parametrize(
        ("rule", "text"),
        [
            (margin > 0.25, "margin > 0.25"),
            (0.25 < margin, "margin > 0.25"),  # noqa: SIM300
            (margin == 1, "margin == 1"),
            (margin != 1, "margin != 1"),
            (margin > HOLE, "margin > ?"),
            (np.float64(0.25) <= margin, "margin >= 0.25"),
            (margin <= np.int64(3), "margin <= 3"),
            (ROUND >= 2, "round >= 2"),
            (COST < 500, "cost < 500"),
            (repeat("answer"), "repeat(answer)"),
            (streak("answer", 2), "repeat(answer)"),
            (streak("answer", 3), "streak(answer, 3)"),
            (missing(margin), "missing(margin)"),
            (change(margin) < 0.05, "change(margin) < 0.05"),
            (so_far_max(margin) >= 0.8, "so_far_max(margin) >= 0.8"),
            (so_far_min(margin) <= 0, "so_far_min(margin) <= 0"),
            (clip(margin, 0, float("inf")) > 1, "clip(margin, 0, inf) > 1"),
            (total(repeat(), margin, signal("done")) > 1.5, "total(done, margin, repeat(answer)) > 1.5"),
            (
                at_least(2, repeat(), margin > 1, signal("done")),
                "at_least(2, done, margin > 1, repeat(answer))",
            ),
            (fixed(3), "round >= 3"),
            (signal("done") & repeat(), "done & repeat(answer)"),
            (~signal("done"), "~done"),
            (signal("cost") > 1, 'signal("cost") > 1'),
        ],
    )
    def test_spells(self, rule, text):
        """Spell each face function and operator as its text."""
        assert str(rule) == text

    def test_has_no_truth_value(self):
        """Refuse `and`, `if` and chained comparisons, and say why."""
        for mistake in (
            lambda: (margin > 1) and repeat(),
            lambda: 0 < margin < 1,
            lambda: margin or repeat(),
        ):
            with pytest.raises(RuleError, match=r"no truth value .* combine rules with &, \| and ~"):
                mistake()

    @pytest.mark.parametrize(
        ("mistake", "message"),
        [
            (lambda: (margin > 0.25) & 1, r"1 stands where a rule is expected: .* write \(signal"),
            (lambda: 0.25 & repeat(), r"0.25 stands where a rule is expected"),
            (lambda: ROUND & repeat(), "`round` is a number where a rule is expected: compare it"),
            (lambda: ~change(margin), r"`change\(margin\)` is a number where a rule is expected"),
            (lambda: margin > overlap, "`margin > overlap`: a term is compared with a number"),
            (lambda: margin > "0.5", "the cut of `margin > ...` must be a number, not '0.5'"),
            (lambda: margin == True, "must be a number, not True"),  # noqa: E712
            (lambda: Compare(margin, ">", np.nan), r"is nan, which no value passes: .* missing\(x\)"),
            (lambda: margin > 10**400, "exceeds the range of a float: write inf"),
            (lambda: change(repeat()), r"`repeat\(answer\)` is a rule where a number is expected: total"),
            (lambda: missing("margin"), "'margin' stands where a term is expected, such as signal"),
            (lambda: clip(margin, 2, 1), "clip needs its low bound first, not 2, 1"),
            (lambda: at_least(3, repeat(), margin > 1), "a whole number from 1 to 2, not 3"),
            (lambda: at_least(0, repeat()), "a whole number from 1 to 1, not 0"),
            (lambda: at_least(1), "at_least needs at least one rule"),
            (total, "total needs at least one operand"),
            (lambda: total(margin, 1), "1 stands where a term is expected"),
            (lambda: And(()), "joined by & needs at least one operand"),
            (lambda: streak("answer", 1.5), "a whole number from 1 to 1000000, not 1.5"),
            (lambda: streak("answer", True), "a whole number from 1 to 1000000, not True"),
            (lambda: streak("margin", 2), "only \"answer\" can be repeated, not 'margin'"),
            (lambda: fixed(0), "a whole number from 1 to 1000000, not 0"),
            (lambda: fixed(float("nan")), "a whole number from 1 to 1000000, not nan"),
            (lambda: signal(3), "the name of a signal must be valid text, not 3"),
            (lambda: signal("\ud800"), "the name of a signal must be valid text"),
            (lambda: Compare(margin, "=>", 1), "'=>' is no comparison: one of > >= < <= == !="),
        ],
    )
    def test_refuses(self, mistake, message):
        """Refuse what is no rule with one line that says what was expected."""
        with pytest.raises(RuleError, match=message) as raised:
            mistake()
        assert "\n" not in str(raised.value)


class TestCanonicalForm:
    """Equal rules have one text, whatever the way they were built."""

    def test_flattens_sorts_and_drops_doubles(self):
        """Take `&` and `|` as sets, nested ones of the same kind included."""
        a, b, c = margin > 1, overlap > 2, repeat()
        assert str(And((c, And((b, a)), a))) == "margin > 1 & overlap > 2 & repeat(answer)"
        assert (a | (b | c)) == ((c | a) | (b | a))
        assert And((a, a)) == a

    def test_brackets_mark_groups(self):
        """Put a group inside another kind of group in brackets, and nothing else."""
        rule = ((ROUND == 1) & (margin > 0.8)) | repeat()
        assert str(rule) == "(margin > 0.8 & round == 1) | repeat(answer)"
        assert str(~rule) == "(margin <= 0.8 | round != 1) & ~repeat(answer)"

    def test_counts_every_operand_of_at_least_and_total(self):
        """Sort the operands of at_least and total, but keep doubles: each counts."""
        assert (
            str(at_least(2, repeat(), repeat(), margin > 1))
            == "at_least(2, margin > 1, repeat(answer), repeat(answer))"
        )
        assert str(total(overlap, margin, overlap)) == "total(margin, overlap, overlap)"

    @pytest.mark.parametrize(
        ("rule", "negation"),
        [
            (margin > 1, "margin <= 1"),
            (margin >= 1, "margin < 1"),
            (margin == 1, "margin != 1"),
            (margin > HOLE, "margin <= ?"),
            (repeat(), "~repeat(answer)"),
            (missing(margin), "~missing(margin)"),
            (Flag("done"), "~done"),
            ((margin > 1) & repeat(), "margin <= 1 | ~repeat(answer)"),
            (
                at_least(2, margin > 1, repeat(), Flag("done")),
                "at_least(2, margin <= 1, ~done, ~repeat(answer))",
            ),
            (at_least(1, margin > 1, repeat()), "at_least(2, margin <= 1, ~repeat(answer))"),
        ],
    )
    def test_pushes_negation_to_the_atoms(self, rule, negation):
        """Negate atoms only; twice is not at all."""
        assert str(~rule) == negation
        assert ~~rule == rule

    @pytest.mark.parametrize(
        ("cut", "text"),
        [
            (1.0, "1"),
            (-0.0, "0"),
            (0.25, "0.25"),
            (1e-7, "1e-7"),
            (1e16, "1e16"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-2.5, "-2.5"),
            (float("inf"), "inf"),
            (float("-inf"), "-inf"),
            (np.float32(0.1), "0.10000000149011612"),
        ],
    )
    def test_writes_the_shortest_number(self, cut, text):
        """Write the shortest decimal of the same float."""
        assert str(margin > cut) == f"margin > {text}"

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("margin", "margin"),
            ("größe", "größe"),
            ("top score", 'signal("top score")'),
            ("", 'signal("")'),
            ("2nd", 'signal("2nd")'),
            ("round", 'signal("round")'),
            ("repeat", 'signal("repeat")'),
            ("inf", 'signal("inf")'),
            ("or", 'signal("or")'),
            ("class", 'signal("class")'),
            ('a"\\\n', 'signal("a\\"\\\\\\n")'),
            ("ﬁt", 'signal("ﬁt")'),
            ("e\u0301", 'signal("e\u0301")'),
            ("a\u2028b\u202e", 'signal("a\\u2028b\\u202e")'),
        ],
    )
    def test_quotes_what_is_no_plain_name(self, name, text):
        """Quote a name that Python would not read back as itself, on one visible line."""
        assert str(signal(name)) == text
        assert len(str(signal(name)).splitlines()) == 1

    def test_a_boolean_signal_is_a_number_inside_total(self):
        """Take a flag as 0 or 1 in total: text, which cannot tell them apart, need not."""
        assert Total((Flag("done"), repeat())) == total(signal("done"), repeat())

    @given(SPELLED)
    def test_negation_is_an_involution(self, rule):
        """Come back to the rule when it is negated twice."""
        assert ~~rule == rule
        assert (~rule).id != rule.id


class TestIdentity:
    """Text decides equality, hash and id."""

    def test_terms_compare_as_terms(self):
        """Compare two terms for being the same, and a term with a number into a rule."""
        assert margin == Signal("margin")
        assert margin != overlap
        assert {margin: 1}[Signal("margin")] == 1
        assert isinstance(margin == 1, Compare)
        assert (margin == "margin") is False

    def test_a_flag_is_no_signal(self):
        """Tell a Boolean atom from the number of the same text."""
        assert Flag("done") != Signal("done")
        assert Signal("done") != Flag("done")

    def test_id_is_of_the_text(self):
        """Take the first twelve hex digits of the sha256 of `repeat(answer)`."""
        assert repeat().id == "36dbf7f23042"

    def test_ids_are_stable_across_processes(self):
        """Give the same id under another hash seed, where sets have another order."""
        program = (
            "from stoprule.rules.text import parse; "
            "print(parse('d | (a > 1 & c < 2 & b) | at_least(2, z, y, x) | total(q, p) > 1').id)"
        )
        ids = {
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(ids) == 1

    def test_is_frozen(self):
        """Refuse to change a rule."""
        with pytest.raises(AttributeError, match="rules are frozen: 'cut' cannot be set"):
            (margin > 1).cut = 2
        with pytest.raises(AttributeError, match="rules are frozen: 'cut' cannot be deleted"):
            del (margin > 1).cut

    @given(SPELLED)
    def test_copies_and_pickles(self, rule):
        """Come back equal from a copy and from another process."""
        assert copy.deepcopy(rule) == pickle.loads(pickle.dumps(rule)) == rule

    def test_shows_itself(self):
        """Show a rule as the call that reads it."""
        assert repr(margin > 1) == "parse('margin > 1')"
        assert repr(margin) == "<term margin>"


class TestMeasures:
    """What a rule reads, and how large it is."""

    def test_reads(self):
        """Name the signals, flags included, and say whether the answer is needed."""
        rule = (total(margin, repeat()) > 1) | (signal("done") & missing(change(overlap)))
        assert rule.signals == {"margin", "overlap", "done"}
        assert rule.needs_answer
        assert not fixed(3).needs_answer
        assert fixed(3).signals == frozenset()

    def test_counts_atoms(self):
        """Count comparisons, streaks and flags, and each operand of a total."""
        assert fixed(3).atoms == 1
        assert ((margin > 1) & repeat() | ~Flag("done")).atoms == 3
        assert (total(margin, clip(overlap, 0, 1), repeat()) > 1).atoms == 3

    def test_operands_stand_in_the_order_of_the_text(self):
        """List what a group joins, sorted."""
        assert [str(part) for part in (repeat() | (margin > 1)).operands] == ["margin > 1", "repeat(answer)"]


class TestHoles:
    """A `?` is a cut to be chosen."""

    def test_fills_left_to_right(self):
        """Fill in the order of the canonical text, not of writing."""
        rule = (overlap > HOLE) | (total(margin > HOLE, repeat()) > HOLE) & (margin < HOLE)
        assert str(rule) == "(margin < ? & total(margin > ?, repeat(answer)) > ?) | overlap > ?"
        assert rule.holes == 4
        assert str(rule.fill([1, 2, 3, 4])) == "(margin < 1 & total(margin > 2, repeat(answer)) > 3) | overlap > 4"

    def test_keeps_equal_holes_apart(self):
        """Keep both boxes of two equal shapes: their cuts may differ."""
        box = (margin > HOLE) & (overlap > HOLE)
        assert (box | box).holes == 4
        assert str((box | box).fill([1, 2, 1, 2])) == "margin > 1 & overlap > 2"

    def test_wants_one_cut_for_each_hole(self):
        """Refuse too few and too many cuts."""
        with pytest.raises(RuleError, match=r"takes one cut for each of its 1 holes \(\?\), not 2"):
            (margin > HOLE).fill([1, 2])

    @given(SPELLED, st.data())
    def test_filled_rules_are_whole(self, rule, data):
        """Leave no hole, and leave a rule without holes as it is."""
        cuts = data.draw(st.lists(st.floats(allow_nan=False), min_size=rule.holes, max_size=rule.holes))
        assert rule.fill(cuts).holes == 0
        assert rule.holes or rule.fill([]) == rule


class TestLimits:
    """A tree built in Python stays within what its text may hold."""

    def test_fifty_levels_are_no_problem(self):
        """Build, read, negate and copy a rule of fifty levels; refuse one more."""
        rule = (margin > 0) & (overlap > 0)
        for i in range(1, 51):
            rule = rule | (margin > i) if i % 2 else rule & (margin > i)
        assert rule.level == 50
        assert ~~rule == pickle.loads(pickle.dumps(rule)) == rule
        with pytest.raises(RuleError, match="nests deeper than 50 levels: write it flatter"):
            rule | repeat()

    def test_ten_thousand_characters(self):
        """Refuse a rule whose text could not be read back."""
        with pytest.raises(RuleError, match="text is 10,885 characters long: at most 10,000"):
            Or(Flag(f"s{i}") for i in range(1000, 2361)) & Flag("x")
