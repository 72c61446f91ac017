"""A command that is killed at a write, a sync or a rename while it refits, saves its model and writes its page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import killing
import pytest

from foldwise.api.model_file import load_model
from foldwise.records.sqlite import SqliteStore

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not killing.has_strace(), reason="strace kills at a call")]
FOLDWISE = [sys.executable, "-c", "from foldwise.cli import main; main()"]
# How many of each such a command makes: 30 writes, 9 syncs, 10 renames and removals.
POINTS = [("write,pwrite64", n) for n in range(1, 31, 3)]
POINTS += [("fsync,fdatasync", n) for n in range(1, 10, 2)] + [("rename,unlink", n) for n in range(1, 11, 2)]


def foldwise(*words: str, folder: Path, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*before, *FOLDWISE, *words], cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    study = ("--learners", "ridge", "--outer", "3", "--inner", "2", "--store", "run", "--quiet")
    assert foldwise("compare", "diabetes", *study, folder=folder).returncode == 0
    return folder / "run"


@pytest.mark.parametrize(("calls", "number"), POINTS, ids=lambda value: str(value).replace(",", "-"))
def test_a_kill_leaves_whole_files_or_none_and_the_next_run_writes_them(
    finished: Path, tmp_path: Path, calls: str, number: int
) -> None:
    shutil.copytree(finished, tmp_path / "run")
    words = ("resume", "run", "--quiet", "--json", "--save", "model.skops", "--report", "page.html")
    inject = f"inject={calls}:signal=SIGKILL:when={number}"
    strace = ("strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={calls}", "-e", inject)
    foldwise(*words, folder=tmp_path, before=strace)
    if (tmp_path / "model.skops").exists():
        load_model(tmp_path / "model.skops")
    if (tmp_path / "page.html").exists():
        assert (tmp_path / "page.html").read_text().rstrip().endswith("</html>")
    store = SqliteStore(tmp_path / "run", readonly=True)
    assert store.verify() == []
    store.close()
    again = foldwise(*words, folder=tmp_path)
    assert (again.returncode, json.loads(again.stdout)["fits_made"]) == (0, 0)
    load_model(tmp_path / "model.skops")
