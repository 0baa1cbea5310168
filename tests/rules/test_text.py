"""Rules read from text, and errors that point at the spot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.rules.build import at_least, clip, fixed, repeat, signal, streak, total
from stoprule.rules.expression import HOLE
from stoprule.rules.spelling import FUNCTIONS
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError

from .strategies import ANY_CUTS, ANY_NAMES, rules_strategy

WORDS = "a b 1 0.5 inf ? ( ) & | ~ < > == , - and or not answer round total( clip( signal( 'x' at_least("
PIECES = st.sampled_from(WORDS.split())


def error_of(text):
    """The lines of the error that the text raises."""
    with pytest.raises(RuleError) as raised:
        parse(text)
    return str(raised.value).splitlines()


class TestReading:
    """A text means what a person reads in it."""

    @pytest.mark.parametrize(
        ("text", "canonical"),
        [
            ("repeat(answer) & margin_cal > 0.25", "margin_cal > 0.25 & repeat(answer)"),
            ("(round == 1 & conf > 0.8) | repeat(answer)", "(conf > 0.8 & round == 1) | repeat(answer)"),
            ("round == 1 & conf > 0.8 | repeat(answer)", "(conf > 0.8 & round == 1) | repeat(answer)"),
            ("~margin > 0.5", "margin <= 0.5"),
            ("not margin > 0.5 and done or cost < 5", "cost < 5 | (done & margin <= 0.5)"),
            ("~~done", "done"),
            ("0.25 < margin", "margin > 0.25"),
            ("0.25 >= margin", "margin <= 0.25"),
            ("? <= margin", "margin >= ?"),
            ("1 == round", "round == 1"),
            ("margin > -0.0", "margin > 0"),
            ("margin > -inf", "margin > -inf"),
            ("margin > (.5)", "margin > 0.5"),
            ("margin>2.50E-1", "margin > 0.25"),
            ("streak(answer, 2)", "repeat(answer)"),
            ("streak(answer, 3)", "streak(answer, 3)"),
            ("fixed(3)", "round >= 3"),
            ("tasr()", "margin_cal > 0.25 & repeat(answer)"),
            ("change(margin) < 0.05", "change(margin) < 0.05"),
            ("so_far_max(so_far_min(coverage)) >= 0.8", "so_far_max(so_far_min(coverage)) >= 0.8"),
            ("missing(margin)", "missing(margin)"),
            ("at_least(2, repeat(answer), a > 1, done)", "at_least(2, a > 1, done, repeat(answer))"),
            (
                "total(repeat(answer), clip(m, 0, inf), o) > 1.5",
                "total(clip(m, 0, inf), o, repeat(answer)) > 1.5",
            ),
            ("total(a > 1 & b > 2, done) > 1", "total(a > 1 & b > 2, done) > 1"),
            ('signal("top score") > 1', 'signal("top score") > 1'),
            ("signal('it\\'s \"so\"') > 1", 'signal("it\'s \\"so\\"") > 1'),
            ('signal("\\u006dargin") > 1', "margin > 1"),
            ('signal("round") > 1 & round > 1', 'round > 1 & signal("round") > 1'),
            ("größe > 1 & हिन्दी > 1", "größe > 1 & हिन्दी > 1"),
            ("  a\n\t& b  \n", "a & b"),
        ],
    )
    def test_reads(self, text, canonical):
        """Read each construct; text, canonical form and tree agree."""
        assert str(parse(text)) == canonical
        assert parse(canonical) == parse(text)

    def test_text_and_python_are_one(self):
        """Give the same rule from text and from Python."""
        assert parse("repeat(answer) & margin > 0.25") == repeat("answer") & (signal("margin") > 0.25)
        assert parse("streak(answer, 3) | done") == streak("answer", 3) | signal("done")
        assert parse("at_least(1, done, fixed(2))") == at_least(1, signal("done"), fixed(2))
        assert parse("total(clip(m, 0, 1), done) > ?") == (total(clip(signal("m"), 0, 1), signal("done")) > HOLE)

    def test_keeps_a_name_exact(self):
        """Read a quoted name letter by letter: Python's own parser would fold the ligature."""
        assert parse('signal("ﬁt") > 1').signals == {"ﬁt"}

    @settings(max_examples=500)
    @given(rules_strategy(signals=ANY_NAMES, flags=ANY_NAMES, cuts=ANY_CUTS))
    def test_round_trip(self, rule):
        """Come back to every rule from its text."""
        assert parse(str(rule)) == rule
        assert parse(str(rule)).id == rule.id


class TestErrors:
    """Each mistake is one error: what, where, what to write instead; then the text with a caret."""

    def test_shows_text_and_caret(self):
        """Put the caret under the character that the first line names."""
        assert error_of("repeat(answer) & margin > overlap") == [
            "rule, character 27: `overlap` stands where a number is expected: "
            "record the difference of two signals as one",
            "  repeat(answer) & margin > overlap",
            "                            ^",
        ]

    @pytest.mark.parametrize(
        ("text", "character", "message"),
        [
            ("margin >", 9, "a number is expected after `>`, but the rule ends here"),
            ("a > 1 &", 8, "a rule is expected after `&`, but the rule ends here"),
            ("& a", 1, "a rule is expected, not `&`"),
            ("a && b", 4, "write & once"),
            ("margin 0.5", 8, "a comparison, & or | is expected before `0.5`"),
            ("a > 1 AND b > 1", 7, "a comparison, & or | is expected before `AND`"),
            ("a > 0 & (b > 1", 9, "this bracket is never closed: add )"),
            ("a > 1)", 6, "this bracket was never opened: take it away"),
            ("()", 2, "a rule is expected after `(`, not `)`"),
            ("(a, b)", 3, "a comma only stands between the arguments of a function"),
            ("total(a,) > 1", 9, "another argument is expected after `,`"),
            ("a > ~b", 5, "a number is expected after `>`, not `~`"),
            ("a <> 1", 4, "a number is expected after `<`, not `>`"),
            ("a = 1", 3, "`=` does not compare: write =="),
            ("a =< 1", 3, "write ==, or >= and <= with the = last"),
            ("!a", 1, "`!` does not negate: write ~"),
            ("margin≥0.5", 7, "`≥` means nothing in a rule: write >="),
            ("a > “1”", 5, '`“` means nothing in a rule: write "'),
            ("a\u200b > 1", 2, "'\\u200b' cannot stand in a bare name"),
            ("a[0] > 1", 2, "'[' means nothing in a rule"),
            ("a > 1; b", 6, "';' means nothing in a rule"),
            ("top.score > 1", 4, 'a name that holds `.` is written signal("...")'),
            ("top-score > 1", 4, 'a name that holds `-` is written signal("...")'),
            ("a + b > 1", 3, "arithmetic is no part of a rule: record the result as a signal of its own"),
            ("2 * a > 1", 3, "arithmetic is no part of a rule"),
            ("a ** 2 > 1", 3, "arithmetic is no part of a rule"),
            ("-a > 1", 2, "only a number takes a sign"),
            ("a > --1", 6, "only a number takes a sign"),
            ("0 < a < 1", 7, "comparisons are not chained: write low < x & x < high"),
            ("a > (1) > 0", 9, "comparisons are not chained"),
            ("a > b", 5, "`b` stands where a number is expected"),
            ("a > (b > 1)", 6, "`b > 1` stands where a number is expected"),
            (
                "(a > 1) > 0",
                2,
                "`a > 1` is a rule where a number is expected: total(...) counts it as 0 or 1",
            ),
            ("1 > 2", 1, "two numbers are compared: one side must be a signal, round or cost"),
            ("a & 5", 5, "a number stands alone: compare a signal with it"),
            ("a & ?", 5, "a number stands alone"),
            ("a & round", 5, "`round` is a number where a rule is expected: compare it"),
            ("a & change(b)", 5, "`change(b)` is a number where a rule is expected: compare it"),
            ("answer > 1", 1, "`answer` is no number: write repeat(answer) or streak(answer, 3)"),
            ("missing(answer)", 9, "`answer` is no number"),
            (
                "done == True",
                9,
                "`True` is no part of a rule: a Boolean signal stands alone, as in done or ~done",
            ),
            ("done == true", 9, "`true` is no part of a rule: a Boolean signal stands alone"),
            ("a > nan", 5, "nothing compares with nan: ask for missing values with missing(x)"),
            ("a > 1e999", 5, "`1e999` exceeds the range of a float: write inf"),
            ("a > 1_000", 5, "`1_000` is no number"),
            ("a > 0x1f", 5, "`0x1f` is no number"),
            ("2nd > 1", 1, '`2nd` is no number; a signal of that name is written signal("2nd")'),
            ("class > 1", 1, '`class` is a reserved word: a signal of that name is written signal("class")'),
            ("a if b else c", 3, "`if` is a reserved word"),
            ("ﬁt > 1", 1, '`ﬁt` has a second spelling in Unicode: to be exact, write signal("ﬁt")'),
            ("clip > 1", 1, '`clip` is a function: write clip(x, low, high), or signal("clip")'),
            ('"top score" > 1', 1, 'quoted text stands only in a signal\'s name: write signal("top score")'),
            ('a > -"inf"', 6, "only a number takes a sign"),
            ('"inf" > a', 1, 'quoted text stands only in a signal\'s name: write signal("inf")'),
            ("signal(top) > 1", 8, 'a name in quotes is expected: write signal("name")'),
            ("signal('top) > 1", 8, "this quote is never closed"),
            ('signal("\\x") > 1', 8, "an escape that is none of JSON's: double each backslash"),
            ('signal("\\ud800") > 1', 1, "the name of a signal must be valid text"),
            (
                "a & repat(answer)",
                5,
                "there is no function `repat` (did you mean 'repeat'?): signal, repeat,",
            ),
            ("a(b)(c)", 5, "is expected before `(`"),
            ("tasr(1)", 1, "`tasr` has the wrong number of arguments: write tasr()"),
            ("clip(a, 1) > 1", 1, "`clip` has the wrong number of arguments: write clip(x, low, high)"),
            ("clip(a, 2, 1) > 1", 1, "clip needs its low bound first, not 2, 1"),
            ("clip(a, b, 1) > 1", 9, "a plain number is expected here: write clip(x, low, high)"),
            (
                "change(2) > 1",
                8,
                "a signal, round, cost or a function of them is expected here: write change(x)",
            ),
            ("change(a > 1) > 1", 8, "`a > 1` is a rule where a number is expected"),
            ("total(a, 1) > 1", 10, "a term or a rule is expected here: write total(x, ...)"),
            ("streak(answer)", 1, "`streak` has the wrong number of arguments: write streak(answer, k)"),
            ("streak(margin, 2)", 8, "only the answer can be repeated: write streak(answer, k)"),
            (
                "streak(answer, 0)",
                1,
                "the length of a streak must be a whole number from 1 to 1000000, not 0",
            ),
            ("streak(answer, 1.5)", 1, "must be a whole number from 1 to 1000000, not 1.5"),
            ("streak(answer, ?)", 16, "a plain number is expected here"),
            ("at_least(3, a, b)", 1, "a whole number from 1 to 2, not 3"),
            ("at_least(1.5, a, b)", 1, "a whole number from 1 to 2, not 1.5"),
            ("at_least(a, b)", 10, "a plain number is expected here: write at_least(k, rule, ...)"),
            ("at_least(1, a, b + c)", 18, "arithmetic is no part of a rule"),
            ("fixed(0)", 1, "the round of fixed must be a whole number from 1 to 1000000, not 0"),
        ],
    )
    def test_points_at_the_mistake(self, text, character, message):
        """Name character and remedy, and put the caret there."""
        what, line, caret = error_of(text)
        assert what.startswith(f"rule, character {character}: ")
        assert message in what
        assert caret == " " * (character + 1) + "^"
        assert line[2:] == text.replace("\u200b", " ")

    @pytest.mark.parametrize("name", sorted(FUNCTIONS))
    def test_a_function_is_no_signal(self, name):
        """Know every function whose name is reserved, and how it is written."""
        what, *_ = error_of(f"{name} > 1")
        assert f"`{name}` is a function: write {name}(" in what
        assert what.endswith(f'or signal("{name}") for a signal of that name')

    def test_refuses_what_is_no_text(self):
        """Refuse an empty text and other objects."""
        assert error_of(" \n") == ["the rule is empty: write one, such as repeat(answer) & margin > 0.25"]
        assert error_of(None) == ["a rule is read from text, not from None"]

    def test_lines_and_tabs_keep_their_width(self):
        """Show a text of several lines on one, so that the caret still fits."""
        assert error_of("a &\n\tb c")[1:] == ["  a &  b c", "         ^"]

    def test_wide_letters_take_two_columns(self):
        """Move the caret by what a terminal shows, not by letters."""
        assert error_of("正解 > 1 x") == [
            "rule, character 8: a comparison, & or | is expected before `x`",
            "  正解 > 1 x",
            "           ^",
        ]

    def test_a_long_text_is_cut(self):
        """Show the surroundings of a mistake far out."""
        what, line, caret = error_of("a > 1 | " * 500 + "b c | " + "a > 1 | " * 500)
        assert what.startswith("rule, character 4003: ")
        assert len(line) < 120
        assert line[caret.index("^")] == "c"


class TestLimits:
    """Over 10,000 characters or 50 levels is refused before anything else is looked at."""

    def test_characters(self):
        """Read 10,000 characters and refuse one more."""
        assert parse("a".ljust(10_000)) == parse("a")
        assert error_of("+".ljust(10_001)) == ["the rule is 10,001 characters long: at most 10,000 are read"]

    @pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("~", ""), ("missing(change(", "))"), ("~(", ")")])
    def test_levels(self, opening, closing):
        """Refuse deep nesting of any kind with the caret where it gets too deep, however deep it is."""
        for times in (51, 550):
            assert error_of(opening * times + "a" + closing * times)[0].endswith(
                "the rule nests deeper than 50 levels: write it flatter"
            )

    def test_fifty_levels_are_read(self):
        """Read brackets and negations fifty deep, and a wide rule at no depth at all."""
        assert str(parse("(" * 50 + "a" + ")" * 50)) == "a"
        assert str(parse("~" * 50 + "a")) == "a"
        assert str(parse("so_far_max(" * 50 + "a" + ")" * 50 + " > 1")).startswith("so_far_max(so_far_max(")
        assert parse(" | ".join(f"~s{i}" for i in range(1200))).atoms == 1200

    def test_a_rule_deeper_than_its_text(self):
        """Refuse a text whose canonical form, with every group in brackets, would not be read back."""
        text = "".join(f"a > {i} | b > {i} & (" for i in range(40)) + "c" + ")" * 40
        assert "nests deeper than 50 levels" in error_of(text)[0]

    @settings(max_examples=500)
    @given(st.text(max_size=40) | st.lists(PIECES, max_size=25).map(" ".join))
    def test_no_text_breaks_the_parser(self, text):
        """Give a rule that round-trips or a RuleError, for any letters and any order of words."""
        try:
            rule = parse(text)
        except RuleError:
            return
        assert parse(str(rule)) == rule
