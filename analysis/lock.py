"""Writing a lock: everything about the choice, frozen before the final split is opened."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np

from ..rules.expression import Rule
from ..rules.lockfile import SCHEMA, canonical_json, sha256_of
from ..trajectories.calibration import Calibrator
from ..trajectories.table import Floats, Trajectories

LIBRARIES = ("numpy", "scipy", "scikit-learn", "polars", "matplotlib", "joblib")
HISTOGRAM_BINS = 20
DECLARED = ("costs", "learned", "non_inferiority", "transfer")

version = cache(metadata.version)  # which parses a whole file each time


def lock_bytes(
    *,
    rule: Rule,
    plateaus: Sequence[Mapping[str, Any]],
    selection: Trajectories,
    calibrators: Sequence[Calibrator],
    calibration: Mapping[str, Any],
    split: Mapping[str, Any],
    policy: Mapping[str, Any],
    figures: Mapping[str, Any],
    evaluate: Mapping[str, Any],
    baselines: Sequence[Rule],
    comparator: Rule | None,
    tried: int,
    distinct: int,
    declared: Mapping[str, Any] | None = None,
    guarantee: Mapping[str, Any] | None = None,
    certifying_ids: Sequence[str] | None = None,
) -> bytes:
    """The lock file of a choice.

    Parameters
    ----------
    rule : Rule
        With literal cuts.
    plateaus : sequence of mappings
        For each cut of the rule the interval of cuts that behave alike on the selection split.
    selection : Trajectories
        Calibrated; the reference histograms are taken from it.
    calibration, split, policy, figures, evaluate : mappings
        JSON objects, copied as they are.
    comparator : Rule or None
        The fixed(k) that the same policy chooses among the fixed depths; None when it allows none.
    declared : mapping, optional
        What the evaluation will work through beside the rule's own figures, by the names in ``DECLARED``.
    guarantee : mapping, optional
        What was tested and certified (policy guarantee).
    certifying_ids : sequence of str, optional
        The selection groups that chose nothing and tested the rule (policy guarantee).
    """
    read = sorted(rule.signals)
    body: dict[str, Any] = {
        "schema": SCHEMA,
        "rule": str(rule),
        "id": rule.id,
        "plateaus": list(plateaus),
        "calibrators": [each.to_dict() for each in calibrators],
        "calibration": dict(calibration),
        "calibrated_range": {
            each.name: _range(selection.signals[each.name]) for each in calibrators if each.name in read
        },
        "reference_histograms": {name: histogram(selection.signals[name]) for name in read},
        "roles": {**asdict(selection.roles), "signals": sorted(selection.roles.signals or selection.signals)},
        "normaliser": selection.roles.normalise,
        "range": selection.roles.range,
        "split": dict(split),
        "policy": dict(policy),
        "selection_figures": dict(figures),
        "tried": tried,
        "distinct": distinct,
        "baselines": [str(each) for each in baselines],
        "comparator": None if comparator is None else str(comparator),
        "evaluate": dict(evaluate),
        **dict.fromkeys(DECLARED),
        **(declared or {}),
        "guarantee": None if guarantee is None else dict(guarantee),
        "certifying_ids": None if certifying_ids is None else list(certifying_ids),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
    }
    return canonical_json({**body, "sha256": sha256_of(body)})


def _range(values: Floats) -> list[float] | None:
    known = values[np.isfinite(values)]
    return [float(known.min()), float(known.max())] if known.size else None


def histogram(values: Floats) -> dict[str, Any]:
    """Counts of a signal in equal bins over its finite range, and of what lies outside: for later drift checks."""
    known = values[np.isfinite(values)]
    counts, edges = np.histogram(known, bins=HISTOGRAM_BINS) if known.size else (np.array([], int), np.array([]))
    return {
        "edges": edges.tolist(),
        "counts": counts.tolist(),
        "below": int(np.isneginf(values).sum()),
        "above": int(np.isposinf(values).sum()),
    }
