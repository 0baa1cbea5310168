"""Three splits: fit calibrators on the first, compare rules on the second, report one on the third."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .errors import SplitError
from .fingerprints import fingerprint, fingerprint_rows
from .nearest import nearest
from .table import Bools

__all__ = [
    "SIDES",
    "Split",
    "fingerprint",
    "fingerprint_rows",
    "on_several_sides",
    "overlaps",
    "split_by_column",
    "split_by_files",
    "split_by_hash",
    "split_by_ids",
]

Side = Literal["calibration", "selection", "final"]
Method = Literal["hash", "column", "files"]
Objects = NDArray[np.object_]

SIDES: tuple[Side, ...] = ("calibration", "selection", "final")
CALIBRATION_SHARE = 0.15
SELECTION_SHARE = 0.35
SOURCE: Mapping[Method, str] = {"column": "the split column", "files": "the list of files"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Split:
    """Which side each trajectory is on.

    Attributes
    ----------
    method : "hash", "column" or "files"
    seed : int
        Of the ranking by hash; without effect where nothing was taken by hash.
    fractions : side -> share
        What was taken by hash: of all groups, or of the selection groups where the data state the sides.
    labels : (N,) object array of str
        "calibration", "selection", "final", or "" where a trajectory is on no side; in the order of the
        structure.
    question, group : (N,) object arrays of str
    """

    method: Method
    seed: int
    fractions: Mapping[str, float]
    labels: Objects
    question: Objects
    group: Objects

    def mask(self, side: Side) -> Bools:
        """(N,) true for the trajectories of a side."""
        return np.asarray(self.labels == side, dtype=np.bool_)

    def ids(self, side: Side) -> tuple[str, ...]:
        """The groups of a side, sorted."""
        return tuple(sorted(set(self.group[self.mask(side)])))


def split_by_hash(
    structure: pl.DataFrame,
    *,
    calibration: float | None = None,
    selection: float | None = None,
    seed: int = 0,
    calibrated: bool = True,
) -> Split:
    """Split the groups by the rank of a hash of seed and id.

    A group's rank depends on the seed and on the ids that there are, not on the order of the rows nor on the
    cells it appears in. The ranking fills calibration, then selection; final takes the remainder.

    Parameters
    ----------
    structure : polars.DataFrame
        One row a trajectory, with the text columns question and group.
    calibration, selection : float, optional
        Shares of the groups, met to within one group; by default .15 (0 when not ``calibrated``) and .35.
    calibrated : bool
        Whether some signal is calibrated on rows of its own. If not, there is no calibration split.

    Raises
    ------
    SplitError
        When a share is stated that has no use, is outside (0, 1), leaves nothing for final, or gets no group.
    """
    shares: dict[str, float] = {}
    if calibrated:
        shares["calibration"] = _share("calibration", calibration, CALIBRATION_SHARE)
    else:
        _refuse_needless(calibration)
    shares["selection"] = _share("selection", selection, SELECTION_SHARE)
    if sum(shares.values()) >= 1:
        stated = " + ".join(f"{side} = {share:g}" for side, share in shares.items())
        raise SplitError(f"[split]: {stated} leaves nothing for the final split; let them sum to less than 1")
    groups = structure["group"].to_list()
    ranking = _ranking(set(groups), seed)
    ends = [0, *_ends(len(ranking), shares.values()), len(ranking)]
    side_of: dict[str, str] = {}
    for side, start, end in zip((*shares, "final"), ends, ends[1:], strict=False):
        if start == end:
            raise SplitError(
                f"[split]: the {side} split is empty, {len(ranking)} groups are too few for the shares; "
                "record more questions, or state larger shares"
            )
        side_of.update(dict.fromkeys(ranking[start:end], side))
    return _split(structure, [side_of[group] for group in groups], "hash", seed, shares)


def split_by_column(
    structure: pl.DataFrame, *, calibration: float | None = None, seed: int = 0, calibrated: bool = True
) -> Split:
    """Take the sides that a column states (``structure["split"]``).

    Where a calibration split is needed and no row is marked so, a share ``calibration`` (default .15) of the
    selection groups is taken for it by hash. A group may be on two sides: see `overlaps`.

    Raises
    ------
    SplitError
        When a value is no side or missing, a side is empty, or a share is stated that has no use.
    """
    return _recorded(structure, "column", calibration=calibration, seed=seed, calibrated=calibrated)


def split_by_files(
    structure: pl.DataFrame, *, calibration: float | None = None, seed: int = 0, calibrated: bool = True
) -> Split:
    """Take the sides of the files that the trajectories were read from; else as `split_by_column`."""
    return _recorded(structure, "files", calibration=calibration, seed=seed, calibrated=calibrated)


def split_by_ids(
    structure: pl.DataFrame,
    calibration_ids: Iterable[str],
    selection_ids: Iterable[str],
    final_ids: Iterable[str] | None = None,
    *,
    method: Method = "hash",
    seed: int = 0,
    fractions: Mapping[str, float] | None = None,
) -> Split:
    """Make a locked split again from its ids: rows added since could move groups near a boundary.

    Parameters
    ----------
    final_ids : iterable of str, optional
        Without them, what is on no other side is final; with a column or files, what is recorded so.
    method : "hash", "column" or "files"
        How the locked split was made. For the last two a row stays on the side that its column or file
        states, where its group is listed there, so that an overlap stays visible; else it is on no side.

    Raises
    ------
    SplitError
        When a locked id is not in the table, or the final side is empty.
    """
    groups = structure["group"].to_list()
    listed: dict[str, set[str]] = {"calibration": set(calibration_ids), "selection": set(selection_ids)}
    if final_ids is not None:
        listed["final"] = set(final_ids)
    for side, ids in listed.items():
        if absent := sorted(ids.difference(groups)):
            raise SplitError(
                f'the table lacks {len(absent)} groups of the locked {side} split, first "{absent[0]}"; '
                "give the data that the lock was made from"
            )
    if method == "hash":
        rest = "final" if final_ids is None else ""
        side_of = {group: side for side, ids in listed.items() for group in ids}
        labels = [side_of.get(group, rest) for group in groups]
    else:
        listed.setdefault("final", set(groups))
        stated = _stated(structure, method)
        labels = [_kept(own, group, listed) for own, group in zip(stated, groups, strict=True)]
    if "final" not in labels:
        raise SplitError("the table has no row of the locked final split; give the data that holds them")
    return _split(structure, labels, method, seed, fractions or {})


def overlaps(split: Split) -> Mapping[str, tuple[str, ...]]:
    """Ids on more than one side, sorted, by kind: "question" and "group"."""
    return {kind: on_several_sides(split, getattr(split, kind)) for kind in ("question", "group")}


def on_several_sides(split: Split, keys: Sequence[str] | Objects) -> tuple[str, ...]:
    """The keys, (N,) ids or texts of the trajectories, that occur on more than one side, sorted; "" aside."""
    first: dict[str, str] = {}
    pairs = [(key, side) for key, side in zip(keys, split.labels, strict=True) if key and side]
    return tuple(sorted({key for key, side in pairs if first.setdefault(key, side) != side}))


def _recorded(
    structure: pl.DataFrame, method: Method, *, calibration: float | None, seed: int, calibrated: bool
) -> Split:
    labels = _stated(structure, method)
    for side in ("selection", "final"):
        if side not in labels:
            raise SplitError(f"the {side} split is empty: {SOURCE[method]} names no row of it; mark some so")
    if not calibrated:
        _refuse_needless(calibration)
        return _split(structure, labels, method, seed, {})
    if "calibration" in labels:
        if calibration is not None:
            raise SplitError(
                f"[split]: calibration = {calibration:g} is stated, but {SOURCE[method]} has such rows; "
                "drop one of them"
            )
        return _split(structure, labels, method, seed, {})
    share = _share("calibration", calibration, CALIBRATION_SHARE)
    groups = structure["group"].to_list()
    ranking = _ranking({each for each, own in zip(groups, labels, strict=True) if own == "selection"}, seed)
    (end,) = _ends(len(ranking), [share])
    if end in {0, len(ranking)}:
        raise SplitError(
            f"[split]: calibration = {share:g} of {len(ranking)} selection groups leaves a split empty; "
            'mark more rows as selection, or set fit = "selection" in [calibrate.X]'
        )
    listed = {"calibration": set(ranking[:end]), "selection": set(ranking[end:]), "final": set(groups)}
    labels = [_kept(own, group, listed) for own, group in zip(labels, groups, strict=True)]
    return _split(structure, labels, method, seed, {"calibration": share})


def _kept(own: str, group: str, listed: Mapping[str, set[str]]) -> str:
    """The side of a row that states its own: it may leave selection, for calibration, and no other side."""
    if group in listed[own]:
        return own
    return "calibration" if own == "selection" and group in listed["calibration"] else ""


def _stated(structure: pl.DataFrame, method: Method) -> list[str]:
    """The sides that the data state, all of them known."""
    known = ", ".join(SIDES)
    for label, question, cell in structure.select("split", "question", "cell").iter_rows():
        if label not in SIDES:
            where = f'question "{question}"' + (f', cell "{cell}"' if cell else "")
            what = "no value" if label is None else f'"{label}"{nearest(label, SIDES)}'
            raise SplitError(f"{where}: {SOURCE[method]} has {what}; write one of {known}")
    return structure["split"].to_list()


def _share(side: Side, stated: float | None, default: float) -> float:
    if stated is None:
        return default
    if not 0 < stated < 1:
        raise SplitError(f"[split]: {side} = {stated:g} is no share; give a number above 0 and below 1")
    return stated


def _refuse_needless(calibration: float | None) -> None:
    if calibration is not None:
        raise SplitError(
            f"[split]: calibration = {calibration:g} is stated, but no signal is fitted on such a split; "
            'drop it, or add a [calibrate.X] with fit = "calibration"'
        )


def _ranking(groups: Iterable[str], seed: int) -> list[str]:
    def rank(group: str) -> tuple[bytes, str]:
        return hashlib.blake2b(f"{seed}\0{group}".encode(), digest_size=16).digest(), group

    return sorted(groups, key=rank)


def _ends(count: int, shares: Iterable[float]) -> list[int]:
    """Where each share of ``count`` ends, rounded as running totals, so that each is met to within one."""
    return [round(count * total) for total in accumulate(shares)]


def _split(
    structure: pl.DataFrame, labels: Sequence[str], method: Method, seed: int, fractions: Mapping[str, float]
) -> Split:
    return Split(
        method=method,
        seed=seed,
        fractions=fractions,
        labels=np.array(labels, dtype=object),
        question=np.array(structure["question"].to_list(), dtype=object),
        group=np.array(structure["group"].to_list(), dtype=object),
    )
