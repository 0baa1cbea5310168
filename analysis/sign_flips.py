"""Sign-flip test of paired differences: would chance signs give as large a sum?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats
from .streams import random_signs, stream, whole_number

MOST_EXACT = 20  # non-zero differences: 2**20 sums
AT_ONCE = 2**21  # signs drawn at a time: 16 MB
TIE = 1e-9  # of the sum of sizes; sums this close are one

Alternative = Literal["two-sided", "greater", "less"]
Method = Literal["binomial", "exact", "drawn"]


@dataclass(frozen=True, kw_only=True)
class SignFlip:
    """The verdict of a sign-flip test.

    Attributes
    ----------
    p : float
        1 where no difference is non-zero.
    method : "binomial", "exact" or "drawn"
        All differences of one size, at any n (McNemar's exact test); all 2^k sign patterns; or
        (1 + as large) / (draws + 1).
    nonzero : int
        Differences that carry information.
    draws : int
        0 unless drawn.
    """

    p: float
    method: Method
    nonzero: int
    draws: int = 0


def sign_flip_test(differences: Floats, *, seed: int, draws: int = 10_000, alternative: str = "two-sided") -> SignFlip:
    """P-value of H0: every difference is as likely to have either sign (Fisher; Pitman, JRSS Suppl. 4, 1937).

    That is more than a mean of zero: for right and wrong it is the same, for partial credit it holds
    asymptotically. Zeros carry no information.

    Parameters
    ----------
    differences : (G,) float64
        One a group, finite; whatever a group weighs has been multiplied in.
    seed : int
    draws : int
        Sign patterns, where there are too many to try them all.
    alternative : "two-sided", "greater" or "less"
        Greater: the differences tend to be positive.

    Raises
    ------
    StudyError
        When a setting is out of its range or a difference is not finite.
    """
    if alternative not in get_args(Alternative):
        raise StudyError(f"alternative {alternative!r} is not offered: write two-sided, greater or less")
    if not np.isfinite(differences).all():
        raise StudyError("a difference is not finite; give both rules their outcome in every group")
    whole_number("draws", draws, least=1)
    signed = differences if alternative != "less" else -differences
    moving = signed[signed != 0]
    sizes = np.abs(moving)
    both = alternative == "two-sided"
    if not len(moving):
        return SignFlip(p=1.0, method="binomial", nonzero=0)
    if np.ptp(sizes) <= TIE * sizes.max():
        return SignFlip(p=_binomial(moving, both=both), method="binomial", nonzero=len(moving))
    if len(moving) <= MOST_EXACT:
        share = _as_large(_all_sums(sizes), moving, both=both) / 2 ** len(moving)
        return SignFlip(p=share, method="exact", nonzero=len(moving))
    rng = stream(seed, "sign flips")
    at_once = max(1, AT_ONCE // len(moving))
    as_large = sum(
        _as_large(random_signs(rng, min(at_once, draws - done), len(moving)) @ sizes, moving, both=both)
        for done in range(0, draws, at_once)
    )
    return SignFlip(p=(1 + as_large) / (draws + 1), method="drawn", nonzero=len(moving), draws=draws)


def _binomial(moving: Floats, *, both: bool) -> float:
    from scipy.stats import binom

    positive = int((moving > 0).sum())
    if not both:
        return float(binom.sf(positive - 1, len(moving), 0.5))
    larger = max(positive, len(moving) - positive)
    return min(1.0, 2 * float(binom.sf(larger - 1, len(moving), 0.5)))


def _all_sums(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _as_large(sums: Floats, moving: Floats, *, both: bool) -> int:
    """How many sums are at least the observed one."""
    observed, slack = moving.sum(), TIE * np.abs(moving).sum()
    if both:
        return int((np.abs(sums) >= abs(observed) - slack).sum())
    return int((sums >= observed - slack).sum())
