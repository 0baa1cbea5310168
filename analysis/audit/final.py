"""What the audit needs of the final rows: worked out by `evaluate` within its look, kept in evaluation.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...rules.expression import Rule
from ...rules.lockfile import Lock
from ...trajectories.table import Trajectories
from .choice import chosen_by_policy, figures_of
from .dominance import dominance
from .evidence import without
from .tells import tells


def final_figures(lock: Lock, final: Trajectories, rivals: Sequence[Rule]) -> dict[str, Any]:
    """The audit's figures of the final split.

    Parameters
    ----------
    lock : Lock
    final : Trajectories
        With the calibrated signals.
    rivals : sequence of Rule
        The rules of the selection front, the locked one with them or not.

    Returns
    -------
    dict
        signals (the tells of the recorded ones), rank and rivals (of the locked rule by final quality, among so
        many), first (whether the policy would have chosen it on the final split), dominated (see `dominance`).
    """
    recorded = without(final, {each.name: each.signal for each in lock.calibrators})
    rules = list(dict.fromkeys([lock.rule, *rivals]))
    frame = figures_of(rules, final)
    own = frame["quality"][0]
    return {
        "signals": [each.to_dict() for each in tells(recorded, recorded.signals)],
        "rank": 1 + int((frame["quality"] > own).sum()),
        "rivals": len(rules),
        "first": chosen_by_policy(lock, frame, final) == str(lock.rule),
        "dominated": dominance(lock.rule, rules[1:], final),
    }
