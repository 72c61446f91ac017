"""What a pilot measures (api/planning.py): passes of solvers as passes, on the path of the run, in a bounded time."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.api import planning
from foldwise.api.planning import measure, one_pass
from foldwise.api.request import make_comparison
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.plans.needed import needed_of
from foldwise.records.memory import MemoryStore
from foldwise.studies.reading import Reading

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + RNG.normal(size=60)


class Costly(RegressorMixin, BaseEstimator):
    """A fit takes what its clock says: some milliseconds, and more of them for each row."""

    now = 0.0

    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, y):
        Costly.now += self.depth * (1 + len(X) / 100) / 1000
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.fixture
def fake_clock(monkeypatch):
    Costly.now = 0.0
    monkeypatch.setattr(planning, "clock", lambda: Costly.now)


def study(specs, X=X, Y=Y, **words):
    runnable = make_comparison(specs, X, Y, **{"outer": 4, "inner": 3, **words})
    return runnable, Reading(runnable.study, MemoryStore())


def test_a_pass_is_a_training_set_or_the_whole_method_as_its_solver_wants():
    runnable, reading = study(
        {
            "ridge": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0]),
            "near": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 2, 3, 4]),
            "tree": fw.tune(DecisionTreeRegressor(), min_samples_leaf=[1, 5]),
        },
        solvers=False,
    )
    worker = Worker(workload_of(runnable))
    sizes = [[len(batch) for batch in one_pass(worker, list(needed_of(runnable, reading, at)))] for at in range(3)]
    assert sizes == [[1] * 3, [1] * 4, [1] * 2]  # one fit after the other, of one training set

    runnable, reading = study({"ridge": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0])})
    worker = Worker(workload_of(runnable))
    fits = list(needed_of(runnable, reading, 0))
    assert [len(batch) for batch in one_pass(worker, fits)] == [len(fits)] == [3 * (4 * 3 + 3)]  # one pass for all


def test_the_seconds_of_a_plan_are_those_of_its_fits(fake_clock):
    """45 training rows judge, 30 tune, 40 tune on all rows: the work is known exactly."""
    specs = {"costly": fw.tune(Costly(), depth=[1, 3])}
    plan = fw.plan(specs, X, Y, outer=4, inner=3, isolate=False)
    Costly.now = 0.0
    fw.compare(specs, X, Y, outer=4, inner=3, isolate=False)
    tuning = (4 * 12 * 1.3 + 4 * 3 * 1.4) / 1000
    assert tuning + 4 * 1.45 / 1000 <= Costly.now <= tuning + 4 * 3 * 1.45 / 1000  # all ties: whichever depth is chosen
    assert plan.methods[0]["seconds"] == pytest.approx(tuning + 4 * 2 * 1.45 / 1000, rel=0.1)


def test_large_tables_are_measured_on_some_of_their_rows(fake_clock):
    big = RNG.normal(size=(20_000, 2))
    runnable, reading = study({"costly": fw.tune(Costly(), depth=[1, 3])}, big, big[:, 0], outer=3, inner=3)
    whole = 2 * (1 + 8_889 / 100) / 1000
    for seconds, near in [(5.0, 1e-6), (0.5, 1.0), (0.2, 1.0), (0.0, 1.6)]:
        Costly.now = 0.0
        found = measure(runnable, reading, seconds=seconds)[0]
        assert found.together == pytest.approx(whole, rel=near)
        assert Costly.now < seconds + 0.1  # some hundred rows of two candidates, and then what there is time for


def test_time_that_does_not_grow_with_the_rows_is_told_apart_where_it_would_make_much_of_little(fake_clock):
    """Boosting on 400 rows takes little less than on 3,200: by that alone 100,000 rows were told 30 times too much."""
    big = RNG.normal(size=(100_000, 2))
    runnable, reading = study({"costly": fw.tune(Costly(), depth=[10])}, big, big[:, 0], outer=3, inner=3)
    fixed, whole = 0.04, 10 * (1 + 44_444 / 100) / 1000
    plain = planning._timed

    def with_fixed(worker, batches):
        Costly.now += fixed
        return plain(worker, batches) + fixed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "_timed", with_fixed)
        found = measure(runnable, reading, seconds=0.1)[0]
    assert found.together == pytest.approx(whole + fixed, rel=0.7)
    assert Costly.now < 4.0


def test_a_thinned_table_keeps_some_of_every_class():
    y = np.where(np.arange(5000) % 1000 == 0, "rare", "usual")
    runnable, reading = study({"tree": fw.learner("tree")}, np.arange(10_000.0).reshape(-1, 2), y, outer=3, inner=2)
    worker = Worker(workload_of(runnable))
    fit = next(needed_of(runnable, reading, 0))
    (small,) = planning._thinned(worker, (fit,), 100)
    assert 80 <= len(small.train) <= 130
    assert set(runnable.data.target[small.train]) == {0, 1}
    assert set(small.train) <= set(fit.train)


def test_a_thinned_table_keeps_its_folds():
    """Rows are left out of the table, not of each training set: solvers share what training sets share."""
    big = RNG.normal(size=(5000, 2))
    runnable, reading = study({"ridge": fw.tune(Ridge(), alpha=[1.0])}, big, big[:, 0], outer=5, inner="pairs")
    (batch,) = one_pass(Worker(workload_of(runnable)), list(needed_of(runnable, reading, 0)))
    small = planning._thinned(Worker(workload_of(runnable)), batch, 400)
    both = [(set(fit.train), set(fit.rows)) for fit in small]
    every = both[0][0] | both[0][1]
    assert all(train | rows == every and not train & rows for train, rows in both)


@pytest.mark.slow
def test_a_pilot_is_short():
    began = time.process_time()
    fw.plan(["ridge", "svm"], RNG.normal(size=(800, 5)), RNG.normal(size=800), outer=5, inner=4)
    assert time.process_time() - began < 8  # the study takes minutes


def test_plans_tell_the_cores_of_the_run():
    specs, words = {"costly": fw.tune(Costly(), depth=[1])}, {"outer": 3, "inner": 2}
    assert fw.plan(specs, X, Y, **words).cores == 1  # short work stays in this process
    plan = fw.plan(specs, X, Y, jobs=3, **words)
    assert plan.cores == 3
    assert repr(plan).splitlines()[-1].endswith(" on 3 cores")
    assert plan.to_dict()["wall_seconds"] <= plan.seconds
