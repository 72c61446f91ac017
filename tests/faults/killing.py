"""Studies of the command line that are killed, interrupted, disturbed and resumed, and what must hold each time."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import leftovers

COMMAND = (sys.executable, "-c", "from foldwise.cli import main; main()")
WORDS = ("diabetes", "--learners", "tree", "--budget", "8", "--outer", "8", "--inner", "pairs", "--jobs", "2")
WAYS = ("everything", "coordinator", "nursery and then everything")
TIMES = ("seconds", "fits_made")  # the fields that may differ after an interruption
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


class Run:
    """A study in a folder of its own, with marked processes and its own temporary folder.

    `outputs`: options of what is written when the study is over, also when it goes on.
    """

    def __init__(
        self, folder: Path, words: tuple[str, ...] = WORDS, *, outputs: tuple[str, ...] = (), **environment: str
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.store, self.outputs = folder, folder / "run", outputs
        self.environment = leftovers.marked(folder / "tmp") | environment
        self._compare = ("compare", *words, "--store", str(self.store))

    def start(self, *before: str, as_json: bool = True) -> subprocess.Popen[str]:
        """Begin the study, or go on with it: by `resume` where the store knows it, else by the same line."""
        words = self._compare if not self.is_known() else ("resume", str(self.store), "--jobs", "2")
        line = [*before, *COMMAND, *words, *self.outputs, *(["--json"] if as_json else [])]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(line, cwd=self.folder, env=self.environment, preexec_fn=_heed_hangups, **pipes)

    def run(self, *before: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a run that nobody disturbs, unless what stands before it does."""
        process = self.start(*before)
        out, error = process.communicate(timeout=300)
        return process.returncode, out, error

    def finish(self) -> dict[str, Any]:
        """Let it run to its end, of which nothing may be left; its answer."""
        code, out, error = self.run()
        assert code == 0, error[-2000:]
        leftovers.assert_nothing_left(self.environment)
        answer: dict[str, Any] = json.loads(out)
        return answer

    def is_known(self) -> bool:
        return bool(self._read("SELECT name FROM documents WHERE name = 'origin'"))

    def keys(self) -> set[str]:
        """Records in the store, read as anybody would who knows SQLite."""
        return set(self._read("SELECT key FROM records"))

    def statuses(self) -> set[str]:
        return set(self._read("SELECT status FROM records"))

    def _read(self, statement: str) -> list[str]:
        address = f"file:{self.store / 'records.db'}?mode=ro"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=30)) as database:
                return [name for (name,) in database.execute(statement)]
        except sqlite3.OperationalError:  # no file or no table yet
            return []


def _heed_hangups() -> None:
    """In the new process: who runs the tests under nohup ignores SIGHUP, and so would what they start."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def without_times(answer: Any) -> Any:
    """An answer without what may differ between a run and one that goes on."""
    if isinstance(answer, Mapping):
        return {key: without_times(value) for key, value in answer.items() if key not in TIMES}
    return [without_times(value) for value in answer] if isinstance(answer, list) else answer


def wait_for_records(run: Run, process: subprocess.Popen[str], more: int) -> None:
    """Wait until the store has so many records more, or the process has ended."""
    wanted = len(run.keys()) + more
    leftovers.wait_until(lambda: process.poll() is not None or len(run.keys()) >= wanted, 120)


def kill_all(environment: Mapping[str, str]) -> None:
    """SIGKILL for every process of a run, also for those born meanwhile."""
    while found := leftovers.processes(environment):
        for pid in found:
            kill(pid)


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_somehow(run: Run, process: subprocess.Popen[str], way: str) -> None:
    """The whole tree at once, its root alone, or the process that starts workers a moment before the rest."""
    if way == "coordinator":
        process.kill()
        return
    for pid in leftovers.processes(run.environment) if way.startswith("nursery") else ():
        if b"nursery" in leftovers.words(pid):
            kill(pid)
            time.sleep(random.random() * 0.1)
    kill_all(run.environment)


def kill_and_resume(run: Run, expected: Mapping[str, Any], *, rng: random.Random, most: int = 1000) -> Counter[str]:
    """Kill a study at random moments until it finishes between two kills, or was killed often enough; what happened."""
    found: Counter[str] = Counter()
    total = expected["fits"]
    while found["kills"] < most:
        there = run.keys()
        process = run.start()
        if rng.random() < 0.25:
            leftovers.wait_until(lambda p=process: p.poll() is not None, rng.random() * 3.0)  # type: ignore[misc]
        else:
            wait_for_records(run, process, rng.randrange(1, 2 + total // 6))
            time.sleep(rng.random() * 0.05)
        if process.poll() is not None:
            break
        found += _kill_once(run, process, rng.choice(WAYS))
        found["resumed"] += bool(there)
        found["lost"] += len(there - run.keys())
    else:
        there, process = run.keys(), run.start()
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error[-2000:]
    answer = json.loads(out)
    found["finished"] += 1
    found["different"] += json.dumps(without_times(answer)) != json.dumps(without_times(expected))
    found["redone"] += answer["fits_made"] - (total - len(there))
    found["left files"] += len(leftovers.files(run.environment))
    return found


def _kill_once(run: Run, process: subprocess.Popen[str], way: str) -> Counter[str]:
    before = run.keys()
    kill_somehow(run, process, way)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    leftovers.wait_until(lambda: not leftovers.processes(run.environment), 2.0)
    left = len(leftovers.processes(run.environment))
    kill_all(run.environment)
    return Counter(
        {
            "kills": 1,
            way: 1,
            "lost": len(before - run.keys()),
            "left processes": left,
            # what an earlier kill left must be gone by now: at most the folder of this run is there
            "not swept": max(0, len(leftovers.files(run.environment)) - 1),
        }
    )


def interrupt(run: Run, number: int, *, more: int, second_after: float | None = None) -> tuple[float, int, str, str]:
    """Send a signal once some fits are done: seconds until the end, exit code, stdout and stderr."""
    process = run.start(as_json=False)
    wait_for_records(run, process, more)
    before, began = run.keys(), time.monotonic()
    process.send_signal(number)
    if second_after is not None:
        time.sleep(second_after)
        process.send_signal(number)
    out, error = process.communicate(timeout=60)
    seconds = time.monotonic() - began
    assert before <= run.keys()
    return seconds, process.returncode, out, error


def start_and_wait(run: Run) -> subprocess.Popen[str]:
    """A run in the midst of its fits."""
    process = run.start()
    wait_for_records(run, process, 3)
    assert process.poll() is None
    return process


def has_strace() -> bool:
    """Is strace here, and allowed to trace?"""
    strace = shutil.which("strace")
    return bool(strace) and subprocess.run([strace, "-o", os.devnull, "true"], capture_output=True).returncode == 0


def killed_at_call(run: Run, at: int, *, calls: str = "pwrite64") -> bool:
    """Was the coordinator killed at its n-th system call of that kind? False: it made fewer, and finished.

    What was in its store stays.
    """
    before, inject = run.keys(), f"inject={calls}:signal=SIGKILL:when={at}"
    code, _, error = run.run("strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={calls}", "-e", inject)
    assert code in (0, -signal.SIGKILL, 128 + signal.SIGKILL), error[-2000:]
    assert before <= run.keys()
    return code != 0


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
