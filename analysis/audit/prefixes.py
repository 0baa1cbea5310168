"""The prefix test: what a rule decides at a round may not change when later rounds are taken away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from ...rules.arrays import fires
from ...rules.expression import Rule
from ...trajectories.table import Floats, Trajectories


class Derived(Protocol):
    """A signal that is worked out from recorded ones, as a calibrator does."""

    @property
    def name(self) -> str: ...

    def apply(self, t: Trajectories) -> Floats: ...


def prefix_changes(rule: Rule, derived: Sequence[Derived], t: Trajectories) -> int:
    """Trajectories on which some decision changes when the table ends at that round.

    Parameters
    ----------
    rule : Rule
    derived : sequence of calibrators
        Worked out anew from each prefix.
    t : Trajectories
        As recorded.
    """
    whole = _fires(rule, derived, t)
    changed = np.zeros(len(t), dtype=bool)
    for rounds in range(1, t.rounds):
        short = until(t, rounds)
        changed |= (_fires(rule, derived, short) != whole[:, : short.rounds]).any(axis=1)
    return int(changed.sum())


def until(t: Trajectories, rounds: int) -> Trajectories:
    """The table as it stood after so many rounds; shorter trajectories are whole."""
    return replace(
        t,
        length=np.minimum(t.length, rounds),
        answer=None if t.answer is None else t.answer[:, :rounds],
        signals={name: values[:, :rounds] for name, values in t.signals.items()},
        outcomes={name: values[:, :rounds] for name, values in t.outcomes.items()},
        cost=t.cost[:, :rounds],
    )


def _fires(rule: Rule, derived: Sequence[Derived], t: Trajectories) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    for each in derived:
        t = t.with_signal(each.name, each.apply(t))
    return fires(rule, t)
