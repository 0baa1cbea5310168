"""Questions on two sides: by id, by group, by wording, nearly so."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from stoprule.analysis.audit.overlap import near_duplicates, split_overlap
from stoprule.trajectories.splits import split_by_column

SIDES = ["calibration", "selection", "selection", "final", "final"]


def asked(texts=None, question=None, group=None, cell=None, sides=None):
    """What the check reads of five trajectories."""
    ids = question or [f"q{i}" for i in range(5)]
    structure = pl.DataFrame(
        {
            "cell": cell or [""] * 5,
            "question": ids,
            "group": group or ids,
            "split": sides or SIDES,
            "text": texts or [None] * 5,
        },
        schema_overrides={"text": pl.String},
    )
    return SimpleNamespace(structure=structure, split=split_by_column(structure))


DIFFERENT = ["who wrote emma", "when was rome built", "where is oslo", "which river is longest", "why is it so"]


class TestSplitOverlap:
    def test_passes_different_questions(self):
        """Nothing is shared."""
        assert split_overlap(asked(DIFFERENT)).verdict == "pass"

    def test_notes_that_no_wording_was_compared(self):
        """Ids alone cannot tell."""
        answer = split_overlap(asked())
        assert (answer.verdict, answer.figure) == ("note", 0)
        assert "was not compared" in answer.cause

    def test_fails_on_an_id_on_two_sides(self):
        """The same question was chosen by and reported on."""
        answer = split_overlap(asked(DIFFERENT, question=["q0", "q1", "q2", "q1", "q4"]))
        assert (answer.verdict, answer.figure) == ("fail", 1)
        assert "q1" in answer.cause

    def test_says_so_when_only_the_cells_together_cross(self):
        """Each cell by itself looks clean."""
        answer = split_overlap(
            asked(DIFFERENT, question=["q0", "q1", "q2", "q1", "q4"], cell=["a", "a", "a", "b", "b"])
        )
        assert answer.verdict == "fail"
        assert "one in one cell and one in another" in answer.cause

    def test_fails_on_a_group_on_two_sides(self):
        """Case 25: other questions on the same passage are no new evidence."""
        answer = split_overlap(asked(DIFFERENT, group=["p0", "p1", "p2", "p2", "p4"]))
        assert (answer.verdict, answer.figure) == ("fail", 1)
        assert "group" in answer.cause

    @pytest.mark.parametrize("twin", ["Where is Oslo?", "  where is the OSLO", "where is oslo"])
    def test_fails_on_a_wording_on_two_sides(self, twin):
        """Case 15: the same question under two ids, as `robust` normalises it."""
        answer = split_overlap(asked([*DIFFERENT[:4], twin]))
        assert (answer.verdict, answer.figure) == ("fail", 1)
        assert "where is oslo" in answer.cause

    def test_one_side_may_ask_twice(self):
        """Two cells, or two ids, on one side."""
        assert split_overlap(asked([*DIFFERENT[:4], DIFFERENT[3]])).verdict == "pass"

    def test_warns_of_near_duplicates(self):
        """A word more."""
        answer = split_overlap(asked([*DIFFERENT[:4], "which river is the very longest"])).verdict
        assert answer == "pass"  # short questions share few n-grams
        one = "which magazine was started first arthurs magazine or first for women"
        answer = split_overlap(asked([*DIFFERENT[:2], one, DIFFERENT[3], f"{one} please"]))
        assert (answer.verdict, answer.figure) == ("warn", 1)


class TestNearDuplicates:
    SIDES = np.array(["selection", "final"], dtype=object)

    @pytest.mark.parametrize(
        ("one", "other", "near"),
        [
            (
                "who was born first jean grey or professor xavier",
                "who was born first professor xavier or jean grey",
                True,
            ),
            ("what is the capital of france", "what is the capital of germany", False),
            ("who won the european cup in 1996", "who won the european cup in 1997", False),
            ("oslo", "oslo x", False),
        ],
        ids=["words moved", "another entity", "another number", "too short"],
    )
    def test_compares_character_n_grams(self, one, other, near):
        """Within words, so that their order does not matter."""
        assert near_duplicates([one, other], self.SIDES) == ([tuple(sorted((one, other)))] if near else [])

    def test_looks_across_sides_only(self):
        """One side may ask alike, and what is on no side counts for nothing."""
        text = "who was born first jean grey or professor xavier"
        for sides in (["final", "final"], ["final", ""]):
            assert near_duplicates([text, f"{text} then"], np.array(sides, dtype=object)) == []
