"""Which rule of the candidates to lock: four policies and one order of ties."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from ..rules.text import parse
from ..trajectories.errors import SelectionError
from .front import front_mask, knee

ROUNDING = 1e-12  # relative; a macro mean over cells of awkward sizes is exact to a few units of 1e-16


def _number(
    policy: str, key: str, value: float, bounds: str = "", good: Callable[[float], bool] = math.isfinite
) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not (number and good(value)):
        raise SelectionError(f"{policy}: {key} has to be a finite number{bounds}, not {value!r}")


@dataclass(frozen=True)
class Budget:
    """The best quality among the rules that cost at most ``max_cost``, in the unit of cost."""

    name: ClassVar[str] = "budget"
    max_cost: float

    def __post_init__(self) -> None:
        _number(self.name, "max_cost", self.max_cost)


@dataclass(frozen=True)
class Retain:
    """The cheapest rule with at least ``share`` of the quality of ``of``, often the longest fixed(k)."""

    name: ClassVar[str] = "retain"
    share: float
    of: str

    def __post_init__(self) -> None:
        _number(self.name, "share", self.share, " above 0", lambda share: share > 0)
        object.__setattr__(self, "of", str(parse(self.of)))


@dataclass(frozen=True)
class Utility:
    """The largest quality - price x cost; ``price`` is quality per unit of cost."""

    name: ClassVar[str] = "utility"
    price: float

    def __post_init__(self) -> None:
        _number(self.name, "price", self.price, " of at least 0", lambda price: price >= 0)


@dataclass(frozen=True)
class Knee:
    """The point of the front farthest above the chord between its ends."""

    name: ClassVar[str] = "knee"


Policy = Budget | Retain | Utility | Knee
POLICIES: dict[str, type[Policy]] = {kind.name: kind for kind in (Budget, Retain, Utility, Knee)}


def select(candidates: pl.DataFrame, policy: Policy, *, reference: float | None = None) -> dict[str, Any]:
    """Choose one candidate; ties go to more quality, less cost, fewer atoms, then the text.

    Parameters
    ----------
    candidates : polars.DataFrame
        What `search` returns: columns rule, quality, cost and, for `Retain`, equivalents.
    policy : Budget, Retain, Utility or Knee
    reference : float, optional
        `Retain` only: the quality of its rule ``of`` on the same rows; looked up among the candidates when it
        is not given.

    Returns
    -------
    dict
        The chosen row, by column.

    Raises
    ------
    SelectionError
        When no candidate meets the policy, saying which comes nearest.
    SearchError
        When a figure is missing, naming the rule.
    """
    if candidates.is_empty():
        raise SelectionError(f"{policy.name}: there are no candidates to choose from; widen the search")
    front_mask(candidates)  # refuses a missing figure before it can pass or fail a comparison
    match policy:
        case Budget():
            return _best_first(_within_budget(candidates, policy))
        case Retain():
            kept = _retaining(candidates, policy, reference)
            return _best_first(kept.filter(pl.col("cost") == kept["cost"].min()))
        case Utility():
            utility = candidates["quality"] - policy.price * candidates["cost"]
            return _best_first(candidates.filter(utility == utility.max()))
        case Knee():
            return _best_first(knee(candidates))


def _best_first(tied: pl.DataFrame) -> dict[str, Any]:
    best = tied.filter(pl.col("quality") == pl.col("quality").max())
    best = best.filter(pl.col("cost") == pl.col("cost").min())
    return min(best.iter_rows(named=True), key=lambda row: (parse(row["rule"]).atoms, row["rule"]))


def _within_budget(candidates: pl.DataFrame, policy: Budget) -> pl.DataFrame:
    limit = policy.max_cost + ROUNDING * abs(policy.max_cost)
    kept = candidates.filter(pl.col("cost") <= limit)
    if kept.is_empty():
        cheapest = candidates.sort("cost", "rule").row(0, named=True)
        raise SelectionError(
            f"budget: no candidate costs at most {policy.max_cost:g}; the cheapest, `{cheapest['rule']}`, "
            f"costs {cheapest['cost']:.6g}: raise max_cost to that, or add cheaper rules to the search"
        )
    return kept


def _retaining(candidates: pl.DataFrame, policy: Retain, reference: float | None) -> pl.DataFrame:
    if reference is None:
        listed = candidates.filter((pl.col("rule") == policy.of) | pl.col("equivalents").list.contains(policy.of))
        if listed.is_empty():
            raise SelectionError(
                f"retain: `{policy.of}` is no candidate; search it too, or give its quality as reference"
            )
        reference = listed["quality"][0]
    if not (math.isfinite(reference) and reference > 0):
        raise SelectionError(
            f"retain: the quality of `{policy.of}` is {reference:.6g}, and a share of that means nothing; "
            "use the policy budget or utility"
        )
    least = policy.share * reference
    kept = candidates.filter(pl.col("quality") >= least - ROUNDING * least)
    if kept.is_empty():
        best = candidates.sort("quality", "rule", descending=[True, False]).row(0, named=True)
        raise SelectionError(
            f"retain: no candidate has {least:.6g}, {policy.share:g} of the quality of `{policy.of}`; the "
            f"best, `{best['rule']}`, has {best['quality']:.6g}: lower share, or widen the search"
        )
    return kept
