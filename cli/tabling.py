"""The tables of an evaluation as files, for papers, pages and programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..analysis.evaluation_tables import evaluation_tables, long_frame
from ..analysis.tables import html_table, latex, markdown
from .output import Staged

WRITERS = {"md": markdown, "tex": latex, "html": html_table}


def write_tables(staged: Staged, content: Mapping[str, Any]) -> None:
    """Write tables/figures.csv with everything unrounded, and each table as Markdown, LaTeX and HTML.

    Parameters
    ----------
    staged : Staged
    content : mapping
        What evaluation.json holds.
    """
    staged.replace("tables/*")
    long_frame(content).write_csv(staged.path("tables/figures.csv"))
    for name, table in evaluation_tables(content).items():
        for suffix, written in WRITERS.items():
            staged.write(f"tables/{name}.{suffix}", written(table).encode())
