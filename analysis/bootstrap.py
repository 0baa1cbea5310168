"""Paired bootstrap by group: how far a macro mean, a difference or a ratio would move on other questions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trajectories.errors import StudyError
from ..trajectories.exact import macro_integers
from ..trajectories.table import Bools, Floats, Ints
from .intervals import METHODS, Estimate, Method, bca_interval, percentile_interval
from .streams import whole_number

__all__ = ["ROUNDING", "Estimate", "PairedBootstrap", "Strata", "paired_bootstrap", "strata"]

LARGEST_CHUNK = 2**21  # indices drawn at a time: 16 MB, whatever the number of draws
ROUNDING = 1e-12  # relative; figures this close are one


@dataclass(frozen=True, eq=False, kw_only=True)
class Strata:
    """The groups of a table in the order in which they are drawn, and what each trajectory weighs.

    Groups weigh equally. In a cell, a group's value is the mean over its trajectories there, a cell's figure
    is the mean over its groups, and macro is the mean over cells; where every group is one question, that is
    the plain macro mean. A stratum holds the groups that appear in the same set of cells, so every resample
    has as many groups in every cell as the table, and its figure is the sum of the drawn contributions.

    Attributes
    ----------
    groups : tuple of str
        The G ids, stratum after stratum, sorted within each.
    cells : tuple of tuple of str
        The set of cells of each stratum; strata are sorted by it.
    sizes : (S,) int64
        Groups in each stratum.
    position : (N,) int64
        Index of each trajectory's group in ``groups``.
    pair, pair_cell : (N,) and (P,) int64
        The (cell, group) pair of each trajectory; the cell of each pair.
    weight : (N,) float64
        Share of each trajectory in the macro mean: one over (cells x groups of its cell x trajectories of
        its pair).
    """

    groups: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    sizes: Ints
    position: Ints
    pair: Ints
    pair_cell: Ints
    weight: Floats

    @property
    def group_of_pair(self) -> Ints:
        """(P,) the group of each (cell, group) pair."""
        group = np.empty(len(self.pair_cell), np.int64)
        group[self.pair] = self.position
        return group

    def macro_mean(self, values: Floats) -> float:
        """The figure itself, of (N,) finite values; where no cell has a group twice, the exact macro mean."""
        means = np.bincount(self.pair, weights=values) / np.bincount(self.pair)
        exact = macro_integers(means[:, None], self.pair_cell)
        return float(int(exact.integers.sum()) / exact.divisor)

    def contributions(self, values: Floats) -> Floats:
        """(G,) what each group adds to the macro mean of (N,) values."""
        sums = np.zeros(len(self.groups))
        np.add.at(sums, self.position, self.weight * values)
        return sums

    def left_out(self, value: float, contribution: Floats) -> Floats:
        """(G,) the figure ``value`` without each group, its stratum filled up by the mean of the others there.

        The closed leave-one-out form of a sum over strata of fixed size: the jackknife that belongs to these
        resamples. A group alone in its stratum is in every resample, and leaving it out changes nothing.
        """
        starts = np.cumsum(self.sizes) - self.sizes
        mean = np.repeat(np.add.reduceat(contribution, starts) / self.sizes, self.sizes)
        return value + (mean - contribution) * self.per_group(self.sizes / np.maximum(self.sizes - 1, 1))

    def influence(self, left_out: Floats) -> Floats:
        """(G,) how far each group moves a figure, out of its leave-one-out values (scipy's several-sample form)."""
        starts = np.cumsum(self.sizes) - self.sizes
        mean = self.per_group(np.add.reduceat(left_out, starts) / self.sizes)
        return self.per_group((self.sizes - 1) / self.sizes) * (mean - left_out)

    def per_group(self, per_stratum: Floats) -> Floats:
        """(G,) the value of each group's stratum."""
        return np.repeat(per_stratum, self.sizes)


def strata(cell: NDArray[np.object_], group: NDArray[np.object_]) -> Strata:
    """Sort groups into strata by the set of cells in which each appears.

    Parameters
    ----------
    cell, group : (N,) object arrays of str, N >= 1
        Of the trajectories in any order.
    """
    cell_names, cell_index = np.unique(cell.astype(str), return_inverse=True)
    group_names, group_index = np.unique(group.astype(str), return_inverse=True)
    pairs, pair, pair_size = np.unique(
        cell_index * len(group_names) + group_index, return_inverse=True, return_counts=True
    )
    pair_cell, pair_group = np.divmod(pairs, len(group_names))
    appears = np.zeros((len(group_names), len(cell_names)), bool)
    appears[pair_group, pair_cell] = True

    patterns, pattern = np.unique(appears, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)  # NumPy 2.0 gives it a second axis
    cells_of = [tuple(cell_names[row].tolist()) for row in patterns]
    by_cells = sorted(range(len(patterns)), key=cells_of.__getitem__)
    stratum = np.argsort(by_cells)[pattern]
    order = np.lexsort((np.arange(len(group_names)), stratum))

    groups_in_cell = np.bincount(pair_cell)
    return Strata(
        groups=tuple(group_names[order].tolist()),
        cells=tuple(cells_of[i] for i in by_cells),
        sizes=np.bincount(stratum).astype(np.int64),
        position=np.argsort(order)[group_index].astype(np.int64),
        pair=pair.astype(np.int64),
        pair_cell=pair_cell.astype(np.int64),
        weight=1.0 / (len(cell_names) * groups_in_cell[cell_index] * pair_size[pair]),
    )


def drawn_groups(sizes: Ints, *, draws: int, seed: int | np.random.Generator) -> Iterator[Ints]:
    """Chunks (b, G) of resampled positions; a row is a draw: `integers(0, n_s, n_s)` for every stratum.

    NumPy draws bounded 64-bit integers one after another, so a whole matrix, bounded column by column, holds
    the numbers that successive calls would give. A single bound is several times quicker than one a column.
    """
    rng = np.random.default_rng(seed)
    bounds = np.repeat(sizes, sizes) if len(sizes) > 1 else sizes[0]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    at_once = max(1, LARGEST_CHUNK // len(first))
    for done in range(0, draws, at_once):
        drawn = rng.integers(0, bounds, (min(at_once, draws - done), len(first)))
        drawn += first
        yield drawn


def resample(contributions: Floats, sizes: Ints, *, draws: int, seed: int) -> Floats:
    """Sum (M, G) contributions over the groups of every draw: (draws, M)."""
    sums = np.empty((draws, len(contributions)))
    done = 0
    for drawn in drawn_groups(sizes, draws=draws, seed=seed):
        chunk, groups = drawn.shape
        cells = (drawn + np.arange(chunk)[:, None] * groups).ravel()
        times = np.bincount(cells, minlength=chunk * groups).reshape(chunk, groups).astype(np.float64)
        # einsum adds in one fixed order; a BLAS product's last bits may depend on its threads
        np.einsum("bg,mg->bm", times, contributions, out=sums[done : done + chunk])
        done += chunk
    return sums


@dataclass(frozen=True, eq=False)
class PairedBootstrap:
    """Columns of trajectory values, resampled together: every figure sees the same drawn groups.

    One stream of draws serves all figures: it is what a generator made afresh from the seed would draw for
    each of them.
    """

    strata: Strata
    names: Mapping[Hashable, int]
    values: Floats  # (M,) macro means
    contributions: Floats  # (M, G)
    draws: Floats  # (draws, M)
    interval: Method

    def mean(self, name: Hashable) -> Estimate:
        """Macro mean of one column."""
        return self.figure([name], lambda mean: mean)

    def difference(self, name: Hashable, other: Hashable) -> Estimate:
        """Macro mean of one column minus that of another."""
        return self.figure([name, other], np.subtract)

    def ratio(self, name: Hashable, other: Hashable, *, of: str) -> Estimate:
        """Macro mean of one column over that of another, which has to be positive, in every resample too.

        Parameters
        ----------
        of : str
            What the other column is, for the reason that is given where the ratio is undefined.
        """
        i, j = self.names[name], self.names[other]
        if self.values[j] <= 0:
            return Estimate.undefined(f"{of} is {self.values[j]:.6g}: only a positive figure has a ratio to it")
        unusable = int((self.draws[:, j] <= 0).sum())
        if unusable:
            value = float(self.values[i] / self.values[j])
            return Estimate.undefined(f"{of} is not positive in {unusable} of {len(self.draws)} resamples", value)
        return self.figure([name, other], np.divide)

    def figure(self, names: Sequence[Hashable], of: Callable[..., Any]) -> Estimate:
        """Any smooth function of several macro means, all of it taken anew in every resample.

        Parameters
        ----------
        names : sequence of column names
        of : callable
            Takes one array of means a column, all of one shape, and gives an array of that shape.
        """
        columns = [self.names[name] for name in names]
        value = float(of(*self.values[columns]))
        draws = np.asarray(of(*self.draws[:, columns].T), np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):  # without one group a ratio may have no meaning
            left_out = np.asarray(of(*(self._left_out(i) for i in columns)), np.float64)
        left_out = np.where(np.isfinite(left_out), left_out, np.nan)
        rounding = ROUNDING * max(abs(value), float(np.abs(self.contributions[columns]).sum(axis=1).max()))
        # few resamples may agree by chance; then leaving a group out still moves the figure
        if all(np.abs(others - value).max() <= rounding for others in (draws, left_out)):
            return Estimate(value, value, value, degenerate=True)
        if self.interval == "percentile":
            return percentile_interval(value, draws)
        return bca_interval(value, draws, self.strata.influence(left_out), rounding=rounding)

    def _left_out(self, i: int) -> Floats:
        return self.strata.left_out(self.values[i], self.contributions[i])


def paired_bootstrap(
    groups: Strata,
    columns: Mapping[Hashable, Floats | Ints | Bools],
    *,
    draws: int = 10_000,
    seed: int = 42,
    interval: Method = "percentile",
) -> PairedBootstrap:
    """Resample columns of trajectory values by group.

    Parameters
    ----------
    groups : Strata
    columns : name -> (N,) finite values
    draws : int
        At least 1; 10,000 make the ends of the interval steady to about a hundredth of its width.
    seed : int
        At least 0; of ``numpy.random.default_rng``, made afresh in every call.
    interval : "percentile" or "bca"
        Efron's percentile interval, 2.5 to 97.5, or the bias-corrected and accelerated one.

    Raises
    ------
    StudyError
        When draws, seed or interval are not what is offered.
    """
    if interval not in METHODS:
        raise StudyError(f"interval {interval!r} is not offered: write one of {', '.join(METHODS)}")
    whole_number("draws", draws, least=1)
    whole_number("seed", seed, least=0)
    table = [np.asarray(column, dtype=np.float64) for column in columns.values()]
    contributions = np.stack([groups.contributions(column) for column in table])
    return PairedBootstrap(
        strata=groups,
        names={name: i for i, name in enumerate(columns)},
        values=np.array([groups.macro_mean(column) for column in table]),
        contributions=contributions,
        draws=resample(contributions, groups.sizes, draws=draws, seed=seed),
        interval=interval,
    )
