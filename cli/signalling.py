"""`stoprule signals`: what each signal of a table tells of an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..analysis.signals import SignalProfile, signal_profiles
from ..analysis.target import target_of
from ..trajectories.errors import TrajectoryError
from ..trajectories.reading import read_trajectories


def profile_file(
    file: Path, roles: dict[str, Any], *, target: str | None, above: float | None
) -> tuple[SignalProfile, ...]:
    """Profile every signal of a file.

    Parameters
    ----------
    file : Path
    roles : dict
        As `read_trajectories` takes them; the target counts as an outcome.
    target, above
        As `target_of`.

    Raises
    ------
    TrajectoryError
        When the table is not sound, has no such target, or has no signal.
    """
    if target is not None and target != roles.get("quality"):
        roles = {**roles, "outcomes": list(dict.fromkeys([*roles.get("outcomes", ()), target]))}
    table = read_trajectories(file, **roles)
    if not table.signals:
        raise TrajectoryError(f"{file}: has no signal: every numeric or Boolean column has another role")
    return signal_profiles(table, target_of(table, target, above=above))


def by_strength(profiles: Sequence[SignalProfile]) -> list[SignalProfile]:
    """Profiles from the AUROC farthest from 1/2 on, ties by name."""
    return sorted(profiles, key=lambda profile: (-profile.strength, profile.name))


def signals_json(profiles: Sequence[SignalProfile]) -> dict[str, Any]:
    """One JSON object: the target, and every signal by name."""
    target = profiles[0].target
    return {
        "target": {"outcome": target.name, "above": target.above},
        "signals": {profile.name: profile.to_dict() for profile in profiles},
    }
