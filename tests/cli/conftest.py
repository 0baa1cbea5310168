"""A study small enough to run in a blink, and the command as a function."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from stoprule.cli.main import main

from .small_study import LONG, Made, made, without, written


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study file with its data beside it."""
    return written(tmp_path)


@pytest.fixture(scope="session")
def once(tmp_path_factory) -> Made:
    """The study, run once for every test that only reads what a run leaves."""
    return made(written(tmp_path_factory.mktemp("once")).parent)


@pytest.fixture
def mine(once, tmp_path) -> Made:
    """A copy of it, to be changed."""
    shutil.copytree(once.root, tmp_path, dirs_exist_ok=True)
    return Made(tmp_path)


@pytest.fixture(autouse=True)
def _one_worker(monkeypatch) -> None:
    """Many tests run at once: each keeps to one processor unless it says --jobs."""
    monkeypatch.setenv("STOPRULE_JOBS", "1")


@pytest.fixture
def pictures() -> None:
    """Asked for by tests that look at pictures: the others do not wait for them."""


@pytest.fixture
def profiles() -> None:
    """Asked for by tests that look at signals.csv: the others do not wait for it."""


@pytest.fixture
def charts() -> None:
    """Asked for by tests that look at charts: the others do not wait for the charts' script."""


@pytest.fixture
def dealing() -> None:
    """Asked for by tests whose audit deals groups into folds and blocks as often as a user's does."""


@pytest.fixture(autouse=True)
def _what_is_asked_for(request, monkeypatch) -> None:
    without(monkeypatch, *(name for name in LONG if name not in request.fixturenames))


@dataclass(frozen=True)
class Answered:
    """What a command gave back."""

    status: int
    out: str
    err: str


@pytest.fixture
def stoprule(capsys, monkeypatch):
    """The command line, run in this process."""

    def run(*arguments: object) -> Answered:
        monkeypatch.setattr(sys, "argv", ["stoprule", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Answered(int(ended.value.code or 0), printed.out, printed.err)

    return run


def contents(folder: Path, *, aside: tuple[str, ...] = ("looks.jsonl", "source.json")) -> dict[str, bytes]:
    """The bytes of every file of an output folder, those aside that may differ."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in aside
    }
