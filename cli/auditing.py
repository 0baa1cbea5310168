"""`stoprule audit`: the checks of a search's folder, and audit.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from ..analysis.audit.evidence import Evidence, row_of
from ..analysis.audit.findings import VERDICTS, Finding, worst
from ..analysis.audit.registry import audit, unaudited
from ..analysis.looks import Entry, read_looks, refuse_lost_tail
from ..rules.lockfile import Lock, read_lock
from ..trajectories.errors import LockError, StopruleError, StudyError
from .artefacts import read_object, read_table
from .evaluating import locked_split
from .output import Staged, held
from .progress import progress
from .searching import looks_counted
from .source import source_of_folder


def audit_folder(folder: Path, *, data: Path | None = None, jobs: int = 1) -> dict[str, Any]:
    """Audit what `search`, and `evaluate` after it, left in a folder.

    Of the final split nothing but structure is read: what the checks need of its values, `evaluate` kept.

    Parameters
    ----------
    folder : Path
    data : Path, optional
        The study's data, when they have moved.
    jobs : int
        Workers; no figure depends on them.

    Returns
    -------
    dict
        What audit.json holds: lock, verdict (the worst), counts of each verdict, reasons and marks that every
        artefact carries, checks.

    Raises
    ------
    StopruleError
        When there is no search, or its data cannot be read. A lock or log that was changed is a finding.
    """
    if not folder.is_dir():
        raise StudyError(f"{folder}: is no folder; run `stoprule search STUDY.toml --out {folder}` first")
    with held(folder):
        content = _audit(folder, data, jobs)
        with Staged(folder) as staged:
            staged.write_json("audit.json", content)
    return content


def _audit(folder: Path, data: Path | None, jobs: int) -> dict[str, Any]:
    source = source_of_folder(folder)
    looks, problems = _looks(folder)
    try:
        lock = read_lock(folder / "lock.json")
        _ = lock.split  # without it no row has a side
    except LockError as error:
        return _content(None, looks, None, unaudited((_said(error, folder), *problems)))
    evaluation, damage = _evaluation(folder)
    problems = tuple(dict.fromkeys((*problems, *damage)))
    prepared = locked_split(source, lock, data)
    current = evaluation is not None and evaluation["lock"] == lock.sha256
    with progress("auditing") as report:
        evidence = Evidence(
            lock=lock,
            looks=looks,
            problems=problems,
            structure=prepared.recording.structure,
            split=prepared.split,
            calibration=prepared.open("calibration") if prepared.split.mask("calibration").any() else None,
            selection=prepared.open("selection", lock.calibrators),
            candidates=_candidates(folder, lock),
            search=[each.model_dump() for each in source.study.search],
            evaluation=evaluation if current else None,
            stale_evaluation=evaluation is not None and not current,
            jobs=jobs,
        )
        findings = audit(evidence, report)
    return _content(lock, looks, evidence.evaluation, findings)


def _content(
    lock: Lock | None, looks: tuple[Entry, ...], evaluation: Mapping[str, Any] | None, findings: tuple[Finding, ...]
) -> dict[str, Any]:
    counts = Counter(each.verdict for each in findings)
    return {
        "lock": None if lock is None else lock.sha256,
        "rule": None if lock is None else str(lock.rule),
        "verdict": worst(findings),
        "counts": {verdict: counts[verdict] for verdict in VERDICTS},
        "reasons": [each.reason for each in looks if each.reason is not None],
        "marks": [] if evaluation is None else evaluation["marks"],
        "checks": [each.to_dict() for each in findings],
    }


def _looks(folder: Path) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """The look log, and what is wrong with it."""
    path = folder / "looks.jsonl"
    try:
        looks = read_looks(path)
    except LockError as error:
        return (), (_said(error, folder),)
    try:
        refuse_lost_tail(looks, looks_counted(folder), path)
    except (LockError, StudyError) as error:
        return looks, (_said(error, folder),)
    return looks, ()


def _evaluation(folder: Path) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """What `evaluate` kept, None where there is nothing or it is broken; and what is wrong with it."""
    try:
        return read_object(folder / "evaluation.json", needed=["looks", "lock", "marks", "final_rows", "audit"]), ()
    except StudyError as error:
        return None, (_said(error, folder),)


def _said(error: StopruleError, folder: Path) -> str:
    """An error about a file of the folder, without the way there: audit.json is the same wherever it is written."""
    return str(error).replace(f"{folder}/", "")


def _candidates(folder: Path, lock: Lock) -> pl.DataFrame | None:
    """The candidates, when they are still those of this lock."""
    frame = read_table(folder / "candidates.parquet", ["rule", "quality", "cost", "equivalents"], whole=True)
    return None if frame is None or row_of(frame, lock.rule) is None else frame
