"""Calibrators that saw what they should not: the final split, or the rows on which rules are compared."""

from __future__ import annotations

from typing import Any

from ...rules.lockfile import Lock
from ...trajectories.fingerprints import fingerprint, fingerprint_rows
from .evidence import Evidence
from .findings import Answer, listed

CALIBRATED_ON_FINAL = "calibrated on the final split"


def fitted_on_final(lock: Lock) -> bool:
    """Whether a calibrator was fitted on the very groups of the final split, by fingerprint."""
    split = lock.content["split"]
    fits = {entry["fit"] for entry in lock.content["calibration"].values()}
    return split["final_ids"] in {fingerprint(split[f"{fit}_ids"]) for fit in fits}


def calibrated_on_final(e: Evidence) -> Answer:
    """Whether groups of the final split are among those that the calibrators were fitted on."""
    what = "final groups that a calibrator was fitted on"
    if not e.lock.calibrators:
        return Answer("pass", 0, what, "no signal is calibrated")
    fitted = {group for entry in _entries(e) for group in e.split.ids(entry["fit"])}
    final = set(e.split.ids("final"))
    seen = sorted(final & fitted)
    forced = e.evaluation is not None and CALIBRATED_ON_FINAL in e.evaluation["marks"]
    if seen or forced:
        allowed = ", which --allow-calibrated-on-final let pass" if forced else ""
        return Answer(
            "fail",
            len(seen),
            what,
            f"{len(seen)} of {len(final)} final groups calibrated {listed(_names(e))}{allowed}: {listed(seen)}",
            "fit calibrators on rows of their own, search again, and report on questions that nothing was fitted on",
        )
    return Answer("pass", 0, what, f"{listed(_names(e))}: no group of the final split was fitted on")


def calibrated_on_selection(e: Evidence) -> Answer:
    """Whether rules are compared on the rows that their calibrators saw."""
    what = "signals calibrated on the selection split"
    if not e.lock.calibrators:
        return Answer("pass", 0, what, "no signal is calibrated")
    rows = fingerprint_rows(e.raw_selection)
    shared = [
        name
        for name, entry, each in zip(_names(e), _entries(e), e.lock.calibrators, strict=True)
        if entry["fit"] == "selection" or each.fitted_on == rows
    ]
    if shared:
        return Answer(
            "warn",
            len(shared),
            what,
            f"{listed(shared)} was fitted on the rows on which rules are compared: there its rules look too good",
            'set fit = "calibration", with a calibration split of its own',
        )
    return Answer("pass", 0, what, f"{listed(_names(e))}: fitted on rows of the calibration split only")


def _names(e: Evidence) -> list[str]:
    return [each.name for each in e.lock.calibrators]


def _entries(e: Evidence) -> list[dict[str, Any]]:
    return [e.lock.content["calibration"][name] for name in _names(e)]
