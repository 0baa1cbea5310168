"""Is the difference to a baseline more than chance? Sign flips by group, and Holm over the declared family."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..trajectories.table import Floats
from .multiplicity import holm
from .sign_flips import SignFlip, sign_flip_test


@dataclass(frozen=True, kw_only=True)
class DifferenceTest:
    """The sign-flip test of one difference in quality.

    Attributes
    ----------
    flip : SignFlip
        Two-sided; the groups flip, each with all its questions and cells.
    p_holm : float or None
        Adjusted over the family; None where the comparison is no part of it.
    """

    flip: SignFlip
    p_holm: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The test for JSON."""
        return {
            "p": self.flip.p,
            "p_method": self.flip.method,
            "groups_that_differ": self.flip.nonzero,
            "p_holm": self.p_holm,
        }


def difference_test(contributions: Floats, others: Floats, *, draws: int, seed: int) -> DifferenceTest:
    """Test the (G,) contributions of a rule to its macro mean against those of another.

    Differences that are rounding of nothing, as thirds summed in two orders leave it, count as zero.
    """
    differences = contributions - others
    largest = max(np.abs(contributions).max(), np.abs(others).max())
    differences[np.abs(differences) <= 1e-12 * largest] = 0.0
    return DifferenceTest(flip=sign_flip_test(differences, seed=seed, draws=draws))


def adjusted(tests: Mapping[str, DifferenceTest], family: Collection[str]) -> dict[str, DifferenceTest]:
    """The tests with Holm's adjusted p-values for those of the family, which each count once."""
    members = [name for name in tests if name in family]
    corrected = dict(zip(members, holm([tests[name].flip.p for name in members]).tolist(), strict=True))
    return {name: replace(test, p_holm=corrected.get(name)) for name, test in tests.items()}
