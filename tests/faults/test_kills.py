"""Kills and interrupts at any moment (api/running.py) cost no finished fit; resumed, the answer is undisturbed.

`benchmarks/kills.py` does the same a hundred times.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import doomed
import killing
import leftovers
import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

import foldwise as fw


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    run = killing.Run(tmp_path_factory.mktemp("undisturbed"))
    answer = run.finish()
    leftovers.assert_nothing_left(run.environment)
    return answer


@pytest.mark.slow
def test_a_study_killed_at_random_moments_gives_the_undisturbed_answer(
    undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    found = killing.kill_and_resume(killing.Run(tmp_path), undisturbed, rng=random.Random(5), most=2)
    troubles = ("lost", "different", "redone", "left processes", "not swept", "left files")
    assert {name: found[name] for name in troubles} == dict.fromkeys(troubles, 0)
    assert found["kills"] >= 2


@pytest.mark.slow
def test_interrupts_keep_what_is_done_and_say_how_to_go_on(undisturbed: dict[str, Any], tmp_path: Path) -> None:
    run = killing.Run(tmp_path)
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)):
        seconds, found, out, error = killing.interrupt(run, number, more=15)
        assert (found, "Traceback" in error) == (code, False), error
        assert seconds < leftovers.patience(3)
        assert f"foldwise resume {run.store}" in error
        assert "tree" in out  # the table so far
        leftovers.assert_nothing_left(run.environment)
    answer = run.finish()
    assert killing.without_times(answer) == killing.without_times(undisturbed)
    assert answer["fits_made"] < undisturbed["fits"] - 45


@pytest.mark.slow
def test_a_second_interrupt_ends_at_once(tmp_path: Path) -> None:
    run = killing.Run(tmp_path)
    seconds, code, _, _ = killing.interrupt(run, signal.SIGINT, more=5, second_after=0.05)
    assert code == 130
    assert seconds < leftovers.patience(1.5)
    leftovers.assert_nothing_left(run.environment)


MOMENTS = [(1, "before"), (3, "after"), (2, "before")]


@pytest.mark.parametrize("moments", [MOMENTS[1:2], pytest.param(MOMENTS, marks=pytest.mark.slow)], ids=["one", "all"])
def test_a_kill_at_any_write_to_the_store_is_resumed(tmp_path: Path, moments: list[tuple[int, str]]) -> None:
    """At the first write, at a later one of the run that goes on, and so on; just before it and just after."""
    environment = leftovers.marked(tmp_path / "tmp")
    script, store = str(Path(doomed.__file__)), str(tmp_path / "run")
    words: dict[str, Any] = {"env": environment, "capture_output": True, "text": True, "timeout": 120}
    for at, when in moments:
        died = subprocess.run([sys.executable, script, store, str(at), when], **words)
        assert died.returncode == -signal.SIGKILL, died.stderr
        leftovers.wait_until(lambda: not leftovers.processes(environment), 2.0)
        assert leftovers.processes(environment) == []
    finished = subprocess.run([sys.executable, script, store, "0", "never"], **words)
    assert finished.returncode == 0, finished.stderr
    assert killing.without_times(json.loads(finished.stdout)) == calm_answer()
    leftovers.assert_nothing_left(environment)


def calm_answer() -> dict[str, Any]:
    """The same study here, with nothing in its way."""
    folds = np.arange(doomed.trial.ROWS) % doomed.trial.FOLDS
    learners, data = doomed.trial.learners("regression", {}), doomed.trial.data("regression")
    answer = fw.compare(learners, *data, outer=folds, inner="pairs", jobs=1, isolate=False).to_dict()
    plain: dict[str, Any] = json.loads(json.dumps(killing.without_times(answer)))
    return plain


class Slow(RegressorMixin, BaseEstimator):
    """A shifted mean that takes 10 ms."""

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift

    def fit(self, X: Any, y: Any) -> Slow:
        time.sleep(0.01)
        self.mean_ = float(np.mean(y)) + self.shift
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


@contextmanager
def worker_killer(*, pause: float, most: int) -> Iterator[list[int]]:
    """Kill one random worker of this process after another.

    Not without end: a fit whose process is killed three times, twice of them alone, is rightly blamed.
    """
    killed: list[int] = []
    is_over = threading.Event()

    def hunt() -> None:
        rng = random.Random(0)
        while len(killed) < most and not is_over.wait(pause):
            workers = [pid for nursery in children(os.getpid()) for pid in children(nursery)]
            if workers:
                killed.append(rng.choice(workers))
                killing.kill(killed[-1])

    thread = threading.Thread(target=hunt)
    thread.start()
    try:
        yield killed
    finally:
        is_over.set()
        thread.join()


def children(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != b"Z":
            found.append(int(stat.parent.name))
    return found


@pytest.mark.slow
def test_workers_killed_at_random_cost_nothing_and_nobody_is_blamed() -> None:
    before = set(children(os.getpid()))  # other tests of this process may have left some
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    learners = {"slow": fw.tune(Slow(), shift=list(np.linspace(-1, 1, 20)))}
    words: dict[str, Any] = {"outer": 6, "inner": "pairs", "isolate": True}
    with worker_killer(pause=0.25, most=6) as killed:
        found = fw.compare(learners, X, y, jobs=2, **words).to_dict()
    assert len(killed) >= 4
    assert [method["failed"] for method in found["methods"]] == [0, 0]
    expected = fw.compare(learners, X, y, jobs=1, outer=6, inner="pairs").to_dict()
    assert killing.without_times(found) == killing.without_times(expected)
    assert set(children(os.getpid())) <= before
