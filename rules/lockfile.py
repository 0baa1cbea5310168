"""Reading a lock: the frozen rule with everything that the final evaluation may not change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..trajectories.calibration import Calibrator
from ..trajectories.errors import LockError
from ..trajectories.roles import Roles
from .expression import Rule
from .text import parse

SCHEMA = "stoprule-lock-1"
KEYS = frozenset(
    {
        "baselines",
        "calibrated_range",
        "calibration",
        "calibrators",
        "certifying_ids",
        "comparator",
        "costs",
        "distinct",
        "evaluate",
        "guarantee",
        "id",
        "learned",
        "non_inferiority",
        "normaliser",
        "plateaus",
        "policy",
        "range",
        "reference_histograms",
        "roles",
        "rule",
        "schema",
        "selection_figures",
        "sha256",
        "split",
        "transfer",
        "tried",
        "versions",
    }
)


def canonical_json(content: object) -> bytes:
    """The one serialisation of a JSON value: sorted keys, two blanks of indent, UTF-8, a newline at the end.

    Raises
    ------
    ValueError
        For NaN and infinities, which JSON does not know.
    """
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def sha256_of(content: object) -> str:
    """Sha256 (hex) of the canonical serialisation."""
    return hashlib.sha256(canonical_json(content)).hexdigest()


@dataclass(frozen=True, eq=False)
class Lock:
    """A verified lock; ``content`` is its JSON object."""

    content: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """The seal over all other entries."""
        return str(self.content["sha256"])

    @cached_property
    def rule(self) -> Rule:
        """The rule that was locked."""
        return parse(self.content["rule"])

    @cached_property
    def calibrators(self) -> tuple[Calibrator, ...]:
        """The calibrators of the study, knots as they were fitted."""
        return tuple(Calibrator.from_dict(entry) for entry in self.content["calibrators"])

    @cached_property
    def roles(self) -> Roles:
        """The column of each role."""
        columns: dict[str, Any] = {
            role: tuple(column) if isinstance(column, list) else column
            for role, column in self.content["roles"].items()
        }
        return Roles(**columns)


def read_lock(path: Path | str) -> Lock:
    """Read a lock and verify it.

    Raises
    ------
    LockError
        When the file is missing, not canonical byte for byte, of another schema, or its sha256 does not fit.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise LockError(f"{path}: cannot be read ({error.strerror}); run `stoprule search` first") from error
    mend = "restore it, or run `stoprule search` again"
    try:
        content = json.loads(raw)
        canonical = canonical_json(content)
    except (ValueError, RecursionError) as error:
        raise LockError(f"{path}: is no lock ({error}); {mend}") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise LockError(f'{path}: is no lock of schema "{SCHEMA}"; {mend}')
    body = {key: value for key, value in content.items() if key != "sha256"}
    if canonical != raw or sha256_of(body) != content.get("sha256"):
        raise LockError(f"{path}: was changed after it was written (its sha256 does not fit); {mend}")
    if content.keys() != KEYS:
        odd = ", ".join(sorted(content.keys() ^ KEYS))
        raise LockError(f"{path}: has not the entries of its schema ({odd}); {mend}")
    return Lock(content)
