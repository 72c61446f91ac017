"""Is what a plan tells true? Ten studies of different kinds, planned and then run.

    python benchmarks/plans.py            all of them, as a table
    python benchmarks/plans.py linear knn some of them
    python benchmarks/plans.py --write    all of them, into docs/plans.md

Seconds are those of the processor, so that other work on the machine does not count: the pilot is given that clock, and
the run is made in one process. The first finished method is told on the same clock.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import foldwise as fw
from foldwise.api import planning
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.studies.pace import duration

PAGE = Path(__file__).parents[1] / "docs" / "plans.md"


@dataclass(frozen=True)
class Row:
    """One study: what was told, and what it took."""

    name: str
    fits: int
    told: float
    took: float
    first: float  # seconds to the first method, besides the baseline, that has all its fits
    pilot: float

    @property
    def ratio(self) -> float:
        return self.told / self.took

    def __str__(self) -> str:
        times = (self.told, self.took, self.first, self.pilot)
        return " | ".join(["", self.name, f"{self.fits:,}", *map(duration, times), f"{self.ratio:.2f}", ""]).strip()


HEAD = "| study | fits | told | took | first method | the plan itself | told / took |\n| --- |" + " ---: |" * 6


class Timed(LocalExecutor):
    """Notes when the last fit of each method came."""

    def __init__(self) -> None:
        super().__init__(RunOptions(isolate=False))
        self.last: dict[str, float] = {}

    def run(self, runnable: Any, fits: Any) -> Any:
        for records in super().run(runnable, fits):
            self.last |= {record.learner: time.process_time() for record in records}
            yield records


def regression(rows: int, columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(rows + columns)
    X = rng.normal(size=(rows, columns))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=rows) / 2


def classes(rows: int, columns: int, count: int = 2) -> tuple[Any, Any]:
    X, y = regression(rows, columns)
    return X, np.array(
        [f"class {place}" for place in np.digitize(y, np.quantile(y, np.linspace(0, 1, count + 1)[1:-1]))]
    )


def own_grid() -> dict[str, Any]:
    from sklearn.svm import SVR

    return {"svr": fw.tune(SVR(), C=[0.1, 1.0, 10.0], gamma=[0.01, 0.1, 1.0])}


def blended() -> dict[str, Any]:
    parts = {"ridge": fw.learner("ridge"), "tree": fw.learner("tree")}
    return {**parts, "blend": fw.blend(parts)}


STUDIES: dict[str, Callable[[], tuple[Any, tuple[Any, Any], dict[str, Any]]]] = {
    "linear": lambda: (["ridge", "lasso"], regression(400, 10), {}),
    "knn": lambda: (["k-nn"], regression(1000, 10), {}),
    "six kinds": lambda: (
        ["ridge", "lasso", "k-nn", "tree", "svm", "boosting"],
        regression(150, 5),
        {"outer": 3, "inner": 2},
    ),
    "classes": lambda: (["logistic", "naive-bayes", "k-nn", "forest"], classes(300, 8), {"outer": 3, "inner": 2}),
    "three classes": lambda: (["logistic", "lda", "svm"], classes(240, 6, 3), {"outer": 3, "inner": 2}),
    "wide": lambda: (["ridge", "k-nn"], regression(80, 2000), {"outer": 4, "inner": 3}),
    "tall": lambda: (["linear", "tree", "boosting"], regression(8000, 8), {"outer": 0.2, "inner": 0.2}),
    "own learner": lambda: (own_grid(), regression(400, 5), {"outer": 4, "inner": 3}),
    "random search": lambda: (
        ["boosting"],
        regression(300, 6),
        {"tuner": "random", "budget": 8, "outer": 3, "inner": 2},
    ),
    "blend": lambda: (blended(), regression(400, 6), {"outer": 4, "inner": 4}),
}


def measure(name: str) -> Row:
    """Plan and run one study."""
    learners, (X, y), words = STUDIES[name]()
    began = time.process_time()
    plan = fw.plan(learners, X, y, **words, isolate=False)
    planned = time.process_time() - began
    executor = Timed()
    began = time.process_time()
    result = fw.compare(learners, X, y, **words, engine=executor, progress=False)
    took = time.process_time() - began
    first = min((at for learner, at in executor.last.items() if learner != "baseline" and "(" not in learner)) - began
    assert plan.seconds is not None
    return Row(name, result.fits_made, plan.seconds, took, first, planned)


def write(rows: list[Row]) -> None:
    """Put the table in its page."""
    text = f"Measured on {date.today().isoformat()} by `benchmarks/plans.py`, in seconds of one core.\n\n{HEAD}\n"
    text += "\n".join(map(str, rows))
    page = re.sub(r"(?<=<!-- measured -->\n).*?(?=\n<!-- end -->)", text, PAGE.read_text(), flags=re.DOTALL)
    PAGE.write_text(page)


def main() -> None:
    planning.clock = time.process_time
    asked = [name for name in sys.argv[1:] if not name.startswith("--")] or list(STUDIES)
    fw.compare(["ridge", "tree"], *regression(60, 2), outer=2, inner=2, jobs=1, progress=False)  # what is imported once
    print(HEAD)
    rows = []
    for name in asked:
        rows.append(measure(name))
        print(rows[-1], flush=True)
    if "--write" in sys.argv:
        write(rows)


if __name__ == "__main__":
    main()
