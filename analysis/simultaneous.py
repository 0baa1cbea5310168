"""Intervals that hold for all rules at once, and the band in which the true frontier lies. Asymptotic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats, Ints
from .differences import Differences
from .streams import stream, whole_number

FLOOR_QUESTIONS = 20.0  # no rule counts as steadier than one that differs in so many groups
AT_ONCE = 2**22  # means held at a time: 32 MB


@dataclass(frozen=True, eq=False, kw_only=True)
class Means:
    """The mean differences of K rules to the baseline, with intervals that hold together.

    Attributes
    ----------
    mean, error : (K,) float64
        Error: the standard error, with the standard deviation floored.
    low, high : (K,) float64
        Infinite on the side that was not asked for.
    """

    mean: Floats
    error: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Simultaneous:
    """Intervals for quality and cost of all rules: with probability near 1 - alpha all of them hold.

    Attributes
    ----------
    quality, cost : Means
        Minus the baseline's.
    critical : float
        Standard errors to either side.
    alpha : float
    draws : int
    """

    quality: Means
    cost: Means
    critical: float
    alpha: float
    draws: int
    asymptotic: bool = True


@dataclass(frozen=True, eq=False, kw_only=True)
class Band:
    """Two staircases between which the frontier of true means lies, for every cost at once.

    Quality and cost are minus the baseline's. A staircase starts at its first cost; before it the lower one
    is -inf (no rule surely costs so little) and so is the upper one (no rule may cost so little).

    Attributes
    ----------
    low_cost, low : (A,) float64
        Where the lower staircase rises, and to what.
    high_cost, high : (B,) float64
    """

    low_cost: Floats
    low: Floats
    high_cost: Floats
    high: Floats

    def at(self, cost: Floats) -> tuple[Floats, Floats]:
        """Lower and upper end at each of some costs."""
        return _stairs(self.low_cost, self.low, cost), _stairs(self.high_cost, self.high, cost)


def simultaneous(
    quality: Differences,
    cost: Differences,
    sizes: Ints,
    *,
    alpha: float,
    seed: int,
    draws: int = 2000,
    one_sided: bool = False,
) -> Simultaneous:
    """Intervals of mean differences, by the maximum of |resampled - observed| / error over rules and objectives.

    The bootstrap-t of Romano and Wolf (Econometrica 73, 2005, section 4) with the errors of the sample, not of
    the resamples, and a floor: sd_k is at least g sqrt(20 / G), g the root mean square of all non-zero
    differences. Without it the rules that differ in a few groups set the critical value, and nothing is ever
    found. Groups are resampled within strata; all rules and both objectives see the same draws.

    Parameters
    ----------
    quality, cost : Differences
        Of the same rules in the same G groups, stratum after stratum, scaled so that the plain mean over the
        groups is the figure. `Strata.contributions` times G is such a scale.
    sizes : (S,) int64
        Groups in each stratum (`Strata.sizes`).
    alpha : float
        In (0, 1).
    seed : int
    draws : int
    one_sided : bool
        Only lower ends of quality and upper ends of cost.

    Raises
    ------
    StudyError
        When a setting is out of its range.
    """
    if not 0 < alpha < 1:
        raise StudyError(f"alpha must lie between 0 and 1, not {alpha!r}; the usual values are 0.05 and 0.1")
    whole_number("draws", draws, least=1)
    both = (quality, cost)
    for one in both:
        if one.groups != sizes.sum():
            raise StudyError(f"differences in {one.groups} groups do not fit strata of {sizes.sum()}; give both alike")
    moments = [_moments(one, sizes) for one in both]
    greatest = np.zeros(draws)
    times = _resamples(sizes, draws=draws, seed=seed)
    at_once = max(1, AT_ONCE // len(moments[0][0]))
    for start in range(0, draws, at_once):
        chunk = times[start : start + at_once].astype(np.float64)
        for one, (mean, error), sign in zip(both, moments, (1.0, -1.0), strict=True):
            away = one.sums(chunk) / one.groups - mean
            sized = np.divide(sign * away if one_sided else np.abs(away), error, out=away, where=error > 0)
            top = greatest[start : start + at_once]
            np.maximum(top, sized.max(axis=1), out=top)
    critical = float(np.quantile(greatest, 1 - alpha, method="higher"))
    return Simultaneous(
        quality=_ends(*moments[0], critical, low=True, high=not one_sided),
        cost=_ends(*moments[1], critical, low=not one_sided, high=True),
        critical=critical,
        alpha=alpha,
        draws=draws,
    )


def frontier_band(intervals: Simultaneous) -> Band:
    """Where the frontier of true means, phi(c) = the most mean quality at a mean cost of at most c, can run.

    Wherever all intervals hold, L(c) <= phi(c) <= U(c) for every c: a rule whose upper cost is at most c truly
    costs no more, and the best rule at c truly has at least its lower cost.

    Raises
    ------
    StudyError
        When the intervals are one-sided.
    """
    quality, cost = intervals.quality, intervals.cost
    if np.isinf(quality.high).any() or np.isinf(cost.low).any():
        raise StudyError("the band needs intervals with both ends: leave one_sided out")
    low_cost, low = _staircase(cost.high, quality.low)
    high_cost, high = _staircase(cost.low, quality.high)
    return Band(low_cost=low_cost, low=low, high_cost=high_cost, high=high)


def _moments(differences: Differences, sizes: Ints) -> tuple[Floats, Floats]:
    """Mean and floored standard error of each rule."""
    groups = differences.groups
    of_stratum = np.repeat(np.eye(len(sizes)), sizes, axis=1)
    sums, squares = differences.sums(of_stratum), differences.squares(of_stratum)
    within = np.maximum(squares - sums**2 / sizes[:, None], 0.0).sum(axis=0)
    moving = differences.nonzero(np.ones((1, groups))).sum()
    mean_square = squares.sum() / moving if moving else 0.0
    variance = np.maximum(within / groups, mean_square * FLOOR_QUESTIONS / groups)
    return sums.sum(axis=0) / groups, np.sqrt(variance / groups)


def _resamples(sizes: Ints, *, draws: int, seed: int) -> Ints:
    """(draws, G) how often each group is drawn; every stratum keeps its size."""
    rng = stream(seed, "simultaneous")
    return np.concatenate([_drawn(rng, draws, size) for size in sizes.tolist()], axis=1)


def _drawn(rng: np.random.Generator, draws: int, size: int) -> Ints:
    places = rng.integers(0, size, (draws, size)) + size * np.arange(draws)[:, None]
    return np.bincount(places.ravel(), minlength=draws * size).reshape(draws, size)


def _ends(mean: Floats, error: Floats, critical: float, *, low: bool, high: bool) -> Means:
    away, none = critical * error, np.full(len(mean), np.inf)
    return Means(mean=mean, error=error, low=mean - (away if low else none), high=mean + (away if high else none))


def _staircase(cost: Floats, quality: Floats) -> tuple[Floats, Floats]:
    """Where the most quality so far rises, as cost does."""
    order = np.lexsort((-quality, cost))
    cost, best = cost[order], np.maximum.accumulate(quality[order])
    rises = np.diff(best, prepend=-np.inf) > 0
    return cost[rises], best[rises]


def _stairs(starts: Floats, heights: Floats, cost: Floats) -> Floats:
    step = np.searchsorted(starts, cost, side="right") - 1
    return np.where(step >= 0, heights[step], -np.inf)
