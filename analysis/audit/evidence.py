"""What the checks look at: the lock, its log, the structure of all rows, the values of the opened splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from ...enumerate.replay import states, stop_rounds
from ...enumerate.workers import Workers
from ...rules.expression import Rule
from ...rules.lockfile import Lock
from ...rules.text import parse
from ...trajectories.roles import Roles
from ...trajectories.splits import Split
from ...trajectories.table import Floats, Trajectories
from ..looks import Entry
from ..verdict import in_percent
from .tells import Tell, tells

MOST_HELD = 10_000  # candidates whose figures are held for every trajectory


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """A locked choice, and what stands behind it.

    Attributes
    ----------
    lock : Lock
    looks : tuple of Entry
        The look log; empty where it is broken, which ``problems`` then says.
    problems : tuple of str
        What was found broken in the folder while it was read.
    structure : polars frame
        All trajectories, as ``Recording.structure`` has them.
    split : Split
    calibration : Trajectories or None
        The rows of the calibration split, if there is one.
    selection : Trajectories
        With the calibrated signals.
    candidates : polars frame or None
        What the search left; None where it is missing or of another lock.
    search : sequence of mapping
        The study's ``[[search]]`` entries.
    evaluation : mapping or None
        What evaluation.json holds, when it is the one of this lock.
    stale_evaluation : bool
        Whether there is one of another lock.
    jobs : int
    """

    lock: Lock
    looks: tuple[Entry, ...]
    problems: tuple[str, ...]
    structure: pl.DataFrame
    split: Split
    calibration: Trajectories | None
    selection: Trajectories
    candidates: pl.DataFrame | None
    search: Sequence[Mapping[str, Any]]
    evaluation: Mapping[str, Any] | None
    stale_evaluation: bool = False
    jobs: int = 1

    @property
    def rule(self) -> Rule:
        """The locked rule."""
        return self.lock.rule

    @property
    def workers(self) -> Workers:
        """Who works on the checks that take long."""
        return Workers(jobs=self.jobs, backend="processes")

    @property
    def roles(self) -> Roles:
        """The column of each role."""
        return self.selection.roles

    @cached_property
    def calibrated(self) -> Mapping[str, str]:
        """Calibrated signals, and the signal that each is made of."""
        return {each.name: each.signal for each in self.lock.calibrators}

    @cached_property
    def raw_selection(self) -> Trajectories:
        """The selection rows as recorded, without calibrated signals."""
        return without(self.selection, self.calibrated)

    @cached_property
    def final(self) -> Mapping[str, Any] | None:
        """What `evaluate` found about the final rows for the audit; None before it."""
        return None if self.evaluation is None else self.evaluation["audit"]

    @cached_property
    def opened(self) -> Mapping[str, tuple[Tell, ...]]:
        """The figures of the recorded signals by split; the final ones as `evaluate` kept them."""
        found = {"selection": tells(self.raw_selection, self.raw_selection.signals)}
        if self.calibration is not None:
            found["calibration"] = tells(self.calibration, self.calibration.signals)
        if self.final is not None:
            found["final"] = tuple(Tell.from_dict(entry) for entry in self.final["signals"])
        return found

    @property
    def keeps_all(self) -> bool:
        """Whether the candidates are all behaviours that were met; a large sweep keeps the best at each cost."""
        return self.candidates is not None and self.candidates.height >= self.lock.content["distinct"]

    @cached_property
    def behaviours(self) -> tuple[Floats, Floats] | None:
        """(K, N) quality and cost of every candidate on every selection trajectory; None if unknown or too many."""
        if self.candidates is None or self.candidates.height > MOST_HELD:
            return None
        t, rows = self.selection, np.arange(len(self.selection))
        stops = stop_rounds(states([parse(text) for text in self.candidates["rule"]], t), t.length) - 1
        return t.quality[rows, stops], t.cost[rows, stops]

    def worth(self, quality: float) -> str:
        """A quality as it is printed: F1 and EM that are fractions x100."""
        return f"{100 * quality:.2f}" if in_percent(self.selection) else f"{quality:.4g}"

    @cached_property
    def comparator(self) -> Rule:
        """The baseline of the audit: the fixed depth that the policy chose, else the longest declared baseline."""
        chosen = self.lock.content["comparator"]
        return parse(chosen if chosen is not None else f"round >= {self.selection.rounds}")


def row_of(candidates: pl.DataFrame, rule: Rule) -> int | None:
    """Where a rule stands among candidates, under its own name or as the equivalent of another; None if it does not."""
    named = (candidates["rule"] == str(rule)) | candidates["equivalents"].list.contains(str(rule))
    return named.arg_max() if named.any() else None


def without(t: Trajectories, names: Mapping[str, Any]) -> Trajectories:
    """The table without some of its signals."""
    return replace(t, signals={name: values for name, values in t.signals.items() if name not in names})
