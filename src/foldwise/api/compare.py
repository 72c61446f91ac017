"""`compare`: which of these learners, tuned, has the smallest risk, and how sure can one be?"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from foldwise.api.planning import Plan, method_cost, total
from foldwise.api.request import Request, read_request
from foldwise.api.result import Result
from foldwise.estimates.intervals import IntervalMethod
from foldwise.executors.executor import Executor
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.plans.fit import Fit
from foldwise.plans.needed import needed
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.memory import MemoryStore
from foldwise.records.store import Store
from foldwise.run import keep_proposals
from foldwise.splits.nesting import DEFAULT_INNER, DEFAULT_OUTER
from foldwise.studies.reading import Reading
from foldwise.tuners.tuner import Tuner


def compare(
    learners: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    loss: Any = None,
    outer: Any = DEFAULT_OUTER,
    inner: Any = DEFAULT_INNER,
    repeats: int = 1,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    stratify: Any = "auto",
    task: str | None = None,
    positive: Any = None,
    tuner: str | Tuner | None = None,
    budget: int | str | None = None,
    rule: str = "best",
    stop: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    engine: str | Executor = "local",
    address: str | None = None,
    isolate: bool | None = None,
    solvers: Any = "auto",
    fit_threads: int = 1,
    fit_timeout: float | None = None,
    fit_memory: float | None = None,
    time_limit: float | None = None,
    store: str | Path | Store | None = None,
    level: float = 0.95,
    interval: str | IntervalMethod | None = None,
    optimism: bool = False,
    on_failure: str = "fail",
    retry_failed: bool = False,
    progress: bool | None = None,
) -> Result:
    """Tune learners on inner splits, estimate their risks on outer splits, and compare them on the same rows.

    Data
      `X`, `y`: a table and its target; or a data frame, a file or a built-in set, and the name of the target's column.
      `groups`: rows of one group are never on both sides of a split. An array, or the name of a column.
      `time`: train on the past, test on the future. An array, or the name of a column.
      `weights`: of the rows, in fits and losses. An array, or the name of a column.
      `stratify`: folds with equal shares of each class ("auto": for classification), or of each label of an array.
      `task`: "regression", "classification", "binary" or "multiclass", if not as found from the target.
      `positive`: the positive class of two.

    Learners and tuning
      `learners`: built-in names, estimators, `fw.tune(...)`, a list, or a dictionary that names them (None: a default
        set). The featureless baseline is always a row of its own.
      `inner`: the splits that tune: folds, a held-out share, a splitter, labels, "aligned", "lines", "pairs" or "dev".
      `tuner`: "grid", "random", "pruned", "racing", "halving", "hyperband", or "tpe", "gp", "cmaes" (Optuna).
      `budget`: the most candidates of each tuning, or a time for all of them, such as "10 min".
      `rule`: the "best" candidate, or the simplest within one standard error of it ("one_se").
      `stop`: "noise" ends a search that gains less than the noise of its scores.

    Outer splits
      `outer`: the splits that estimate risk: folds, a held-out share, "loo", a splitter, labels or pairs of rows.
      `repeats`: how often the outer splits are drawn anew.
      `seed`: everything random follows from it.

    Answer
      `loss`: a name, a scikit-learn scorer, a cost matrix or a function of (y, prediction); of several the first tunes.
      `level`: of the intervals.
      `interval`: one by name, or of your own (`fw.testing` checks it); else a valid one is chosen.
      `optimism`: make the fits that optimism needs.
      `on_failure`: what a failed fit does to its method: it has no risk ("fail"), the baseline answers in its place
        ("baseline"), or the candidate is dropped ("drop_candidate").

    Running, on which no number depends (but for `fit_threads`)
      `jobs`: worker processes (None: none for short work, else one per core).
      `engine`: "local", "dask", "ray", or an executor of your own; `address`: of a cluster that is running.
      `isolate`: fit in processes of their own (True) or in this one (False).
      `solvers`: exact solvers that share work between fits: "auto", "all", a list of your own (asked first;
        provisional), or False for one fit after the other.
      `fit_threads`: threads within each fit.
      `fit_timeout`, `fit_memory`: seconds and gigabytes that one fit may take; beyond them it fails.
      `time_limit`: seconds for all of it; then the answer so far is given.
      `progress`: show a progress line (None: in a terminal).

    Keeping
      `store`: a folder that keeps every fit, or a store of your own. The same call goes on from there, and `fw.load`
        reopens the result.
      `retry_failed`: make fits again that failed before; else a failed fit is kept like any other.

    An interrupt raises KeyboardInterrupt, with the answer so far as its `result`.

    >>> import foldwise as fw
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = fw.compare({"ridge": fw.learner("ridge", alpha=[0.1, 1.0, 10.0])}, X, y, outer=7)
    >>> result.best
    'ridge'
    """
    return run_comparison(read_request(locals()))


def request(learners: Any, X: Any, y: Any, **options: Any) -> Request:
    """The request of a call that takes the options of `compare`, with its defaults; an unknown one is a TypeError."""
    call = signature(compare).bind(learners, X, y, **options)
    call.apply_defaults()
    return read_request(call.arguments)


def make_comparison(learners: Any, X: Any, y: Any, **options: Any) -> RunnableStudy:
    """The study that `compare` would run."""
    return request(learners, X, y, **options).study()


def run_comparison(asked: Request, *, origin: Mapping[str, Any] | None = None) -> Result:
    """Run a comparison; `origin` is what a study file or command line said, to be resumed from."""
    started = clock.perf_counter()
    runnable = asked.study()
    ran = asked.answer(runnable, origin=origin)
    result = Result(ran.reading, made=ran.made, seconds=clock.perf_counter() - started, runnable=runnable)
    ran.check_finished(asked.store, result)
    return result


def plan(learners: Any = None, X: Any = None, y: Any = None, *, pilot: bool = True, **options: Any) -> Plan:
    """How many fits `compare` would make with the same arguments, and about how long they would take.

    `learners`, `X`, `y` and all `options` are those of `compare`; see there. `pilot` makes a few of the fits to tell
    the time; without it there is only the number of fits.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> fw.plan(["linear"], np.eye(20), np.arange(20.0), outer=5, pilot=False)
    20 rows; outer splits: 5 folds; inner splits: none
      linear: 5 fits
      baseline: 5 fits
    10 fits
    """
    asked = request(learners, X, y, **options)
    runnable = asked.study()
    reading = Reading(runnable.study, MemoryStore())
    executor = LocalExecutor(RunOptions(jobs=asked.run.jobs or 1, isolate=False))
    for at in range(len(runnable.study.methods)):
        keep_proposals(runnable, reading, at)  # in memory, for the pilot
    first = needed(runnable, reading)
    seconds = _pilot(executor, runnable, first) if pilot else {}
    study = reading.study
    costs = [method_cost(reading, method, seconds.get(at)) for at, method in enumerate(study.methods)]
    fits, work = total(costs)
    return Plan(
        fits=fits,
        methods=[cost.to_dict() for cost in costs],
        seconds=round(work, 3) if pilot else None,
        outer=study.outer.scheme,
        inner=next((method.inner.scheme for method in study.methods if method.inner), None),
        rows=study.rows,
    )


def _pilot(executor: LocalExecutor, runnable: RunnableStudy, fits: list[Fit]) -> dict[int, float]:
    """Seconds of one fit per method: the first, middle and last candidate that is needed."""
    picked: list[Fit] = []
    for at in range(len(runnable.study.methods)):
        own = [fit for fit in fits if fit.method == at]
        picked += [own[place] for place in sorted({0, len(own) // 2, len(own) - 1})] if own else []
    for _ in executor.run(runnable, picked):
        pass
    return dict(executor.seconds)
