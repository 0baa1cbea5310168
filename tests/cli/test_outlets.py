"""Streams that outlast their reader, take every character, and commands that end in good order."""

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import weakref

import pytest
from stoprule.cli import interrupts
from stoprule.cli.interrupts import terminable, undisturbed
from stoprule.cli.outlets import Outlet

from .small_study import BARE, written


class TestOutlet:
    def test_drops_what_nobody_reads(self):
        """Writing goes on after the reader has gone."""
        reader, writer = os.pipe()
        os.close(reader)
        with io.FileIO(writer, "w") as raw:
            outlet = Outlet(raw)
            assert [outlet.write(b"one"), outlet.write(b"three")] == [3, 5]

    def test_tells_of_a_full_disk_once(self):
        """The second time nothing is lost that was not lost before."""
        with io.FileIO("/dev/full", "w") as raw:
            outlet = Outlet(raw)
            with pytest.raises(OSError, match="No space left"):
                outlet.write(b"one")
            assert outlet.write(b"two") == 3


def ended(*arguments, **how):
    """A command of its own."""
    code = "from stoprule.cli.main import main; main()"
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], check=False, **how)


class TestReaders:
    def test_work_goes_on_without_them(self, tmp_path):
        """`stoprule search study.toml | true` writes every file and ends with 0."""
        study = written(tmp_path, BARE)
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as gone:
            assert ended("search", study, "--no-pictures", stdout=gone, stderr=gone).returncode == 0
        assert {"lock.json", "front.csv", "looks.jsonl"} <= {path.name for path in (tmp_path / "out").iterdir()}

    @pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
    def test_work_goes_on_without_streams(self, tmp_path, closed):
        """`stoprule search study.toml --jobs 2 >&-` writes every file: no file takes the place of a stream."""
        study = written(tmp_path, BARE)
        shell = "exec " + shlex.join([sys.executable, "-m", "stoprule", "search", str(study), "--jobs", "2"])
        shell += " --no-pictures --backend processes" + "".join(f" {place}>&-" for place in closed)
        assert subprocess.run(shell, shell=True, check=False).returncode == 0
        assert {"lock.json", "front.csv", "looks.jsonl"} <= {path.name for path in (tmp_path / "out").iterdir()}

    def test_a_full_disk_at_the_other_end(self, study):
        """One line, exit status 2."""
        command = "replay", "fixed(2)", study.parent / "table.parquet", "--quality", "f1"
        with open("/dev/full", "w") as full:
            told = ended(*command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (told.returncode, told.stderr) == (2, "stoprule: No space left on device\n")


class TestEncodings:
    def test_every_name_can_be_printed(self, tmp_path):
        """In a terminal that lacks a character its number stands for it; JSON says the same in every encoding."""
        (tmp_path / "t.csv").write_text("question,round,quality,weiß→\na,1,0,1\na,2,1,3\n", encoding="utf-8")
        command = "replay", 'signal("weiß→") > 2', tmp_path / "t.csv"
        how = {"capture_output": True, "env": {**os.environ, "PYTHONIOENCODING": "ascii"}}
        for_people, for_programs = ended(*command, **how), ended(*command, "--json", **how)
        assert (for_people.returncode, for_people.stderr, for_programs.returncode) == (0, b"", 0)
        assert "wei" in for_people.stdout.decode("ascii")
        assert json.loads(for_programs.stdout.decode("ascii"))["rule"] == 'signal("weiß→") > 2'


class TestUndisturbed:
    def test_lets_a_signal_through_at_the_end(self):
        """And gives the handlers back."""
        before = signal.getsignal(signal.SIGINT)
        done = []

        @undisturbed()
        def disturbed():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

        with pytest.raises(KeyboardInterrupt):
            disturbed()
        assert done == ["all of it"]
        assert signal.getsignal(signal.SIGINT) is before


class TestInterruptible:
    def test_insists(self, monkeypatch):
        """A KeyboardInterrupt that is swallowed comes again."""
        monkeypatch.setattr(interrupts, "PATIENCE", 0.05)
        before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
        swallowed = []

        def stubborn(interrupt):
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                swallowed.append(interrupt.came)
            time.sleep(5)

        with pytest.raises(KeyboardInterrupt), interrupts.interruptible() as interrupt:
            stubborn(interrupt)
        assert swallowed == [True]
        assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before
        time.sleep(0.1)  # nothing comes after the end

    def test_an_interrupt_that_is_lost_in_a_callback(self, capsys):
        """Python cannot raise it there: it comes again at once, and nothing is printed."""

        def collected(_):
            signal.raise_signal(signal.SIGINT)

        def collect():
            passing = frozenset({1, 2})
            reference = weakref.ref(passing, collected)
            del passing
            assert reference() is None
            time.sleep(2)

        with pytest.raises(KeyboardInterrupt), interrupts.interruptible():
            collect()
        assert capsys.readouterr().err == ""

    def test_an_interrupt_that_turns_into_another_error(self, stoprule, study, monkeypatch):
        """An import of compiled code that is interrupted says that it failed; the command says what it was."""

        def cut_short(*_, **__):
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise ImportError("initialization failed") from None

        monkeypatch.setattr("stoprule.cli.searching.source_of_study", cut_short)
        answered = stoprule("search", study)
        assert (answered.status, answered.err) == (130, "stoprule: interrupted; nothing is half-written\n")


class TestTerminable:
    def test_unwinds(self):
        """What was begun is put in order, and the status tells the signal."""
        with pytest.raises(SystemExit) as caught, terminable():
            signal.raise_signal(signal.SIGTERM)
        assert caught.value.code == 128 + signal.SIGTERM
