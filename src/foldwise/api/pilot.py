"""A few fits of a study, made on the path of the run, to tell what all of them will take."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from foldwise.arrays import BoolArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.plans.cost import cheap_first
from foldwise.plans.fit import Batch, Fit
from foldwise.plans.needed import needed_of
from foldwise.plans.runnable import RunnableStudy
from foldwise.splits.split import union
from foldwise.studies.reading import Reading

SECONDS = 1.5  # for all methods; one pass of each method is made, however long it takes, on few rows
SHARE, LONGEST = 0.05, 1.0  # or so much of what fits are told to take, and seconds: few rows tell badly of very many
FIRST_ROWS = 400  # to train on, to begin with
WARM_ROWS, WARM_FITS = 60, 4  # before the clock is looked at: what is imported or compiled on the way is not counted
CHOSEN = 3  # candidates that are tried alone
GROWTH = 1.2  # of the time with the rows, until two numbers of rows have been measured
clock = time.perf_counter


class Measured(NamedTuple):
    """Seconds of one fit of a method."""

    together: float  # while it is tuned: its part of the pass that a solver makes for many
    alone: float  # of a chosen candidate, for which there is a pass of its own
    longest: float  # seconds of one batch, which no number of cores shortens


def measure(runnable: RunnableStudy, reading: Reading, *, seconds: float = SECONDS) -> dict[int, Measured]:
    """The cost of the methods that can begin, by their places, from a sample of about so many seconds."""
    from sklearn import config_context

    worker, measured = Worker(workload_of(runnable)), dict[int, Measured]()
    fits_of = {at: list(needed_of(runnable, reading, at)) for at in cheap_first(runnable)}
    fits_of = {at: fits for at, fits in fits_of.items() if fits and fits[0].members is None}
    with config_context(enable_metadata_routing=False):
        for place, (at, fits) in enumerate(fits_of.items()):
            started = clock()
            measured[at] = _measured(worker, reading, fits, max(seconds, 0.0) / (len(fits_of) - place))
            seconds -= clock() - started
    return measured


def _measured(worker: Worker, reading: Reading, fits: Sequence[Fit], allowed: float) -> Measured:
    batches = one_pass(worker, fits)
    _timed(worker, [_thinned(worker, type(batches[0])(batches[0][:WARM_FITS]), WARM_ROWS)])
    method, alone, power = reading.study.methods[fits[0].method], None, None
    if method.inner is not None and len(reading.study.outer):  # first: how one fit grows tells how many do
        chosen = list(_chosen(reading, fits))
        seconds, power = _seconds(worker, worker.solvers.batches(chosen), allowed / 3)
        alone = seconds / len(chosen)
    took, _ = _seconds(worker, batches, allowed * 2 / 3, power=power)
    together = took / sum(map(len, batches))
    return Measured(together, together if alone is None else alone, took / len(batches))


def one_pass(worker: Worker, fits: Sequence[Fit]) -> list[Batch]:
    """The batches of one training set; where a solver answers all of them together, those of all."""
    solver, middle = worker.solvers.solver(fits[0]), fits[len(fits) // 2].train
    is_whole = solver is not None and solver.batch == "method"
    return worker.solvers.batches([fit for fit in fits if is_whole or fit.train is middle])


def _chosen(reading: Reading, fits: Sequence[Fit]) -> Iterator[Fit]:
    """Some candidates, each on the training rows of an outer split, where it also predicts those."""
    study = reading.study
    for at, split in zip(range(1, CHOSEN + 1), study.outer, strict=False):
        rows = union(split.test, split.train) if study.has_training_risk else split.test
        yield replace(fits[at * len(fits) // (CHOSEN + 1)], train=split.train, rows=rows)


def _seconds(
    worker: Worker, batches: Sequence[Batch], allowed: float, *, power: float | None = None
) -> tuple[float, float]:
    """Seconds of all these batches, from as many of them and as many of their rows as there is time for.

    They grow with a power of the rows: a given one, or the one that is observed, which is told too.
    """
    size = max(len(batch[0].train) for batch in batches)
    rows, picked, took = min(size, FIRST_ROWS), list[Batch](), 0.0
    for batch in _spread(batches):
        took += _timed(worker, [_thinned(worker, batch, rows)])
        picked.append(batch)
        if len(picked) > 1 and took > (allowed if rows == size else allowed / 4):
            break
    spent, first, begun, next_power = took, took, rows, power or GROWTH
    while rows < size:
        more, on_all = min(size, 2 * rows), took * (size / rows) ** next_power
        expected = on_all * len(batches) / len(picked)
        if spent + took * (more / rows) ** next_power > max(allowed, min(SHARE * expected, LONGEST)):
            took = on_all
            break
        longer = _timed(worker, [_thinned(worker, batch, more) for batch in picked])
        if power is None:
            next_power = min(max(math.log(longer / took) / math.log(more / rows), 1.0), 3.0)
        spent, took, rows = spent + longer, longer, more
    whole = math.log(took / first) / math.log(size / begun) if begun < size else GROWTH
    return took * len(batches) / len(picked), max(whole, 0.1)


def _timed(worker: Worker, batches: Sequence[Batch]) -> float:
    started = clock()
    for batch in batches:
        worker.do(batch)
    return max(clock() - started, 1e-7)


def _thinned(worker: Worker, batch: Batch, rows: int) -> Batch:
    """The same fits on a part of the table, with some of every class: folds stay folds, which solvers make use of."""
    size = max(len(fit.train) for fit in batch)
    if rows >= size:
        return batch
    is_kept, thinned = _sample(worker.work.data, rows / size), dict[int, IntArray]()

    def part(of: IntArray) -> IntArray:
        if id(of) not in thinned:
            thinned[id(of)] = of[is_kept[of]] if is_kept[of].any() else of[:1]
        return thinned[id(of)]

    return type(batch)(replace(fit, train=part(fit.train), rows=part(fit.rows)) for fit in batch)


def _sample(data: Dataset, share: float) -> BoolArray:
    """Which rows of the table are kept: about this share of every class, the same ones whenever it is asked."""
    rng, is_kept = np.random.default_rng(0), np.zeros(data.rows, bool)
    classes = np.zeros(data.rows, int) if data.task == "regression" else data.target
    for code in np.unique(classes):
        rows = rng.permutation(np.flatnonzero(classes == code))
        is_kept[rows[: max(math.ceil(share * len(rows)), 6)]] = True  # every fold has some of six
    return is_kept


def _spread(batches: Sequence[Batch]) -> Iterator[Batch]:
    """All batches, the first ones far from each other: candidates next to each other cost about the same.

    >>> [at for at in _spread([(0,), (1,), (2,), (3,), (4,)])]
    [(3,), (1,), (0,), (4,), (2,)]
    """
    bits = max(1, (len(batches)).bit_length())
    order = (int(format(number, f"0{bits}b")[::-1], 2) for number in range(1, 2**bits))
    yield from (batches[place - 1] for place in order if place <= len(batches))
