"""One question under one rule: what it saw, when it fired, why."""

import math

import pytest
from stoprule.analysis.explain import explain
from stoprule.rules.text import parse
from stoprule.trajectories.errors import RuleError, TrajectoryError


@pytest.fixture
def two(table):
    """q1 answers A, B, B with rising margins; q2 is shorter and its margin is missing at first."""
    return table(
        [[0.0, 0.5, 1.0], [0.0, 1.0]],
        margin=[[0.1, 0.2, 0.9], [math.nan, 0.3]],
        answer=[[7, 4, 4], [-1, 3]],
        question=["q1", "q2"],
    )


class TestExplain:
    def test_follows_each_atom(self, two):
        """Values, truth, the stop round and the answers as letters."""
        found = explain(parse("repeat(answer) & margin > 0.5"), two, "q1")
        by_text = {line.text: line for line in found.lines}
        assert by_text["margin > 0.5"].values == (0.1, 0.2, 0.9)
        assert by_text["margin > 0.5"].truth == (False, False, True)
        assert by_text["repeat(answer)"].truth == (False, False, True)
        assert found.truth == (False, False, True)
        assert (found.stop, found.fired, found.answers) == (3, True, ("A", "B", "B"))
        assert found.quality == (0.0, 0.5, 1.0)

    def test_says_why(self, two):
        """The atoms that hold at the stop, with their values."""
        assert explain(parse("margin > 0.15"), two, "q1").why == "stops at round 2: margin > 0.15 (0.2)"
        assert explain(parse("margin > 5"), two, "q1").why == "never fires: exhausted at round 3"

    def test_names_only_what_holds(self, two):
        """Of an OR, not the operand that is false."""
        assert explain(parse("margin > 5 | repeat(answer)"), two, "q1").why == "stops at round 3: repeat(answer)"

    def test_marks_what_is_unknown(self, two):
        """A missing margin, a missing answer; only the question's own rounds."""
        found = explain(parse("margin > 0.1"), two, "q2")
        assert found.lines[0].values == (None, 0.3)
        assert found.truth == (None, True)
        assert found.answers == ("-", "A")

    def test_shows_signals_inside_totals(self, two):
        """They stand in no comparison of their own."""
        found = explain(parse("total(margin, repeat(answer)) > 1"), two, "q1")
        by_text = {line.text: line for line in found.lines}
        assert by_text["margin"].truth is None
        assert by_text["margin"].values == (0.1, 0.2, 0.9)
        assert by_text["total(margin, repeat(answer)) > 1"].values == (0.1, 0.2, 1.9)

    @pytest.mark.parametrize(
        ("question", "cell", "said"),
        [("q11", None, "no question 'q11'.*did you mean 'q1'"), ("q1", "bm25", "no cell 'bm25'")],
    )
    def test_names_what_there_is(self, two, question, cell, said):
        """For a question or a cell that the table does not have."""
        with pytest.raises(TrajectoryError, match=said):
            explain(parse("margin > 1"), two, question, cell=cell)

    def test_refuses_an_open_cut(self, two):
        """Nothing fires without it."""
        with pytest.raises(RuleError, match="still to be chosen"):
            explain(parse("margin > ?"), two, "q1")
