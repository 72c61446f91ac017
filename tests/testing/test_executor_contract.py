"""The suite for executors (testing/executors.py) passes ours, and finds what is wrong with broken ones."""

from __future__ import annotations

import pytest

from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.testing import check_executor
from foldwise.testing.executors import first_fits, made_up_study


def test_our_executor_keeps_the_contract():
    check_executor(lambda: LocalExecutor(RunOptions(jobs=1)))


def test_the_made_up_study_has_fits_of_every_kind():
    runnable = made_up_study()
    executor = LocalExecutor(RunOptions(jobs=1))
    records = [record for records in executor.run(runnable, first_fits(runnable)) for record in records]
    assert {record.learner for record in records} >= {"ridge", "tree", "fragile"}
    assert {record.status for record in records} == {"ok", "error"}
    sizes = [len(batch) for batch in executor._worker.solvers.batches(first_fits(runnable))]
    assert min(sizes) == 1 < max(sizes)


class Broken(LocalExecutor):
    def __init__(self):
        super().__init__(RunOptions(jobs=1))


class Losing(Broken):
    def run(self, runnable, fits):
        return super().run(runnable, fits[1:])


class Deaf(Broken):
    """Does not hear of more fits when it is under way."""

    is_under_way = False

    def run(self, runnable, fits):
        self.is_under_way = False
        for records in super().run(runnable, fits):
            self.is_under_way = True
            yield records

    def add(self, fits):
        super().add([] if self.is_under_way else fits)


class Inexact(Broken):
    def run(self, runnable, fits):
        for records in super().run(runnable, fits):
            for record in records:
                for values in record.responses.values():
                    values += 1e-15
            yield records


class Endless(Broken):
    def run(self, runnable, fits):
        yield from super().run(runnable, fits)
        while self._is_asked_to_stop:
            yield []


class UsedUp(Broken):
    is_closed = False

    def run(self, runnable, fits):
        return iter(()) if self.is_closed else super().run(runnable, fits)

    def close(self):
        super().close()
        self.is_closed = True


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (Losing, "a failing fit costs only itself|every fit leaves one record"),
        (Deaf, "fits that are added on the way are done too"),
        (Inexact, "records are those of one fit after another"),
        (Endless, r"it ends when it is asked to stop \(it goes on and on"),
        (UsedUp, "it can be used again after it was closed"),
    ],
)
def test_an_executor_that_breaks_its_contract_is_found(broken, says):
    with pytest.raises(AssertionError, match=f"^the executor breaks the contract: ({says})"):
        check_executor(broken)
