"""The price of simplicity: what a one-line rule gives away to a stopper that was learned from the same signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rules.expression import Rule
from ..trajectories.table import Floats, Trajectories
from .baselines import Stops, stops
from .bootstrap import PairedBootstrap, paired_bootstrap, strata
from .intervals import Estimate, Method
from .learned import Learned, learn
from .wording import Wording

LEARNED = "learned stopper"


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """What the lock says of the learned stopper, so that it can be fitted again and recognised.

    Attributes
    ----------
    signals, prices : tuple
    quality, cost : tuple of float
        Cross-fitted on the selection split, a price each.
    chosen : int
        Position of the price whose cross-fitted cost is nearest the locked rule's.
    fingerprint : str
        Of where the fitted models stop the selection split.
    """

    signals: tuple[str, ...]
    prices: tuple[float, ...]
    quality: tuple[float, ...]
    cost: tuple[float, ...]
    chosen: int
    fingerprint: str

    @classmethod
    def of(cls, learned: Learned, cost: float) -> Frozen:
        """Choose the price that spends nearest to ``cost`` on the selection split."""
        return cls(
            signals=learned.signals,
            prices=learned.prices,
            quality=tuple(learned.quality.tolist()),
            cost=tuple(learned.cost.tolist()),
            chosen=learned.nearest(cost),
            fingerprint=learned.fingerprint,
        )

    def to_dict(self) -> dict[str, Any]:
        """The entry of the lock."""
        return {
            "signals": list(self.signals),
            "frontier": [
                {"price": price, "quality": quality, "cost": cost}
                for price, quality, cost in zip(self.prices, self.quality, self.cost, strict=True)
            ],
            "chosen": self.chosen,
            "fingerprint": self.fingerprint,
        }


def refit(selection: Trajectories, entry: Mapping[str, Any]) -> Learned | None:
    """The stopper that a lock names, fitted again on its selection rows; None where it comes out another one.

    Trees are a function of the rows, the settings and the libraries, so that nothing has to be unpickled; with
    other libraries they may differ.
    """
    learned = learn(selection, entry["signals"], [point["price"] for point in entry["frontier"]])
    return learned if learned.fingerprint == entry["fingerprint"] else None


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point of the learned frontier on the final split."""

    price: float
    quality: Estimate
    cost: Estimate
    calls: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The point for JSON."""
        return {
            "price": self.price,
            "quality": self.quality.to_dict(),
            "cost": self.cost.to_dict(),
            "calls": self.calls.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class Simplicity:
    """The learned stopper beside the locked rule.

    Attributes
    ----------
    frontier : tuple of Point
        By rising price.
    chosen : int
        The point that was frozen to be compared.
    given_away, cost_difference : Estimate
        Learned minus locked, in quality and in cost: at the two costs that they really have. Negative quality
        means that the one-line rule is ahead.
    """

    frontier: tuple[Point, ...]
    chosen: int
    given_away: Estimate
    cost_difference: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The comparison for evaluation.json."""
        return {
            "frontier": [point.to_dict() for point in self.frontier],
            "chosen": self.chosen,
            "given_away": self.given_away.to_dict(),
            "cost_difference": self.cost_difference.to_dict(),
            "reason": None,
        }

    def sentence(self, words: Wording) -> str:
        """What the one-line rule gives away, and what that figure is."""
        point, difference = self.frontier[self.chosen], self.cost_difference.value
        more = f"{abs(difference):.4g} {'more' if difference >= 0 else 'fewer'} {words.cost} than the rule"
        return (
            f"a stopper learned from the same signals (gradient-boosted trees) reaches "
            f"{words.reached(point.quality, point.cost, point.calls)}, {more}: the one-line rule gives away "
            f"{words.difference(self.given_away)} to it; one model on so few questions is a lower bound on what "
            "learning could do, the oracle the upper"
        )


def simplicity(
    final: Trajectories, rule: Rule, learned: Learned, *, chosen: int, draws: int, seed: int, interval: Method
) -> Simplicity:
    """Compare the locked rule with the learned stopper on the final split.

    Parameters
    ----------
    final : Trajectories
        With the calibrated signals.
    rule : Rule
    learned : Learned
        Fitted before the look.
    chosen : int
        Position of the frozen price.
    draws, seed, interval
        As `paired_bootstrap`.
    """
    own = stops(rule, final)
    by_price = [_stops(learned, final, i) for i in range(len(learned.prices))]
    columns = _columns([own, *by_price])
    drawn = paired_bootstrap(strata(final.cell, final.group), columns, draws=draws, seed=seed, interval=interval)
    name = by_price[chosen].name
    return Simplicity(
        frontier=tuple(_point(price, one.name, drawn) for price, one in zip(learned.prices, by_price, strict=True)),
        chosen=chosen,
        given_away=drawn.difference((name, "quality"), (own.name, "quality")),
        cost_difference=drawn.difference((name, "cost"), (own.name, "cost")),
    )


def _stops(learned: Learned, t: Trajectories, which: int) -> Stops:
    stop = learned.stop_rounds(t, which)
    here = np.arange(len(t)), stop - 1
    return Stops(
        name=f"{LEARNED} {which}",
        deployable=True,
        stop_round=stop,
        fired=stop < t.length,
        quality=t.quality[here],
        cost=t.cost[here],
    )


def _columns(everyone: Sequence[Stops]) -> dict[Any, Floats]:
    return {
        (one.name, what): np.asarray(column, np.float64)
        for one in everyone
        for what, column in (("quality", one.quality), ("cost", one.cost), ("calls", one.stop_round))
    }


def _point(price: float, name: str, drawn: PairedBootstrap) -> Point:
    return Point(
        price=price,
        quality=drawn.mean((name, "quality")),
        cost=drawn.mean((name, "cost")),
        calls=drawn.mean((name, "calls")),
    )
