"""From a study to calibrated tables: structure for all rows, values for the opened split only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..trajectories.calibration import Calibrator, fit
from ..trajectories.errors import StudyError
from ..trajectories.recording import Recording, record
from ..trajectories.roles import Roles, resolve
from ..trajectories.sources import open_source
from ..trajectories.splits import Side, Split, split_by_column, split_by_files, split_by_hash
from ..trajectories.table import Trajectories
from .source import Source
from .study import Study


@dataclass(frozen=True)
class Prepared:
    """A recording with its split; nothing but structure has been read."""

    recording: Recording
    split: Split

    def open(self, side: Side, calibrators: Sequence[Calibrator] = ()) -> Trajectories:
        """The rows of one split, with the calibrated signals added."""
        table = self.recording.open(self.split.mask(side))
        for each in calibrators:
            table = table.with_signal(each.name, each.apply(table))
        return table


def roles_of(study: Study) -> dict[str, Any]:
    """The roles that a study names, as `read_trajectories` takes them."""
    named = study.data
    keys = ("question", "round", "quality", "cell", "group", "answer", "text", "cost", "normalise", "preset")
    given: dict[str, Any] = {key: getattr(named, key) for key in keys if getattr(named, key) is not None}
    if named.split is not None and study.split.column not in (None, named.split):
        raise StudyError(
            f'data.split = "{named.split}" and split.column = "{study.split.column}": name the split column once'
        )
    split = named.split if study.split.column is None else study.split.column
    if split is not None:
        given["split"] = split
    if named.outcomes:
        given["outcomes"] = tuple(named.outcomes)
    if named.signals is not None:
        given["signals"] = tuple(named.signals)
    elif named.preset is None:
        raise StudyError(
            "data.signals is missing: list the columns that a rule may read (`stoprule init` proposes them)"
        )
    if study.costs is not None:
        given["measures"] = study.costs.model.measures
    if study.evaluate.by:
        given["by"] = tuple(study.evaluate.by)
    if named.range is not None:
        given["range"] = tuple(named.range)
    return given


def recorded(source: Source, data: Path | None = None, roles: Roles | None = None) -> Recording:
    """The structure of a study's data, checked for all rows; by the roles of a lock where there is one."""
    parts = [replace(part, source=open_source(part.source)) for part in source.parts(data)]
    first = parts[0].source
    if roles is None:
        roles = resolve(first.columns, where=first.name, **roles_of(source.study))
    return record(parts, roles)


def prepare(source: Source) -> Prepared:
    """Read the structure and split it as the study says."""
    study = source.study
    recording = recorded(source)
    by_column = recording.roles.split is not None
    by_files = study.data.path is None
    if by_files and by_column:
        raise StudyError("the files name the splits already: leave out the split column, or name one path")
    if study.split.selection is not None and (by_column or by_files):
        raise StudyError(
            "split.selection is a share for splitting by hash, but the data name their splits: leave it out"
        )
    by_hash = partial(split_by_hash, selection=study.split.selection)
    divide = split_by_files if by_files else split_by_column if by_column else by_hash
    split = divide(
        recording.structure,
        calibration=study.split.calibration,
        seed=study.split.seed,
        calibrated=study.fits_on_calibration,
    )
    return Prepared(recording, split)


def fit_calibrators(study: Study, prepared: Prepared) -> tuple[Calibrator, ...]:
    """Fit every calibrated signal on the split that the study names."""
    if not study.calibrate:
        return ()
    rows = prepared.open("calibration" if study.fits_on_calibration else "selection")
    borrow = {each.name: each.calibration_from for each in study.data.cells if each.calibration_from is not None}
    return tuple(
        fit(
            rows,
            name=name,
            signal=each.signal,
            target=each.target,
            method=each.method,
            by=each.by,
            missing=each.missing,
            borrow=borrow,
        )
        for name, each in study.calibrate.items()
    )
