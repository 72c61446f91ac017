"""What learners cost (plans/cost.py) and the order of methods (plans/queue.py), on which no number depends."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import foldwise as fw
from foldwise.api.request import make_comparison
from foldwise.data.dataset import make_dataset
from foldwise.learners.learner import Learner
from foldwise.plans.cost import MOST_SLOW, cheap_first, fit_seconds, slowness, times_as_many, tuning_seconds, turns
from foldwise.plans.effort import LEVELS
from foldwise.plans.queue import Queue
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.studies.reading import Reading

RNG = np.random.default_rng(8)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=40)


def specs():
    return {
        "forest": fw.tune(RandomForestRegressor(n_estimators=3), max_depth=[1, 2]),
        "svm": fw.tune(make_pipeline(StandardScaler(), SVR()), C=[1.0, 10.0]),
        "ridge": fw.tune(Ridge(), alpha=[1.0, 10.0]),
    }


def test_the_kind_of_a_learner_is_found_behind_its_preprocessing():
    piped = Learner("svm", make_pipeline(StandardScaler(), SVR()))
    assert (
        fit_seconds(Learner("ridge", Ridge()))
        < fit_seconds(piped)
        < fit_seconds(Learner("forest", RandomForestRegressor()))
    )


@pytest.mark.parametrize("effort", ["normal", "thorough"])
def test_a_learner_may_have_a_parameter_that_is_called_as_the_parts_of_a_pipeline(effort):
    class Stepwise(Ridge):
        def __init__(self, alpha=1.0, steps=3):
            super().__init__(alpha=alpha)
            self.steps = steps

    study = {"own": fw.tune(Stepwise(), alpha=[1.0, 2.0]), "ridge": Ridge()}
    options = {"outer": 3, "inner": 2, "effort": effort, "jobs": 1}
    assert fw.compare(study, X, Y, **options).table()["fits"].notna().all()


def test_fits_come_from_cheap_methods_first_and_blends_come_last():
    study = make_comparison({"blend": fw.blend(specs()), **specs()}, X, Y, outer=3, inner=2)
    names = [method.name for method in study.study.methods]
    assert [names[at] for at in cheap_first(study)] == ["baseline", "ridge", "svm", "forest", "blend"]
    handed = Queue(study, Reading(study.study, MemoryStore())).next()
    order = list(dict.fromkeys(names[fit.method] for fit in handed))
    assert order[0] == "baseline"
    shared = make_comparison(specs(), X, Y, outer=3, inner=2)
    handed = Queue(shared, Reading(shared.study, MemoryStore())).next()
    assert list(dict.fromkeys(shared.study.methods[fit.method].name for fit in handed)) == [
        "baseline",
        "ridge",
        "svm",
        "forest",
    ]


def test_a_fit_is_handed_out_once_whoever_asks_for_it_later():
    study = make_comparison({name: Ridge() for name in "abc"}, X, Y, outer=4)
    queue = Queue(study, Reading(study.study, MemoryStore()))
    first = queue._needed([0])
    assert first
    assert queue._needed([1, 2]) == []
    assert all(waiting == (0, 1, 2) for waiting in map(queue._out.get, (key for part in first for key in part.keys)))


def test_a_method_is_settled_when_it_asks_for_nothing_more():
    study = make_comparison({"ridge": specs()["ridge"]}, X, Y, outer=3, inner=2)
    reading = Reading(study.study, MemoryStore())
    queue = Queue(study, reading)
    fits, settled = list(queue.next()), []
    assert queue.settled() == []
    while fits:
        fit = fits.pop(0)
        record = Record(fit.key, "ok", fit.rows, {"predict": np.zeros(len(fit.rows))}, learner="any")
        reading.store.add([record])
        fits += queue.next([record])
        settled += queue.settled()
    assert sorted(settled) == [0, 1]
    assert queue.settled() == []


def test_the_order_of_methods_changes_no_number():
    one = fw.compare(specs(), X, Y, outer=3, inner=2, jobs=1).table().set_index("method").risk
    other = fw.compare(dict(reversed(specs().items())), X, Y, outer=3, inner=2, jobs=1).table().set_index("method").risk
    assert one.sort_index().to_dict() == other.sort_index().to_dict()


@pytest.mark.few(1)
@pytest.mark.parametrize("options", [{"isolate": False}, {"jobs": 2}], ids=["in this process", "in workers"])
def test_a_cheap_method_is_finished_before_a_dear_one_is(options):
    """The outer fits of a method are made as soon as it has chosen."""
    from foldwise.executors.local.local_executor import LocalExecutor
    from foldwise.executors.options import RunOptions

    came = []

    class Watched(LocalExecutor):
        def run(self, runnable, fits):
            for records in super().run(runnable, fits):
                came.extend(record.learner for record in records)
                yield records

    wide = {**specs(), "forest": fw.tune(RandomForestRegressor(n_estimators=20), max_depth=[1, 2, 3, 4, 5, 6])}
    fw.compare(wide, X, Y, outer=3, inner=4, engine=Watched(RunOptions(**options)), progress=False)
    last = {name: len(came) - 1 - came[::-1].index(name) for name in set(came)}
    assert last["ridge"] < last["forest"]
    if "jobs" not in options:  # two workers end in any order
        assert last["ridge"] < last["svm"] < last["forest"]
        assert last["ridge"] < len(came) / 2


def limited_course(study, at_once):
    """The fits of a run within a limit, in the order in which they are handed out and done, by method and split."""
    reading, course = Reading(study.study, MemoryStore()), []
    queue = Queue(study, reading, at_once=at_once)
    fits = list(queue.next())
    while fits:
        fit = fits.pop(0)
        course.append((study.study.methods[fit.method].name, len(fit.train)))
        record = Record(fit.key, "ok", fit.rows, {"predict": np.zeros(len(fit.rows))}, learner="any")
        reading.store.add([record])
        fits += queue.next([record])
    assert not queue.next()
    return list(dict.fromkeys(course))


def test_within_a_limit_boosting_follows_linear_learners_and_all_risks_come_before_the_final_tunings():
    """A final tuning costs as much as a risk: two workers had two dear ones while no other learner was begun."""
    names = ["k-nn:small", "tree:small", "forest:small", "boosting:small", "ridge:small"]
    study = make_comparison(names, X, Y, outer=0.25, inner=1 / 3)
    order = ["ridge:small", "boosting:small", "k-nn:small", "tree:small", "forest:small"]
    found = [study.study.methods[at].name for at in turns(study)]
    assert found == 2 * ["baseline", *order]
    inner, outer, final = 20, 30, 26  # training rows of a tuning, of a risk, of the tuning on all rows
    assert limited_course(study, at_once=1) == [
        ("baseline", outer),
        *((name, rows) for name in order for rows in (inner, outer)),
        *((name, final) for name in order),
    ]


def test_a_second_worker_begins_the_next_method_and_no_third():
    study = make_comparison(["ridge:small", "k-nn:small", "tree:small"], X, Y, outer=0.25, inner=1 / 3)
    handed = Queue(study, Reading(study.study, MemoryStore()), at_once=2).next()
    assert {study.study.methods[fit.method].name for fit in handed} == {"baseline", "ridge:small"}
    everything = sorted(limited_course(study, at_once=2))
    assert everything == sorted(limited_course(study, at_once=1))


def table(rows: int, columns: int = 20):
    rng = np.random.default_rng(0)
    return make_dataset(rng.normal(size=(rows, columns)), rng.normal(size=rows))


def test_every_class_beyond_two_has_a_run_of_its_own_and_trees_have_none():
    rng = np.random.default_rng(0)
    two, five = (
        make_dataset(rng.normal(size=(2_000, 20)), np.arange(2_000) % count, task="classification") for count in (2, 5)
    )
    five_seconds, two_seconds = (
        {name: tuning_seconds(name, data, LEVELS["quick"], 1.0) for name in ("boosting", "forest")}
        for data in (five, two)
    )
    ratio = {name: five_seconds[name] / two_seconds[name] for name in two_seconds}
    assert ratio["boosting"] > 3
    assert ratio["forest"] == 1


def test_a_larger_space_costs_the_fits_that_no_solver_shares():
    data = table(200, 5)
    ridge, forest = (times_as_many(name, data, LEVELS["thorough"]) for name in ("ridge", "forest"))
    assert ridge == 1
    assert forest > 1


def test_a_machine_is_never_called_faster_than_the_measured_one():
    assert 1 <= slowness() <= MOST_SLOW


def test_a_limited_run_goes_from_cheap_to_dear_with_blends_and_defaults_last():
    learners = ["forest:small", "blend(ridge+tree)", "ridge", "k-nn", "tree"]
    runnable = make_comparison(learners, table(60, 3), None, outer=3, inner=2, defaults=True)
    names = [runnable.study.methods[at].name for at in cheap_first(runnable)]
    shown = [name for name in names if name in (*learners, "baseline")]
    assert shown == ["baseline", "ridge", "k-nn", "tree", "forest:small", "blend(ridge+tree)"]
    assert names[-1].endswith("(default parameters)")


def test_many_rows_make_neighbours_dear_and_boosting_comes_before_them():
    names = ["k-nn:small", "boosting:small", "forest:small"]
    few, many = (make_comparison(names, table(rows, 3), None, outer=0.2, inner=0.25) for rows in (500, 50_000))
    order = [[one.study.methods[at].name for at in cheap_first(one)][1:4] for one in (few, many)]
    assert order == [names, ["boosting:small", "k-nn:small", "forest:small"]]
