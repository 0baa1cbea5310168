"""Rules whose signals have nothing to do with the outcome: none is better than another."""

from dataclasses import dataclass

import numpy as np
from stoprule.analysis.bootstrap import Strata, strata

TRUE_QUALITY = 0.5


def one_cell(n: int) -> Strata:
    """n questions, each its own group."""
    names = np.array([f"q{i:05}" for i in range(n)], dtype=object)
    return strata(np.full(n, "c", dtype=object), names)


@dataclass(frozen=True)
class NullFixture:
    """What K rules `a > s & b > t` give in n questions of six rounds.

    Attributes
    ----------
    quality, cost : (K, n)
        Right or wrong at the stop round, with expectation 1/2 in every round, and the stop round.
    """

    quality: np.ndarray
    cost: np.ndarray

    @classmethod
    def draw(cls, rng: np.random.Generator, n: int, *, cuts: int = 45, rounds: int = 6) -> "NullFixture":
        """Cross as many cuts on each of two signals; the default makes 2,025 rules."""
        first = rng.random((n, 1)) < 0.5
        right = np.where(rng.random((n, rounds)) < 0.5, rng.random((n, rounds)) < 0.5, first)
        a, b = (rng.random((n, rounds)) > np.linspace(0, 0.95, cuts)[:, None, None] for _ in range(2))
        stop = np.empty((cuts, cuts, n), np.int64)
        for holds, row in zip(a, stop, strict=True):
            fires = holds & b
            fires[..., -1] = True
            row[:] = fires.argmax(axis=-1)
        stop = stop.reshape(cuts * cuts, n)
        return cls(right[np.arange(n), stop].astype(np.float64), stop + 1.0)

    def best_within(self, budget: float, rows: np.ndarray) -> int:
        """The rule with the most quality on the rows among those that cost at most the budget there."""
        share = np.bincount(rows, minlength=self.quality.shape[1]) / len(rows)
        return int(np.where(self.cost @ share <= budget, self.quality @ share, -1.0).argmax())
