"""How long an answer takes to read from its records: intervals, comparisons and corrections, without a fit.

Twelve methods of a hundred candidates on 20,000 rows, nested 10 x 9 on pairs of folds: 66,000 records of made-up
predictions are put into a memory store, then `Result.to_dict()` is timed twice:

- *first*: the choices of all inner splits are read too, which a run has done by the time it ends;
- *answer*: with the choices known, as after a run: the intervals, comparisons and corrections themselves.

    python benchmarks/answers.py [--quick]
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from threadpoolctl import threadpool_limits

from foldwise.api.result import Result
from foldwise.arrays import FloatArray, IntArray
from foldwise.losses.regression import REGRESSION_LOSSES
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.splits.aligned import align
from foldwise.splits.nesting import Inner
from foldwise.splits.split import partition, without
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Study, rows_name


@dataclass(frozen=True)
class Size:
    methods: int = 12
    folds: int = 10
    candidates: int = 100
    rows: int = 20_000


def make_outline(size: Size, target: FloatArray) -> Study:
    rows = np.arange(size.rows)
    labels = np.random.default_rng(1).permutation(rows % size.folds)
    outer = partition(rows, [labels], scheme=f"{size.folds} folds", kind="folds")
    inner = Inner(*align("pairs", outer))
    candidates = tuple({"penalty": float(at)} for at in range(size.candidates))
    methods = tuple(
        Method(
            name=f"method {number}",
            kind="tuned",
            candidates=candidates,
            identities=tuple(f"{number} {at}" for at in range(size.candidates)),
            code={},
            responses=(("predict",),) * size.candidates,
            inner=inner,
        )
        for number in range(size.methods)
    )
    losses = (REGRESSION_LOSSES["squared"],)
    return Study("made up", "regression", (), target, None, losses, outer, methods, seed=0)


def make_records(study: Study, rng: np.random.Generator) -> MemoryStore:
    """Records of every candidate trained without every fold and every pair of folds."""
    store, everything = MemoryStore(), np.arange(study.rows)
    tests = [split.test for split in study.outer]
    folds = [rows_name(split.train) for split in study.outer]
    pairs = [np.sort(np.concatenate(pair)) for pair in combinations(tests, 2)]
    names = [rows_name(without(everything, held)) for held in pairs]
    for number, method in enumerate(study.methods):
        shared = rng.standard_normal(study.rows)
        for at, identity in enumerate(method.identities):
            # a smooth path of candidates that err together, and each a little on its own
            size = 0.5 + 0.01 * number + 0.01 * abs(at - len(method.identities) // 2)
            answers = size * shared + 0.1 * rng.standard_normal(study.rows)
            store.add(_record(study.fit_key(identity, name), everything, answers) for name in folds)
            store.add(
                _record(study.fit_key(identity, name), held, answers[held])
                for name, held in zip(names, pairs, strict=True)
            )
    return store


def _record(key: str, rows: IntArray, answers: FloatArray) -> Record:
    return Record(key, "ok", rows, {"predict": answers})


def main() -> None:
    size = Size(methods=3, candidates=10) if "--quick" in sys.argv else Size()
    rng = np.random.default_rng(0)
    study = make_outline(size, rng.standard_normal(size.rows))
    store = make_records(study, rng)
    with threadpool_limits(1):
        reading = Reading(study, store)
        for name in ("first", "answer"):
            started, cpu = time.perf_counter(), time.process_time()
            Result(reading, made={}, seconds=0.0).to_dict()
            print(f"{name:8} {time.perf_counter() - started:6.2f} s, {time.process_time() - cpu:6.2f} s of CPU")


if __name__ == "__main__":
    main()
