"""What earlier commands left in a folder, read back: damage to it is told in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..trajectories.errors import StopruleError, StudyError

if TYPE_CHECKING:
    import polars as pl

MEND = "restore it, or search again in a new folder"


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Tell in one line of a file that cannot be read in the block, or is not what it should be."""
    from polars.exceptions import PanicException, PolarsError

    try:
        yield
    except StopruleError:
        raise
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror or error}); {MEND}") from error
    except (ValueError, RecursionError, PolarsError, PanicException) as error:
        reason = str(error).strip().partition("\n")[0]
        raise StudyError(f"{path}: is broken ({reason}); {MEND}") from error


def read_object(path: Path, needed: Sequence[str] = ()) -> dict[str, Any] | None:
    """A JSON object with the keys that are needed; None where there is no such file.

    Raises
    ------
    StudyError
        When it is no such object.
    """
    if not path.exists():
        return None
    with readable(path):
        content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise StudyError(f"{path}: is broken (it is no JSON object); {MEND}")
    lacking = [name for name in needed if name not in content]
    if lacking:
        raise StudyError(f"{path}: is broken (it lacks {', '.join(lacking)}); {MEND}")
    return content


def read_table(path: Path, needed: Sequence[str], *, whole: bool = False) -> pl.DataFrame | None:
    """The needed columns of a Parquet or CSV file, or all, CSV as text; None where there is no such file.

    Raises
    ------
    StudyError
        When it is no such table.
    """
    import polars as pl

    if not path.exists():
        return None
    with readable(path):
        if path.suffix == ".parquet":
            table = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        else:
            table = pl.scan_csv(path, glob=False, infer_schema=False)
        found = table.select(pl.all() if whole else pl.col(needed)).collect()
        _ = found.select(needed)
        return found
