"""Does any rule beat the baseline when all rules are counted? The maximum over the family, by sign flips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..trajectories.table import Bools, Floats, Ints
from .differences import Differences
from .streams import random_signs, stream, whole_number

AT_ONCE = 2**22  # statistics held at a time: 32 MB
TIE = 1e-9  # statistics this close are one, however their sums were rounded


@dataclass(frozen=True, eq=False, kw_only=True)
class FamilyWide:
    """What a family of rules shows against the baseline.

    Attributes
    ----------
    statistic : (K,) float64
        T_k, at most the root of the number of groups in which the rule differs; NaN for a rule that differs
        in none.
    adjusted : (K,) float64
        One-sided p-values over the family, by step-down; NaN with the statistic.
    draws : int
    """

    statistic: Floats
    adjusted: Floats
    draws: int

    @property
    def left_out(self) -> int:
        """Rules that do not differ from the baseline in any group."""
        return int(np.isnan(self.statistic).sum())

    @property
    def p(self) -> float:
        """P-value of H0: no rule is better than the baseline; 1 where none differs."""
        return float(np.nanmin(self.adjusted)) if self.left_out < len(self.adjusted) else 1.0

    def better(self, alpha: float) -> Bools:
        """(K,) the rules that are better than the baseline; a wrong one among them has probability <= alpha."""
        return self.adjusted <= alpha


def family_wide(differences: Differences, *, seed: int, draws: int = 2000) -> FamilyWide:
    """Test all rules at once by the maximum of T_k = sum_g d_kg / sqrt(sum_g d_kg^2).

    A draw flips all differences of a group together, so that rules stay as dependent as they are; the
    denominator is the same for every draw. Step-down (Westfall and Young, Resampling-based multiple testing,
    1993, algorithm 2.8): a rule is compared with the maximum over the rules whose statistic is not larger,
    which is what masking those already found comes to. Null hypothesis: the signs are symmetric.

    Parameters
    ----------
    differences : Differences
        Quality of a rule minus that of the baseline, one value a group; larger is better.
    seed : int
    draws : int
        At least 1; the smallest p-value is 1 / (draws + 1).

    Raises
    ------
    StudyError
        When draws or seed are out of range.
    """
    whole_number("draws", draws, least=1)
    rng = stream(seed, "family-wide")
    once = np.ones((1, differences.groups))
    scale = np.sqrt(differences.squares(once)[0])
    moving = np.flatnonzero(scale > 0)
    observed = differences.sums(once)[0, moving] / scale[moving]
    ascending = np.argsort(observed, kind="stable")
    observed, moving = observed[ascending], moving[ascending]

    as_large = np.zeros(len(moving), np.int64)
    at_once = max(1, AT_ONCE // max(1, len(scale)))
    for done in range(0, draws if len(moving) else 0, at_once):
        signs = random_signs(rng, min(at_once, draws - done), differences.groups)
        flipped = differences.sums(signs)[:, moving] / scale[moving]
        largest_so_far = np.maximum.accumulate(flipped, axis=1)
        as_large += (largest_so_far >= observed - TIE).sum(axis=0)

    statistic, adjusted = np.full((2, len(scale)), np.nan)
    statistic[moving] = observed
    adjusted[moving] = _monotone(as_large, draws)
    return FamilyWide(statistic=statistic, adjusted=adjusted, draws=draws)


def _monotone(as_large: Ints, draws: int) -> Floats:
    """P-values in ascending order of the statistics: none is below that of a larger statistic."""
    p = (1 + as_large) / (draws + 1)
    return np.maximum.accumulate(p[::-1])[::-1]
