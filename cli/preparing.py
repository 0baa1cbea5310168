"""From a study to calibrated tables: structure for all rows, values for the opened split only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..trajectories.calibration import Calibrator, fit
from ..trajectories.errors import StudyError
from ..trajectories.recording import Recording, record
from ..trajectories.roles import Roles
from ..trajectories.splits import Side, Split, split_by_column, split_by_files, split_by_hash
from ..trajectories.table import Trajectories
from .sources import Source
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
    if split := study.split.column or named.split:
        given["split"] = split
    if named.outcomes:
        given["outcomes"] = tuple(named.outcomes)
    if named.signals is not None:
        given["signals"] = tuple(named.signals)
    elif named.preset is None:
        raise StudyError("data.signals is missing: list the columns that a rule may read (`stoprule init` proposes them)")
    if named.range is not None:
        given["range"] = tuple(named.range)
    return given
