"""What stopping at each round is worth: additive figures, as integers, one row a trajectory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..trajectories.exact import macro_integers
from ..trajectories.table import Floats, Ints, Trajectories

Integer = TypeVar("Integer", np.int64, np.uint64)

BEHAVIOUR_SEED = 0x5709


@dataclass(frozen=True, eq=False, kw_only=True)
class Ledger:
    """Every figure of a rule is a sum over trajectories of one entry of these (N, R + 1) tables.

    Column r - 1 is read when the rule fires first at round r; column R when it never fires and the trajectory is
    exhausted at its last round. The three divisors turn a sum into a macro mean over cells.

    Attributes
    ----------
    quality, cost, calls : (N, R + 1) int64
        Scaled outcome, scaled cost and stop round, each weighted for the macro mean.
    fired : (N, R + 1) int64
        1 where the rule fired, 0 in the last column.
    words : (2, N, R + 1) uint64
        Random words of (trajectory, stop round); their sums mod 2**64 identify a behaviour. Being exhausted and
        firing at the last round are the same stop round, hence the same word.
    """

    quality: Ints
    cost: Ints
    calls: Ints
    fired: Ints
    words: NDArray[np.uint64]
    quality_divisor: float
    cost_divisor: float
    calls_divisor: float

    @property
    def never(self) -> int:
        """R, the column of a trajectory at which the rule never fires."""
        return int(self.quality.shape[1]) - 1


def _with_exhausted(table: NDArray[Integer], length: Ints) -> NDArray[Integer]:
    last = np.take_along_axis(table, length[:, None] - 1, axis=1)
    return np.concatenate([table, last], axis=1)


def ledger(t: Trajectories, quality: Floats | None = None) -> Ledger:
    """The ledger of a table, for its quality or for another (N, R) outcome in its place."""
    outcome = macro_integers(t.quality if quality is None else quality, t.cell_index)
    cost = macro_integers(t.cost, t.cell_index)
    rounds = np.where(t.recorded, np.arange(1.0, t.rounds + 1), np.nan)
    calls = macro_integers(rounds, t.cell_index)
    fired = np.concatenate([t.recorded, np.zeros((len(t), 1), bool)], axis=1).astype(np.int64)
    words = np.random.default_rng(BEHAVIOUR_SEED).integers(
        0, 2**64, size=(2, len(t), t.rounds), dtype=np.uint64, endpoint=False
    )
    return Ledger(
        quality=_with_exhausted(outcome.integers, t.length),
        cost=_with_exhausted(cost.integers, t.length),
        calls=_with_exhausted(calls.integers, t.length),
        fired=fired,
        words=np.stack([_with_exhausted(word, t.length) for word in words]),
        quality_divisor=outcome.divisor,
        cost_divisor=cost.divisor,
        calls_divisor=calls.divisor,
    )
