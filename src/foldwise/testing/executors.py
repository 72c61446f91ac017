"""What every executor must do."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.outlines.reading import Reading
from foldwise.plans.needed import needed
from foldwise.plans.study import Study
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record


def first_fits(study: Study) -> list[Any]:
    """The fits of a study's first round."""
    return needed(study, Reading(study.outline, MemoryStore()))


class ExecutorContract:
    """Give fixtures `executor` and `study`, whose learners include one that fails in some fit."""

    def test_every_fit_leaves_one_record(self, executor: Any, study: Study) -> None:
        fits = first_fits(study)
        records = [record for records in executor.run(study, fits) for record in records]
        assert sorted(record.key for record in records) == sorted(fit.key for fit in fits)

    def test_records_are_those_of_one_worker_after_another(self, executor: Any, study: Study) -> None:
        fits, worker = first_fits(study), Worker(workload_of(study))
        plain = {record.key: record for unit in worker.shortcuts.units(fits) for record in worker.do(unit)}
        for records in executor.run(study, fits):
            for record in records:
                _assert_equal_bits(record, plain[record.key])

    def test_a_failing_fit_costs_only_itself(self, executor: Any, study: Study) -> None:
        records = [record for records in executor.run(study, first_fits(study)) for record in records]
        statuses = {record.status for record in records}
        assert statuses == {"ok", "error"}


def _assert_equal_bits(found: Record, expected: Record) -> None:
    assert found.status == expected.status
    assert found.error == expected.error
    assert found.responses.keys() == expected.responses.keys()
    np.testing.assert_array_equal(found.rows, expected.rows)
    for name, values in expected.responses.items():
        assert np.asarray(found.responses[name]).tobytes() == np.asarray(values).tobytes()
