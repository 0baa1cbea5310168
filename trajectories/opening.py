"""The values of opened rows, checked and laid out by trajectory and round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .answers import answer_codes
from .columns import as_numbers, as_text, no_text, shown
from .errors import TrajectoryError
from .roles import SINGLE, Roles
from .sources import Source
from .structure import few, named, place
from .table import Bools, Floats, Trajectories

LARGEST = 1e100  # squares and cubes of anything up to it, and their sums, are still finite


def opened(structure: pl.DataFrame, rows: pl.DataFrame, sources: Sequence[Source], roles: Roles) -> Trajectories:
    """The table of the trajectories in ``structure``, from their rows.

    Parameters
    ----------
    structure, rows : polars frames
        As a ``Recording`` has them, of the opened trajectories only.

    Raises
    ------
    TrajectoryError
        As ``Recording.open`` says.
    """
    values = _Values(rows, sources, roles)
    size = structure.height, int(rows["round"].max() or 0)  # type: ignore[arg-type]
    at = rows["trajectory"].to_numpy(), rows["round"].to_numpy() - 1

    def dense(column: NDArray[Any], fill: float) -> NDArray[Any]:
        grid = np.full(size, fill, dtype=column.dtype)
        grid[at] = column
        return grid

    outcomes = {name: values.finite(name, "outcome") for name in (roles.quality, *roles.outcomes)}
    values.refuse_outside_range(outcomes[roles.quality])
    if roles.cost is None:
        cost = dense(rows["round"].to_numpy().astype(np.float64), np.nan)
    else:
        cost = dense(values.finite(roles.cost, "cost"), np.nan)
        _refuse_falling(cost, structure, f"{values.where}: cost {roles.cost!r}")
    signals, booleans = values.signals()
    return Trajectories(
        question=structure["question"].to_numpy().astype(object),
        cell=structure["cell"].to_numpy().astype(object),
        group=structure["group"].to_numpy().astype(object),
        length=structure["rounds"].to_numpy(writable=True),
        answer=dense(answer_codes(values.text(roles.answer, "answer"), roles.normalise), -1) if roles.answer else None,
        signals={name: dense(column, np.nan) for name, column in signals.items()},
        booleans=booleans,
        outcomes={name: dense(column, np.nan) for name, column in outcomes.items()},
        cost=cost,
        roles=roles,
        labels={name: values.label(name) for name in roles.by},
        measures={name: dense(values.finite(name, "measure"), np.nan) for name in roles.measures},
    )


def _refuse_falling(cost: Floats, structure: pl.DataFrame, what: str) -> None:
    falls = np.argwhere(np.diff(cost, axis=1) < 0).tolist()
    if not falls:
        return

    def fall(at: list[int]) -> str:
        trajectory, before = at
        who = named({**structure.row(trajectory, named=True), "round": before + 2})
        return f"from {cost[trajectory, before]:g} to {cost[trajectory, before + 1]:g} at {who}"

    raise TrajectoryError(
        f"{what} falls {few(falls, fall)}; it is what has been spent up to and including the "
        "round, so sum it up, or name no column as cost='' to count rounds"
    )


class _Values:
    """The columns of the opened rows, which stand in the order of their sources."""

    def __init__(self, rows: pl.DataFrame, sources: Sequence[Source], roles: Roles) -> None:
        self.rows, self.sources, self.roles = rows, sources, roles
        self.where = " + ".join(source.name for source in sources)
        self.listed = self._remaining() if roles.signals is None else roles.signals
        wanted = (roles.quality, *roles.outcomes, *self.listed, roles.cost, roles.answer, *roles.by, *roles.measures)
        self.frames = []
        for part, source in enumerate(sources):
            local = rows.filter(pl.col("part") == part)["row"].to_numpy()
            present = [name for name in dict.fromkeys(wanted) if name in source.columns]
            self.frames.append(source.load(present, local))

    def _remaining(self) -> Sequence[str]:
        taken = {getattr(self.roles, role) for role in SINGLE} | set(self.roles.outcomes)
        return sorted({name for source in self.sources for name in source.columns} - taken)

    def _column(self, name: str) -> Iterable[pl.Series]:
        """The column in each source, all missing where a source lacks it."""
        for frame in self.frames:
            yield (frame[name] if name in frame.columns else pl.Series(name, [None] * frame.height, dtype=pl.Null))

    def _refuse(self, name: str, use: str, bad: Bools, must: str) -> None:
        """Name the first few rows at which a column holds what it may not."""
        offenders = np.flatnonzero(bad).tolist()
        if not offenders:
            return
        starts = np.cumsum([0, *(frame.height for frame in self.frames)])

        def offence(i: int) -> str:
            row = self.rows.row(i, named=True)
            value = shown(self.frames[row["part"]][name], i - int(starts[row["part"]]))
            return f"{value} at {place(self.sources, row)} ({named(row)})"

        raise TrajectoryError(f"{self.where}: {use} {name!r} is {few(offenders, offence)}; {must}")

    def _numbers(self, name: str) -> tuple[Floats, Bools, bool]:
        """Values with NaN where missing, where a value is no number, and whether the column is Boolean."""
        read = [as_numbers(column) for column in self._column(name)]
        values = [column.cast(pl.Float64).fill_null(np.nan).to_numpy() for column, _ in read]
        unfit = np.concatenate([bad.to_numpy() for _, bad in read])
        kinds = {column.dtype for column, _ in read if column.null_count() < len(column)}
        return np.concatenate(values), unfit, kinds == {pl.Boolean}

    def finite(self, name: str, use: str) -> Floats:
        """A column that needs a finite number in every row."""
        values = self._numbers(name)[0]
        self._refuse(name, use, ~np.isfinite(values), f"every recorded round needs a finite {use}")
        self._refuse(name, use, np.abs(values) > LARGEST, f"no {use} may be beyond {LARGEST:g}: scale the column")
        return values

    def refuse_outside_range(self, quality: Floats) -> None:
        """Hold the quality to its declared range."""
        if self.roles.range is None:
            return
        low, high = self.roles.range
        must = f"its declared range is {low:g} to {high:g}, so mend the value or the range"
        self._refuse(self.roles.quality, "quality", (quality < low) | (quality > high), must)

    def text(self, name: str, use: str) -> pl.Series:
        """A column as text, null where missing."""
        columns = list(self._column(name))
        bad = pl.concat([no_text(column) for column in columns]).to_numpy()
        self._refuse(name, use, bad, "it has to be text, a number or empty, so write it as text")
        return pl.concat([as_text(column)[0] for column in columns])

    def label(self, name: str) -> NDArray[np.object_]:
        """A column with one value a trajectory, as text, "" where it is missing."""
        found = (
            self.rows.select("trajectory", "cell", "question", self.text(name, "label").fill_null("").alias("label"))
            .group_by("trajectory", "cell", "question")
            .agg(pl.col("label").min(), pl.col("label").max().alias("other"))
            .sort("trajectory")
        )
        changing = found.filter(pl.col("label") != pl.col("other"))
        if changing.height:
            offenders = few(
                changing.rows(named=True), lambda each: f"{named(each)} has {each['label']!r} and {each['other']!r}"
            )
            raise TrajectoryError(
                f"{self.where}: {name!r} changes between the rounds of a question: {offenders}; "
                "figures are broken down by columns with one value a question"
            )
        return found["label"].to_numpy().astype(object)

    def signals(self) -> tuple[dict[str, Floats], frozenset[str]]:
        """The signals by name, NaN where missing, and the names of the Boolean ones."""
        signals, booleans = {}, set()
        for name in self.listed:
            values, unfit, boolean = self._numbers(name)
            if self.roles.signals is None and (unfit.any() or self._is_text(name)):
                continue
            self._refuse(name, "signal", unfit, "signals are numbers or true and false, empty where missing")
            beyond = np.isfinite(values) & (np.abs(values) > LARGEST)
            self._refuse(name, "signal", beyond, f"no finite signal may be beyond {LARGEST:g}: write inf, or scale it")
            signals[name] = values
            if boolean:
                booleans.add(name)
        return signals, frozenset(booleans)

    def _is_text(self, name: str) -> bool:
        """Whether a file or frame with types calls a column text, whatever digits stand in it."""
        return any(
            source.typed and column.dtype in (pl.String, pl.Categorical, pl.Enum) and column.null_count() < len(column)
            for source, column in zip(self.sources, self._column(name), strict=True)
        )
