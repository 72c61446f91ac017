"""Studies of the command line that are killed, interrupted and resumed, and what must hold each time."""

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
from contextlib import suppress
from pathlib import Path
from typing import Any

import leftovers

COMMAND = (sys.executable, "-c", "from foldwise.cli import main; main()")
WORDS = ("diabetes", "--learners", "tree", "--budget", "8", "--outer", "8", "--inner", "pairs", "--jobs", "2")
WAYS = ("everything", "coordinator", "nursery and then everything")
TIMES = ("seconds", "fits_made")  # the fields that may differ after an interruption


class Run:
    """A study in a folder of its own, with marked processes and its own temporary folder."""

    def __init__(self, folder: Path, words: tuple[str, ...] = WORDS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.store = folder, folder / "run"
        self.environment = leftovers.marked(folder / "tmp")
        self._compare = ("compare", *words, "--store", str(self.store), "--json")

    def start(self, *, before: tuple[str, ...] = (), as_json: bool = True) -> subprocess.Popen[str]:
        """Begin the study, or go on with it: by `resume` where the store knows it, else by the same line."""
        words = self._compare if not self.is_known() else ("resume", str(self.store), "--jobs", "2", "--json")
        words = words if as_json else words[:-1]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([*before, *COMMAND, *words], env=self.environment, preexec_fn=_heed_hangups, **pipes)

    def finish(self) -> dict[str, Any]:
        """Let it run to its end; its answer."""
        process = self.start()
        out, error = process.communicate(timeout=300)
        assert process.returncode == 0, error[-2000:]
        answer: dict[str, Any] = json.loads(out)
        return answer

    def is_known(self) -> bool:
        return bool(self._read("SELECT name FROM documents WHERE name = 'origin'"))

    def keys(self) -> set[str]:
        """Records in the store, read as anybody would who knows SQLite."""
        return self._read("SELECT key FROM records")

    def _read(self, statement: str) -> set[str]:
        try:
            database = sqlite3.connect(f"file:{self.store / 'records.db'}?mode=ro", uri=True, timeout=30)
            try:
                return {name for (name,) in database.execute(statement)}
            finally:
                database.close()
        except sqlite3.OperationalError:  # no file or no table yet
            return set()


def without_times(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer without the fields that may differ."""
    methods = [{key: value for key, value in one.items() if key not in TIMES} for one in answer["methods"]]
    return {key: value for key, value in answer.items() if key not in TIMES} | {"methods": methods}


def _heed_hangups() -> None:
    """In the new process: who runs the tests under nohup ignores SIGHUP, and so would what they start."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def wait_for_records(run: Run, process: subprocess.Popen[str], more: int) -> None:
    """Wait until the store has so many records more, or the process has ended."""
    wanted = len(run.keys()) + more
    leftovers.wait_until(lambda: process.poll() is not None or len(run.keys()) >= wanted, 120)


def kill_all(environment: Mapping[str, str]) -> None:
    """SIGKILL for every process of a run, also for those born meanwhile."""
    while found := leftovers.processes(environment):
        for pid in found:
            kill(pid)


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
    _drain(process)
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


def has_strace() -> bool:
    """Is strace here, and allowed to trace?"""
    strace = shutil.which("strace")
    return bool(strace) and subprocess.run([strace, "-o", os.devnull, "true"], capture_output=True).returncode == 0


def killed_at_write(run: Run, at: int, *, what: str = "pwrite64") -> bool:
    """Was the coordinator killed at its n-th system call of that kind? False: it made fewer, and finished."""
    inject = f"{what}:signal=SIGKILL:when={at}"
    strace = shutil.which("strace")
    assert strace, "strace is needed for this"
    process = run.start(
        before=(strace, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={what}", "-e", f"inject={inject}")
    )
    _, error = process.communicate(timeout=300)
    assert process.returncode in (0, -signal.SIGKILL, 128 + signal.SIGKILL), error[-2000:]
    return process.returncode != 0


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _drain(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
