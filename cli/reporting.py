"""`stoprule report`: one page out of what stands in a search's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from ..analysis.looks import read_looks, refuse_lost_tail
from ..analysis.report.captions import CAPTIONS
from ..analysis.report.extra import missing_extra
from ..analysis.report.material import Material, Picture
from ..analysis.report.page import ReportError, report_page
from ..rules.lockfile import read_lock
from ..trajectories.errors import StudyError
from .artefacts import read_object, readable
from .final_pictures import OWNED as OF_FINAL
from .output import Staged, held
from .progress import progress
from .searching import looks_counted
from .source import source_of_folder

MEDIA = {"svg": "image/svg+xml", "png": "image/png"}
SMALL_PICTURE = 200_000  # bytes; of a larger SVG the PNG is taken


def report_folder(folder: Path, library: Callable[[], str] | None = None) -> Path:
    """Write report.html into a search's folder.

    Nothing outside the folder is read, so that no row of the final split is opened: what the page says of it,
    `evaluate` kept.

    Parameters
    ----------
    folder : Path
        What `search` wrote, and `evaluate` and `audit` added to.
    library : callable, optional
        Gives the charts' script where it has been put together already.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    StopruleError
        When the extra is not installed, there is no search, or the lock or the look log was changed.
    """
    if told := missing_extra():
        raise ReportError(told)
    if not folder.is_dir():
        raise StudyError(f"{folder}: is no folder; run `stoprule search STUDY.toml --out {folder}` first")
    with held(folder), progress("writing the report"):
        page = report_page(gathered(folder), library)
        with Staged(folder) as staged:
            staged.write("report.html", page)
    return folder / "report.html"


def report_folder_or_say(folder: Path, library: Callable[[], str]) -> str:
    """Write the report at the end of a run, or say how to get one; a line for the reader."""
    if told := missing_extra():
        return f"no report.html: {told}, then `stoprule report {folder}`"
    return f"report: {report_folder(folder, library)}"


def gathered(folder: Path) -> Material:
    """Read the artefacts of a folder; those of another lock are left aside."""
    source = source_of_folder(folder)
    lock = read_lock(folder / "lock.json")
    looks = read_looks(folder / "looks.jsonl")
    refuse_lost_tail(looks, looks_counted(folder), folder / "looks.jsonl")
    stopping = _table(folder / "stopping.parquet")
    candidates = _candidates(folder, str(lock.rule), stopping)
    evaluation, audit = (_of_lock(folder / f"{name}.json", lock.sha256) for name in ("evaluation", "audit"))
    return Material(
        lock=lock,
        looks=looks,
        study=source.text.decode(),
        search=[each.model_dump() for each in source.study.search],
        overrides=source.overrides,
        candidates=candidates.select("quality", "cost").collect(),
        front=candidates.filter("on_front").collect(),
        stopping=stopping,
        signals=_table(folder / "signals.csv"),
        evaluation=evaluation,
        audit=audit,
        stops=None if evaluation is None else _table(folder / "stops.csv"),
        pictures=list(_pictures(folder / "figures", evaluated=evaluation is not None)),
    )


def _candidates(folder: Path, locked: str, stopping: pl.DataFrame | None) -> pl.LazyFrame:
    """The candidates of the lock: they hold its rule, or the search replayed it beside them, as a guarantee may."""
    path = folder / "candidates.parquet"
    if not path.exists():
        raise StudyError(f"{path}: is missing; restore it, or run `stoprule search` again")
    found = pl.scan_parquet(path)
    beside = stopping is not None and locked in stopping["rule"]
    with readable(path):
        alike = found.filter(pl.col("rule") == locked).select(pl.len()).collect().item()
    if not beside and alike == 0:
        raise StudyError(f"{path}: does not hold the locked rule {locked}; restore it, or run `stoprule search` again")
    return found


def _of_lock(path: Path, sha256: str) -> dict[str, Any] | None:
    """A JSON object about this lock; None where there is none, or it is about another one."""
    content = read_object(path)
    return content if content is not None and content.get("lock") == sha256 else None


def _table(path: Path) -> pl.DataFrame | None:
    if not path.exists():
        return None
    ids = {"question": pl.String, "cell": pl.String, "group": pl.String, "signal": pl.String}
    with readable(path):
        if path.suffix == ".parquet":
            return pl.read_parquet(path)
        return pl.read_csv(path, schema_overrides=ids, infer_schema_length=None)


def _pictures(folder: Path, *, evaluated: bool) -> Iterator[Picture]:
    """The pictures, in the order of their captions: of each the SVG, or the PNG where that is smaller."""
    order = list(CAPTIONS)

    def place(path: Path) -> tuple[int, str]:
        kinds = [i for i, kind in enumerate(order) if path.stem == kind or path.stem.startswith(f"{kind}-")]
        return (kinds[-1] if kinds else len(order)), path.stem

    for path in sorted(folder.glob("*.svg"), key=place):
        if path.stem in OF_FINAL and not evaluated:
            continue
        bitmap = path.with_suffix(".png")
        chosen = bitmap if path.stat().st_size > SMALL_PICTURE and bitmap.exists() else path
        yield Picture(chosen.name, MEDIA[chosen.suffix[1:]], chosen.read_bytes())
