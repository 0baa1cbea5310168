"""Which answers count as right, for measures that tell two classes apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..trajectories.errors import TrajectoryError
from ..trajectories.nearest import listing, nearest
from ..trajectories.table import Bools, Trajectories


@dataclass(frozen=True)
class Target:
    """Which answers count as right: those whose outcome ``name`` is above ``above``."""

    name: str
    above: float
    binary: bool

    @property
    def text(self) -> str:
        """The outcome, and the cut unless it is 0 or 1 anyway: ``em``, ``f1 > 0.5``."""
        return self.name if self.binary else f"{self.name} > {self.above:.4g}"

    @property
    def answers(self) -> str:
        """The answers that count as right, in words."""
        return f"right answers ({self.name})" if self.binary else f"answers with {self.text}"

    def right(self, t: Trajectories) -> Bools:
        """(N, R) true at the recorded rounds with a right answer."""
        return t.recorded & (t.outcomes[self.name] > self.above)


def target_of(t: Trajectories, name: str | None = None, *, above: float | None = None) -> Target:
    """The target of a table's signals.

    Parameters
    ----------
    t : Trajectories
    name : str, optional
        An outcome. By default the quality, or else the first outcome beside it, that is only ever 0 or 1; the
        quality where there is none.
    above : float, optional
        Answers with more than this count as right. By default 0 for an outcome that is 0 or 1, and the median
        of any other (or its largest value below the best one, where half of all answers have the best).

    Raises
    ------
    TrajectoryError
        When the table has no such outcome; the nearest is named.
    """
    if name is None:
        others = [other for other in t.outcomes if other != t.roles.quality]
        name = next((each for each in (t.roles.quality, *others) if _is_binary(t, each)), t.roles.quality)
    if name not in t.outcomes:
        raise TrajectoryError(
            f"no outcome {name!r}{nearest(name, t.outcomes)} as the target; there are {listing(t.outcomes)} "
            "(name others with --outcome COLUMN)"
        )
    if above is None and _is_binary(t, name):
        return Target(name, 0.0, binary=True)
    if above is None:
        known = t.outcomes[name][t.recorded]
        above = float(np.median(known))
        if above == known.max():
            above = float(known[known < above].max(initial=-np.inf))
    return Target(name, above, binary=False)


def _is_binary(t: Trajectories, name: str) -> bool:
    known = t.outcomes[name][t.recorded]
    return bool(((known == 0) | (known == 1)).all())
