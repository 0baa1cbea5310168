"""Rules that have a name: fixed(k), and those that the TASR paper compares (arXiv 2606.13814)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .build import at_least, clip, fixed, repeat, signal, total
from .expression import Rule

__all__ = ["NAMED", "fixed", "tasr"]

_margin, _conf, _overlap = signal("margin_cal"), signal("conf_cal"), signal("overlap")
_stable = repeat("answer")


def tasr() -> Rule:
    """The rule that the paper locks: the answer repeats and the calibrated margin passes 0.25."""
    return _stable & (_margin > 0.25)


NAMED: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "AS": _stable,
        "AS_m20": _stable & (_margin > 0.20),
        "AS_m25": tasr(),
        "famA": (_margin > 0.725) | (_overlap > 0.15),
        "famB": (_conf > 0.60) | (_margin > 0.675) | (_overlap > 0.15),
        "famA_m20": (_margin > 0.725) | (_overlap > 0.15) & (_margin > 0.20),
        "famB_m20": (_margin > 0.675) | (_conf > 0.60) & (_margin > 0.20) | (_overlap > 0.15) & (_margin > 0.20),
        "C2of4": at_least(2, _stable, _margin > 0.6, _overlap > 0.15, _conf > 0.7),
        "D_soft15": total(_stable, clip(_margin, 0, math.inf), _overlap) > 1.5,
    }
)
"""The published comparison rules, by the paper's names."""
