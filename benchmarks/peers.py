"""Other ways to the same figures, as one would write them without this package."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
from numpy.typing import NDArray
from stoprule.enumerate.plateaus import Operator
from stoprule.trajectories.table import Trajectories

Values = NDArray[np.float64]
DRAWS, SEED = 1000, 42


def long_table(t: Trajectories) -> pd.DataFrame:
    """One row a question and round, in that order."""
    questions, rounds = t.cost.shape
    columns = {
        "question": np.repeat(t.question.astype(str), rounds),
        "round": np.tile(np.arange(1, rounds + 1), questions),
        "repeats": repeats(t).ravel(),
        **{name: values.ravel() for name, values in t.signals.items()},
        **{name: values.ravel() for name, values in t.outcomes.items()},
    }
    return pd.DataFrame(columns)


def repeats(t: Trajectories) -> NDArray[np.bool_]:
    """(N, R) true where the answer is that of the round before."""
    assert t.answer is not None
    same = np.zeros(t.cost.shape, dtype=bool)
    same[:, 1:] = t.answer[:, 1:] == t.answer[:, :-1]
    return same


def pandas_replay(frame: pd.DataFrame, fires: pd.Series) -> pd.DataFrame:
    """The row at which each question stops: its first that fires, else its last; sorted by question.

    The published description: a mask over rounds, then the first true round of each question.
    """
    fired = frame[fires].groupby("question", as_index=False).first()
    exhausted = frame[~frame["question"].isin(fired["question"])].groupby("question", as_index=False).last()
    return pd.concat([fired, exhausted]).sort_values("question")


def looped_bootstrap(difference: Values) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles of 1,000 resampled means of a paired difference, one draw after another."""
    rng = np.random.default_rng(SEED)
    n = len(difference)
    means = [difference[rng.integers(0, n, n)].mean() for _ in range(DRAWS)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def scipy_bootstrap(difference: Values) -> tuple[float, float]:
    """The same interval by scipy, whose draws are others."""
    from scipy.stats import bootstrap

    found = bootstrap(
        (difference,), np.mean, n_resamples=DRAWS, method="percentile", rng=np.random.default_rng(SEED), vectorized=True
    ).confidence_interval
    return float(found.low), float(found.high)


def numpy_mask(t: Trajectories, name: str, op: Operator, cut: float) -> float:
    """The mean quality of one threshold, by a mask and its first true round."""
    fires = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}[op](t.signals[name], cut)
    stop = np.where(fires.any(axis=1), fires.argmax(axis=1), t.rounds - 1)
    return float(t.quality[np.arange(len(t)), stop].mean())


def polars_groups(frame: pl.DataFrame, name: str, cut: float) -> float:
    """The mean quality of one threshold, by a group-by."""
    fires = pl.col(name) > cut
    first = pl.col("f1").filter(fires).first()
    stopped = frame.group_by("question").agg(first.fill_null(pl.col("f1").last()).alias("f1"))
    return float(stopped["f1"].mean())  # type: ignore[arg-type]
