"""Made-up trajectories: answers that settle, signals that rise with them, and a token F1 as quality."""

from __future__ import annotations

import numpy as np
from stoprule.trajectories.roles import Roles
from stoprule.trajectories.table import Trajectories

SIGNALS = ("margin", "confidence", "coverage", "overlap", "gap")


def trajectories(questions: int, rounds: int = 8, seed: int = 0) -> Trajectories:
    """So many questions of so many rounds in one cell."""
    rng = np.random.default_rng(seed)
    shape = questions, rounds
    known = rng.random(questions)[:, None] * np.arange(1, rounds + 1) / rounds
    answer = np.where(rng.random(shape) < known, 0, rng.integers(1, 6, shape)).astype(np.int32)
    gold, given, common = rng.integers(1, 5, shape), rng.integers(1, 5, shape), rng.integers(0, 2, shape)
    f1 = np.where(answer == 0, 1.0, 2 * common / (gold + given))
    question = np.array([f"q{q:06}" for q in range(questions)], dtype=object)
    return Trajectories(
        question=question,
        cell=np.full(questions, "", dtype=object),
        group=question,
        length=np.full(questions, rounds, dtype=np.int64),
        answer=answer,
        signals={name: known + rng.normal(0, 0.5, shape) for name in SIGNALS},
        booleans=frozenset(),
        outcomes={"f1": f1, "em": (answer == 0).astype(np.float64)},
        cost=np.tile(np.arange(1.0, rounds + 1), (questions, 1)),
        roles=Roles(quality="f1", outcomes=("em",), answer="answer", signals=SIGNALS),
    )
