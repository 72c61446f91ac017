"""What every executor must do. The protocol, `executors.executor.Executor`, may change in a minor version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from foldwise.api.request import make_comparison
from foldwise.executors.executor import Executor
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.learners.tuned import tune
from foldwise.plans.fit import Fit
from foldwise.plans.needed import needed
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.studies.reading import Reading
from foldwise.testing.contract import keep_anew

MOST_LISTS = 1000  # of records, after a stop was asked for


def first_fits(runnable: RunnableStudy) -> list[Fit]:
    """The fits of a study's first round."""
    return needed(runnable, Reading(runnable.study, MemoryStore()))


def check_executor(make: Callable[[], Executor]) -> None:
    """Raise AssertionError, with a sentence, where an executor does not do what it must.

    `make`: a function without arguments that gives an executor.

    >>> from foldwise.executors.local.local_executor import LocalExecutor
    >>> from foldwise.executors.options import RunOptions
    >>> check_executor(lambda: LocalExecutor(RunOptions(jobs=1)))
    """
    keep_anew(ExecutorContract(), "the executor", make, made_up_study())


class ExecutorContract:
    """`runnable` is `made_up_study()`, or another study with a learner that fails in some fit of the first round."""

    def test_every_fit_leaves_one_record(self, executor: Any, runnable: RunnableStudy) -> None:
        fits = first_fits(runnable)
        assert _keys(all_records(executor, runnable, fits)) == sorted(fit.key for fit in fits)

    def test_records_are_those_of_one_fit_after_another(self, executor: Any, runnable: RunnableStudy) -> None:
        fits, worker = first_fits(runnable), Worker(workload_of(runnable))
        plain = {record.key: record for batch in worker.solvers.batches(fits) for record in worker.do(batch)}
        for record in all_records(executor, runnable, fits):
            assert_equal_bits(record, plain[record.key])

    def test_a_failing_fit_costs_only_itself(self, executor: Any, runnable: RunnableStudy) -> None:
        assert {record.status for record in all_records(executor, runnable, first_fits(runnable))} == {"ok", "error"}

    def test_fits_that_are_added_on_the_way_are_done_too(self, executor: Any, runnable: RunnableStudy) -> None:
        first, *later = first_fits(runnable)
        found: list[Record] = []
        for records in executor.run(runnable, [first]):
            if records and not found:
                executor.add(later)
            found += records
        assert _keys(found) == sorted(fit.key for fit in (first, *later))

    def test_it_ends_when_it_is_asked_to_stop(self, executor: Any, runnable: RunnableStudy) -> None:
        found = _until_stopped(executor, runnable, first_fits(runnable))
        assert len(set(_keys(found))) == len(found), "a record came twice"

    def test_it_can_be_used_again_after_it_was_closed(self, executor: Any, runnable: RunnableStudy) -> None:
        fits = first_fits(runnable)
        _until_stopped(executor, runnable, fits)
        executor.close()
        found = all_records(executor, runnable, fits)
        assert _keys(found) == sorted(fit.key for fit in fits)


class Fragile(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The mean; it fails where the row whose first column is 0 is held out."""

    def fit(self, X: Any, y: Any) -> Fragile:
        if 0.0 not in X[:, 0]:
            raise ValueError("the first row is needed")
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def made_up_study() -> RunnableStudy:
    """Three folds of thirty rows, with learners that are tuned by a solver and one by one, and one that fails."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(30.0), rng.normal(size=(30, 2))])
    learners = {
        "ridge": tune(Ridge(), alpha=[0.1, 1.0, 10.0]),
        "tree": tune(DecisionTreeRegressor(), max_depth=[1, 3]),
        "fragile": Fragile(),
    }
    return make_comparison(learners, X, X[:, 1] + rng.normal(size=30), outer=np.arange(30) % 3, inner=2)


def all_records(executor: Any, runnable: RunnableStudy, fits: Sequence[Fit]) -> list[Record]:
    return [record for records in executor.run(runnable, fits) for record in records]


def _until_stopped(executor: Any, runnable: RunnableStudy, fits: Sequence[Fit]) -> list[Record]:
    """What comes until an executor has ended that is asked to stop when the first records are there."""
    found, lists = list[Record](), 0
    for records in executor.run(runnable, fits):
        found += records
        if found:
            executor.ask_to_stop()
            lists += 1
        assert lists < MOST_LISTS, "it goes on and on"
    return found


def _keys(records: Sequence[Record]) -> list[str]:
    return sorted(record.key for record in records)


def assert_equal_bits(found: Record, expected: Record) -> None:
    assert found.status == expected.status
    assert found.error == expected.error
    assert found.responses.keys() == expected.responses.keys()
    np.testing.assert_array_equal(found.rows, expected.rows)
    for name, values in expected.responses.items():
        assert np.asarray(found.responses[name]).tobytes() == np.asarray(values).tobytes()
