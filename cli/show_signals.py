"""Signals as tables that a person can read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from ..analysis.signals import SignalProfile
from .show import plain_console, plain_table

MOST_ROUNDS = 10


def show_signals(file: Path, profiles: Sequence[SignalProfile]) -> None:
    """Every signal in unit-free measures, by round, and in a sentence.

    Parameters
    ----------
    file : Path
    profiles : sequence of SignalProfile
        In the order in which they are to be shown.
    """
    console = plain_console()
    fullest = min(profiles, key=lambda profile: profile.whole.missing).whole
    answers = escape(profiles[0].target.answers)
    console.print(f"[bold]{escape(str(file))}[/]: {fullest.n:,} rows, {answers}; the strongest signal first")
    console.print(_separation(profiles))
    console.print(_calibration(profiles))
    share = fullest.base_rate
    console.print(
        f"without information: AUROC 0.5, AP {_number(share, '.3f')} (the share of {answers}), "
        f"Brier {_number(share * (1 - share), '.4f')}"
    )
    if len(profiles[0].rounds) > 1:
        console.print(_by_round(profiles))
    for profile in profiles:
        console.print(f"- {escape(profile.sentence)}")


def _separation(profiles: Sequence[SignalProfile]) -> Table:
    columns = ("signal", "missing", "distinct", "mode", "nats, of", "AUROC", "AP", "d", "KS", "rho")
    shown = plain_table("all rounds; measures without a unit", columns)
    for profile in profiles:
        figures = profile.whole
        auroc = figures.auroc
        interval = "" if math.isnan(auroc.low) else f"\n[{auroc.low:.2f}, {auroc.high:.2f}]"
        shown.add_row(
            escape(profile.name),
            f"{figures.missing:,}",
            f"{figures.distinct:,}",
            f"{_number(figures.mode, '.3g')} ({_number(figures.mode_share, '.0%')})",
            f"{_number(figures.entropy, '.2f')}, {_number(figures.entropy_max, '.2f')}",
            f"{_number(auroc.value, '.3f')}{interval}",
            _number(figures.average_precision, ".3f"),
            _number(figures.cohens_d, "+.2f"),
            _number(figures.ks, ".3f"),
            _number(figures.rank_correlation, "+.2f"),
        )
    return shown


def _calibration(profiles: Sequence[SignalProfile]) -> Table:
    columns = ("signal", "Brier", "ECE", "Brier, calibrated", "reliability", "resolution", "ECE", "levels")
    shown = plain_table("as a probability: as it is (in [0, 1] only), and calibrated out of fold", columns)
    for profile in profiles:
        before, after = profile.whole.forecast, profile.whole.calibrated
        parts = ("score", "reliability", "resolution")
        shown.add_row(
            escape(profile.name),
            *(("-", "-") if before is None else (f"{before.brier.score:.4f}", f"{before.curve.calibration_error:.3f}")),
            *("-" if after is None else f"{getattr(after.brier, part):.4f}" for part in parts),
            "-" if after is None else f"{after.curve.calibration_error:.3f}",
            "-" if profile.whole.levels is None else f"{profile.whole.levels:,}",
        )
    return shown


def _by_round(profiles: Sequence[SignalProfile]) -> Table:
    rounds = list(profiles[0].rounds)
    some = rounds if len(rounds) <= MOST_ROUNDS else [rounds[0], rounds[len(rounds) // 2], rounds[-1]]
    shown = plain_table("AUROC by round", ("signal", *(f"round {r}" for r in some)))
    for profile in profiles:
        shown.add_row(escape(profile.name), *(_number(profile.rounds[r].auroc.value, ".3f") for r in some))
    return shown


def _number(value: float, form: str) -> str:
    return "-" if math.isnan(value) else f"{value:{form}}"
