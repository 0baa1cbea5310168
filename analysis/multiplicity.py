"""Several p-values at once: what the family of claims may still say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats


def bonferroni(p: ArrayLike) -> Floats:
    """Adjusted p-values: each times their number, at most 1.

    Parameters
    ----------
    p : (K,) array-like in [0, 1]

    Returns
    -------
    (K,) float64
        At most alpha where the claim holds at alpha over the family.
    """
    checked = _checked(p)
    return np.minimum(1.0, checked * len(checked))


def holm(p: ArrayLike) -> Floats:
    """Step-down adjusted p-values (Holm, Scandinavian Journal of Statistics 6, 1979): never above Bonferroni's.

    Parameters
    ----------
    p : (K,) array-like in [0, 1]

    Returns
    -------
    (K,) float64
    """
    checked = _checked(p)
    order = np.argsort(checked, kind="stable")
    left = np.arange(len(checked), 0, -1)
    adjusted = np.empty_like(checked)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(checked[order] * left))
    return adjusted


def fixed_sequence(p: ArrayLike, *, alpha: float) -> int:
    """How many claims hold when they are tested in their order, each at alpha, up to the first failure.

    The order has to be fixed before the p-values are known; what comes after a failure is not looked at
    (Angelopoulos et al., Learn then test, 2021, section 2.2, fixed-sequence testing).

    Parameters
    ----------
    p : (K,) array-like in [0, 1]
    alpha : float

    Returns
    -------
    int
        0..K; the claims are the first ones.
    """
    if not 0 < alpha < 1:
        raise StudyError(f"alpha must lie between 0 and 1, not {alpha!r}; the usual values are 0.05 and 0.1")
    failed = np.flatnonzero(_checked(p) > alpha)
    return int(failed[0]) if len(failed) else np.size(p)


def every_one(p: Sequence[float]) -> float:
    """P-value of the claim that holds only where each of several does: the largest, without correction.

    So is "in every cell", and so are several constraints (intersection-union test; Berger, Technometrics 24,
    1982).
    """
    checked = _checked(p)
    if not len(checked):
        raise StudyError("there is no p-value to combine; name a cell or a constraint")
    return float(checked.max())


def _checked(p: ArrayLike) -> Floats:
    values = np.asarray(p, np.float64)
    odd = values[~((values >= 0) & (values <= 1))]
    if len(odd):
        raise StudyError(f"p-values lie in [0, 1], got {odd[0]:g}")
    return values
