"""The structure of a table: read for all rows, checked before any value is looked at."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from stoprule.trajectories.errors import TrajectoryError
from stoprule.trajectories.reading import Part, record
from stoprule.trajectories.roles import Roles, resolve

ROLES = Roles()


def table(**columns):
    """Question a with two rounds, question b with one; the columns given in place of these or beside them."""
    base = {"question": ["a", "a", "b"], "round": [1, 2, 1], "quality": [0.0, 1.0, 0.5]}
    return pl.DataFrame({**base, **columns})


def recorded(frame, **given):
    return record(frame, resolve(frame.columns, **given))


class TestStructure:
    """One row a trajectory, sorted by cell and question."""

    def test_worked_by_hand(self):
        """Gather rows into trajectories; without columns the cell is empty and the group the question."""
        assert recorded(table()).structure.rows() == [
            ("", "a", "a", 2, None, None, 0),
            ("", "b", "b", 1, None, None, 0),
        ]
        assert recorded(table()).structure.columns == [
            *("cell", "question", "group", "rounds", "split", "text", "part")
        ]

    def test_reads_all_structural_columns(self):
        """Take cell, group, split and text from their columns; a text may be missing in some rounds."""
        frame = table(cell=[2, 2, 1], group=["g", "g", "h"], split=["final"] * 3, text=["Who?", None, None])
        assert recorded(frame).structure.rows() == [
            ("1", "b", "h", 1, "final", None, 0),
            ("2", "a", "g", 2, "final", "Who?", 0),
        ]

    def test_does_not_depend_on_the_order_of_rows(self):
        """Give the same structure for shuffled rows (case 3)."""
        frame = pl.concat([table(cell=["x"] * 3), table(cell=["y"] * 3)])
        shuffled = frame.sample(fraction=1, shuffle=True, seed=4)
        assert_frame_equal(recorded(shuffled).structure, recorded(frame).structure)

    def test_sorts_ids_as_text(self):
        """Keep questions in the sorted order of their ids as text, beyond ASCII too."""
        frame = table(question=["10", "9", "é"], round=[1, 1, 1])
        assert recorded(frame).structure["question"].to_list() == ["10", "9", "é"]

    def test_reads_rounds_written_as_floats_or_text(self):
        """Take 1.0 and "2" for round numbers."""
        assert recorded(table(round=["1", "2.0", " 1"])).structure["rounds"].to_list() == [2, 1]
        assert recorded(table(round=[1.0, 2.0, 1.0])).structure["rounds"].to_list() == [2, 1]

    def test_takes_hundreds_of_rounds(self):
        """Set no limit to the rounds of a question."""
        frame = pl.DataFrame({"question": "a", "round": np.arange(400, 0, -1), "quality": 1.0})
        assert recorded(frame).open().cost[0, :3].tolist() == [1, 2, 3]
        assert len(recorded(frame)) == 1


class TestUnsoundTables:
    """The first few offenders and the way out, in one line."""

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"round": [1, 1, 1]}, r"doubled rows: question 'a', round 1 at row 1 and row 2; keep one"),
            ({"round": [1, 3, 1]}, r"question 'a', round 2 is missing before round 3; rounds run"),
            ({"round": [1, 2, 2]}, r"question 'b', round 1 is missing before round 2"),
            ({"round": [0, 1, 1]}, r"question 'a', round 0 at row 1 comes before round 1"),
            ({"round": [1, 10**9, 1]}, r"question 'a', round 2 is missing before round 1000000000"),
            ({"round": [1.0, 1.5, 1.0]}, r"round is 1.5 at row 2 \(question 'a'\); rounds are whole numbers"),
            ({"round": [1.0, 1e300, 1.0]}, r"round is 1e\+300 at row 2"),
            ({"round": [1.0, float("inf"), 1.0]}, r"round is inf at row 2"),
            ({"round": [1, None, 1]}, r"round is missing at row 2 \(question 'a'\)"),
            ({"round": ["1", "two", "1"]}, r"round is 'two' at row 2"),
            ({"round": [True, True, True]}, r"round is True at row 1"),
            ({"question": ["a", None, "b"]}, r"column 'question' is empty at row 2; fill it in"),
            ({"question": ["a", "", "b"]}, r"column 'question' is empty at row 2"),
            ({"question": [1.0, float("nan"), 2.0]}, r"column 'question' is empty at row 2"),
            ({"question": [0.5, 1, 2]}, r"column 'question' has 0.5 at row 1; ids are text or whole"),
            ({"question": [[1], [1], [2]]}, r"column 'question' has \[1\] at row 1; \[1\] at row 2"),
            ({"cell": [None, "x", "x"]}, r"column 'cell' is empty at row 1"),
            ({"group": ["g", "h", "g"]}, r"question 'a' is in 'g' and 'h'; a question is in one group"),
            ({"text": [["Who?"]] * 3}, r"column 'text' has \['Who\?'\] at row 1.*write it as text, or .* text=''"),
            ({"text": ["Who?", "What?", None]}, r"text .*changes.* question 'a' has 'What\?' and 'Who\?'"),
            ({"split": ["final", "test", "final"]}, r"at row 2 the split 'test'; the splits are calibration"),
            ({"split": ["final", "finale", "final"]}, r"the split 'finale' \(did you mean 'final'\?\)"),
            ({"split": ["final", None, "final"]}, r"column 'split' is empty at row 2"),
            ({"split": ["final", "selection", "final"]}, r"split changes .*question 'a', round 2 at row 2"),
        ],
    )
    def test_names_the_offender(self, columns, message):
        """Refuse a table that is not sound."""
        with pytest.raises(TrajectoryError, match=message) as caught:
            recorded(table(**columns))
        assert "\n" not in str(caught.value)

    def test_names_three_and_counts_the_rest(self):
        """Keep the message short however many offenders there are."""
        frame = pl.concat([table(cell=["x"] * 3)] * 2 + [table(cell=["y"] * 3)] * 2)
        with pytest.raises(TrajectoryError, match=r"cell 'x', question 'a', round 1 .*; and 3 more; keep one"):
            recorded(frame)

    def test_sees_one_group_over_all_cells(self):
        """Refuse a question whose cells disagree on its group."""
        cells = [table(cell=[cell] * 3, group=[group, group, "h"]) for cell, group in ("xg", "yh")]
        with pytest.raises(TrajectoryError, match="question 'a' is in 'g' and 'h'"):
            recorded(pl.concat(cells))

    def test_names_line_of_a_text_file(self, tmp_path):
        """Say at which lines of a file doubled rows stand (case 17)."""
        path = tmp_path / "log.csv"
        path.write_text("question,round,quality\nq7,1,0\nq7,2,0\n\nq7,2,1\n")
        with pytest.raises(
            TrajectoryError,
            match=r"log.csv: doubled rows: question 'q7', round 2 at line 3 and line 5",
        ):
            record(path, ROLES)

    def test_names_a_missing_column(self):
        """Refuse roles whose columns the source lacks."""
        with pytest.raises(TrajectoryError, match=r"no column 'margn' for signals \(did you mean 'margin'\?\)"):
            record(table(margin=[1, 2, 3]), Roles(signals=("margn",)))


class TestParts:
    """Several files or frames are one table."""

    def test_gives_every_row_its_cell_and_split(self):
        """Let the part say cell and split, in place of columns."""
        frame = table(cell=["ignored"] * 3, split=["train"] * 3)
        parts = [Part(frame, cell="y", split="final"), Part(frame, cell="x", split="selection")]
        structure = record(parts, resolve(frame.columns)).structure
        assert structure.select("cell", "question", "split", "part").rows() == [
            ("x", "a", "selection", 1),
            ("x", "b", "selection", 1),
            ("y", "a", "final", 0),
            ("y", "b", "final", 0),
        ]

    def test_keeps_a_question_that_stands_in_two_splits(self):
        """Read it as two trajectories, calibration before selection before final, for the audit to find."""
        parts = [Part(table(), split=split) for split in ("final", "selection")]
        two = record(parts, ROLES)
        assert two.structure.select("question", "split").rows() == [
            ("a", "selection"),
            ("a", "final"),
            ("b", "selection"),
            ("b", "final"),
        ]
        column = pl.concat([table(split=["final"] * 3), table(split=["selection"] * 3)])
        assert_frame_equal(recorded(column).structure.drop("part"), two.structure.drop("part"))
        cells = pl.concat([table(cell=["x"] * 3, split=["final"] * 3), table(cell=["y"] * 3, split=["selection"] * 3)])
        assert len(recorded(cells)) == 4

    def test_joins_rounds_that_stand_in_two_parts(self):
        """Gather the rounds of a question over files; the part is the first."""
        joined = record([Part(table()[1:]), Part(table()[:1])], ROLES)
        assert joined.structure.select("question", "rounds", "part").rows() == [("a", 2, 0), ("b", 1, 0)]
        np.testing.assert_array_equal(joined.open().quality, [[0, 1], [0.5, np.nan]])

    def test_refuses_rows_doubled_over_parts(self, tmp_path):
        """Name both files when they hold the same rounds of the same split."""
        for name in ("one.parquet", "two.parquet"):
            table().write_parquet(tmp_path / name)
        parts = [Part(tmp_path / name, split="final") for name in ("one.parquet", "two.parquet")]
        with pytest.raises(TrajectoryError, match=r"'a', round 1 at \S*one.parquet row 1 and \S*two.parquet row 1"):
            record(parts, ROLES)

    def test_needs_the_columns_in_every_part(self):
        """Refuse a part without a column that has a role, and a split that is none."""
        with pytest.raises(TrajectoryError, match="no column 'quality' for the role quality"):
            record([Part(table()), Part(table().drop("quality"))], ROLES)
        with pytest.raises(TrajectoryError, match="'tune'; the splits are calibration, selection, final"):
            record([Part(table(), split="tune")], ROLES)
