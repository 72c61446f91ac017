"""Commands under kills, clock jumps, suspends, full disks and readers: what goes on gives the undisturbed answer."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import killing
import leftovers
import pytest
from killing import Run, without_times

import foldwise as fw
from foldwise.api.model_file import load_model
from foldwise.errors import FoldwiseError
from foldwise.records.sqlite import SqliteStore

pytestmark = pytest.mark.slow
SCHEME = ("--outer", "3", "--inner", "2", "--isolate", "--jobs", "1", "--quiet")
TREES = ("diabetes", "--learners", "tree", "--budget", "4", *SCHEME)
FORESTS = ("diabetes", "--learners", "forest", "--budget", "3", *SCHEME)  # time for something between two fits
OUTPUTS = ("--save", "model.skops", "--report", "page.html")
WRITES, SYNCS, RENAMES = "write,pwrite64", "fsync,fdatasync", "rename"


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return Run(tmp_path_factory.mktemp("trees"), TREES).finish()


@pytest.fixture(scope="module")
def forests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return Run(tmp_path_factory.mktemp("forests"), FORESTS).finish()


@pytest.mark.skipif(not killing.has_strace(), reason="strace kills at a call")
@pytest.mark.parametrize(("calls", "moments"), [(WRITES, (20, 70, 20)), (SYNCS, (3, 12, 3)), (RENAMES, (1, 2))])
def test_a_kill_at_a_call_leaves_whole_files_or_none_and_the_next_run_writes_them(
    trees: dict[str, Any], tmp_path: Path, calls: str, moments: tuple[int, ...]
) -> None:
    """One after another: while fits are made, and while the model is refitted, saved and reported."""
    run = Run(tmp_path, TREES, outputs=OUTPUTS)
    model, page = tmp_path / "model.skops", tmp_path / "page.html"
    was_killed = False
    for number in moments:
        was_killed |= killing.killed_at_call(run, number, calls=calls)
        leftovers.wait_until(lambda: not leftovers.processes(run.environment), leftovers.patience(2.0))
        assert leftovers.processes(run.environment) == []
        if model.exists():
            load_model(model)
        if page.exists():
            assert page.read_text().rstrip().endswith("</html>")
        if run.keys():
            store = SqliteStore(run.store, readonly=True)
            assert store.verify() == []
            store.close()
    assert was_killed
    assert without_times(run.finish()) == without_times(trees)
    load_model(model)
    assert page.read_text().rstrip().endswith("</html>")


@pytest.mark.skipif(not killing.FAKETIME.exists(), reason="libfaketime makes the clock jump")
@pytest.mark.parametrize("jump", ["+3650d", "-3650d"])
def test_a_clock_that_jumps_stops_nothing(forests: dict[str, Any], tmp_path: Path, jump: str) -> None:
    clock = tmp_path / "clock"
    limits = ("--fit-timeout", "60", "--time-limit", "250")
    run = Run(tmp_path / "study", (*FORESTS, *limits), **killing.with_clock(clock))
    process = killing.start_and_wait(run)
    clock.write_text(jump)
    assert len(run.keys()) < forests["fits"]
    _, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert run.statuses() == {"ok"}
    assert without_times(run.finish()) == without_times(forests)


@pytest.mark.parametrize("whom", ["all of it", "the coordinator"])
def test_a_run_that_is_suspended_times_out_no_fit(forests: dict[str, Any], tmp_path: Path, whom: str) -> None:
    run = Run(tmp_path, (*FORESTS, "--fit-timeout", "6"))
    process = killing.start_and_wait(run)
    stopped = leftovers.processes(run.environment) if whom == "all of it" else [process.pid]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    assert len(run.keys()) < forests["fits"]
    time.sleep(10)
    for pid in reversed(stopped):
        os.kill(pid, signal.SIGCONT)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert run.statuses() == {"ok"}
    assert without_times(run.finish()) == without_times(forests)


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="prlimit limits the size of files")
@pytest.mark.parametrize("kilobytes", [16, 60])
def test_a_disk_without_room_stops_the_run_which_goes_on_when_there_is_some(
    trees: dict[str, Any], tmp_path: Path, kilobytes: int
) -> None:
    run = Run(tmp_path, TREES)
    code, _, error = run.run("prlimit", f"--fsize={kilobytes * 1024}")
    assert code in (1, 2), error
    assert "Traceback" not in error
    assert "ree some space" in error.splitlines()[-1], error
    leftovers.assert_nothing_left(run.environment)
    assert without_times(run.finish()) == without_times(trees)


def test_who_reads_a_store_that_is_being_written_disturbs_nobody(forests: dict[str, Any], tmp_path: Path) -> None:
    run = Run(tmp_path, FORESTS)
    process, answers, known = killing.start_and_wait(run), 0, set[str]()
    while process.poll() is None:
        store = SqliteStore(run.store, readonly=True)
        assert store.verify() == []
        assert known <= (known := set(store.keys()))
        store.close()
        try:
            answers += bool(fw.load(run.store).to_dict()["methods"])
        except FoldwiseError:  # as long as there is nothing to answer from
            assert not answers
    process.communicate(timeout=120)
    assert answers > 1
    assert without_times(run.finish()) == without_times(forests)
