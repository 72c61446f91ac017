"""`compare`: which of these learners, tuned, has the smallest risk, and how sure can one be?"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any, Unpack, overload

from foldwise.api.limit import within_limit
from foldwise.api.options import CompareOptions
from foldwise.api.planning import Plan, make_plan
from foldwise.api.positional import from_the_right
from foldwise.api.request import Request, read_request
from foldwise.api.result import Result
from foldwise.api.titles import title_of
from foldwise.estimates.intervals import IntervalMethod
from foldwise.executors.executor import Executor
from foldwise.learners.keywords import check_keywords
from foldwise.plans.effort import DEFAULT_EFFORT
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.store import Store
from foldwise.tuners.tuner import Tuner


@overload
def compare(X: Any, y: Any, /, *, learners: Any = None, **options: Unpack[CompareOptions]) -> Result: ...
@overload
def compare(learners: Any, X: Any, y: Any, /, **options: Unpack[CompareOptions]) -> Result: ...
@overload
def compare(X: Any, /, *, y: Any, learners: Any = None, **options: Unpack[CompareOptions]) -> Result: ...
@overload
def compare(learners: Any, X: Any, /, *, y: Any, **options: Unpack[CompareOptions]) -> Result: ...
@overload
def compare(learners: Any, /, *, X: Any, y: Any = None, **options: Unpack[CompareOptions]) -> Result: ...
@overload
def compare(builtin: str, /, *, learners: Any = None, **options: Unpack[CompareOptions]) -> Result: ...
@overload
def compare(*, X: Any, y: Any = None, learners: Any = None, **options: Unpack[CompareOptions]) -> Result: ...
@from_the_right("learners")
def compare(
    learners: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    effort: str = DEFAULT_EFFORT,
    loss: Any = None,
    outer: Any = None,
    inner: Any = None,
    repeats: int | None = None,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    stratify: Any = "auto",
    task: str | None = None,
    positive: Any = None,
    drop_missing_target: bool = False,
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
    time_limit: float | str | None = None,
    store: str | Path | Store | None = None,
    level: float = 0.95,
    interval: str | IntervalMethod | None = None,
    optimism: bool = False,
    importance: bool = False,
    defaults: bool | None = None,
    on_failure: str = "fail",
    retry_failed: bool = False,
    progress: bool | None = None,
    guards: bool = True,
    silence: str | Sequence[str] | None = None,
) -> Result:
    """Tune learners on inner splits, estimate their risks on outer splits, and compare them on the same rows.

    `fw.compare(X, y)` compares a default set of learners, `fw.compare(learners, X, y)` and
    `fw.compare(X, y, learners=...)` those that are named. Arguments without a name are read from the right, by their
    number: y unless `y=` is given, then X unless `X=` is given, then the learners.

    Effort
      `effort`: "quick", "normal" or "thorough": one dial over learners, spaces, splits and repeats, where no other word
        says them (docs/effort.md).

    Data
      `X`, `y`: a table and its target; or a data frame or a file, and the name of the target's column; or the name of
        a built-in set, `fw.compare("diabetes")`, which knows its target.
      `groups`: rows of one group are never on both sides of a split. An array, or the name of a column.
      `time`: train on the past, test on the future. An array, or the name of a column.
      `weights`: of the rows, in fits and losses. An array, or the name of a column.
      `stratify`: folds with equal shares of each class ("auto": for classification), or of each label of an array.
      `task`: "regression", "classification", "binary" or "multiclass" (None: as learners or a loss of one task ask;
        else text, booleans, categories, any two whole numbers, and codes 0, 1, ... up to at most 9 are classes).
      `positive`: the positive class of two.
      `drop_missing_target`: leave rows without a target out, and say how many; else they are refused.

    Learners and tuning
      `learners`: built-in names, estimators, `fw.tune(...)`, a list, or a dictionary or (name, estimator) pairs that
        name them (None: a default set). The featureless baseline is always a row of its own.
      `inner`: the splits that tune: folds, a held-out share, a splitter, labels, "aligned", "lines", "pairs" or "dev"
        (None: by effort and the table's shape, "aligned" for ordinary sizes).
      `tuner`: "grid", "random", "pruned", "racing", "halving", "hyperband", or "tpe", "gp", "cmaes" (Optuna).
      `budget`: the most candidates of each tuning, or a time for all of them, such as "10 min".
      `rule`: the "best" candidate, or the simplest within one standard error of it ("one_se").
      `stop`: "noise" ends a search that gains less than the noise of its scores.

    Outer splits
      `outer`: the splits that estimate risk: folds, a held-out share, "loo", a splitter, labels or pairs of rows
        (None: by effort and the table's shape, 13 or 7 folds for ordinary sizes, one test set for very many).
      `repeats`: how often the outer splits are drawn anew (None: by effort).
      `seed`: everything random follows from it.

    Answer
      `loss`: a name, a scikit-learn scorer or metric, a cost matrix or a function of (y, prediction); of several the
        first tunes.
      `level`: of the intervals.
      `interval`: one by name, or of your own (`fw.testing` checks it); else a valid one is chosen.
      `optimism`: make the fits that optimism needs.
      `importance`: measure which columns the picked method needs: its outer models are made once more, and predict
        their held-out rows with one column shuffled (docs/report.md).
      `defaults`: judge tuned learners at their own default parameters too, one more fit per outer split, to tell
        whether tuning helped (None: those of 20 or more candidates).
      `on_failure`: what a failed fit does to its method: it has no risk ("fail"), the baseline answers in its place
        ("baseline"), or the candidate is dropped ("drop_candidate"). Where no method is left with a risk, FitsFailed is
        raised, with the rest of the answer as its `result`.

    Guards, which change no number (docs/guards.md)
      `guards`: look for leaks and traps before the fits and in the results; what is found stands in `result.findings`.
        A study that could not mean anything, such as one with its target among the features, is refused.
      `silence`: codes of findings to leave out, such as ["FW101"]. One that refuses lets the study run instead, and
        stays as a warning.

    Running, on which no number depends (but for `fit_threads`, limits, and `solvers` where tuners drop candidates)
      `jobs`: worker processes (None: none for short work, else one per core).
      `engine`: "local", "dask", "ray", or an executor of your own; `address`: of a cluster that is running.
      `isolate`: fit in processes of their own (True) or in this one (False).
      `solvers`: exact solvers that share work between fits: "auto", "all", a list of your own (asked first;
        provisional), or False for one fit after the other. Tuners that drop candidates, such as "halving", drop none
        where a solver answers them all.
      `fit_threads`: threads within each fit.
      `fit_timeout`, `fit_memory`: seconds and gigabytes that one fit may take; beyond them it fails.
      `time_limit`: seconds, or a time such as "2 min", within which there is an answer. What no other word says
        (methods, spaces, splits) is chosen to fit, and told; what is not finished then is left out.
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
    return run_comparison(within_limit(read_request(locals())))


def request(learners: Any, X: Any, y: Any, **options: Any) -> Request:
    """The request of a call that takes the options of `compare`, with its defaults; an unknown one is refused."""
    check_keywords("compare", options, signature(compare).parameters)
    call = signature(compare).bind(learners, X, y, **options)
    call.apply_defaults()
    return read_request(call.arguments)


def make_comparison(learners: Any, X: Any, y: Any, **options: Any) -> RunnableStudy:
    """The study that `compare` would run."""
    return request(learners, X, y, **options).study()


def run_comparison(asked: Request, *, origin: Mapping[str, Any] | None = None) -> Result:
    """Run a comparison; `origin` is what a study file or command line said, to be resumed from."""
    started = clock.perf_counter()
    asked.start_ahead()
    runnable = asked.guarded_study()
    ran = asked.answer(runnable, origin=origin)
    result = Result(ran.reading, made=ran.made, seconds=clock.perf_counter() - started, runnable=runnable)
    result.title = title_of(origin or {"data": asked.X, "target": asked.y})
    result.margin = (origin or {}).get("margin")
    ran.check_finished(asked.store, result)
    result.check_failures()
    return result


@overload
def plan(X: Any, y: Any, /, *, learners: Any = None, pilot: bool = ..., **options: Unpack[CompareOptions]) -> Plan: ...
@overload
def plan(learners: Any, X: Any, y: Any, /, *, pilot: bool = ..., **options: Unpack[CompareOptions]) -> Plan: ...
@overload
def plan(X: Any, /, *, y: Any, learners: Any = None, pilot: bool = ..., **options: Unpack[CompareOptions]) -> Plan: ...
@overload
def plan(learners: Any, X: Any, /, *, y: Any, pilot: bool = ..., **options: Unpack[CompareOptions]) -> Plan: ...
@overload
def plan(learners: Any, /, *, X: Any, y: Any = None, pilot: bool = ..., **options: Unpack[CompareOptions]) -> Plan: ...
@overload
def plan(builtin: str, /, *, learners: Any = None, pilot: bool = ..., **options: Unpack[CompareOptions]) -> Plan: ...
@overload
def plan(
    *, X: Any, y: Any = None, learners: Any = None, pilot: bool = ..., **options: Unpack[CompareOptions]
) -> Plan: ...
@from_the_right("learners", more=lambda: signature(compare).parameters)
def plan(learners: Any = None, X: Any = None, y: Any = None, *, pilot: bool = True, **options: Any) -> Plan:
    """How many fits `compare` would make with the same arguments, and about how long they would take.

    `learners`, `X`, `y` and all `options` are those of `compare`; see there.
    `pilot`: make a few of the fits, for about two seconds, to tell the time; without it only fits are counted.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> fw.plan(["linear"], np.eye(20), np.arange(20.0), outer=5, pilot=False)
    regression; 20 rows; outer splits: 5 folds; inner splits: none
      linear: 5 fits
      baseline: 5 fits
    10 fits
    """
    asked = replace(request(learners, X, y, **options), store=None)  # a plan leaves nothing behind
    return make_plan(within_limit(asked), has_pilot=pilot)
