"""Families of paired losses (baseline minus rule) with a known mean, for simulations."""

from dataclasses import dataclass

import numpy as np

F1_SIZES = np.array([1, 1 / 3, 0.4, 0.5, 2 / 3, 0.8])
F1_SHARES = np.array([0.35, *[0.13] * 5])


@dataclass(frozen=True)
class LossFamily:
    """Losses that are zero but for a share of the questions.

    Attributes
    ----------
    kind : "em" or "f1"
        Right or wrong: every loss is -1, 0 or 1. F1: sizes as answers of a few words give them.
    share : float
        Of questions on which the rule and the baseline differ.
    """

    kind: str
    share: float

    def __str__(self) -> str:
        return f"{self.kind} {self.share:g}"

    def draw(self, shape: tuple[int, ...], mean: float, rng: np.random.Generator) -> np.ndarray:
        """Independent losses whose expectation is exactly ``mean``."""
        differs = rng.random(shape) < self.share
        if self.kind == "em":
            size, mean_size = 1.0, 1.0
        else:
            size, mean_size = rng.choice(F1_SIZES, shape, p=F1_SHARES), float(F1_SIZES @ F1_SHARES)
        lost = rng.random(shape) < (1 + mean / (self.share * mean_size)) / 2
        return differs * size * np.where(lost, 1.0, -1.0)


# the first loses every question it differs on when its mean loss is .05
FAMILIES = (
    LossFamily("em", 0.05),
    LossFamily("em", 0.2),
    LossFamily("em", 0.4),
    LossFamily("f1", 0.083),
    LossFamily("f1", 0.4),
)


def limit(alpha: float, draws: int) -> float:
    """The most rejections, as a share, that a valid test shows but once in 10,000 such simulations."""
    return alpha + 3.72 * float(np.sqrt(alpha * (1 - alpha) / draws))
