"""What an executor must do that runs fits in processes of their own: outlive every fault of the saboteur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from saboteur import SaboteurRegressor

from faults import FAULTS
from foldwise.data.dataset import make_dataset
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.runnable import RunnableStudy, make_study
from foldwise.records.record import Record
from foldwise.splits.making import make_splits
from foldwise.testing.executors import all_records, assert_equal_bits, first_fits


class SurvivalContract:
    """Give a fixture `survivor`: a function of nothing, or of `fit_timeout=` or `fit_memory=`, that gives an executor.

    Each fault happens in one fit of one learner. The records of the honest learner beside it must be those of the plain
    loop.
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
            records = all_records(executor, runnable, fits)
            assert sorted(record.key for record in records) == sorted(fit.key for fit in fits)
            self._check_statuses(records, faults)
            honest = [fit for fit in fits if runnable.learners[fit.method].name == "honest"]
            plain = {record.key: record for record in Worker(workload_of(runnable)).do(tuple(honest))}
            for record in records:
                if record.learner == "honest":
                    assert_equal_bits(record, plain[record.key])

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
