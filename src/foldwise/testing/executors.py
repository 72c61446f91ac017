"""What every executor must do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from foldwise.data.dataset import make_dataset
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.needed import needed
from foldwise.plans.runnable import RunnableStudy, make_study
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.splits.making import make_splits
from foldwise.studies.reading import Reading
from foldwise.testing.faults import FAULTS
from foldwise.testing.saboteur import SaboteurRegressor


def first_fits(runnable: RunnableStudy) -> list[Any]:
    """The fits of a study's first round."""
    return needed(runnable, Reading(runnable.study, MemoryStore()))


class ExecutorContract:
    """Give fixtures `executor` and `study`, whose learners include one that fails in some fit."""

    def test_every_fit_leaves_one_record(self, executor: Any, runnable: RunnableStudy) -> None:
        fits = first_fits(runnable)
        records = [record for records in executor.run(runnable, fits) for record in records]
        assert sorted(record.key for record in records) == sorted(fit.key for fit in fits)

    def test_records_are_those_of_one_worker_after_another(self, executor: Any, runnable: RunnableStudy) -> None:
        fits, worker = first_fits(runnable), Worker(workload_of(runnable))
        plain = {record.key: record for unit in worker.solvers.batches(fits) for record in worker.do(unit)}
        for records in executor.run(runnable, fits):
            for record in records:
                _assert_equal_bits(record, plain[record.key])

    def test_a_failing_fit_costs_only_itself(self, executor: Any, runnable: RunnableStudy) -> None:
        records = [record for records in executor.run(runnable, first_fits(runnable)) for record in records]
        statuses = {record.status for record in records}
        assert statuses == {"ok", "error"}


class SurvivalContract:
    """For executors that run fits in processes of their own: give a fixture `survivor`.

    It is called with nothing, or with `fit_timeout=` or `fit_memory=`, the limits of one fit, and
    gives an executor. Each fault happens in one fit of one learner; beside it there is an
    honest one, whose records must be those of the plain loop.
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
            records = [record for records in executor.run(runnable, fits) for record in records]
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


def _assert_equal_bits(found: Record, expected: Record) -> None:
    assert found.status == expected.status
    assert found.error == expected.error
    assert found.responses.keys() == expected.responses.keys()
    np.testing.assert_array_equal(found.rows, expected.rows)
    for name, values in expected.responses.items():
        assert np.asarray(found.responses[name]).tobytes() == np.asarray(values).tobytes()
