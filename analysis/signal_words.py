"""What a signal is worth, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from .signal_figures import SignalFigures
from .target import Target

CONCENTRATED = 0.9


def sentence(name: str, figures: SignalFigures, rounds: Mapping[int, SignalFigures], target: Target) -> str:
    """How a signal is spread and whether it tells right from wrong.

    It "cannot separate" where it has one value, or one in nine rows of ten and an AUROC whose interval holds 1/2.
    """
    absent = f"is missing in {_percent(figures.missing / figures.n)} of rows"
    if figures.missing == figures.n:
        return f"{name} is missing in every row"
    known = "; ".join(_clauses(figures, rounds, target))
    return f"{name} {absent} and {known}" if figures.missing else f"{name} {known}"


def _clauses(figures: SignalFigures, rounds: Mapping[int, SignalFigures], target: Target) -> Iterator[str]:
    if figures.distinct == 1:
        yield f"is {figures.mode:g} wherever it is known: it cannot separate"
        return
    concentrated = figures.mode_share >= CONCENTRATED
    if concentrated:
        spread = f"{figures.entropy:.2f} of {figures.entropy_max:.2f} nats"
        yield f"is {figures.mode:g} in {_percent(figures.mode_share)} of rows: {spread}"
    auroc = figures.auroc
    if math.isnan(auroc.value):
        yield f"has nothing to separate: {auroc.reason}"
    elif concentrated and auroc.low <= 0.5 <= auroc.high:
        yield "it cannot separate"
    else:
        yield _separates(figures, rounds, target)
    if figures.levels == 1 or auroc.high < 0.5:
        left = "1 level" if figures.levels == 1 else f"{figures.levels} levels"
        yield f"isotonic calibration leaves {left} of {figures.distinct}, as {target.text} does not rise with it"


def _separates(figures: SignalFigures, rounds: Mapping[int, SignalFigures], target: Target) -> str:
    auroc = figures.auroc
    if auroc.low <= 0.5 <= auroc.high:
        finding = f"does not separate {target.answers}"
    elif math.isnan(auroc.low):
        finding = f"has an AUROC for {target.answers} without an interval"
    else:
        finding = f"is {'higher' if auroc.value > 0.5 else 'lower'} for {target.answers}"
    interval = "" if math.isnan(auroc.low) else f" [{auroc.low:.2f}, {auroc.high:.2f}]"
    by_round = [each.auroc.value for each in rounds.values() if not math.isnan(each.auroc.value)]
    spans = f", {min(by_round):.2f} to {max(by_round):.2f} by round" if len(by_round) > 1 else ""
    size = (
        ""
        if math.isnan(figures.cohens_d)
        else f", d {figures.cohens_d:+.2f} ({figures.mean_difference:+.3g} in its own unit)"
    )
    why = f" ({auroc.reason})" if auroc.reason else ""
    return f"{finding}: AUROC {auroc.value:.2f}{interval}{spans}{size}{why}"


def _percent(share: float) -> str:
    """A share in whole percent, rounded up to all or down to none only when it is."""
    rounded = math.floor(100 * share + 0.5)
    return f"{100 if share == 1 else min(max(rounded, 1), 99)}%"
