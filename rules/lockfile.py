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
from ..trajectories.errors import LockError, StopruleError
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

SPLIT_KEYS = frozenset(
    {"calibration_ids", "final_ids", "fractions", "group", "method", "seed", "selection_ids", "selection_rows"}
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
    def split(self) -> Mapping[str, Any]:
        """How the split was made, and its ids.

        Raises
        ------
        LockError
            When it does not say that.
        """
        split = self.content["split"]
        lacking = SPLIT_KEYS - (split.keys() if isinstance(split, Mapping) else set())
        if lacking:
            raise LockError(f"lock.json: its split lacks {', '.join(sorted(lacking))}; run `stoprule search` again")
        return dict(split)

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
        When the file is missing, not canonical byte for byte, of another schema, its sha256 does not fit, or
        what it says cannot be read.
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
    lock = Lock(content)
    try:
        _ = lock.rule, lock.calibrators, lock.roles
    except (StopruleError, TypeError, AttributeError) as error:
        reason = str(error).partition("\n")[0]
        raise LockError(f"{path}: says what no search writes ({reason}); {mend}") from error
    return lock
