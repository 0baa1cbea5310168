"""`stoprule search`: from a study to a locked rule, the final split unopened."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis.baselines import depth, oracle
from ..analysis.certificate import Certificate
from ..analysis.family_band import band_frame, search_band
from ..analysis.front import Hypervolume, hypervolume
from ..analysis.lock import lock_bytes
from ..analysis.looks import Entry, following, log_bytes, read_looks, refuse_lost_tail
from ..analysis.signals import SignalProfile, signal_profiles, signals_frame
from ..analysis.simultaneous import Band
from ..analysis.stability import with_stability
from ..analysis.stopping import stopping_frame
from ..analysis.target import target_of
from ..analysis.verdict import in_percent
from ..enumerate.cut_plateaus import cut_plateaus
from ..enumerate.search import SearchResult
from ..enumerate.workers import Workers
from ..rules.arrays import check
from ..rules.expression import Rule
from ..rules.named import fixed
from ..rules.text import parse
from ..trajectories.calibration import Calibrator
from ..trajectories.errors import StudyError
from ..trajectories.splits import fingerprint, fingerprint_rows
from ..trajectories.table import Trajectories
from .artefacts import MEND, read_object
from .choosing import choose, figures_frame, fixed_depth, policy_of
from .declaring import declarations
from .drawing import REPLAYED_AGAIN, Aside, draw, forget
from .output import Staged, held
from .preparing import Prepared, fit_calibrators, prepare
from .progress import progress
from .search_pictures import OWNED, Searched, search_pictures
from .source import Source, refuse_own_study, source_of_study
from .study import Select, Study

if TYPE_CHECKING:
    import polars as pl


CHECKPOINT = ".checkpoint.npz"
ROW_GROUP = 50_000


@dataclass(frozen=True)
class Found:
    """What a search leaves behind, for people and programs."""

    folder: Path
    percent: bool
    names: tuple[str, str]
    split: dict[str, int]
    result: SearchResult
    front: pl.DataFrame
    chosen: dict[str, Any]
    baselines: pl.DataFrame
    volume: Hypervolume
    notes: tuple[str, ...]
    certificate: Certificate | None
    lock_sha256: str

    def to_dict(self) -> dict[str, Any]:
        """One JSON object: the locked rule, its selection figures, and what was tried."""
        figures = ("rule", "id", "family", "quality", "cost", "calls", "fired", "equivalents")
        return {
            "locked": {key: self.chosen[key] for key in figures},
            "lock_sha256": self.lock_sha256,
            "groups": self.split,
            "listed": self.result.listed,
            "tried": self.result.tried,
            "distinct": self.result.distinct,
            "front": self.front.select("rule", "id", "quality", "cost", "calls").to_dicts(),
            "baselines": self.baselines.to_dicts(),
            "hypervolume": self.volume.to_dict(),
            "notes": list(self.notes),
            "guarantee": None if self.certificate is None else self.certificate.to_dict(),
        }


def search_study(
    path: Path,
    *,
    out: Path | None,
    jobs: int,
    overrides: list[str],
    backend: str = "threads",
    address: str | None = None,
    pictures: bool = True,
    aside: Aside | None = None,
) -> Found:
    """Search a study and write its folder.

    Parameters
    ----------
    path : Path
        The study file.
    out : Path or None
        The output folder; ``out`` beside the study by default.
    jobs : int
        Workers; no byte of the result depends on them.
    overrides : list of ``section.key=value``
    backend : {"threads", "processes", "dask"}
        Where they are.
    address : str, optional
        Of a Dask scheduler.
    pictures : bool
        Whether to draw.
    aside : Aside, optional
        Has the pictures written while the command goes on.

    Raises
    ------
    StopruleError
        For any mistake in the study or its data; nothing is written then.
    """
    workers = Workers(jobs=jobs, backend=backend, address=address)
    source = source_of_study(path, overrides)
    folder = output_folder(path, out)
    with held(folder), _resumable(folder / CHECKPOINT):
        return _search(source, folder, workers, pictures=pictures, aside=aside)


def output_folder(path: Path, out: Path | None) -> Path:
    """Where a study's results go: beside it, unless another place is named."""
    return path.parent / "out" if out is None else out


@contextmanager
def _resumable(checkpoint: Path) -> Iterator[None]:
    """Delete the checkpoint when all is written; when interrupted, say that it is there."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint.exists():
            message = f"stoprule: {checkpoint} keeps how far the search came; the same command goes on from there"
            print(message, file=sys.stderr)
        raise
    checkpoint.unlink(missing_ok=True)


def _search(source: Source, folder: Path, workers: Workers, *, pictures: bool, aside: Aside | None) -> Found:
    study = source.study
    refuse_own_study(folder, source)
    looks = read_looks(folder / "looks.jsonl")
    refuse_lost_tail(looks, looks_counted(folder), folder / "looks.jsonl")
    policy = policy_of(study.select)
    prepared = prepare(source)
    calibrators = fit_calibrators(study, prepared)
    selection = prepared.open("selection", calibrators)
    baselines = _baselines(study, selection)
    with progress("replaying rules") as report:
        choice = choose(study, selection, **asdict(workers), progress=report, checkpoint=folder / CHECKPOINT)
    result, table, chosen, certificate = choice.result, choice.table, choice.chosen, choice.certificate
    with progress("resampling the front"):
        result = with_stability(result, table, seed=study.evaluate.seed, **asdict(workers))

    compared = figures_frame(list(dict.fromkeys([*baselines, *_reference(study.select)])), table)
    rule = parse(chosen["rule"])
    front = result.frame.filter(result.frame["on_front"])

    lock = lock_bytes(
        rule=rule,
        plateaus=[each.to_dict() for each in cut_plateaus(rule, table)],
        selection=selection,
        calibrators=calibrators,
        calibration={name: each.model_dump() for name, each in study.calibrate.items()},
        split=_split_entry(prepared, selection),
        policy=study.select.model_dump(exclude_none=True),
        figures={
            **{key: chosen[key] for key in ("quality", "cost", "calls", "fired", "equivalents")},
            "certifying": None if certificate is None else certificate.certifying_figures(),
        },
        evaluate={**study.evaluate.model_dump(exclude={"baselines"})},
        baselines=baselines,
        comparator=fixed_depth(selection, policy, choice.reference),
        declared=declarations(study, selection, rule, baselines=baselines, cost=chosen["cost"], jobs=workers.jobs),
        guarantee=None if certificate is None else certificate.to_dict(),
        certifying_ids=None if certificate is None else certificate.trial.parts.certifying_ids,
        tried=result.tried,
        distinct=result.distinct,
    )
    sha256 = json.loads(lock)["sha256"]
    with progress("profiling signals"):
        profiles = _profiles(study, selection, calibrators)
    with progress("bounding the frontier"):
        band = _band(result, baselines, table, study.evaluate.seed)
    searched = Searched(
        study=study,
        selection=table,
        candidates=result.frame,
        locked=chosen,
        compared=[parse(text) for text in compared["rule"]],
        profiles=profiles,
        band=band,
    )
    with Staged(folder) as staged:
        staged.write("study.toml", source.text)
        staged.write_json("source.json", source.to_json(folder))
        result.frame.write_parquet(staged.path("candidates.parquet"), row_group_size=ROW_GROUP)
        joined = front.with_columns(front["equivalents"].list.join(" ;; "))
        joined.write_csv(staged.path("front.csv"))
        stopping = _stopping(front, [rule, *searched.compared], table)
        stopping.write_parquet(staged.path("stopping.parquet"))
        if band is not None:
            band_frame(band[1], band[0]).write_csv(staged.path("band.csv"))
        staged.replace("signals.csv")
        if profiles:
            signals_frame(profiles).write_csv(staged.path("signals.csv"))
        forget(staged, OWNED)
        staged.write("lock.json", lock)
        locks = [entry for entry in looks if entry.kind == "lock"]
        if not locks or locks[-1].lock != sha256:
            staged.replace("report.html")  # of another lock
            final_ids = fingerprint(prepared.split.ids("final"))
            entry = Entry("lock", 0, sha256, final_ids, None, None, now())
            staged.write("looks.jsonl", log_bytes((*looks, following(looks, entry))))
    if pictures:
        draw(folder, search_pictures(searched), jobs=workers.jobs, aside=aside)
    return Found(
        folder=folder,
        percent=in_percent(selection),
        names=(selection.roles.quality, selection.roles.cost_name),
        split={side: len(prepared.split.ids(side)) for side in ("calibration", "selection", "final")},
        result=result,
        front=front,
        chosen=chosen,
        baselines=compared,
        volume=hypervolume(front, compared),
        notes=(*(note for each in calibrators for note in each.notes()), *result.notes),
        certificate=certificate,
        lock_sha256=sha256,
    )


def now() -> str:
    """The time for the look log, UTC to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def looks_counted(folder: Path) -> int:
    """The looks that the folder's evaluation counted; 0 before the first."""
    path = folder / "evaluation.json"
    evaluation = read_object(path, needed=["looks"])
    looks = 0 if evaluation is None else evaluation["looks"]
    if not isinstance(looks, int):
        raise StudyError(f"{path}: is broken (looks is {looks!r}); {MEND}")
    return looks


def _profiles(study: Study, selection: Trajectories, calibrators: Sequence[Calibrator]) -> tuple[SignalProfile, ...]:
    """What each signal tells of the outcome that the study calibrates to, or of the usual target."""
    target = target_of(selection, next((each.target for each in study.calibrate.values()), None))
    return signal_profiles(selection, target, clipped={each.name: each.outside(selection) for each in calibrators})


def _band(result: SearchResult, baselines: Sequence[Rule], t: Trajectories, seed: int) -> tuple[Rule, Band] | None:
    """The band around the frontier minus the longest declared fixed(k); None where too much was searched."""
    depths = {k: rule for rule in baselines if (k := depth(rule)) is not None}
    baseline = depths[max(depths)] if depths else fixed(t.rounds)
    found = search_band(result, baseline, t, seed=seed)
    return None if found is None else (baseline, found)


def _stopping(front: pl.DataFrame, named: Sequence[Rule], t: Trajectories) -> pl.DataFrame:
    """Where the rules of the front, the named ones and the oracle stop; of a very long front evenly spaced rules."""
    step = -(-len(front) // REPLAYED_AGAIN) or 1
    rules = [parse(text) for text in front["rule"].gather_every(step)]
    return stopping_frame(list(dict.fromkeys([*named, *rules])), t, beside=[oracle(t)])


def _baselines(study: Study, t: Trajectories) -> list[Rule]:
    if study.evaluate.baselines is None:
        return list(dict.fromkeys([fixed(1), fixed(t.rounds)]))
    rules = [parse(text) for text in study.evaluate.baselines]
    for rule in rules:
        check(rule, t)
    return rules


def _reference(select: Select) -> list[Rule]:
    return [] if select.of is None else [parse(select.of)]


def _split_entry(prepared: Prepared, selection: Trajectories) -> dict[str, Any]:
    split = prepared.split
    return {
        "method": split.method,
        "seed": split.seed,
        "fractions": dict(split.fractions),
        "group": selection.roles.group,
        "calibration_ids": list(split.ids("calibration")),
        "selection_ids": list(split.ids("selection")),
        "selection_rows": fingerprint_rows(selection),
        "final_ids": fingerprint(split.ids("final")),
    }
