"""The look log: what it holds, and every way of tampering with it."""

from dataclasses import replace

import pytest
from stoprule.analysis.looks import (
    Entry,
    following,
    log_bytes,
    looks_taken,
    read_looks,
    refuse_lost_tail,
    refuse_second_lock,
)
from stoprule.trajectories.errors import LockError


def entry(kind="look", lock="a" * 64, final_ids="f" * 64, reason=None, time="2026-01-01T00:00:00Z"):
    return Entry(kind, 0, lock, final_ids, None if kind == "lock" else "r" * 64, reason, time)


@pytest.fixture
def log(tmp_path):
    """A log of one lock and two looks, and its file."""
    entries = ()
    for each in (entry("lock"), entry(), entry(reason="checked again")):
        entries = (*entries, following(entries, each))
    path = tmp_path / "looks.jsonl"
    path.write_bytes(log_bytes(entries))
    return path, entries


class TestReadLooks:
    def test_gives_back_what_was_written(self, log):
        """Count locks and looks apart."""
        path, entries = log
        assert read_looks(path) == entries
        assert [(each.kind, each.number) for each in entries] == [("lock", 1), ("look", 1), ("look", 2)]

    def test_takes_an_absent_file_for_an_empty_log(self, tmp_path):
        """Start without a log."""
        assert read_looks(tmp_path / "looks.jsonl") == ()

    def test_leaves_the_time_out_of_the_chain(self, log):
        """Accept another clock: results do not depend on it."""
        path, entries = log
        path.write_bytes(log_bytes([replace(each, time="1999-12-31T00:00:00Z") for each in entries]))
        assert len(read_looks(path)) == 3

    @pytest.mark.parametrize(
        "tamper",
        [
            lambda lines: [lines[0], lines[1].replace(b"rrr", b"sss", 1), lines[2]],
            lambda lines: [lines[0], lines[2]],
            lambda lines: [lines[0], lines[2], lines[1]],
            lambda lines: [lines[1], lines[2]],
            lambda lines: [*lines, lines[2]],
            lambda lines: [lines[0], b"{}", lines[2]],
            lambda lines: [lines[0], b"not json", lines[2]],
            lambda lines: [lines[0], lines[1][:20]],
        ],
        ids=["edited", "removed", "reordered", "beheaded", "doubled", "emptied", "no JSON", "half a line"],
    )
    def test_refuses_a_changed_log(self, log, tamper):
        """Name the first line at which the chain breaks."""
        path, _ = log
        path.write_bytes(b"\n".join(tamper(path.read_bytes().splitlines())))
        with pytest.raises(LockError, match=r"line \d"):
            read_looks(path)

    def test_a_lost_tail_shows_by_the_count(self, log):
        """Compare with the number of looks that the evaluation kept."""
        path, entries = log
        refuse_lost_tail(entries, looks_taken(entries), path)
        with pytest.raises(LockError, match=r"holds 1 looks but evaluation\.json counted 2"):
            refuse_lost_tail(entries[:2], 2, path)


class TestRefuseSecondLock:
    def test_allows_the_same_lock_again(self, log):
        """A repeat is logged, not refused."""
        path, entries = log
        refuse_second_lock(entries, "a" * 64, "f" * 64, None, path)

    def test_refuses_another_lock_on_the_same_final_ids(self, log):
        """Ask for a reason, which makes it exploratory."""
        path, entries = log
        with pytest.raises(LockError, match="--look-again"):
            refuse_second_lock(entries, "b" * 64, "f" * 64, None, path)
        refuse_second_lock(entries, "b" * 64, "f" * 64, "a wrong column was read", path)

    def test_allows_another_lock_on_other_questions(self, log):
        """New final questions are a new test."""
        path, entries = log
        refuse_second_lock(entries, "b" * 64, "0" * 64, None, path)
