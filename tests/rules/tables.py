"""Small tables of trajectories, written as lists of rounds."""

import numpy as np
from stoprule.trajectories.roles import Roles
from stoprule.trajectories.table import Trajectories

MISSING = float("nan")


def table(*, answer=None, cost=None, quality=None, cells=None, **signals):
    """A table out of ragged lists, one list of rounds a trajectory.

    ``answer`` holds codes, -1 where missing; a signal of True, False and None is Boolean. Left out: no
    answer, no cells, one unit of cost a round, quality 0.
    """
    given = [*signals.values(), *(column for column in (answer, cost, quality) if column is not None)]
    lengths = [len(rounds) for rounds in given[0]]
    shape = len(lengths), max(lengths, default=0)

    def dense(column, fill, dtype):
        filled = np.full(shape, fill, dtype=dtype)
        for row, rounds in zip(filled, column, strict=True):
            row[: len(rounds)] = [fill if value is None else value for value in rounds]
        return filled

    booleans = {
        name
        for name, column in signals.items()
        if {type(value) for rounds in column for value in rounds} <= {bool, type(None)}
    }
    question = np.array([f"q{i}" for i in range(len(lengths))], dtype=object)
    return Trajectories(
        question=question,
        cell=np.array(cells or [""] * len(lengths), dtype=object),
        group=question,
        length=np.array(lengths, dtype=np.int64),
        answer=None if answer is None else dense(answer, -1, np.int32),
        signals={name: dense(column, np.nan, np.float64) for name, column in signals.items()},
        booleans=frozenset(booleans),
        outcomes={"f1": dense(quality or [[0.0] * n for n in lengths], np.nan, np.float64)},
        cost=dense(cost or [range(1, n + 1) for n in lengths], np.nan, np.float64),
        roles=Roles(
            quality="f1",
            cell=None if cells is None else "cell",
            answer=None if answer is None else "answer",
            cost=None if cost is None else "cost",
            signals=tuple(signals),
        ),
    )
