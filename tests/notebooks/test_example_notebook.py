"""The notebook examples/first_hour.ipynb runs, every cell shows one thing, and it is stored without outputs."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "first_hour.ipynb"


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(EXAMPLE, as_version=4)


def test_it_is_stored_without_outputs(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]

    assert [cell.source for cell in code if cell.outputs or cell.execution_count is not None] == []
    assert EXAMPLE.stat().st_size < 20_000


@pytest.mark.slow
def test_every_cell_shows_one_thing_and_pictures_are_pictures(notebook, execute, tmp_path):
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]

    for source, outputs in zip(sources, execute(notebook, tmp_path), strict=True):
        is_study = source.split("(")[0].endswith(("compare", "curve"))  # whose progress is shown too
        shown = [output for output in outputs if not is_study or output.output_type == "execute_result"]
        assert len(shown) == 1, source
        if "plot" in source:
            assert "image/png" in shown[0].data, source
        elif not source.startswith(("print", "model")):
            assert {"text/plain", "text/html"} <= set(shown[0].data), source
            assert "<script" not in shown[0].data["text/html"], source
    assert (tmp_path / "diabetes.html").stat().st_size > 50_000
