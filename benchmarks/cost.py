"""What a study costs beside its fits: how many there are, what travels, and what is stored; predicted and measured.

The formulas are those of docs/clusters.md, which carries them on to sizes that nobody would measure.

    python benchmarks/cost.py [--quick]
"""

from __future__ import annotations

import math
import pickle
import sys
import tempfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

import foldwise as fw
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.executors.workload import workload_of, write_workload
from foldwise.plans.fit import Fit
from foldwise.plans.runnable import Study
from foldwise.records.database import PAGE
from foldwise.records.record import Record

COLUMNS = 10
FOLDS, HELD_OUT = 13, 4  # lines of a plane of 13 points: 4 of 13 folds are held out at a time
HEAD = 450  # bytes of a record beside its numbers: key, checksums, JSON, the row of the table and its index
PER_ROW = 1.65  # bytes of a row number on its way, compressed
PER_FIT = 270  # bytes of a fit on its way beside its rows
PER_RECORD = 380  # bytes of a record on its way back beside its numbers


class Wave(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A learner that costs nothing and whose predictions do not compress."""

    def __init__(self, frequency: float = 1.0) -> None:
        self.frequency = frequency

    def fit(self, X: Any, y: Any) -> Wave:
        return self

    def predict(self, X: Any) -> Any:
        return np.sin(self.frequency * X[:, 0])


@dataclass(frozen=True)
class Cost:
    """Fits, and bytes: of the data at a node, to the nodes with one fit in a batch, back, and in the store."""

    fits: int
    data: int
    sent: int
    back: int
    stored: int


def predicted(rows: int, candidates: int, columns: int = COLUMNS) -> Cost:
    """One tuned method on the default scheme, numbers only, a response of one value per row."""
    tuning, chosen = FOLDS * candidates, FOLDS
    held = rows * HELD_OUT / FOLDS
    return Cost(
        fits=tuning + chosen,
        data=8 * rows * (columns + 1),
        sent=int(tuning * (PER_ROW * rows + PER_FIT) + chosen * (PER_ROW * rows * 22 / 13 + PER_FIT)),
        back=int(tuning * (8 * held + PER_RECORD) + chosen * (8 * rows + PER_RECORD)),  # the chosen answer for all rows
        stored=tuning * on_pages(9 * held + HEAD) + chosen * on_pages(9 * rows + HEAD),  # steps between rows: a byte
    )


def on_pages(size: float) -> int:
    """What a record of this size takes in a file made of pages: no two share the end of one."""
    return PAGE // int(PAGE / size) if 2 * size <= PAGE else PAGE * math.ceil(size / PAGE)


class Watched(LocalExecutor):
    """An executor that weighs what a cluster would be sent and would send back."""

    def __init__(self) -> None:
        super().__init__(RunOptions(jobs=1, isolate=False))
        self.cost = Cost(0, 0, 0, 0, 0)

    def run(self, study: Study, fits: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            write_workload(workload_of(study), Path(folder))
            self.cost = replace(self.cost, data=sum(path.stat().st_size for path in Path(folder).glob("*.npy")))
        for records in super().run(study, fits):
            for record in records:
                self._weigh_record(record)
            yield records

    def add(self, fits: Any) -> None:
        for fit in fits:
            self._weigh_fit(fit)
        super().add(fits)

    def _weigh_fit(self, fit: Fit) -> None:
        if fit.method == 0:  # not the baseline, which every study has besides
            size = len(zlib.compress(pickle.dumps((fit,), pickle.HIGHEST_PROTOCOL), 1))
            self.cost = replace(self.cost, fits=self.cost.fits + 1, sent=self.cost.sent + size)

    def _weigh_record(self, record: Record) -> None:
        if record.learner == "wave":
            light = replace(record, rows=np.empty(0, dtype=np.int64))
            size = len(pickle.dumps(light, pickle.HIGHEST_PROTOCOL))
            self.cost = replace(self.cost, back=self.cost.back + size)


def measured(rows: int, candidates: int) -> Cost:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(rows, COLUMNS)), rng.normal(size=rows)
    learner = fw.tune(Wave(), frequency=list(np.linspace(1, 50, candidates)))
    watched = Watched()
    with tempfile.TemporaryDirectory() as folder:
        _compare({"wave": learner}, X, y, Path(folder) / "run", watched)
        stored = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return replace(watched.cost, stored=stored)


def _compare(learners: Any, X: Any, y: Any, store: Path, executor: Watched) -> None:
    fw.compare(learners, X, y, outer=13, inner="lines", store=store, solvers=False, seed=1, engine=executor)


def main() -> None:
    sizes = [(1_000, 20), (1_000, 100)] if "--quick" in sys.argv else [(1_000, 100), (1_000, 1_000), (20_000, 100)]
    print(f"{'rows':>8} {'candidates':>10}  {'':9} {'fits':>9} {'data':>9} {'sent':>9} {'back':>9} {'stored':>9}")
    for rows, candidates in sizes:
        for name, cost in (("predicted", predicted(rows, candidates)), ("measured", measured(rows, candidates))):
            numbers = [cost.fits, *(round(size / 1e6, 2) for size in (cost.data, cost.sent, cost.back, cost.stored))]
            print(f"{rows:8,} {candidates:10,}  {name:9} " + " ".join(f"{number:9,}" for number in numbers))
    print("sizes in MB")


if __name__ == "__main__":
    main()
