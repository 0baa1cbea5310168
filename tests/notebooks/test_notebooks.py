"""The notebooks run from top to bottom, and their text twins say the same."""

from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
NAMES = ("bring-your-own-trajectories", "choose-thresholds", "frontier", "leakage-audit")
LARGEST = 300_000  # bytes, outputs included


def cells(notebook: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """What a notebook says, cell by cell."""
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def test_every_notebook_is_listed():
    """A new notebook is tested too."""
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
class TestNotebook:
    def test_equals_its_text_twin(self, name):
        """Diffs are read in the twin."""
        assert cells(nbformat.read(FOLDER / f"{name}.ipynb", 4)) == cells(jupytext.read(FOLDER / f"{name}.py"))

    def test_is_small_and_was_run(self, name):
        """Outputs are kept, and kept small."""
        path = FOLDER / f"{name}.ipynb"
        assert path.stat().st_size < LARGEST
        code = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))

    def test_runs(self, name):
        """In a minute at most."""
        notebook = nbformat.read(FOLDER / f"{name}.ipynb", 4)
        NotebookClient(notebook, timeout=180, resources={"metadata": {"path": str(FOLDER)}}).execute()
