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

from foldwise.arrays import FloatArray, IntArray
from foldwise.losses.regression import REGRESSION_LOSSES
from foldwise.outlines.outline import MethodOutline, Outline
from foldwise.outlines.reading import Reading
from foldwise.questions.result import Result
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.splits.aligned import align
from foldwise.splits.nesting import Inner
from foldwise.splits.split import Splits, partition


@dataclass(frozen=True)
class Size:
    methods: int = 12
    folds: int = 10
    candidates: int = 100
    rows: int = 20_000


def make_outline(size: Size, target: FloatArray) -> Outline:
    rows = np.arange(size.rows)
    outer = partition(rows, [np.sort(rows % size.folds)], scheme=f"{size.folds} folds", kind="folds")
    inner = Inner(*align("pairs", outer))
    candidates = tuple({"penalty": float(at)} for at in range(size.candidates))
    methods = tuple(
        MethodOutline(
            name=f"method {number}",
            kind="tuned",
            candidates=candidates,
            settings=tuple(f"{number} {at}" for at in range(size.candidates)),
            code={},
            offers=("predict",),
            inner=inner,
        )
        for number in range(size.methods)
    )
    losses = (REGRESSION_LOSSES["squared"],)
    return Outline("made up", "regression", (), target, None, losses, outer, methods, seed=0)


def make_records(outline: Outline, rng: np.random.Generator) -> MemoryStore:
    """Records of every candidate without every fold and pair of folds; those of a candidate share one array."""
    store, everything = MemoryStore(), np.arange(outline.rows)
    blocks = _held_out(outline.outer)
    for number, method in enumerate(outline.methods):
        for at in range(len(method.candidates)):
            noise = 1.0 + 0.002 * number + 0.001 * abs(at - 50)
            answers = outline.target + noise * rng.standard_normal(outline.rows)
            store.add(
                Record(outline.fit_key(method.settings[at], name), "ok", rows, {"predict": answers[rows]})
                if rows is not everything
                else Record("", "ok", rows)
                for name, rows in blocks
            )
    return store


def _held_out(outer: Splits) -> list[tuple[str, IntArray]]:
    """Names of all training sets, and the rows that are predicted after them."""
    from foldwise.outlines.outline import rows_name
    from foldwise.splits.split import without

    rows, tests = np.sort(np.concatenate([split.test for split in outer])), [split.test for split in outer]
    held = [np.sort(np.concatenate(pair)) for pair in combinations(tests, 2)]
    return [(rows_name(without(rows, test)), rows) for test in tests] + [
        (rows_name(without(rows, test)), test) for test in held
    ]


def main() -> None:
    size = Size(methods=3, candidates=10) if "--quick" in sys.argv else Size()
    rng = np.random.default_rng(0)
    outline = make_outline(size, rng.standard_normal(size.rows))
    store = make_records(outline, rng)
    with threadpool_limits(1):
        reading = Reading(outline, store)
        for name in ("first", "answer"):
            started, cpu = time.perf_counter(), time.process_time()
            Result(reading, made={}, seconds=0.0).to_dict()
            print(f"{name:8} {time.perf_counter() - started:6.2f} s, {time.process_time() - cpu:6.2f} s of CPU")


if __name__ == "__main__":
    main()
