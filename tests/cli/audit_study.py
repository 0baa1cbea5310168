"""A study that passes every check of the audit, and the means to spoil one thing at a time."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stoprule.cli import evaluating, searching
from stoprule.cli.auditing import audit_folder

from .small_study import LONG, without

CELLS = ("dense", "lexical")
SIDES = {"calibration": 110, "selection": 320, "final": 310}
ROUNDS = 4
STUDY = """\
[data]
path = "table.parquet"
cell = "cell"
quality = "f1"
range = [0, 1]
outcomes = ["em"]
signals = {signals}
text = "text"

[split]
column = "split"

[calibrate.margin_cal]
signal = "margin"
target = "em"
by = "pooled"

[[search]]
{search}

[select]
policy = "budget"
max_cost = 2.5

[evaluate]
baselines = ["fixed(1)", "fixed(4)"]
draws = 20
transfer = false
"""
Change = Callable[[pl.DataFrame], pl.DataFrame]


@cache
def recorded(seed: int = 11) -> pl.DataFrame:
    """Trajectories of questions that are answered at a round of their own; a large margin says that it has come."""
    rng, wording = np.random.default_rng(seed), np.random.default_rng(0)
    rows = []
    for number, side in enumerate(side for side, count in SIDES.items() for _ in range(count)):
        text = "".join(wording.choice(list("abcdefghijklmnoprstuvw      "), 16))
        ready = rng.integers(1, ROUNDS + 2)
        for r in range(1, ROUNDS + 1):
            right = r >= ready and rng.random() < 0.9
            margin = rng.normal(1.8 * right, 1)
            rows.append(
                {
                    "cell": CELLS[number % 2],
                    "question": f"q{number:03}",
                    "text": text,
                    "split": side,
                    "round": r,
                    "answer": rng.choice(["Paris", "Rome", "Oslo"]),
                    "margin": None if rng.random() < 0.03 else margin,
                    "coverage": rng.beta(1 + r, 2),
                    "em": float(right),
                    "f1": float(right) if rng.random() < 0.8 else 0.5,
                }
            )
    return pl.DataFrame(rows)


@contextmanager
def quickly() -> Iterator[None]:
    """Leave out what takes long: no verdict depends on it."""
    with pytest.MonkeyPatch.context() as patch:
        without(patch, *LONG)
        yield


def prepared(
    folder: Path,
    change: Change = lambda table: table,
    *,
    signals: Sequence[str] = ("margin", "coverage"),
    search: str = 'rule = "margin_cal > ?"\ncuts = "linspace(12)"',
) -> Path:
    """Write the study with a changed table; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    change(recorded()).write_parquet(folder / "table.parquet")
    study = folder / "study.toml"
    study.write_text(STUDY.format(signals=json.dumps(list(signals)), search=search))
    return study


def verdicts(study: Path, *overrides: str) -> dict[str, str]:
    """Search, evaluate and audit a study; the verdict of every check."""
    found = searching.search_study(study, out=None, jobs=1, overrides=list(overrides))
    evaluating.evaluate_folder(found.folder)
    return audit_verdicts(found.folder)


def audit_verdicts(folder: Path) -> dict[str, str]:
    """The verdict of every check on a folder."""
    return {each["check"]: each["verdict"] for each in audit_folder(folder)["checks"]}
