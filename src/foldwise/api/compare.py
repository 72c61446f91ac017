"""`compare`: which of these learners, tuned, has the smallest risk, and how sure can one be?"""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Any

from foldwise.answers.evidence import check_interval
from foldwise.api.planning import Plan, method_cost, total
from foldwise.api.result import Result
from foldwise.api.running import RUN_WORDS, answer_study
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.errors import BadStudy
from foldwise.estimates.intervals import IntervalMethod, request_interval
from foldwise.executors.local.executor import LocalExecutor
from foldwise.executors.options import OPTION_NAMES, RunOptions
from foldwise.losses.loss import make_losses
from foldwise.plans.fit import Fit
from foldwise.plans.methods import make_learners, task_hint
from foldwise.plans.needed import needed
from foldwise.plans.options import StudyOptions
from foldwise.plans.runnable import RunnableStudy, Tuning, make_study
from foldwise.records.memory import MemoryStore
from foldwise.splits.nesting import DEFAULT_INNER, DEFAULT_OUTER, study_splits
from foldwise.studies.reading import Reading
from foldwise.tuners.schedule import Schedule, tuner_text


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
    tuner: str | Schedule | None = None,
    budget: int | str | None = None,
    rule: str = "best",
    stop: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    isolate: bool | None = None,
    solvers: Any = "auto",
    fit_threads: int = 1,
    fit_timeout: float | None = None,
    fit_memory: float | None = None,
    time_limit: float | None = None,
    store: str | Path | None = None,
    level: float = 0.95,
    interval: str | IntervalMethod | None = None,
    optimism: bool = False,
    on_failure: str = "fail",
    retry_failed: bool = False,
    progress: bool | None = None,
    origin: dict[str, Any] | None = None,
) -> Result:
    """Tune learners on inner splits, estimate their risks on outer splits, and compare them on the same rows.

    `budget` is a number of candidates of each tuning, or a time such as "10 min" for all of them; `stop="noise"`
    ends a search that gains less than the noise of its scores.
    A failed fit is kept in the store like any other; `retry_failed=True` makes those of this study again.
    `fit_timeout` (seconds) and `fit_memory` (gigabytes) limit every fit, `time_limit` (seconds) the whole run,
    which then gives the answer so far. An interrupt raises KeyboardInterrupt, with the answer so far as its `result`.

    >>> import foldwise as fw
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = fw.compare({"ridge": fw.learner("ridge", alpha=[0.1, 1.0, 10.0])}, X, y, outer=7)
    >>> result.best
    'ridge'
    """
    given = locals().copy()
    words = {name: value for name, value in given.items() if name not in RUN_WORDS}
    started = clock.perf_counter()
    options = RunOptions(**{name: given[name] for name in OPTION_NAMES})
    runnable = make_comparison(**words, keeps_all=store is not None)
    ran = answer_study(runnable, options, store=store, retry_failed=retry_failed, progress=progress, origin=origin)
    result = Result(ran.reading, made=ran.made, seconds=clock.perf_counter() - started, runnable=runnable)
    ran.check_finished(store, result)
    return result


def plan(learners: Any = None, X: Any = None, y: Any = None, *, pilot: bool = True, **words: Any) -> Plan:
    """How many fits `compare` with the same words would make, and about how long they take, after a short pilot."""
    jobs = words.pop("jobs", None)
    for name in RUN_WORDS:
        words.pop(name, None)
    defaults: dict[str, Any] = {"outer": DEFAULT_OUTER, "inner": DEFAULT_INNER}
    runnable = make_comparison(learners=learners, X=X, y=y, **(defaults | words))
    store = MemoryStore()
    reading = Reading(runnable.study, store)
    executor = LocalExecutor(RunOptions(jobs=1 if jobs is None else jobs, isolate=False))
    first = needed(runnable, reading)
    seconds = _pilot(executor, runnable, first) if pilot else {}
    study = runnable.study
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


def make_comparison(
    learners: Any,
    X: Any,
    y: Any,
    *,
    outer: Any,
    inner: Any,
    loss: Any = None,
    repeats: int = 1,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    stratify: Any = "auto",
    task: str | None = None,
    positive: Any = None,
    tuner: str | Schedule | None = None,
    budget: int | str | None = None,
    rule: str = "best",
    stop: str | None = None,
    seed: int = 0,
    solvers: Any = "auto",
    fit_threads: int = 1,
    level: float = 0.95,
    interval: str | IntervalMethod | None = None,
    optimism: bool = False,
    on_failure: str = "fail",
    keeps_all: bool = False,
    alone: bool = False,
) -> RunnableStudy:
    """Every request checked and made into a study; nothing is fitted here."""
    options = StudyOptions(
        seed=seed,
        repeats=repeats,
        fit_threads=fit_threads,
        level=level,
        interval=request_interval(interval),
        optimism=optimism,
        on_failure=on_failure,
        solvers=solvers,
        keeps_all=keeps_all,
        has_final=not alone,
    )
    data = as_data(X, y, task_hint(learners, loss), groups, time, weights, stratify, task, positive)
    losses = make_losses(loss, data)
    made = make_learners(learners, data, losses)
    made = made[:1] if alone else made  # the risk of one learner needs neither a baseline nor a final tuning
    is_tuned = any(learner.space is not None or learner.members for learner in made)
    splits = study_splits(outer, inner, data, seed=options.seed, repeats=options.repeats, tuned=is_tuned)
    runnable = make_study(
        data,
        made,
        losses=losses,
        outer=splits.outer,
        tuning=Tuning(splits.inner_spec, tuner_text(tuner), budget, rule, stop),
        options=options,
        notes=splits.notes,
    )
    check_interval(runnable.study)
    return runnable


def as_data(
    X: Any,
    y: Any,
    hint: str | None,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    stratify: Any = "auto",
    task: str | None = None,
    positive: Any = None,
) -> Dataset:
    """The data of a question: arrays or a frame with a target, a file or built-in set by name, or ready-made."""
    roles = {
        "groups": groups,
        "time": time,
        "weights": weights,
        "task": task,
        "positive": positive,
        "stratify": stratify,
    }
    if isinstance(X, Dataset):
        given = [
            name for name, value in roles.items() if value is not None and not (name == "stratify" and value == "auto")
        ]
        if y is not None or given:
            raise BadStudy(f"{', '.join(given) or 'y'} is part of the data already", "Give it when the data are made")
        return X
    if isinstance(X, str | Path):
        from foldwise.data.sources import read

        return read(X, target=y, task_hint=hint, **roles)
    if X is None:
        raise BadStudy("there are no data", "Call fw.compare(learners, X, y)")
    return make_dataset(X, y, task_hint=hint, **roles)
