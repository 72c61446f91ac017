"""Commands under kills, clock jumps, suspends, full disks and readers: what goes on gives the undisturbed answer."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import disturbing
import killing
import leftovers
import pytest
import reading
from disturbing import compare, injecting, without_times

from foldwise.api.model_file import load_model

pytestmark = pytest.mark.slow
needs_strace = pytest.mark.skipif(not killing.has_strace(), reason="strace disturbs at a call")
WRITES, SYNCS = "write,pwrite64", "fsync,fdatasync"
OUTPUTS = ("--save", "model.skops", "--report", "page.html")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return compare(tmp_path_factory.mktemp("undisturbed")).finish()


@pytest.fixture(scope="module")
def undisturbed_forests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return disturbing.compare_forests(tmp_path_factory.mktemp("forests")).finish()


@pytest.fixture(scope="module")
def undisturbed_benchmark(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return disturbing.benchmark(tmp_path_factory.mktemp("benchmark")).finish()


@pytest.mark.parametrize("seed", range(2))
def test_a_benchmark_killed_at_random_moments(undisturbed_benchmark: dict[str, Any], tmp_path: Path, seed: int) -> None:
    command, rng = disturbing.benchmark(tmp_path), random.Random(seed)
    before, process = command.records(), command.start()
    wanted = rng.randrange(1, 100)
    leftovers.wait_until(lambda: process.poll() is not None or len(command.records()) >= wanted, 120)
    assert process.poll() is None
    killing.kill_all(command.environment)
    process.communicate()
    assert before <= command.records()
    assert without_times(command.finish()) == without_times(undisturbed_benchmark)


@needs_strace
@pytest.mark.parametrize(("calls", "number"), [(WRITES, 60), (SYNCS, 12)])
def test_a_benchmark_killed_at_a_call(
    undisturbed_benchmark: dict[str, Any], tmp_path: Path, calls: str, number: int
) -> None:
    command = disturbing.benchmark(tmp_path)
    disturbing.kill_at(command, calls, number)
    assert without_times(command.finish()) == without_times(undisturbed_benchmark)


@needs_strace
@pytest.mark.parametrize(("calls", "number"), [(WRITES, 20), (WRITES, 70), (SYNCS, 3), (SYNCS, 12)])
def test_a_whole_command_killed_at_a_call(undisturbed: dict[str, Any], tmp_path: Path, calls: str, number: int) -> None:
    command = compare(tmp_path, *OUTPUTS)
    disturbing.kill_at(command, calls, number)
    assert without_times(command.finish()) == without_times(undisturbed)
    load_model(tmp_path / "model.skops")
    assert (tmp_path / "page.html").read_text().rstrip().endswith("</html>")


@pytest.mark.skipif(not disturbing.FAKETIME.exists(), reason="libfaketime makes the clock jump")
@pytest.mark.parametrize("jump", ["+3650d", "-3650d"])
def test_a_clock_that_jumps_stops_nothing(undisturbed_forests: dict[str, Any], tmp_path: Path, jump: str) -> None:
    clock = tmp_path / "clock"
    faked = disturbing.with_clock(clock)
    limits = ("--fit-timeout", "60", "--time-limit", "250")
    command = disturbing.compare_forests(tmp_path / "study", *limits, **faked)
    process = disturbing.start_and_wait(command)
    clock.write_text(jump)
    assert len(command.records()) < undisturbed_forests["fits"]
    _, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert set(disturbing.statuses(command.folder / "run")) == {"ok"}
    assert without_times(command.finish()) == without_times(undisturbed_forests)


@pytest.mark.parametrize("whom", ["all of it", "the coordinator"])
def test_a_run_that_is_suspended_times_out_no_fit(
    undisturbed_forests: dict[str, Any], tmp_path: Path, whom: str
) -> None:
    command = disturbing.compare_forests(tmp_path, "--fit-timeout", "6")
    process = disturbing.start_and_wait(command)
    stopped = leftovers.processes(command.environment) if whom == "all of it" else [process.pid]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    assert len(command.records()) < undisturbed_forests["fits"]
    time.sleep(10)
    for pid in reversed(stopped):
        os.kill(pid, signal.SIGCONT)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert set(disturbing.statuses(tmp_path / "run")) == {"ok"}
    assert without_times(command.finish()) == without_times(undisturbed_forests)


def assert_stopped_by_a_sentence(command: disturbing.Command, found: tuple[int, str, str]) -> None:
    code, _, error = found
    assert code in (1, 2), error
    assert "Traceback" not in error
    assert "ree some space" in error.splitlines()[-1], error
    leftovers.assert_nothing_left(command.environment)


@needs_strace
@pytest.mark.parametrize("number", [1, 8, 30])
def test_a_quota_stops_the_run_which_goes_on_when_there_is_room(
    undisturbed: dict[str, Any], tmp_path: Path, number: int
) -> None:
    command = compare(tmp_path)
    assert_stopped_by_a_sentence(command, command.run(*injecting("pwrite64", f"error=EDQUOT:when={number}+")))
    assert without_times(command.finish()) == without_times(undisturbed)


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="prlimit limits the size of files")
@pytest.mark.parametrize("kilobytes", [16, 60])
def test_a_limit_of_file_size_stops_the_run_likewise(
    undisturbed: dict[str, Any], tmp_path: Path, kilobytes: int
) -> None:
    command = compare(tmp_path)
    assert_stopped_by_a_sentence(command, command.run("prlimit", f"--fsize={kilobytes * 1024}"))
    assert without_times(command.finish()) == without_times(undisturbed)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("only an administrator can make a small disk")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.parametrize("kilobytes", [20, 60, 100])
def test_a_full_disk_stops_the_run_likewise(
    undisturbed: dict[str, Any], small_disk: Path, tmp_path: Path, kilobytes: int
) -> None:
    def resize(size: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}k", small_disk], check=True)

    resize(kilobytes)
    command = compare(tmp_path, "--store", "disk/run")
    found = command.run()
    assert_stopped_by_a_sentence(command, found)
    resize(10_000)
    assert without_times(command.finish()) == without_times(undisturbed)


def test_two_readers_beside_a_writer_disturb_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, readers = reading.both(tmp_path, 12)
    for found in readers:
        assert found["answers"] > 1
        assert (found["damaged"], found["gone"]) == (0, 0)
    monkeypatch.setattr(reading, "NAP", 0.0)
    assert without_times(answer) == without_times(json.loads(json.dumps(reading.study(12))))
