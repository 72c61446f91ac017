"""A small finished study in a store, and the tools of these tests within reach of their imports."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The folder of a finished study, and its result."""
    from small_study import learners, rows

    import foldwise as fw

    folder = tmp_path_factory.mktemp("live") / "whole"
    result = fw.compare(learners(), *rows(), outer=4, inner=3, jobs=1, store=folder)
    return folder, result


@pytest.fixture
def finished(whole, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(whole[0], tmp_path / "run"))
