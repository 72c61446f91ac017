"""Commands that are disturbed in other ways than killing.py knows, and what must hold afterwards."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import killing
import leftovers

STUDY = ("--learners", "tree", "--budget", "4", "--outer", "3", "--inner", "2")
LOCALLY = ("--isolate", "--jobs", "1", "--quiet", "--json")
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


class Command:
    """A command line in a folder of its own, whose processes and temporary files can be found again."""

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.words = folder, words
        self.environment = leftovers.marked(folder / "tmp") | environment

    def start(self, *before: str) -> subprocess.Popen[str]:
        more: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        more |= {"cwd": self.folder, "env": self.environment}
        return subprocess.Popen([*before, *killing.COMMAND, *self.words], **more)

    def run(self, *before: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a run that nobody disturbs, unless what stands before it does."""
        process = self.start(*before)
        out, error = process.communicate(timeout=300)
        return process.returncode, out, error

    def finish(self) -> dict[str, Any]:
        """The answer of a run to the end; nothing is left of it."""
        code, out, error = self.run()
        assert code == 0, error[-2000:]
        leftovers.assert_nothing_left(self.environment)
        answer: dict[str, Any] = json.loads(out)
        return answer

    def records(self) -> set[str]:
        """Keys of all records below the folder, which must be whole."""
        return {key for file in self.folder.rglob("records.db") for key in _keys(file)}


def compare(folder: Path, *more: str, **environment: str) -> Command:
    return Command(folder, "compare", "diabetes", *STUDY, *LOCALLY, "--store", "run", *more, **environment)


def compare_forests(folder: Path, *more: str, **environment: str) -> Command:
    """Fits that take long enough for something to happen between two of them."""
    study = ("--learners", "forest", "--budget", "3", "--outer", "3", "--inner", "2")
    return Command(folder, "compare", "diabetes", *study, *LOCALLY, "--store", "run", *more, **environment)


def benchmark(folder: Path) -> Command:
    return Command(folder, "benchmark", "diabetes", "wine", "iris", *STUDY, *LOCALLY, "--store", "runs")


def with_clock(file: Path) -> dict[str, str]:
    """An environment whose time of day moves as that file says; the monotonic clock goes on, as in a real jump."""
    site = file.with_name("site")
    site.mkdir()
    file.write_text("+0")
    # libfaketime refuses the call by which Python 3.11 sleeps
    patch = "import select, time\ntime.sleep = lambda seconds: select.select([], [], [], seconds) and None\n"
    (site / "sitecustomize.py").write_text(patch)
    paths = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    faked = {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(file), "PYTHONPATH": paths}
    return faked | {"FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}


def without_times(answer: Any) -> Any:
    """An answer without what may differ between a run and one that goes on."""
    if isinstance(answer, Mapping):
        return {key: without_times(value) for key, value in answer.items() if key not in killing.TIMES}
    return [without_times(value) for value in answer] if isinstance(answer, list) else answer


def injecting(calls: str, what: str) -> tuple[str, ...]:
    """Have strace do something at system calls of the coordinator, not of its workers."""
    return ("strace", "-qq", "-o", os.devnull, "-e", f"trace={calls}", "-e", f"inject={calls}:{what}")


def kill_at(command: Command, calls: str, number: int) -> None:
    """Kill the coordinator at a system call; what was in its store stays, and its processes end."""
    before = command.records()
    code, _, error = command.run(*injecting(calls, f"signal=SIGKILL:when={number}"))
    assert code == -signal.SIGKILL, error[-2000:]  # else it made fewer of these calls
    assert before <= command.records()
    leftovers.wait_until(lambda: not leftovers.processes(command.environment), leftovers.patience(2.0))
    assert leftovers.processes(command.environment) == []


def start_and_wait(command: Command) -> subprocess.Popen[str]:
    """A run in the midst of its fits."""
    process = command.start()
    leftovers.wait_until(lambda: process.poll() is not None or len(command.records()) > 2, 60)
    assert process.poll() is None
    return process


def statuses(store: Path) -> Counter[str]:
    with sqlite3.connect(f"file:{store / 'records.db'}?mode=ro", uri=True) as database:
        return Counter(status for (status,) in database.execute("SELECT status FROM records"))


def _keys(file: Path) -> set[str]:
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30) as database:
            return {key for (key,) in database.execute("SELECT key FROM records")}
    except sqlite3.OperationalError:  # no table yet
        return set()
