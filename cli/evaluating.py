"""`stoprule evaluate`: the locked rule on the final split, and the look written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..analysis.audit.calibrated import CALIBRATED_ON_FINAL, fitted_on_final
from ..analysis.audit.final import final_figures
from ..analysis.baselines import stops
from ..analysis.certificate import on_final
from ..analysis.early import stops_frame
from ..analysis.evaluation import evaluate
from ..analysis.looks import (
    Entry,
    following,
    log_bytes,
    looks_taken,
    read_looks,
    refuse_lost_tail,
    refuse_second_lock,
)
from ..rules.expression import Rule
from ..rules.lockfile import Lock, read_lock
from ..rules.text import parse
from ..trajectories.errors import LockError, StudyError
from ..trajectories.splits import fingerprint, fingerprint_rows, split_by_ids
from .artefacts import read_table
from .declared import declared_parts, learned_of, resampling_of
from .drawing import Aside, draw, forget
from .final_pictures import OWNED, Evaluated, final_pictures
from .output import Staged, held
from .preparing import Prepared, recorded
from .progress import progress
from .searching import looks_counted, now
from .source import Source, source_of_folder
from .tabling import write_tables


def evaluate_folder(
    folder: Path,
    *,
    data: Path | None = None,
    jobs: int = 1,
    look_again: str | None = None,
    allow_calibrated_on_final: bool = False,
    pictures: bool = True,
    aside: Aside | None = None,
) -> dict[str, Any]:
    """Open the final split of a search's folder for its locked rule.

    The look is written down as soon as the rows are read, before any figure is computed, so that an interrupted
    evaluation counts as a look too.

    Parameters
    ----------
    folder : Path
        What `search` wrote.
    data : Path, optional
        The study's data, when they have moved.
    jobs : int
        Processes that draw.
    look_again : str, optional
        The reason for opening a final split that was opened for another lock.
    allow_calibrated_on_final : bool
        Go on when the calibrators were fitted on the final split itself; log, evaluation, pictures and audit are
        marked so.
    pictures : bool
        Whether to draw.
    aside : Aside, optional
        Has the pictures written while the command goes on.

    Returns
    -------
    dict
        What evaluation.json holds.

    Raises
    ------
    StopruleError
        When the lock or the log was changed, the final split is another one, it was opened for another lock, or
        calibrators were fitted on it.
    """
    if not folder.is_dir():
        raise StudyError(f"{folder}: is no folder; run `stoprule search STUDY.toml --out {folder}` first")
    with held(folder):
        return _evaluate(
            folder,
            source_of_folder(folder),
            data,
            look_again,
            allow_calibrated_on_final,
            jobs=jobs,
            pictures=pictures,
            aside=aside,
        )


def _evaluate(
    folder: Path,
    source: Source,
    data: Path | None,
    look_again: str | None,
    allow_calibrated_on_final: bool,
    *,
    jobs: int,
    pictures: bool,
    aside: Aside | None,
) -> dict[str, Any]:
    lock = read_lock(folder / "lock.json")
    log = folder / "looks.jsonl"
    looks = read_looks(log)
    refuse_lost_tail(looks, looks_counted(folder), log)
    final_ids = lock.split["final_ids"]
    refuse_second_lock(looks, lock.sha256, final_ids, look_again, log)

    prepared = locked_split(source, lock, data)
    if fingerprint(prepared.split.ids("final")) != final_ids:
        raise LockError(
            "the final split has other questions than the lock was made for; give the data that were locked "
            "(--data FILE), or search again"
        )
    marks = [CALIBRATED_ON_FINAL] if fitted_on_final(lock) else []
    if marks and not allow_calibrated_on_final:
        raise LockError(
            "the calibrators were fitted on the final split, so that its figures prove nothing; give them rows of "
            "their own and search again, or go on marked for good with --allow-calibrated-on-final"
        )
    contenders = _contenders(folder, lock)
    candidates = read_table(folder / "candidates.parquet", ["rule", "quality", "on_front"])
    learned = learned_of(lock, prepared)
    final = prepared.open("final", lock.calibrators)
    rows = fingerprint_rows(final)
    reason = "; ".join([*([look_again] if look_again else []), *marks]) or None
    looks = (*looks, following(looks, Entry("look", 0, lock.sha256, final_ids, rows, reason, now())))
    with Staged(folder) as staged:
        staged.write("looks.jsonl", log_bytes(looks))

    with progress("resampling the final split"):
        result = evaluate(
            final,
            lock.rule,
            baselines=[parse(text) for text in lock.content["baselines"]],
            comparator=None if lock.content["comparator"] is None else parse(lock.content["comparator"]),
            contenders=contenders,
            **resampling_of(lock),
        )
    declared, sentences = declared_parts(lock, final, learned, result.wording)
    claimed = on_final(lock, final)
    content = {
        "lock": lock.sha256,
        "looks": looks_taken(looks),
        "repeat": any(each.kind == "look" and each.lock == lock.sha256 for each in looks[:-1]),
        "reasons": [each.reason for each in looks if each.reason is not None],
        "marks": marks,
        "final_ids": final_ids,
        "final_rows": rows,
        **result.to_dict(),
        **declared,
        "guarantee": claimed,
        "verdicts": [*result.verdicts, *sentences, *([] if claimed is None else [claimed["sentence"]])],
        "audit": final_figures(lock, final, contenders),
    }
    evaluated = Evaluated(
        rule=lock.rule,
        final=final,
        result=result,
        candidates=candidates,
        declared=declared,
        reasons=content["reasons"],
    )
    with Staged(folder) as staged:
        staged.write_json("evaluation.json", content)
        stops_frame(final, stops(lock.rule, final)).write_csv(staged.path("stops.csv"))
        write_tables(staged, content)
        forget(staged, OWNED)
    if pictures:
        draw(folder, final_pictures(evaluated), jobs=jobs, aside=aside)
    return content


def locked_split(source: Source, lock: Lock, data: Path | None = None) -> Prepared:
    """A study's data with the roles and the split of the lock, whatever columns and rows were added since."""
    split = lock.split
    recording = recorded(source, data, roles=lock.roles)
    return Prepared(
        recording,
        split_by_ids(
            recording.structure,
            split["calibration_ids"],
            split["selection_ids"],
            method=split["method"],
            seed=split["seed"],
            fractions=split["fractions"],
        ),
    )


def _contenders(folder: Path, lock: Lock) -> Sequence[Rule]:
    """The other rules of the selection front, when front.csv is still the one of this lock."""
    front = read_table(folder / "front.csv", ["rule"])
    if front is None:
        return ()
    rules = [parse(text) for text in front["rule"]]
    guarantee = lock.content["guarantee"]
    own = [lock.rule] if guarantee is None else [parse(each["rule"]) for each in guarantee["tested"]]
    return rules if set(own) <= set(rules) else ()
