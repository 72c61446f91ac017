"""How much sooner a study ends with two workers, and whether the choice of `jobs` is ever the slower one.

    python benchmarks/workers.py [speedup | choice | clusters]

- *speedup*: wall seconds of short and long studies of fits of 5, 50 and 200 ms (a loop of fixed length) with one job
  and with two, each the first study of its process, so that the start of the workers counts. A busy machine gives two
  processes less than twice the work of one: so two plain processes that do half of the same fits each are measured in
  between.
- *choice*: `jobs=None` beside one job, for small and large studies of built-in learners.
- *clusters*: what Dask and Ray, where they are installed, cost beside the workers of this machine, for fits that do
  nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

# Milliseconds of a fit, seconds of all fits, about, and how often both are measured, of which the least counts.
SIZES = ((5, 6, 3), (50, 6, 3), (200, 6, 3), (50, 24, 1), (200, 24, 1))
STUDIES = (
    ("ridge, k-nn, tree, 150 x 5", ["ridge", "k-nn", "tree"], 150, 5),
    ("ridge, k-nn, tree, 5,000 x 10", ["ridge", "k-nn", "tree"], 5_000, 10),
    ("forest, 150 x 5", ["forest"], 150, 5),
    ("forest, 1,000 x 10", ["forest"], 1_000, 10),
    ("default learners, 150 x 5", None, 150, 5),
    ("default learners, 500 x 10", None, 500, 10),
)


class Loop(RegressorMixin, BaseEstimator):
    """Predicts the mean, after so many steps."""

    def __init__(self, length: int = 1, shift: float = 0.0) -> None:
        self.length, self.shift = length, shift

    def fit(self, X: Any, y: Any) -> Loop:
        self.mean_ = work(self.length) * 0 + float(np.mean(y)) + self.shift
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def work(steps: int) -> float:
    total = 0.0
    for step in range(steps):
        total += step % 7
    return total


def steps_in(milliseconds: float) -> int:
    """How many steps take so long here."""
    taken = []
    for _ in range(5):
        begun = time.process_time()
        work(200_000)
        taken.append(time.process_time() - begun)
    return round(200_000 * milliseconds / 1000 / min(taken))


def looped(jobs: int, steps: int, candidates: int) -> float:
    """Wall seconds of nested 5 x 4 CV."""
    import foldwise as fw

    X, y = np.random.default_rng(0).normal(size=(100, 3)), np.arange(100.0)
    fw.compare({"mean": Loop(1)}, X, y, outer=3, jobs=1).to_dict()
    learner = fw.tune(Loop(steps), shift=np.linspace(0, 1, candidates).tolist())
    begun = time.perf_counter()
    fw.compare({"loop": learner}, X, y, outer=5, inner=4, budget=candidates, jobs=jobs).to_dict()
    return time.perf_counter() - begun


def plain(steps: int, fits: int) -> float:
    begun = time.perf_counter()
    for _ in range(fits):
        work(steps)
    return time.perf_counter() - begun


def chosen(number: int, jobs: int | None) -> float:
    """Wall seconds of one of the studies."""
    import foldwise as fw

    _, learners, rows, columns = STUDIES[number]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * rng.normal(size=rows)
    begun = time.perf_counter()
    fw.compare(learners, X, y, jobs=jobs).to_dict()
    return time.perf_counter() - begun


def engaged(engine: str, candidates: int) -> float:
    """Wall seconds of the same with fits of no length, on an engine."""
    import foldwise as fw

    X, y = np.random.default_rng(0).normal(size=(100, 3)), np.arange(100.0)
    fw.compare({"mean": Loop(1)}, X, y, outer=3, jobs=1).to_dict()
    learner = fw.tune(Loop(1), shift=np.linspace(0, 1, candidates).tolist())
    begun = time.perf_counter()
    fw.compare({"loop": learner}, X, y, outer=5, inner=4, budget=candidates, jobs=2, engine=engine).to_dict()
    return time.perf_counter() - begun


def together(count: int, *words: Any) -> float:
    """The longest wall seconds of so many processes of this program at once."""
    command = [sys.executable, str(Path(__file__)), *map(str, words)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    return max(json.loads(process.communicate()[0].splitlines()[-1]) for process in processes)


def speedup() -> str:
    lines = [
        "## Workers",
        "",
        "Wall seconds of nested 5 x 4 CV with one job and with two, the first study of its process, so that the start",
        "of the workers counts; and two plain processes that do half of the same fits each, which is what the machine",
        "has to give.",
        "",
        "| a fit | fits | one job (s) | two jobs (s) | speed-up | two plain processes | ours of it |",
        "| --- " * 7 + "|",
    ]
    for milliseconds, seconds, turns in SIZES:
        candidates = max(2, round(seconds * 1000 / milliseconds / 24))
        fits, steps = 24 * candidates + 5, steps_in(milliseconds)
        found = []
        for _ in range(turns):
            one, two = together(1, "looped", 1, steps, candidates), together(1, "looped", 2, steps, candidates)
            found.append((one, two, together(1, "plain", steps, fits), together(2, "plain", steps, fits // 2)))
        one, two, alone, halves = (min(column) for column in zip(*found, strict=True))
        ceiling = alone / halves
        cells = [f"{milliseconds} ms", str(fits), f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}", f"{ceiling:.2f}"]
        lines.append("| " + " | ".join([*cells, f"{one / two / ceiling:.2f}"]) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def choice() -> str:
    lines = [
        "## The choice of jobs",
        "",
        "Wall seconds of the first study of its process, by `jobs=1`, `jobs=2` and the default.",
        "",
        "| study | one job (s) | two jobs (s) | default (s) | default / one |",
        "| --- " * 5 + "|",
    ]
    for number, (title, *_) in enumerate(STUDIES):
        turns = [[together(1, "chosen", number, jobs) for jobs in (1, 2, None)] for _ in range(2)]
        one, two, none = (min(column) for column in zip(*turns, strict=True))
        lines.append(f"| {title} | {one:.2f} | {two:.2f} | {none:.2f} | {none / one:.2f} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def clusters() -> str:
    lines = [
        "## Clusters",
        "",
        "Wall seconds of the first study of its process with two jobs, fits of no length: with hardly any fits, and",
        "what each further fit adds. Dask and Ray are started for the study, on this machine.",
        "",
        "| engine | 53 fits (s) | a further fit (ms) |",
        "| --- " * 3 + "|",
    ]
    few, many = 2, 200  # candidates
    for engine in ("local", *(name for name in ("dask", "ray") if find_spec(name))):
        short, long = (min(together(1, "engaged", engine, size) for _ in range(3)) for size in (few, many))
        lines.append(f"| {engine} | {short:.2f} | {1000 * (long - short) / (24 * (many - few)):.2f} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


CHECKS = {"speedup": speedup, "choice": choice, "clusters": clusters}


def main() -> None:
    what, *rest = sys.argv[1:] or ["speedup"]
    if what == "looped":
        print(json.dumps(looped(*map(int, rest))))
    elif what == "plain":
        print(json.dumps(plain(*map(int, rest))))
    elif what == "chosen":
        print(json.dumps(chosen(int(rest[0]), None if rest[1] == "None" else int(rest[1]))))
    elif what == "engaged":
        print(json.dumps(engaged(rest[0], int(rest[1]))))
    else:
        CHECKS[what]()


if __name__ == "__main__":
    main()
