"""Splits: by hash, by column, by files, and again from a lock's ids; and fingerprints."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.trajectories.errors import SplitError
from stoprule.trajectories.roles import Roles
from stoprule.trajectories.splits import (
    SIDES,
    fingerprint,
    fingerprint_rows,
    on_several_sides,
    overlaps,
    split_by_column,
    split_by_files,
    split_by_hash,
    split_by_ids,
)
from stoprule.trajectories.table import Trajectories


def structure(questions, *, cells=("",), groups=None, split=None):
    """One row for each cell and question; groups and sides are by question."""
    count = len(questions)
    rows = [
        {"cell": cell, "question": question, "group": group, "rounds": 2, "split": side}
        for cell in cells
        for question, group, side in zip(questions, groups or questions, split or [None] * count, strict=True)
    ]
    return pl.DataFrame(rows, schema_overrides={"split": pl.String})


def many(count):
    """Ids q0, q1, ..."""
    return [f"q{i}" for i in range(count)]


def sides(split):
    """The side of each question in each row."""
    return list(zip(split.question, split.labels, strict=True))


class TestSplitByHash:
    def test_hand_worked(self):
        """Rank by blake2b of seed and id, and fill calibration, selection, final in that order."""
        ids = many(20)
        split = split_by_hash(structure(ids), calibration=0.2, selection=0.3, seed=7)
        ranked = sorted(ids, key=lambda q: hashlib.blake2b(f"7\0{q}".encode(), digest_size=16).digest())
        assert split.ids("calibration") == tuple(sorted(ranked[:4]))
        assert split.ids("selection") == tuple(sorted(ranked[4:10]))
        assert split.ids("final") == tuple(sorted(ranked[10:]))
        assert (split.method, split.seed) == ("hash", 7)
        assert split.fractions == {"calibration": 0.2, "selection": 0.3}

    def test_masks_part_the_rows(self):
        """Put every trajectory on one side."""
        split = split_by_hash(structure(many(40), cells=("a", "b")))
        assert (sum(split.mask(side).astype(int) for side in SIDES) == 1).all()

    def test_defaults(self):
        """Take .15 and .35; without a calibrated signal nothing for calibration."""
        frame = structure(many(100))
        split = split_by_hash(frame)
        assert [len(split.ids(side)) for side in SIDES] == [15, 35, 50]
        split = split_by_hash(frame, calibrated=False)
        assert [len(split.ids(side)) for side in SIDES] == [0, 35, 65]

    @given(
        count=st.integers(20, 300),
        calibration=st.floats(0.06, 0.4),
        selection=st.floats(0.06, 0.4),
        seed=st.integers(0, 9),
    )
    @settings(max_examples=100, deadline=None)
    def test_fractions(self, count, calibration, selection, seed):
        """Meet each share to within one group."""
        split = split_by_hash(structure(many(count)), calibration=calibration, selection=selection, seed=seed)
        shares = (calibration, selection, 1 - calibration - selection)
        for side, share in zip(SIDES, shares, strict=True):
            assert abs(len(split.ids(side)) - share * count) <= 1

    @given(st.permutations(range(60)), st.integers(0, 5))
    @settings(max_examples=50, deadline=None)
    def test_row_order(self, order, seed):
        """Put each question on the same side whatever the order of the rows (case 3)."""
        frame = structure(many(20), cells=("a", "b", "c"))
        plain, shuffled = split_by_hash(frame, seed=seed), split_by_hash(frame[list(order)], seed=seed)
        assert sorted(sides(plain)) == sorted(sides(shuffled))

    def test_same_side_in_every_cell(self):
        """Keep a question's cells together, and give it the side that it has with one cell."""
        several, one = (
            split_by_hash(structure(many(30), cells=("a", "b"))),
            split_by_hash(structure(many(30))),
        )
        assert dict(sides(several)) == dict(sides(one))
        assert len(set(sides(several))) == 30

    def test_groups(self):
        """Rank groups, and keep their questions together."""
        frame = structure(many(30), groups=[f"passage {i // 3}" for i in range(30)])
        split = split_by_hash(frame, calibration=0.3, selection=0.3)
        assert [len(split.ids(side)) for side in SIDES] == [3, 3, 4]
        assert overlaps(split)["group"] == ()

    def test_seed(self):
        """Give another split for another seed, and the same for the same."""
        frame = structure(many(50))
        first, again, other = (split_by_hash(frame, seed=seed) for seed in (1, 1, 2))
        assert first.ids("final") == again.ids("final") != other.ids("final")

    def test_every_process_agrees(self):
        """Depend on no hash seed of the interpreter."""
        code = (
            "import polars as pl; from stoprule.trajectories.splits import split_by_hash; "
            "ids = [f'q{i}' for i in range(50)]; "
            "print(split_by_hash(pl.DataFrame({'question': ids, 'group': ids})).ids('selection'))"
        )
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == str(split_by_hash(structure(many(50))).ids("selection"))

    @pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
    def test_not_a_share(self, share):
        """Refuse a share outside (0, 1), by its name."""
        with pytest.raises(SplitError, match=r"selection = .* is no share"):
            split_by_hash(structure(many(50)), selection=share)
        with pytest.raises(SplitError, match=r"calibration = .* is no share"):
            split_by_hash(structure(many(50)), calibration=share)

    def test_nothing_left(self):
        """Refuse shares that leave nothing for final."""
        with pytest.raises(SplitError, match=r"calibration = 0.5 \+ selection = 0.5 leaves nothing for the final"):
            split_by_hash(structure(many(50)), calibration=0.5, selection=0.5)

    def test_too_few_groups(self):
        """Name the side that gets no group."""
        with pytest.raises(SplitError, match="the calibration split is empty, 3 groups are too few"):
            split_by_hash(structure(many(3)))
        with pytest.raises(SplitError, match="the final split is empty, 2 groups are too few"):
            split_by_hash(structure(many(2)), selection=0.9, calibrated=False)

    def test_needless_calibration(self):
        """Refuse a calibration share that no calibrated signal uses."""
        with pytest.raises(SplitError, match=r"calibration = 0.2 is stated, but no signal is fitted"):
            split_by_hash(structure(many(50)), calibration=0.2, calibrated=False)


@pytest.mark.parametrize("split_by", [split_by_column, split_by_files])
class TestStatedSides:
    def test_hand_worked(self, split_by):
        """Take the sides as stated."""
        split = split_by(structure(["a", "b", "c"], split=["final", "calibration", "selection"]))
        assert split.labels.tolist() == ["final", "calibration", "selection"]
        assert split.ids("selection") == ("c",)
        assert (split.method, split.fractions) == (split_by.__name__.removeprefix("split_by_"), {})

    def test_calibration_out_of_selection(self, split_by):
        """Take the calibration share, by hash, of the selection groups where no row is marked so."""
        frame = structure(many(60), cells=("a", "b"), split=["selection"] * 40 + ["final"] * 20)
        split = split_by(frame, seed=3)
        assert [len(split.ids(side)) for side in SIDES] == [6, 34, 20]
        assert set(split.ids("final")) == set(many(60)[40:])
        assert split.fractions == {"calibration": 0.15}
        halves = split_by(frame, calibration=0.5)
        assert [len(halves.ids(side)) for side in SIDES] == [20, 20, 20]
        assert overlaps(split) == {"question": (), "group": ()}

    def test_no_calibrated_signal(self, split_by):
        """Leave the selection groups whole when nothing is calibrated."""
        split = split_by(structure(many(4), split=["selection", "selection", "final", "final"]), calibrated=False)
        assert split.ids("calibration") == ()
        assert len(split.ids("selection")) == 2

    def test_overlap_is_kept(self, split_by):
        """Read the same question on two sides without error, and report it."""
        frame = structure(many(3), split=["selection", "final", "calibration"])
        again = structure(["q0"], cells=("other",), split=["final"])
        split = split_by(pl.concat([frame, again]))
        assert split.labels.tolist() == ["selection", "final", "calibration", "final"]
        assert overlaps(split) == {"question": ("q0",), "group": ("q0",)}

    def test_overlapping_group_is_calibrated_in_its_selection_rows_only(self, split_by):
        """Leave rows that are marked final there, though their group goes to calibration."""
        frame = structure(many(20), split=["selection"] * 19 + ["final"])
        again = structure(many(20), cells=("other",), split=["final"] * 20)
        split = split_by(pl.concat([frame, again]), calibration=0.5)
        assert set(split.labels[20:]) == {"final"}
        assert len(overlaps(split)["question"]) == 19

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            (
                "Final",
                r"question \"q1\": the .* has \"Final\" \(did you mean 'final'\?\); write one of calibration",
            ),
            ("test", r"question \"q1\": the .* has \"test\"; write one of calibration, selection, final"),
            (None, r"question \"q1\": the .* has no value; write one of"),
        ],
    )
    def test_unknown_side(self, split_by, wrong, message):
        """Name the first row whose side is none, and the nearest one."""
        with pytest.raises(SplitError, match=message):
            split_by(structure(many(3), split=["selection", wrong, "final"]))

    @pytest.mark.parametrize("side", ["selection", "final"])
    def test_empty(self, split_by, side):
        """Refuse an empty side."""
        other = "final" if side == "selection" else "selection"
        with pytest.raises(SplitError, match=f"the {side} split is empty: the"):
            split_by(structure(many(3), split=[other, other, "calibration"]))

    def test_too_few_to_calibrate(self, split_by):
        """Refuse a share of the selection groups that is none of them."""
        with pytest.raises(SplitError, match=r"calibration = 0.15 of 2 selection groups leaves a split empty"):
            split_by(structure(many(3), split=["selection", "selection", "final"]))

    def test_needless_share(self, split_by):
        """Refuse a stated share where rows are marked, or where nothing is calibrated."""
        frame = structure(many(3), split=list(SIDES))
        with pytest.raises(SplitError, match=r"calibration = 0.15 is stated, but the .* has such rows"):
            split_by(frame, calibration=0.15)
        with pytest.raises(SplitError, match="no signal is fitted on such a split"):
            split_by(frame, calibration=0.15, calibrated=False)


class TestSplitByIds:
    def test_equals_the_split_that_was_locked(self):
        """Make the same split again from calibration and selection ids, or from all three."""
        frame = structure(many(50), cells=("a", "b"))
        locked = split_by_hash(frame, seed=4)
        ids = [locked.ids(side) for side in SIDES]
        for again in (split_by_ids(frame, *ids[:2], seed=4), split_by_ids(frame, *ids, seed=4)):
            assert (again.labels == locked.labels).all()

    def test_added_rows(self):
        """Leave locked groups where they are; added ones are final, or on no side when final is locked."""
        locked = split_by_hash(structure(many(50)))
        grown = structure([*many(50), *(f"new{i}" for i in range(50))])
        assert set(split_by_hash(grown).ids("selection")) != set(locked.ids("selection"))
        ids = [locked.ids(side) for side in SIDES]
        again = split_by_ids(grown, *ids[:2])
        assert again.ids("selection") == locked.ids("selection")
        assert set(again.ids("final")) == {*locked.ids("final"), *(f"new{i}" for i in range(50))}
        assert split_by_ids(grown, *ids).ids("final") == locked.ids("final")

    def test_stated_sides_keep_their_overlap(self):
        """Keep a row on its own side where a column or file names it, as when the split was locked."""
        frame = structure(many(20), split=["selection"] * 19 + ["final"])
        frame = pl.concat([frame, structure(many(20), cells=("other",), split=["final"] * 20)])
        locked = split_by_column(frame, calibration=0.5)
        again = split_by_ids(frame, locked.ids("calibration"), locked.ids("selection"), method="column")
        assert (again.labels == locked.labels).all()

    def test_stated_rows_added(self):
        """Put an added selection row on no side, and an added final row on the final one."""
        frame = structure(["a", "b", "c"], split=list(SIDES))
        grown = pl.concat([frame, structure(["d", "e"], split=["selection", "final"])])
        again = split_by_ids(grown, ["a"], ["b"], method="files")
        assert again.labels.tolist() == ["calibration", "selection", "final", "", "final"]

    def test_absent_ids(self):
        """Name the first locked id that the table lacks."""
        with pytest.raises(SplitError, match='lacks 2 groups of the locked selection split, first "gone"'):
            split_by_ids(structure(many(3)), ["q0"], ["q1", "lost", "gone"])

    def test_no_final_rows(self):
        """Refuse a table without final rows."""
        with pytest.raises(SplitError, match="no row of the locked final split"):
            split_by_ids(structure(["a", "b"]), ["a"], ["b"])


class TestOverlap:
    def test_texts(self):
        """Find any key on two sides: a text under two ids (case 15); empty keys are none."""
        split = split_by_column(structure(many(4), split=["selection", "final", "calibration", "final"]))
        assert on_several_sides(split, ["who?", "who?", "", ""]) == ("who?",)

    def test_no_side(self):
        """Count no trajectory that is on no side."""
        split = split_by_ids(structure(["a", "b", "c"]), ["a"], ["b"], ["c"])
        split = replace(split, labels=np.array(["selection", "", "final"], dtype=object))
        assert on_several_sides(split, ["x", "x", "y"]) == ()


def table(*, codes=(0, 1, 0), padding=0, **changes):
    """Two trajectories, of two rounds and of one, with answer codes and with columns of padding."""
    shape = [[1.5, np.nan, *[np.nan] * padding], [0.0, np.nan, *[7.0] * padding]]
    answer = [[codes[0], codes[1], *[-1] * padding], [codes[2], -1, *[-1] * padding]]
    values = {
        "question": np.array(["a", "b"], dtype=object),
        "cell": np.array(["", ""], dtype=object),
        "group": np.array(["a", "b"], dtype=object),
        "length": np.array([2, 1]),
        "answer": np.array(answer, dtype=np.int32),
        "signals": {"margin": np.array(shape), "overlap": np.array(shape)},
        "booleans": frozenset(),
        "outcomes": {"f1": np.array([[0.0, 1.0, *[0.0] * padding], [0.5, 0.0, *[0.0] * padding]])},
        "cost": np.array([[1.0, 2.0, *[0.0] * padding], [1.0, np.nan, *[0.0] * padding]]),
        "roles": Roles(quality="f1"),
    }
    return Trajectories(**{**values, **changes})


class TestFingerprint:
    def test_hand_worked(self):
        """Hash the sorted ids as JSON."""
        assert fingerprint(["b", "ä", "b"]) == hashlib.sha256('["b","ä"]'.encode()).hexdigest()

    def test_no_order(self):
        """Be the same for the same ids in any order, and another for others."""
        assert fingerprint(["1", "2"]) == fingerprint(("2", "1")) != fingerprint(["12"])


class TestFingerprintRows:
    def test_same_rows(self):
        """Ignore padding, codes, the sign of zero and the bits of a missing value."""
        first = fingerprint_rows(table())
        other_bits = np.array([[1.5, -np.nan], [-0.0, np.nan]])
        assert fingerprint_rows(table()) == first
        assert fingerprint_rows(table(padding=3)) == first
        assert fingerprint_rows(table(codes=(9, 4, 9))) == first
        assert fingerprint_rows(table(signals={"overlap": other_bits, "margin": other_bits})) == first

    @pytest.mark.parametrize(
        "change",
        [
            {"question": np.array(["a", "c"], dtype=object)},
            {"cell": np.array(["", "x"], dtype=object)},
            {"group": np.array(["a", "a"], dtype=object)},
            {"length": np.array([2, 2])},
            {"codes": (0, 1, 1)},
            {"codes": (0, -1, 0)},
            {"answer": None},
            {"booleans": frozenset({"overlap"})},
            {"signals": {"margin": table().signals["margin"]}},
            {"signals": {"margin": table().signals["margin"], "gap": table().signals["overlap"]}},
            {"signals": {"margin": table().signals["margin"] + 1e-12, "overlap": table().signals["overlap"]}},
            {"outcomes": {"em": table().outcomes["f1"]}},
            {"cost": np.array([[1.0, 3.0], [1.0, np.nan]])},
        ],
        ids=str,
    )
    def test_other_rows(self, change):
        """Notice any recorded value, id or name that differs."""
        assert fingerprint_rows(table(**change)) != fingerprint_rows(table())

    def test_rows_of_a_split(self):
        """Be that of the rows taken, whichever table they were taken from."""
        assert fingerprint_rows(table().take(np.array([True, False]))) == fingerprint_rows(
            table(padding=2).take(np.array([0]))
        )
