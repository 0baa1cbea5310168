"""A study small enough to run in a blink, and the command as a function."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stoprule.cli.main import main

STUDY = """\
[data]
path = "table.parquet"
cell = "cell"
quality = "f1"
range = [0, 1]
outcomes = ["em"]
signals = ["margin", "coverage"]

[split]
seed = 3

[calibrate.margin_cal]
signal = "margin"
target = "em"

[[search]]
preset = "default"

[select]
policy = "budget"
max_cost = 3

[evaluate]
baselines = ["fixed(1)", "fixed(4)"]
draws = 200
"""


def recorded(questions: int = 60, rounds: int = 4, seed: int = 5) -> pl.DataFrame:
    """Random trajectories in two cells, with ties and missing margins; a clearer margin means a better answer."""
    rng = np.random.default_rng(seed)
    rows = []
    for cell in ("lexical", "dense"):
        for q in range(questions):
            for r in range(1, rounds + 1):
                right = rng.random() < 0.2 + 0.1 * r
                rows.append(
                    {
                        "cell": cell,
                        "question": f"q{q:03}",
                        "round": r,
                        "answer": rng.choice(["Paris", "paris", "Rome", ""]),
                        "margin": None if rng.random() < 0.05 else round(rng.normal() + right, 1),
                        "coverage": round(min(1.0, 0.2 * r + 0.1 * rng.integers(3)), 1),
                        "em": float(right),
                        "f1": float(right) if rng.random() < 0.8 else 0.5,
                    }
                )
    return pl.DataFrame(rows)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study file with its data beside it."""
    recorded().write_parquet(tmp_path / "table.parquet")
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture(autouse=True)
def _one_worker(monkeypatch) -> None:
    """Many tests run at once: each keeps to one processor unless it says --jobs."""
    monkeypatch.setenv("STOPRULE_JOBS", "1")


@pytest.fixture
def pictures() -> None:
    """Asked for by tests that look at pictures: the others do not wait for them."""


@pytest.fixture(autouse=True)
def _pictures_where_asked_for(request, monkeypatch) -> None:
    if "pictures" not in request.fixturenames:
        for command in ("searching", "evaluating"):
            monkeypatch.setattr(f"stoprule.cli.{command}.draw", lambda *_, **__: None)


@pytest.fixture
def charts() -> None:
    """Asked for by tests that look at charts: the others do not wait for the charts' script."""


@pytest.fixture(autouse=True)
def _charts_where_asked_for(request, monkeypatch) -> None:
    if "charts" not in request.fixturenames:
        monkeypatch.setattr("stoprule.analysis.report.page.chart_library", lambda: "")


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
