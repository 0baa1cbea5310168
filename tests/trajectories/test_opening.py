"""The values of opened trajectories, and the blindness to all others."""

import numpy as np
import polars as pl
import pytest
from stoprule.trajectories.errors import TrajectoryError
from stoprule.trajectories.fingerprints import fingerprint_rows
from stoprule.trajectories.reading import Part, read_trajectories, record
from stoprule.trajectories.roles import resolve

INF = float("inf")


def table(**columns):
    """Question a with two rounds, question b with one; the columns given in place of these or beside them."""
    base = {"question": ["a", "a", "b"], "round": [1, 2, 1], "quality": [0.0, 1.0, 0.5]}
    return pl.DataFrame({**base, **columns})


class TestOpen:
    """Dense arrays by trajectory and round."""

    def test_worked_by_hand(self):
        """Lay out answers, costs, signals and outcomes, with NaN and -1 beyond the length."""
        t = read_trajectories(
            table(
                answer=["Paris", "paris.", None],
                cost=[10, 30, 5],
                em=[False, True, True],
                margin=[0.5, None, -INF],
                sure=[True, None, False],
                note=["x", "y", "z"],
            ),
            outcomes=["em"],
        )
        np.testing.assert_array_equal(t.length, [2, 1])
        np.testing.assert_array_equal(t.answer, [[0, 0], [-1, -1]])
        np.testing.assert_array_equal(t.cost, [[10, 30], [5, np.nan]])
        np.testing.assert_array_equal(t.quality, [[0, 1], [0.5, np.nan]])
        np.testing.assert_array_equal(t.outcomes["em"], [[0, 1], [1, np.nan]])
        np.testing.assert_array_equal(t.signals["margin"], [[0.5, np.nan], [-INF, np.nan]])
        np.testing.assert_array_equal(t.signals["sure"], [[1, np.nan], [0, np.nan]])
        assert (t.booleans, list(t.signals)) == ({"sure"}, ["margin", "sure"])
        assert list(t.question) == list(t.group) == ["a", "b"]
        assert list(t.cell) == ["", ""]

    def test_counts_rounds_without_a_cost(self):
        """Take the round number as the cost."""
        np.testing.assert_array_equal(read_trajectories(table()).cost, [[1, 2], [1, np.nan]])
        assert read_trajectories(table()).answer is None

    def test_keeps_each_row_whole(self):
        """Never mix rounds: the values of a round come from its row, missing ones included (case 2)."""
        frame = pl.DataFrame(
            {"question": "q", "round": [2, 1], "answer": ["x", None], "quality": [1.0, 0.0], "cost": [2, 1]}
        )
        t = read_trajectories(frame)
        assert (t.answer.tolist(), t.quality.tolist(), t.cost.tolist()) == ([[-1, 0]], [[0, 1]], [[1, 2]])

    def test_keeps_questions_that_were_never_answered(self):
        """Count an unanswered question with its outcome: the mean of 1 and 0 is .5 (case 16)."""
        frame = pl.DataFrame({"question": ["p", "q"], "round": 1, "answer": ["x", None], "quality": [1.0, 0.0]})
        t = read_trajectories(frame)
        assert (len(t), t.quality.mean()) == (2, 0.5)

    def test_opens_only_what_the_mask_says(self):
        """Cut arrays and rounds to the opened trajectories."""
        recorded = record(table(margin=[1, 2, 3]), resolve(table().columns))
        t = recorded.open(recorded.structure["question"].to_numpy() == "b")
        assert (list(t.question), t.rounds, t.signals["margin"].tolist()) == (["b"], 1, [[3]])
        nothing = recorded.open(np.zeros(2, dtype=bool))
        assert (len(nothing), nothing.rounds, nothing.quality.shape) == (0, 0, (0, 0))

    def test_leaves_its_input_alone(self):
        """Change neither frame nor result by a second call (case 28)."""
        frame = table(margin=[1, None, 3], answer=["a", "b", "c"])
        before = frame.clone()
        recorded = record(frame, resolve(frame.columns))
        first, second = recorded.open(), recorded.open()
        assert frame.equals(before)
        for name, values in first.signals.items():
            np.testing.assert_array_equal(values, second.signals[name])


class TestSignals:
    """Which columns are signals."""

    def test_takes_what_is_listed(self):
        """Keep the order of the list and leave out the rest; read numbers that are text."""
        frame = table(z=["1", "", " 2.5"], b=[1, 2, 3], a=[1, 2, 3])
        t = read_trajectories(frame, signals=["z", "a"])
        assert list(t.signals) == ["z", "a"]
        np.testing.assert_array_equal(t.signals["z"], [[1, np.nan], [2.5, np.nan]])

    def test_takes_remaining_numbers_and_booleans_without_a_list(self):
        """Leave out roles, outcomes and text; sort by name; keep a column without a single value as missing."""
        frame = table(z=[1, 2, 3], em=[1, 1, 1], code=["1", "2", "3"], empty=[None] * 3, group=[1, 1, 2])
        assert list(read_trajectories(frame, outcomes=["em"]).signals) == ["empty", "z"]

    def test_a_boolean_is_one_in_every_part(self):
        """Call a signal Boolean only where all parts do, or have no value."""
        parts = [Part(table(f=[True] * 3), cell="x"), Part(table(f=[None] * 3), cell="y")]
        assert read_trajectories(parts, signals=["f"]).booleans == {"f"}
        parts.append(Part(table(f=[0.5] * 3), cell="z"))
        assert read_trajectories(parts, signals=["f"]).booleans == frozenset()


class TestLabelsAndMeasures:
    """What figures are broken down by, and what cost models are made of."""

    def test_worked_by_hand(self):
        """One label a trajectory, as text; a number a round, which may be a signal as well."""
        t = read_trajectories(
            table(hops=[2, 2, 3], kind=["bridge", "bridge", None], tokens=[300, 450, 280]),
            by=["hops", "kind"],
            measures=["tokens"],
            signals=["tokens"],
        )
        assert {name: list(values) for name, values in t.labels.items()} == {"hops": ["2", "3"], "kind": ["bridge", ""]}
        np.testing.assert_array_equal(t.measures["tokens"], [[300, 450], [280, np.nan]])
        np.testing.assert_array_equal(t.signals["tokens"], t.measures["tokens"])
        one = t.take(np.array([False, True]))
        assert (list(one.labels["hops"]), one.measures["tokens"].tolist()) == (["3"], [[280]])

    def test_are_part_of_the_fingerprint(self):
        """Another label is another recording."""
        prints = {
            fingerprint_rows(read_trajectories(table(kind=["x", "x", last]), by=["kind"], signals=[])) for last in "xy"
        }
        assert len(prints) == 2

    def test_a_label_that_changes_is_refused(self):
        """A question is of one kind."""
        with pytest.raises(TrajectoryError, match="'kind' changes between the rounds of a question: question 'a' has"):
            read_trajectories(table(kind=["x", "y", "x"]), by=["kind"])

    def test_a_measure_that_is_missing_is_refused(self):
        """Costs are never guessed."""
        with pytest.raises(TrajectoryError, match="measure 'tokens' is missing at row 2"):
            read_trajectories(table(tokens=[1, None, 2]), measures=["tokens"])

    def test_an_unknown_column_is_named(self):
        """Name the nearest column."""
        with pytest.raises(TrajectoryError, match=r"no column 'kid' for a breakdown.*'kind'"):
            read_trajectories(table(kind=["x", "x", "y"]), by=["kid"])


class TestUnsoundValues:
    """The first few offenders and the way out, in one line."""

    @pytest.mark.parametrize(
        ("columns", "given", "message"),
        [
            ({"quality": [0, None, 1]}, {}, r"outcome 'quality' is missing at row 2 \(question 'a', round 2\)"),
            ({"quality": [0.0, INF, 1.0]}, {}, r"outcome 'quality' is inf at row 2"),
            ({"quality": ["0", "", "1"]}, {}, r"outcome 'quality' is missing at row 2"),
            ({"quality": ["0", "good", "1"]}, {}, r"outcome 'quality' is 'good' at row 2"),
            ({"em": [0, 1, None]}, {"outcomes": ["em"]}, r"outcome 'em' is missing at row 3 .*finite outcome"),
            ({}, {"range": (0, 0.9)}, r"quality 'quality' is 1.0 at row 2 .*declared range is 0 to 0.9"),
            ({"cost": [3, 2, 1]}, {}, r"cost 'cost' falls from 3 to 2 at question 'a', round 2; .*sum it up"),
            ({"cost": [1.0, INF, 1.0]}, {}, r"cost 'cost' is inf at row 2"),
            ({"cost": [1, None, 1]}, {}, r"cost 'cost' is missing at row 2"),
            ({"quality": [0.0, 1e308, 1.0]}, {}, r"outcome 'quality' is 1e\+308 at row 2 .*beyond 1e\+100: scale"),
            ({"cost": [1.0, 2e100, 1.0]}, {}, r"cost 'cost' is 2e\+100 at row 2 .*beyond 1e\+100: scale"),
            ({"m": [1.0, -INF, 1.7e308]}, {"signals": ["m"]}, r"signal 'm' is 1.7e\+308 at row 3 .*: write inf, or"),
            ({"m": ["1", "n/a", "2"]}, {"signals": ["m"]}, r"signal 'm' is 'n/a' at row 2 \(question 'a', round 2"),
            ({"m": [[1], [2], [3]]}, {"signals": ["m"]}, r"signal 'm' is \[1\] at row 1"),
            ({"answer": [["x"], None, ["y"]]}, {}, r"answer 'answer' is \['x'\] at row 1 .*write it as text"),
            ({"answer": [b"x", b"x", b"y"]}, {}, r"answer 'answer' is b'x' at row 1 .*write it as text"),
            ({"kind": [["x"], ["x"], ["y"]]}, {"by": ["kind"]}, r"label 'kind' is \['x'\] at row 1 .*write it as text"),
        ],
    )
    def test_names_the_offender(self, columns, given, message):
        """Refuse a value that is not what its column must hold."""
        with pytest.raises(TrajectoryError, match=message) as caught:
            read_trajectories(table(**columns), **given)
        assert "\n" not in str(caught.value)

    def test_names_the_part(self):
        """Find the offending row in the part in which it stands."""
        parts = [Part(table(), cell="x"), Part(table(quality=[0.0, 1.0, INF]), cell="y")]
        with pytest.raises(TrajectoryError, match=r"is inf at the polars frame row 3 \(cell 'y', question 'b'"):
            read_trajectories(parts)


class TestBlindness:
    """What is not opened is not looked at."""

    HEADER = "question,round,split,quality,cost,answer,margin\n"
    OPENED = "a,1,selection,0,1,x,0.5\na,2,selection,1,2,x,0.75\n"

    @pytest.mark.parametrize("final", ["z,1,final,1,1,y,0.25\n", "z,1,final,garbage,-inf,\u2028,???\n"])
    def test_csv_values_of_other_rows(self, tmp_path, final):
        """Type a CSV column from its opened rows alone."""
        path = tmp_path / "log.csv"
        path.write_text(self.HEADER + self.OPENED + final, encoding="utf-8")
        self.expect_the_same(path)

    @pytest.mark.parametrize("values", [(1, 1, '"y"', 0.25), ('"garbage"', "NaN", "[1, {}]", "9" * 5000)])
    def test_json_values_of_other_rows(self, tmp_path, values):
        """Read JSON values of opened rows alone."""
        line = '{"question": "%s", "round": %d, "split": "%s", "quality": %s, "cost": %s, "answer": %s, "margin": %s}\n'
        rows = [("a", 1, "selection", 0, 1, '"x"', 0.5), ("a", 2, "selection", 1, 2, '"x"', 0.75)]
        path = tmp_path / "log.jsonl"
        path.write_text("".join(line % row for row in [*rows, ("z", 1, "final", *values)]))
        self.expect_the_same(path)

    @pytest.mark.parametrize("values", [(1.0, 1.0, 0.25), (None, -INF, INF)])
    def test_values_of_other_rows_in_a_frame(self, values):
        """Raise nothing for bad values that stay closed."""
        quality, cost, margin = values
        frame = pl.DataFrame(
            {
                "question": ["a", "z", "a"],
                "round": [2, 1, 1],
                "split": ["selection", "final", "selection"],
                "quality": [1.0, quality, 0.0],
                "cost": [2.0, cost, 1.0],
                "answer": ["x", "y", "x"],
                "margin": [0.75, margin, 0.5],
            }
        )
        self.expect_the_same(frame)

    def expect_the_same(self, source):
        recorded = record(source, resolve(self.HEADER.strip().split(","), signals=["margin"]))
        assert len(recorded) == 2
        t = recorded.open(recorded.structure["split"].to_numpy() == "selection")
        assert (t.answer.tolist(), t.quality.tolist(), t.cost.tolist()) == ([[0, 0]], [[0, 1]], [[1, 2]])
        assert (t.signals["margin"].tolist(), t.booleans) == ([[0.5, 0.75]], frozenset())
