"""Before the test is run: the smallest loss that it could certify with so many questions and such a spread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats
from .betting import betting_p_many, refuse_unfit
from .exact_margin import exact_p_of_score, margin_score
from .streams import random_signs, stream, whole_number

DRAWS = 2000
POWER = 0.8
STEP = 1e-4  # of the largest loss; to which the margin is found


@dataclass(frozen=True, kw_only=True)
class CertifiableLoss:
    """What a test can be expected to certify.

    Attributes
    ----------
    max_loss : float
        The smallest margin that a rule without any true loss passes with probability ``power``; NaN where even
        a margin of nearly the largest loss is too small.
    floor : float
        Below this margin no test can pass, not even when no question is lost.
    certifying : int
        Questions (groups) in the certifying part.
    sd : float
        Standard deviation of the loss about 0, the spread that was assumed.
    alpha, power : float
    """

    max_loss: float
    floor: float
    certifying: int
    sd: float
    alpha: float
    power: float

    def sentence(self, *, points: float = 100.0) -> str:
        """For the reader, in points: of a fraction by default."""
        smallest = "nothing" if math.isnan(self.max_loss) else f"{points * self.max_loss:.1f} points"
        return (
            f"{self.certifying} certifying questions, sd {self.sd:.2g}: {smallest} at {self.power:.0%} power; "
            f"never below {points * self.floor:.1f}"
        )


def certifiable_loss(
    losses: Floats,
    certifying: int,
    *,
    alpha: float,
    seed: int,
    largest: float = 1.0,
    power: float = POWER,
    test: Literal["betting", "exact"] = "betting",
) -> CertifiableLoss:
    """Simulate the same test on losses that have the spread of the choosing part, and no mean.

    A draw takes losses of the choosing part, with replacement, at random signs: mean 0, the same spread, the
    same bound; as many as will certify, and again as many as the part has to size the bets by. The margin is
    found by bisection on one set of draws.

    Parameters
    ----------
    losses : (n_A,) float64, n_A >= 1
        Of the choosing part (one a unit), within -largest and largest.
    certifying : int
        Units in the certifying part, at least 1.
    alpha : float
        Of the test.
    seed : int
    largest : float
        The greatest loss that there can be.
    power : float
        In (0, 1).
    test : "betting" or "exact"
        Exact: for losses of -1, 0 and 1 times ``largest``.

    Raises
    ------
    StudyError
        When a setting is out of its range or a loss is larger in size than ``largest``.
    """
    whole_number("certifying", certifying, least=1)
    refuse_unfit(np.abs(losses), max_loss=0.0, alpha=alpha, largest=largest)
    if not 0 < power < 1:
        raise StudyError(f"power must lie between 0 and 1, not {power!r}; the usual value is 0.8")
    rng = stream(seed, "power")

    def drawn(count: int) -> Floats:
        sizes: Floats = rng.choice(losses, (DRAWS, count))
        return sizes * random_signs(rng, DRAWS, count)

    choosing, tested = drawn(len(losses)), drawn(certifying)

    lost, gained = (tested > 0).sum(axis=1), (tested < 0).sum(axis=1)

    def reached(max_loss: float) -> bool:
        if test == "exact":  # p rises with the score: that of one quantile tells how many draws pass
            scores = np.sort(margin_score(lost, gained, certifying, max_loss=max_loss / largest))
            decisive = float(scores[math.ceil(power * DRAWS) - 1])
            return exact_p_of_score(decisive, certifying, max_loss=max_loss / largest) <= alpha
        p = betting_p_many(tested, max_loss=max_loss, alpha=alpha, choosing=choosing, largest=largest)
        return bool((p <= alpha).mean() >= power)

    floor = largest * (1 - alpha ** (1 / certifying))
    low, high = floor, largest * (1 - STEP)
    smallest = high if reached(high) else math.nan
    while high - low > STEP * largest and not math.isnan(smallest):
        middle = (low + high) / 2
        if reached(middle):
            smallest = high = middle
        else:
            low = middle
    return CertifiableLoss(
        max_loss=smallest,
        floor=floor,
        certifying=certifying,
        sd=float(np.sqrt((losses**2).mean())),
        alpha=alpha,
        power=power,
    )
