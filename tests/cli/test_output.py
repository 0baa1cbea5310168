"""The output folder: held by one command, and changed as a whole or not at all."""

import os
import signal

import pytest
from stoprule.cli.output import OutputError, Staged, held

OLD = {"lock.json": "old lock", "figures/front.svg": "old picture"}


@pytest.fixture
def folder(tmp_path):
    """A folder with two results in it."""
    folder = tmp_path / "out"
    (folder / "figures").mkdir(parents=True)
    for name, text in OLD.items():
        (folder / name).write_text(text)
    return folder


def files(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def rewrite(folder, *names, error=None):
    """Write files anew, and then fail where an error is given."""
    with Staged(folder) as staged:
        for name in names:
            staged.write(name, f"new {name}".encode())
        if error is not None:
            raise error


def keep(folder):
    with held(folder):
        pass


class TestStaged:
    def test_changes_everything_at_the_end(self, folder):
        """Files appear, and stale ones of a pattern go, when the block has ended."""
        (folder / "figures" / "stale.svg").write_text("stale")
        with Staged(folder) as staged:
            staged.write("lock.json", b"new lock")
            staged.write_json("figures/new.json", {"q": 1})
            staged.replace("figures/st*.svg")
            assert files(folder).items() >= {**OLD, "figures/stale.svg": "stale"}.items()
        assert files(folder) == {**OLD, "lock.json": "new lock", "figures/new.json": '{\n  "q": 1\n}\n'}

    @pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
    def test_changes_nothing_after_an_error(self, folder, error):
        """Neither the files nor the folder know of it."""
        with pytest.raises(type(error)):
            rewrite(folder, "lock.json", error=error)
        assert files(folder) == OLD
        assert sorted(os.listdir(folder)) == ["figures", "lock.json"]

    @pytest.mark.parametrize("links", [True, False], ids=["with links", "without hard links"])
    def test_puts_back_what_it_had_moved(self, folder, monkeypatch, links):
        """A place that is taken by a folder is found late: the files before it come back."""

        def no_link(*_):
            raise PermissionError(1, "Operation not permitted")

        if not links:
            monkeypatch.setattr(os, "link", no_link)
        (folder / "signals.csv").mkdir()
        with pytest.raises(OutputError, match=r"out/signals\.csv: cannot be written \(Is a directory\)"):
            rewrite(folder, "lock.json", "figures/front.svg", "front.csv", "signals.csv")
        assert files(folder) == OLD
        assert sorted(os.listdir(folder)) == ["figures", "lock.json", "signals.csv"]

    def test_tells_of_a_full_disk_by_the_folder(self, folder):
        """Not by the hidden place beside it; and no result has changed."""
        full = OSError(28, "No space left on device", str(folder / ".writing-1" / "lock.json"))
        with pytest.raises(
            OutputError, match=r"out.*: cannot be written \(No space left.*the files that were there are unchanged"
        ):
            rewrite(folder, "lock.json", error=full)
        assert files(folder) == OLD

    def test_holds_an_interrupt_back_while_files_move(self, folder, monkeypatch):
        """Ctrl-C between two files takes effect when both have moved."""
        move = os.replace

        def interrupted(source, target):
            move(source, target)
            signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            rewrite(folder, *OLD)
        assert files(folder) == {name: f"new {name}" for name in OLD}
        assert sorted(os.listdir(folder)) == ["figures", "lock.json"]


class TestHeld:
    def test_leaves_no_empty_folders_behind(self, tmp_path):
        """Those that it made, and that nothing came into, go again."""
        keep(tmp_path / "a" / "b" / "out")
        assert os.listdir(tmp_path) == []

    def test_refuses_what_can_be_no_folder(self, folder, tmp_path):
        """A file, a place in a file, a link that leads nowhere."""
        (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "else")
        for place in (folder / "lock.json", folder / "lock.json" / "out", tmp_path / "link"):
            with pytest.raises(OutputError, match="cannot be an output folder"):
                keep(place)
        assert files(folder) == OLD

    def test_may_be_held_again_inside(self, folder):
        """A command that runs others keeps the folder for all of them."""
        with held(folder):
            keep(folder)

    def test_sweeps_up_after_a_command_that_was_killed(self, folder):
        """What was being written goes; what was there stays."""
        (folder / ".writing-x1").mkdir()
        (folder / ".writing-x1" / "lock.json").write_text("half a l")
        keep(folder)
        assert files(folder) == OLD

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_says_at_once_that_it_may_not_write(self, folder):
        """Before anything is computed."""
        folder.chmod(0o555)
        with pytest.raises(OutputError, match="may not be written in"):
            keep(folder)
