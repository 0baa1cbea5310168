"""Cells and groups as one sequence of independent units, in an order that nobody chose."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..trajectories.errors import StudyError
from ..trajectories.table import Floats, Ints

ORDER = "certify"

Recipe = Literal["one cell", "shared", "common", "disjoint"]
Objects = NDArray[np.object_]


def ranked(word: str, ids: Iterable[str]) -> list[str]:
    """The distinct ids in the order of blake2b(word + id): fixed, without a seed, and blind to the values."""
    return sorted(set(ids), key=lambda one: (hashlib.blake2b((word + one).encode()).digest(), one))


@dataclass(frozen=True, eq=False, kw_only=True)
class Units:
    """Independent units in the order in which they are bet on, and what a trajectory weighs in its own.

    The mean over the units estimates the macro mean: of cell means over groups, each of the mean over its
    trajectories in the cell.

    Attributes
    ----------
    recipe : "one cell", "shared", "common" or "disjoint"
        Unit is: a group; a group, which is in every cell; the same, groups that are not having been left out;
        a tuple of groups, some of each cell.
    members : tuple of tuple of str
        The groups of each of the n units.
    unit : (N,) int64
        The unit of each trajectory, -1 where it is left out.
    weight : (N,) float64
    groups : int
        In the table.
    independent : bool
        False only where no group is in all cells and some are in several: then tuples share questions, and
        no finite-sample claim holds.
    """

    recipe: Recipe
    members: tuple[tuple[str, ...], ...]
    unit: Ints
    weight: Floats
    groups: int
    independent: bool = True

    def __len__(self) -> int:
        return len(self.members)

    @property
    def used(self) -> int:
        """Groups that are in some unit."""
        return len({group for members in self.members for group in members})

    def values(self, losses: Floats) -> Floats:
        """The sequence to test, (..., n), of (..., N) losses of the trajectories."""
        rows = np.flatnonzero(self.unit >= 0)
        rows = rows[np.argsort(self.unit[rows], kind="stable")]
        starts = np.searchsorted(self.unit[rows], np.arange(len(self)))
        return np.add.reduceat(losses[..., rows] * self.weight[rows], starts, axis=-1)

    def __str__(self) -> str:
        """What was made of the groups, for the claim."""
        match self.recipe:
            case "one cell":
                return f"{len(self)} groups"
            case "shared":
                return f"{len(self)} groups, each the mean over its cells"
            case "common":
                return f"the {len(self)} of {self.groups} groups that are in every cell"
            case "disjoint":
                caveat = "" if self.independent else "; groups in several cells: no finite-sample claim"
                return f"{len(self)} tuples over the cells of {self.used} of {self.groups} groups{caveat}"


def independent_units(cell: Objects, group: Objects) -> Units:
    """Turn trajectories into units that are independent, bounded as they are, and macro in the mean.

    Where every group is in every cell, a unit is a group and its value the mean over cells. Where only some
    are, the units are these. Where none is, a unit is a tuple: of each of the cells as many groups as the
    smallest cell has once, assigned by hash, the surplus left out; a sequence of mixed cells would be no
    supermartingale, because a good cell pays while its questions last.

    Parameters
    ----------
    cell, group : (N,) object arrays of str, N >= 1
        Of the trajectories in any order; a group may have several in a cell.

    Raises
    ------
    StudyError
        When there is no trajectory.
    """
    groups_of = _groups_by_cell(cell, group)
    every = set().union(*groups_of.values())
    common = set.intersection(*groups_of.values())
    if not common:
        return _units("disjoint", _tuples(groups_of), cell, group)
    recipe: Recipe = "common" if len(common) < len(every) else "shared" if len(groups_of) > 1 else "one cell"
    return _units(recipe, dict.fromkeys(groups_of, _singles(common)), cell, group)


def units_by_cell(cell: Objects, group: Objects) -> Mapping[str, Units]:
    """The units of each cell alone, for claims that hold in every cell (`multiplicity.every_one`)."""
    return {
        name: _units("one cell", {name: _singles(groups)}, cell, group)
        for name, groups in _groups_by_cell(cell, group).items()
    }


def _groups_by_cell(cell: Objects, group: Objects) -> dict[str, set[str]]:
    if not len(cell):
        raise StudyError("there is no group to test; give the certifying part a group")
    groups_of: dict[str, set[str]] = {name: set() for name in sorted(set(cell))}
    for name, one in zip(cell, group, strict=True):
        groups_of[name].add(one)
    return groups_of


def _singles(groups: Iterable[str]) -> list[tuple[str, ...]]:
    return [(one,) for one in ranked(ORDER, groups)]


def _tuples(groups_of: Mapping[str, set[str]]) -> dict[str, list[tuple[str, ...]]]:
    """The part of each unit that comes from each cell."""
    count = min(map(len, groups_of.values()))
    parts = {}
    for name, groups in groups_of.items():
        order, size = ranked(ORDER, groups), len(groups) // count
        parts[name] = [tuple(order[size * i : size * (i + 1)]) for i in range(count)]
    return parts


def _units(
    recipe: Recipe,
    parts: Mapping[str, list[tuple[str, ...]]],
    cell: Objects,
    group: Objects,
) -> Units:
    """Units out of their parts by cell; a trajectory weighs 1 / (cells x groups of its part x its like)."""
    place = {(name, one): i for name, units in parts.items() for i, part in enumerate(units) for one in part}
    pairs = list(zip(cell, group, strict=True))
    like = Counter(pairs)  # trajectories of each (cell, group)
    weight = [
        1 / (len(parts) * len(parts[pair[0]][place[pair]]) * like[pair]) if pair in place else 0.0 for pair in pairs
    ]
    count = len(next(iter(parts.values())))
    return Units(
        recipe=recipe,
        members=tuple(tuple(dict.fromkeys(one for units in parts.values() for one in units[i])) for i in range(count)),
        unit=np.array([place.get(pair, -1) for pair in pairs], dtype=np.int64),
        weight=np.array(weight),
        groups=len(set(group)),
        independent=recipe != "disjoint" or len(like) == len(set(group)),
    )
