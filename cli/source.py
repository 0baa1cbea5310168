"""Where a study's data stand, and how they are found again from the output folder."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..trajectories.errors import StudyError
from ..trajectories.reading import Part
from .study import Study, load_study


@dataclass(frozen=True)
class Source:
    """A study with the folder that its paths are relative to."""

    study: Study
    root: Path
    overrides: tuple[str, ...]
    text: bytes

    def parts(self, data: Path | None = None) -> list[Part]:
        """The files of the study, each with its cell and split where those are named by file.

        Parameters
        ----------
        data : Path, optional
            Stands in for ``data.path``, or for ``data.final`` where the study names files by split.
        """
        named = self.study.data
        if data is not None and named.cells:
            raise StudyError(
                "--data stands for one file, but the study has [[data.cells]]; move the files back or edit data.root"
            )
        if named.path is not None:
            return [Part(data or self.root / named.path)]
        if named.cells:
            by_split = (
                ((each, "selection", each.selection) for each in named.cells),
                ((each, "final", each.final) for each in named.cells),
            )
            return [
                Part(self.root / file, cell=each.name, split=split)
                for group in by_split
                for each, split, file in group
                if file is not None
            ]
        files = {"calibration": named.calibration, "selection": named.selection, "final": named.final}
        return [
            Part(data if data is not None and split == "final" else self.root / file, split=split)
            for split, file in files.items()
            if file is not None
        ]

    def to_json(self, folder: Path) -> dict[str, Any]:
        """What source.json holds: the way back to the data from ``folder``."""
        # of the places themselves: `..` out of a folder that is reached by a link leads elsewhere
        return {"root": os.path.relpath(self.root.resolve(), folder.resolve()), "set": list(self.overrides)}


def source_of_study(path: Path, overrides: Sequence[str]) -> Source:
    """Read a study file; its paths are relative to it."""
    study = load_study(path, overrides)
    return Source(study, path.parent / study.data.root, tuple(overrides), path.read_bytes())


def source_of_folder(folder: Path) -> Source:
    """Read the study that a search left in its output folder.

    Raises
    ------
    StudyError
        When the folder holds no search.
    """
    path, beside = folder / "study.toml", folder / "source.json"
    again = f"run `stoprule search STUDY.toml --out {folder}`"
    try:
        source = json.loads(beside.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyError(f"{beside}: cannot be read ({error.strerror}); {again} first") from error
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{beside}: is broken ({error}); {again} again") from error
    match source:
        case {"root": str(root), "set": [*overrides]} if all(isinstance(each, str) for each in overrides):
            there = Path(os.path.relpath(folder.resolve() / root))
            return Source(load_study(path, overrides), there, tuple(overrides), path.read_bytes())
    raise StudyError(f"{beside}: is broken (it has to say root and set); {again} again")


def refuse_own_study(folder: Path, source: Source) -> None:
    """Refuse to write a search's study.toml over one that the user keeps in the folder.

    Raises
    ------
    StudyError
        When there is another study.toml and no search has written it.
    """
    path = folder / "study.toml"
    if path.is_file() and not (folder / "source.json").exists() and path.read_bytes() != source.text:
        raise StudyError(f"{path}: is a study of its own and would be replaced; name another folder as --out")
