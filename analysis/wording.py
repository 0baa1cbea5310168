"""Figures in words: points where quality is a percentage, intervals in brackets."""

from __future__ import annotations

from dataclasses import dataclass

from .intervals import Estimate

PERCENT_NAMES = frozenset({"f1", "em"})


@dataclass(frozen=True)
class Wording:
    """How the figures of a study are called and printed.

    Attributes
    ----------
    quality, cost : str
        Names; cost is "calls" without a cost column.
    percent : bool
        Whether quality is a fraction that is printed x100.
    """

    quality: str
    cost: str
    percent: bool

    @property
    def unit(self) -> str:
        """``F1 points``, or the name of the quality."""
        name = self.quality.upper() if self.quality in PERCENT_NAMES else self.quality
        return f"{name} points" if self.percent else self.quality

    def points(self, value: float, sign: str = "") -> str:
        """A quality, or a difference of two."""
        return f"{100 * value:{sign}.1f}" if self.percent else f"{value:{sign}.4g}"

    def interval(self, figure: Estimate) -> str:
        """The interval of a quality."""
        if figure.degenerate:
            return "[no spread]"
        if figure.reason:
            return f"[no interval: {figure.reason}]"
        return f"[{self.points(figure.low)}, {self.points(figure.high)}]"

    def difference(self, figure: Estimate) -> str:
        """A difference in quality, with its sign, unit and interval."""
        return f"{self.points(figure.value, '+')} {self.unit} {self.interval(figure)}"

    def reached(self, quality: Estimate, cost: Estimate, calls: Estimate) -> str:
        """Quality, and what it took."""
        spent = f"{calls.value:.4g} calls"
        if self.cost != "calls":
            spent = f"{self.cost} {cost.value:.6g} ({spent})"
        return f"{self.quality} {self.points(quality.value)} {self.interval(quality)} at {spent}"


def share(figure: Estimate) -> str:
    """A ratio as a percentage, with its interval."""
    interval = "no spread" if figure.degenerate else f"{100 * figure.low:.1f}, {100 * figure.high:.1f}"
    return f"{100 * figure.value:.1f}% [{interval}]"


def p_value(p: float) -> str:
    """A p-value to two significant digits."""
    return f"p {p:.2g}"
