"""Small tables, written as they read."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from stoprule.trajectories.roles import Roles
from stoprule.trajectories.table import Trajectories

Rows = Sequence[Sequence[float]]


def _padded(rows: Rows, fill: float) -> np.ndarray:
    padded = np.full((len(rows), max(map(len, rows))), fill)
    for to, row in zip(padded, rows, strict=True):
        to[: len(row)] = row
    return padded


@pytest.fixture
def table() -> Callable[..., Trajectories]:
    """Build a table from one list a trajectory: quality, and whatever else differs from the default."""

    def build(
        quality: Rows,
        *,
        margin: Rows | None = None,
        answer: Rows | None = None,
        cost: Rows | None = None,
        cell: Sequence[str] | None = None,
        question: Sequence[str] | None = None,
        group: Sequence[str] | None = None,
        name: str = "f1",
        declared: tuple[float, float] | None = None,
        outcomes: Mapping[str, Rows] | None = None,
        labels: Mapping[str, Sequence[str]] | None = None,
        measures: Mapping[str, Rows] | None = None,
        signals: Mapping[str, Rows] | None = None,
    ) -> Trajectories:
        count = len(quality)
        ids = np.array(question or [f"q{i:04}" for i in range(count)], dtype=object)
        spent = cost or [[r + 1 for r, _ in enumerate(row)] for row in quality]
        read = {**({} if margin is None else {"margin": margin}), **(signals or {})}
        others = outcomes or {}
        return Trajectories(
            question=ids,
            cell=np.array(cell or [""] * count, dtype=object),
            group=ids if group is None else np.array(group, dtype=object),
            length=np.array([len(row) for row in quality], dtype=np.int64),
            answer=None if answer is None else _padded(answer, -1).astype(np.int32),
            signals={signal: _padded(rows, np.nan) for signal, rows in read.items()},
            booleans=frozenset(),
            outcomes={each: _padded(rows, np.nan) for each, rows in {name: quality, **others}.items()},
            cost=_padded(spent, np.nan),
            roles=Roles(
                quality=name,
                cell=None if cell is None else "cell",
                group=None if group is None else "group",
                cost=None if cost is None else "tokens",
                answer=None if answer is None else "answer",
                outcomes=tuple(others),
                range=declared,
                by=tuple(labels or ()),
                measures=tuple(measures or ()),
            ),
            labels={label: np.array(values, dtype=object) for label, values in (labels or {}).items()},
            measures={each: _padded(rows, np.nan) for each, rows in (measures or {}).items()},
        )

    return build
