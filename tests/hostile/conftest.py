"""Every hostile file would leave a mark if it could run anything; none does, and none takes long."""

from __future__ import annotations

import os
import time

import pytest


class Touch:
    """Unpickling this runs a command."""

    def __init__(self, marker):
        self.marker = str(marker)

    def __reduce__(self):
        return (os.system, (f"touch '{self.marker}'",))


@pytest.fixture
def marker(tmp_path_factory):
    """Where a payload that ran would leave its mark."""
    return tmp_path_factory.mktemp("marks") / "ran"


@pytest.fixture
def touch(marker):
    return Touch(marker)


@pytest.fixture(autouse=True)
def nothing_runs(marker, monkeypatch, tmp_path):
    """No code of the file has run, nothing was written beside it, and it was refused soon."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    begun = time.process_time()
    yield
    assert not marker.exists()
    assert not list((tmp_path / "here").iterdir())
    assert time.process_time() - begun < 5
