"""A study run once, without pictures, for tests of its report."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from stoprule.cli.auditing import audit_folder
from stoprule.cli.evaluating import evaluate_folder
from stoprule.cli.searching import search_study

from .conftest import STUDY, recorded


@dataclass(frozen=True)
class Made:
    """A folder with study.toml, table.parquet, `searched` (after a search) and `out` (evaluated and audited)."""

    root: Path

    @property
    def study(self) -> Path:
        """The study file."""
        return self.root / "study.toml"

    @property
    def out(self) -> Path:
        """The complete folder."""
        return self.root / "out"

    @property
    def searched(self) -> Path:
        """The folder of a search alone."""
        return self.root / "searched"


def made(root: Path) -> Made:
    """Record, search, evaluate and audit in a folder."""
    it = Made(root)
    recorded().write_parquet(root / "table.parquet")
    it.study.write_text(STUDY)
    with pytest.MonkeyPatch.context() as patched:
        for command in ("searching", "evaluating"):
            patched.setattr(f"stoprule.cli.{command}.draw", lambda *_, **__: None)
        for folder in (it.searched, it.out):
            search_study(it.study, out=folder, jobs=1, overrides=[])
        evaluate_folder(it.out)
        audit_folder(it.out)
    return it
