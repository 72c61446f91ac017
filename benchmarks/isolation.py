"""What it costs to run fits in processes of their own, with and without on the same work.

- *time*: fits that take 50 ms and 1 ms of a core, one worker beside none; the ratio is that of the
  additional time of additional fits, so that starting processes (printed apart) is no part of it;
- *memory of workers*: private memory before a fit with 200 MB of data, once as an array and once as a
  data frame; pages of the data's own file are the page cache's, whichever processes have them mapped;
- *memory of the coordinator*: its growth over 20,000 fits whose records go to a store.

    python benchmarks/isolation.py [--quick]
"""

from __future__ import annotations

import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import ShuffleSplit

import foldwise as fw


class Busy(RegressorMixin, BaseEstimator):
    """Keeps a core busy for so many milliseconds and predicts a shifted mean."""

    def __init__(self, shift: float = 0.0, milliseconds: float = 50.0) -> None:
        self.shift = shift
        self.milliseconds = milliseconds

    def fit(self, X: Any, y: Any) -> Busy:
        until = time.process_time() + self.milliseconds / 1000
        while time.process_time() < until:
            pass
        self.mean_ = float(np.mean(y)) + self.shift
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


class Weighing(RegressorMixin, BaseEstimator):
    """Predicts the megabytes that its process has for itself."""

    def fit(self, X: Any, y: Any) -> Weighing:
        kilobytes, is_data = 0, False
        for line in Path("/proc/self/smaps").read_text().splitlines():
            first = line.split(maxsplit=1)[0]
            if not first.endswith(":"):  # a new mapping: its addresses, and its file at the end
                is_data = line.endswith(".npy")
            elif first.startswith("Private_") and not is_data:
                kilobytes += int(line.split()[1])
        self.megabytes_ = kilobytes / 1e3
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.megabytes_)


def seconds_of(fits: int, milliseconds: float, *, isolate: bool) -> tuple[float, float]:
    """Wall and CPU seconds of a study, processes it started included."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    learner = fw.tune(Busy(milliseconds=milliseconds), shift=list(np.linspace(-1, 1, fits)))
    wall, cpu = time.perf_counter(), _cpu()
    fw.compare({"busy": learner}, X, y, outer=0.2, inner=0.2, jobs=1, isolate=isolate)
    return time.perf_counter() - wall, _cpu() - cpu


def overhead(milliseconds: float, few: int, many: int, rounds: int) -> str:
    """The smallest times of some rounds, by turns; a longer study less a shorter one."""
    found: dict[tuple[bool, int], list[tuple[float, float]]] = {}
    for _ in range(rounds):
        for fits in (few, many):
            for isolate in (False, True):
                found.setdefault((isolate, fits), []).append(seconds_of(fits, milliseconds, isolate=isolate))
    least = {key: np.min(times, axis=0) for key, times in found.items()}
    added = {isolate: least[isolate, many] - least[isolate, few] for isolate in (False, True)}
    wall, cpu = added[True] / added[False]
    start = least[True, few][0] - least[False, few][0]
    return f"{wall:.3f} x wall, {cpu:.3f} x CPU; starting takes {start:.2f} s"


def worker_memory(kind: Callable[[Any], Any], megabytes: int) -> str:
    """Private megabytes of a worker when a fit of a few rows begins."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(megabytes * 1250, 100))
    table, y = kind(X), X[:, 0].copy()
    splits = ShuffleSplit(4, train_size=100, test_size=100, random_state=0)
    result = fw.compare({"weighing": Weighing()}, table, y, outer=splits, jobs=2, isolate=True)
    losses = result.losses()
    found = losses[losses["method"] == "weighing"]["prediction"].max()
    goal = 0.05 * megabytes + 80
    return f"{found:.0f} MB private with {megabytes} MB of data (goal {goal:.0f} MB)"


def coordinator_growth(candidates: int) -> str:
    """Growth of this process from the first to the last record of a study with a store."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    learner = fw.tune(Busy(milliseconds=0.0), shift=list(np.linspace(-1, 1, candidates)))
    sizes: list[float] = []
    is_over = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "run" / "records.db-wal"

        def watch() -> None:
            while not is_over.wait(0.05):
                if database.exists() and database.stat().st_size > 100_000:  # records have begun to come
                    sizes.append(_resident())

        thread = threading.Thread(target=watch)
        thread.start()
        words: dict[str, Any] = {"outer": 19, "inner": "pairs", "jobs": 2, "isolate": True, "store": f"{folder}/run"}
        result = fw.compare({"busy": learner}, X, y, **words)
        is_over.set()
        thread.join()
    growth = max(sizes) - sizes[0]
    return f"{growth:.0f} MB at most over {result.fits} fits (goal 50 MB), {sizes[-1] - sizes[0]:.0f} MB at their end"


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _resident() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1e3


def main() -> None:
    quick = "--quick" in sys.argv
    rounds = 1 if quick else 3
    tasks: dict[str, Callable[[], str]] = {
        "fits of 50 ms (goal 1.05)": lambda: overhead(50.0, 10, 40 if quick else 110, rounds),
        "fits of 1 ms (goal 2)": lambda: overhead(1.0, 100, 600 if quick else 2100, rounds),
        "worker, array": lambda: worker_memory(lambda X: X, 200),
        "worker, data frame": lambda: worker_memory(_frame, 200),
        "coordinator": lambda: coordinator_growth(10 if quick else 106),
    }
    for task, do in tasks.items():
        print(f"{task:28} {do()}", flush=True)


def _frame(X: Any) -> Any:
    return pd.DataFrame(X, columns=[f"c{at}" for at in range(X.shape[1])])


if __name__ == "__main__":
    main()
