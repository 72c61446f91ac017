"""`compare`: which of these learners, tuned, has the smallest risk, and how sure can one be?"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

from foldwise.api.calls import call
from foldwise.api.load import title_of
from foldwise.api.options import CompareOptions
from foldwise.api.planning import Plan, make_plan
from foldwise.api.request import Request, request
from foldwise.api.result import Result


@call("learners", is_flat=True)
def compare(
    *given: Any, learners: Any = None, X: Any = None, y: Any = None, **options: Unpack[CompareOptions]
) -> Result:
    """Tune learners on inner splits, estimate their risks on outer splits, and compare them on the same rows.

    `fw.compare(X, y)` compares a default set of learners, `fw.compare(learners, X, y)` and
    `fw.compare(X, y, learners=...)` those that are named. Arguments without a name are read from the right, by their
    number: y unless `y=` is given, then X unless `X=` is given, then the learners.

      `X`, `y`: a table and its target; or a data frame or a file, and the name of the target's column; or the name of
        a built-in set, `fw.compare("diabetes")`, which knows its target.
      `learners`: built-in names, estimators, `fw.tune(...)`, a list, or a dictionary or (name, estimator) pairs that
        name them (None: a default set). The featureless baseline is always a row of its own.

    {options}

    No number depends on what is under Running, but for `fit_threads`, limits, `on_failure`, and `solvers` where tuners
    drop candidates. An interrupt raises KeyboardInterrupt, with the answer so far as its `result`.

    >>> import foldwise as fw
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = fw.compare({"ridge": fw.learner("ridge", alpha=[0.1, 1.0, 10.0])}, X, y, outer=7)
    >>> result.best
    'ridge'
    """
    return run_comparison(request(learners, X, y, **options).timed())


def run_comparison(asked: Request, *, origin: Mapping[str, Any] | None = None) -> Result:
    """Run a comparison; `origin` is what a study file or command line said, to be resumed from."""
    started = time.perf_counter()
    asked.start_ahead()
    runnable = asked.checked_study()
    ran = asked.answer(runnable, origin=None if origin is None else {**origin, **runnable.decided})
    result = Result(ran.reading, made=ran.made, seconds=time.perf_counter() - started, runnable=runnable)
    result.title = title_of(origin or {"data": asked.X, "target": asked.y})
    result.margin = (origin or {}).get("margin")
    ran.check_finished(asked.store, result)
    result.check_failures()
    return result


@call("learners")
def plan(
    *given: Any,
    learners: Any = None,
    X: Any = None,
    y: Any = None,
    pilot: bool = True,
    **options: Unpack[CompareOptions],
) -> Plan:
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
    return make_plan(asked.timed(), has_pilot=pilot)
