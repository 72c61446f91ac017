"""What every executor must do. The protocol, `executors.executor.Executor`, may change in a minor version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from foldwise.api.compare import make_comparison
from foldwise.data.dataset import make_dataset
from foldwise.executors.executor import Executor
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.learners.tuned import tune
from foldwise.losses.loss import make_losses
from foldwise.plans.fit import Fit
from foldwise.plans.methods import make_learners
from foldwise.plans.needed import needed
from foldwise.plans.runnable import RunnableStudy, make_study
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.splits.making import make_splits
from foldwise.studies.reading import Reading
from foldwise.testing.contract import keep_anew
from foldwise.testing.faults import FAULTS
from foldwise.testing.saboteur import SaboteurRegressor

MOST_LISTS = 1000  # of records, after a stop was asked for


def first_fits(runnable: RunnableStudy) -> list[Fit]:
    """The fits of a study's first round."""
    return needed(runnable, Reading(runnable.study, MemoryStore()))


def check_executor(make: Callable[[], Executor]) -> None:
    """Raise AssertionError, with a sentence, where an executor does not do what it must; `make` gives one.

    An executor of your own, which does one batch after another, and may be given to `fw.compare(..., engine=Serial())`:

    `make`: a function without arguments.

    >>> class Serial:
    ...     def run(self, runnable, fits):
    ...         self.worker, self.waiting = Worker(workload_of(runnable)), []
    ...         self.add(fits)
    ...         while self.waiting:
    ...             yield self.worker.do(self.waiting.pop())
    ...     def add(self, fits):
    ...         self.waiting += self.worker.solvers.batches(fits)
    ...     def ask_to_stop(self):
    ...         self.waiting.clear()
    ...     def close(self):
    ...         self.waiting = []
    >>> check_executor(Serial)
    """
    keep_anew(ExecutorContract(), "the executor", make, made_up_study())


class ExecutorContract:
    """The same for pytest: subclass it and give the fixtures `executor` and `runnable`.

    `runnable` is `made_up_study()`, or another study with a learner that fails in some fit of the first round.

    >>> import pytest
    >>> from foldwise.executors.local.local_executor import LocalExecutor
    >>> class TestMine(ExecutorContract):
    ...     @pytest.fixture
    ...     def executor(self):
    ...         return LocalExecutor(jobs=1)
    ...
    ...     @pytest.fixture
    ...     def runnable(self):
    ...         return made_up_study()
    """

    def test_every_fit_leaves_one_record(self, executor: Any, runnable: RunnableStudy) -> None:
        fits = first_fits(runnable)
        assert _keys(_records(executor, runnable, fits)) == sorted(fit.key for fit in fits)

    def test_records_are_those_of_one_fit_after_another(self, executor: Any, runnable: RunnableStudy) -> None:
        fits, worker = first_fits(runnable), Worker(workload_of(runnable))
        plain = {record.key: record for batch in worker.solvers.batches(fits) for record in worker.do(batch)}
        for record in _records(executor, runnable, fits):
            _assert_equal_bits(record, plain[record.key])

    def test_a_failing_fit_costs_only_itself(self, executor: Any, runnable: RunnableStudy) -> None:
        assert {record.status for record in _records(executor, runnable, first_fits(runnable))} == {"ok", "error"}

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
        found = _records(executor, runnable, fits)
        assert _keys(found) == sorted(fit.key for fit in fits)


class SurvivalContract:
    """For executors that run fits in processes of their own: give a fixture `survivor`.

    It is called with nothing, or with `fit_timeout=` or `fit_memory=`, the limits of one fit, and
    gives an executor. Each fault happens in one fit of one learner; beside it there is an
    honest one, whose records must be those of the plain loop.

    >>> import pytest
    >>> from foldwise.executors.local.local_executor import LocalExecutor
    >>> class TestMine(SurvivalContract):
    ...     @pytest.fixture
    ...     def survivor(self):
    ...         return lambda **limits: LocalExecutor(jobs=2, **limits)
    """

    def test_faults_cost_only_the_fit_they_happen_in(self, survivor: Callable[..., Any]) -> None:
        self._check(survivor(), [name for name, fault in FAULTS.items() if not fault.limit])

    def test_what_would_not_end_is_stopped_at_the_time_limit(self, survivor: Callable[..., Any]) -> None:
        self._check(survivor(fit_timeout=2.0), [name for name, fault in FAULTS.items() if fault.limit == "seconds"])

    def test_what_would_take_all_memory_is_stopped_at_the_memory_limit(self, survivor: Callable[..., Any]) -> None:
        self._check(survivor(fit_memory=0.15), [name for name, fault in FAULTS.items() if fault.limit == "gigabytes"])

    def _check(self, executor: Any, faults: list[str]) -> None:
        faults = [name for name in faults if "regression" in FAULTS[name].tasks]
        for stage in ("fit", "predict"):
            runnable = sabotaged({name: {"fault": name, "stage": stage, "seconds": 60.0} for name in faults})
            fits = [fit for fit in first_fits(runnable) if runnable.learners[fit.method].name != "baseline"]
            records = _records(executor, runnable, fits)
            assert sorted(record.key for record in records) == sorted(fit.key for fit in fits)
            self._check_statuses(records, faults)
            honest = [fit for fit in fits if runnable.learners[fit.method].name == "honest"]
            plain = {record.key: record for record in Worker(workload_of(runnable)).do(tuple(honest))}
            for record in records:
                if record.learner == "honest":
                    _assert_equal_bits(record, plain[record.key])

    def _check_statuses(self, records: list[Record], faults: list[str]) -> None:
        found: dict[str, Counter[str]] = {}
        for record in records:
            found.setdefault(record.learner, Counter())[record.status] += 1
        for name in faults:
            wanted = Counter([FAULTS[name].status, "ok", "ok"])
            errors = [record.error for record in records if record.learner == name and record.error]
            assert (name, found[name]) == (name, wanted), errors
        assert found["honest"] == Counter(["ok"] * 3)


def made_up_study() -> RunnableStudy:
    """Three folds of thirty rows, with learners that are tuned by a solver and one by one, and one that fails."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(30.0), rng.normal(size=(30, 2))])
    learners = {
        "ridge": tune(Ridge(), alpha=[0.1, 1.0, 10.0]),
        "tree": tune(DecisionTreeRegressor(), max_depth=[1, 3]),
        "fragile": SaboteurRegressor(fault="exception", without_rows=(0.0,)),
    }
    return make_comparison(learners, X, X[:, 1] + rng.normal(size=30), outer=np.arange(30) % 3, inner=2)


def sabotaged(saboteurs: Mapping[str, Mapping[str, Any]]) -> RunnableStudy:
    """Three folds of thirty rows, an honest learner and these saboteurs, each at work where row 0 is held out."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(30.0), rng.normal(size=(30, 2))])
    data = make_dataset(X, X[:, 1] + rng.normal(size=30))
    found: dict[str, Any] = {"honest": SaboteurRegressor()}
    for name, knobs in saboteurs.items():
        found[name] = SaboteurRegressor(without_rows=(0.0,), **knobs)
    losses = make_losses(None, data)
    outer = make_splits(np.arange(30) % 3, data, seed=0)
    return make_study(data, make_learners(found, data, losses), losses=losses, outer=outer)


def _records(executor: Any, runnable: RunnableStudy, fits: Sequence[Fit]) -> list[Record]:
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


def _assert_equal_bits(found: Record, expected: Record) -> None:
    assert found.status == expected.status
    assert found.error == expected.error
    assert found.responses.keys() == expected.responses.keys()
    np.testing.assert_array_equal(found.rows, expected.rows)
    for name, values in expected.responses.items():
        assert np.asarray(found.responses[name]).tobytes() == np.asarray(values).tobytes()
