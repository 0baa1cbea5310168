import re
import string
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.trajectories.answers import answer_codes, exact_match, f1, normalise
from stoprule.trajectories.errors import TrajectoryError

ANSWERS = st.text(st.sampled_from("aAeE thn.,-+−–'’\"5٣ÉE\u0301\u00ad½²ß!$|") | st.characters(), max_size=12)


class TestNormalise:
    """How answers are brought into the form in which they are compared."""

    @pytest.mark.parametrize(
        ("text", "robust", "squad", "tasr", "exact"),
        [
            ("The  Beatles!", "beatles", "beatles", "beatles", "The  Beatles!"),
            ("the-cat", "thecat", "thecat", "cat", "the-cat"),
            ("O’Neil", "oneil", "o’neil", "o’neil", "O’Neil"),
            ("U.S.A.", "usa", "usa", "us", "U.S.A."),
            ("3.14", "3.14", "314", "314", "3.14"),
            ("A", "a", "", "", "A"),
            ("?!", "", "", "", "?!"),
            ("", "", "", "", ""),
            (None, "", "", "", ""),
        ],
    )
    def test_follows_each_definition(self, text, robust, squad, tasr, exact):
        """Agree with the definitions by hand."""
        assert normalise(text, "robust") == robust
        assert normalise(text, "squad") == squad
        assert normalise(text, "tasr") == tasr
        assert normalise(text, "exact") == exact

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("−5", "-5"),  # U+2212, case 19
            ("1990–1995", "1990-1995"),
            ("Caf\u00e9", "Cafe\u0301"),  # NFC and NFD, case 19
            ("STRASSE", "straße"),
            ("“yes”", "'Yes'"),
            ("Rock ´n´ Roll", "rock 'n' roll"),
            ("co\u00adoperate", "cooperate"),  # soft hyphen
            ("1,000", "1000"),
            ("(-5)", "-5."),
            ("The Paris", "paris"),
        ],
    )
    def test_robust_sees_the_same_answer(self, one, other):
        """Fold what only the keyboard makes different."""
        assert normalise(one) == normalise(other) != ""

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("3.14", "314"),
            ("-5", "5"),
            ("1e-5", "1e5"),
            (".5", "5"),
            ("-.5", ".5"),
            ("A", "The"),
            ("€5", "5"),
        ],
    )
    def test_robust_keeps_numbers_apart(self, one, other):
        """Keep the point, the sign and a lone article, for they carry the meaning."""
        assert normalise(one) != normalise(other)

    @given(ANSWERS)
    def test_robust_is_idempotent(self, text):
        """Leave a normalised answer as it is."""
        assert normalise(normalise(text)) == normalise(text)

    def test_refuses_an_unknown_normaliser(self):
        """Name the one that was probably meant."""
        with pytest.raises(TrajectoryError, match=r"'sqad'.*did you mean 'squad'.*robust, squad, tasr, exact"):
            normalise("x", "sqad")


class TestAnswerCodes:
    """Equal codes for equal answers."""

    def test_never_equates_missing_or_empty_answers(self):
        """Give -1 to a missing answer and to one of which nothing is left (case 18)."""
        answers = pl.Series(["A", "The", None, "", "the cat", "Cat."])
        np.testing.assert_array_equal(answer_codes(answers, "squad"), [-1, -1, -1, -1, 0, 0])

    def test_does_not_depend_on_the_order_of_rows(self):
        """Follow the sorted texts, so that shuffled rows keep their codes."""
        answers = pl.Series(["b", "a", "c", "a"])
        np.testing.assert_array_equal(answer_codes(answers), [1, 0, 2, 0])
        np.testing.assert_array_equal(answer_codes(answers.reverse()), [0, 2, 0, 1])

    def test_takes_columns_without_answers(self):
        """Return codes of the right length and type for empty and all-missing columns."""
        assert answer_codes(pl.Series([], dtype=pl.String)).dtype == np.int32
        np.testing.assert_array_equal(answer_codes(pl.Series([None, None], dtype=pl.String)), [-1, -1])


def official_normal(text):
    """The steps of the official evaluation, one after the other."""
    kept = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def official_f1(prediction, gold):
    predicted, wanted = official_normal(prediction), official_normal(gold)
    for one in (predicted, wanted):
        if one in ("yes", "no", "noanswer") and predicted != wanted:
            return 0.0
    same = sum((Counter(predicted.split()) & Counter(wanted.split())).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(predicted.split()), same / len(wanted.split())
    return (2 * precision * recall) / (precision + recall)


WORDS = st.lists(
    st.sampled_from(["yes", "No", "no answer", "noanswer", "the", "Paris", "paris,", "in", "France", "--"]),
    max_size=5,
).map(" ".join)


class TestScores:
    """Exact match and F1 as HotpotQA defines them."""

    @pytest.mark.parametrize(
        ("prediction", "gold", "em", "f1_score"),
        [
            ("The Paris", "paris.", 1.0, 1.0),
            ("Paris France", "Paris", 0.0, 2 / 3),
            ("a b b c", "b b b", 0.0, 2 / 3),  # "a" is dropped: 2 of 3 tokens, 2 of 3 wanted
            ("yes it is", "yes", 0.0, 0.0),
            ("Yes", "yes", 1.0, 1.0),
            ("no", "no way", 0.0, 0.0),
            ("", "", 1.0, 0.0),
            (None, "the", 1.0, 0.0),
            ("Paris", "", 0.0, 0.0),
        ],
    )
    def test_worked_by_hand(self, prediction, gold, em, f1_score):
        """Count tokens with multiplicity; yes and no are all or nothing; two empty answers have F1 0."""
        assert exact_match(prediction, gold) == em
        assert f1(prediction, gold) == pytest.approx(f1_score, abs=1e-15)

    @given(WORDS, WORDS)
    def test_equals_the_official_steps(self, prediction, gold):
        """Agree exactly with the official evaluation, step by step."""
        assert exact_match(prediction, gold) == (official_normal(prediction) == official_normal(gold))
        assert f1(prediction, gold) == official_f1(prediction, gold)

    def test_takes_another_normaliser(self):
        """Compare numbers with their point under robust."""
        assert exact_match("3.14", "314") == 1.0
        assert exact_match("3.14", "314", "robust") == 0.0
