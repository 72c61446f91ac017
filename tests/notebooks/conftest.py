"""Notebooks with a real kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

Outputs = list[Any]  # of one cell


@pytest.fixture(scope="session")
def execute(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Outputs]]:
    """Runs a notebook in a folder, by a kernel of this Python with no one's settings, and gives each cell's outputs."""

    def run(notebook: Any, folder: Path) -> list[Outputs]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
            patch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
            where = {"metadata": {"path": str(folder)}}
            NotebookClient(notebook, timeout=120, kernel_name="python3", resources=where).execute()
        return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]

    return run


@pytest.fixture(scope="session")
def execute_cells(execute, tmp_path_factory) -> Callable[[list[str]], dict[str, Outputs]]:
    """Runs these cells, one after another, and gives the outputs of each by its source."""

    def run(sources: list[str]) -> dict[str, Outputs]:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        return dict(zip(sources, execute(notebook, tmp_path_factory.mktemp("notebook")), strict=True))

    return run
