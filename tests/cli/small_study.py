"""A study small enough to run in a blink, and the folders that it leaves, for tests that look at them."""

import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stoprule.analysis import overfitting
from stoprule.analysis.audit import optimism
from stoprule.analysis.report import page
from stoprule.cli import ahead, evaluating, searching
from stoprule.cli.auditing import audit_folder
from stoprule.cli.reporting import report_folder

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

# no signal: nothing to calibrate, no scikit-learn to load, for commands in a process of their own
BARE = """\
[data]
path = "table.parquet"
cell = "cell"
quality = "f1"
signals = []

[[search]]
family = "fixed"

[select]
policy = "budget"
max_cost = 3
"""


@cache
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


def written(root: Path, study: str = STUDY, table: pl.DataFrame | None = None) -> Path:
    """The study file in a folder, its data beside it."""
    (recorded() if table is None else table).write_parquet(root / "table.parquet")
    path = root / "study.toml"
    path.write_text(study)
    return path


@dataclass(frozen=True)
class Made:
    """A folder with study.toml, table.parquet, `searched` (after a search) and `out` (evaluated, audited, reported)."""

    root: Path

    @property
    def study(self) -> Path:
        """The study file."""
        return self.root / "study.toml"

    @property
    def out(self) -> Path:
        """The complete folder."""
        return self.root / "out"

    @property
    def searched(self) -> Path:
        """The folder of a search alone."""
        return self.root / "searched"


LONG = ("pictures", "profiles", "charts", "dealing")


def without(patch: pytest.MonkeyPatch, *named: str) -> None:
    """Leave out some of what takes long and few tests look at.

    Pictures, profiles of signals, the charts' script, and most ways of dealing groups into folds and blocks, on which
    no verdict of an audit depends.
    """
    if "pictures" in named:
        for command in (searching, evaluating):
            patch.setattr(command, "draw", lambda *_, **__: None)
    if "profiles" in named:
        patch.setattr(searching, "signal_profiles", lambda *_, **__: ())
    if "charts" in named:
        patch.setattr(page, "chart_library", lambda: "")
        patch.setattr(ahead, "missing_extra", lambda: "left out")
    if "dealing" in named:
        of_overfitting = overfitting.overfit_probability
        patch.setattr(of_overfitting, "__kwdefaults__", {**of_overfitting.__kwdefaults__, "assignments": 2})
        patch.setattr(optimism, "REPETITIONS", 1)
        of_optimism = optimism.cross_validated_optimism
        patch.setattr(of_optimism, "__kwdefaults__", {**of_optimism.__kwdefaults__, "folds": 3})


def made(root: Path) -> Made:
    """Search, evaluate, audit and report the study in a folder."""
    it = Made(root)
    with pytest.MonkeyPatch.context() as patch:
        without(patch, "pictures", "charts", "dealing")
        searching.search_study(it.study, out=it.searched, jobs=1, overrides=[])
        shutil.copytree(it.searched, it.out)
        evaluating.evaluate_folder(it.out)
        audit_folder(it.out)
        report_folder(it.out)
    return it
