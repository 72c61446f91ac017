"""What is needed (plans/needed.py, plans/proposing.py, plans/queue.py) is read from the records and changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.svm import SVR

import foldwise as fw
from foldwise.api.request import request
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.plans import queue
from foldwise.plans.needed import needed
from foldwise.plans.proposing import next_proposals
from foldwise.records.memory import MemoryStore
from foldwise.run import keep_proposals
from foldwise.studies.reading import Reading
from foldwise.studies.stored import STUDY, pack_study

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
Y = X[:, 0] + 0.3 * rng.normal(size=40)
TUNERS = ("grid", "racing", "halving(least=4)", "tpe")


def study_bytes(study):
    return STUDY.encode(pack_study(study))


class CountingStore(MemoryStore):
    """Counts what is written."""

    def __init__(self):
        super().__init__()
        self.writes = 0

    def add(self, records):
        self.writes += 1
        super().add(records)

    def write_document(self, name, content):
        self.writes += 1
        super().write_document(name, content)


def runnable_study():
    learners = {tuner: fw.tune(SVR(), C=fw.log_range(0.1, 10, 4), tuner=tuner, budget=12) for tuner in TUNERS[:-1]}
    learners["tpe"] = fw.tune(SVR(), C=fw.log_range(0.1, 10), tuner="tpe", budget=12)
    learners["blend"] = fw.blend({"ridge": fw.tune(Ridge(), alpha=[0.1, 1.0]), "svr": SVR()})
    return request(learners, X, Y, outer=3, inner=3, solvers=False).study()


def facts(fits):
    return sorted((fit.key, fit.method, fit.candidate, fit.responses, fit.rows.tobytes(), fit.point) for fit in fits)


def test_needed_changes_nothing_when_it_is_called_twice():
    runnable, store = runnable_study(), CountingStore()
    reading, executor = Reading(runnable.study, store), LocalExecutor(RunOptions(jobs=1, isolate=False))
    rounds = 0
    while True:
        before = (study_bytes(reading.study), study_bytes(runnable.study), store.writes)
        first, second = needed(runnable, reading), needed(runnable, reading)
        fresh = needed(runnable, Reading(runnable.study, store))  # from the records alone
        assert facts(first) == facts(second) == facts(fresh)
        assert (
            STUDY.encode(pack_study(reading.study)),
            STUDY.encode(pack_study(runnable.study)),
            store.writes,
        ) == before
        if not first and rounds:
            grown = [next_proposals(runnable, reading, at) for at in range(len(runnable.study.methods))]
            assert grown == [None] * len(grown)
            break
        for records in executor.run(runnable, first):
            store.add(records)
        for at in range(len(runnable.study.methods)):
            keep_proposals(runnable, reading, at)
        rounds += 1
    assert rounds > 3
    answers = [reading.final_choice(method).candidate for method in reading.study.methods if method.inner]
    assert None not in answers


@pytest.mark.parametrize("lacking", ["one", "all"])
def test_a_fit_whose_record_lacks_a_row_is_made_again_for_all_of_them(lacking):
    runnable = request({"ridge": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0])}, X, Y, outer=3, inner=3).study()
    reading, executor = Reading(runnable.study, MemoryStore()), LocalExecutor(RunOptions(jobs=1, isolate=False))
    fits = needed(runnable, reading)
    short = [replace(fit, rows=fit.rows[1:]) if lacking == "all" or fit is fits[0] else fit for fit in fits]
    for records in executor.run(runnable, short):
        reading.store.add(records)
    again = {fit.key: fit for fit in needed(runnable, Reading(runnable.study, reading.store))}
    for fit, asked in zip(fits, short, strict=True):
        assert (fit.key in again) == (asked is not fit)
        assert asked is fit or again[fit.key].rows.tolist() == fit.rows.tolist()


def test_proposals_are_worked_out_without_being_kept():
    runnable = runnable_study()
    reading = Reading(runnable.study, MemoryStore())
    at = next(at for at, method in enumerate(runnable.study.methods) if method.name == "tpe")
    grown = next_proposals(runnable, reading, at)
    assert len(grown.candidates) == 10
    assert reading.study.methods[at].candidates == ()
    assert reading.store.document(grown.proposals_name) is None
    assert next_proposals(runnable, reading, at).proposals == grown.proposals
    keep_proposals(runnable, reading, at)
    assert reading.store.document(grown.proposals_name) is not None
    assert next_proposals(runnable, reading, at) is None  # its fits are missing


@pytest.mark.few(3)
@pytest.mark.parametrize("tuner", TUNERS)
def test_no_fit_is_made_that_the_answer_does_not_rest_on(tuner):
    words = {"outer": 3, "inner": 3, "jobs": 1, "solvers": False, "tuner": tuner, "budget": 12}
    learners = {"svr": fw.tune(SVR(), C=fw.log_range(0.1, 10, 4), gamma=[0.1, 1.0])}
    one = fw.compare(learners, X, Y, **words).to_dict()["methods"][0]
    assert (one["status"], one["fits_made"]) == ("ok", one["fits"])


@pytest.mark.parametrize("options", [{}, {"tuner": "racing"}, {"time_limit": 600}, {"optimism": True}])
def test_many_training_sets_are_handed_out_in_portions_with_the_same_answer(monkeypatch, options):
    learners = {"ridge": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0]), "svr": SVR()}
    call = partial(fw.compare, learners, X, Y, outer=8, inner=4, jobs=1, solvers=False, **options)
    at_once = call().to_dict()
    sizes: list[int] = []
    monkeypatch.setattr(queue, "MANY_SETS", 3)
    monkeypatch.setattr(queue, "MOST_ROWS", 1)
    monkeypatch.setattr(queue.Queue, "next", _noting(queue.Queue.next, sizes))
    in_portions = call().to_dict()
    assert max(sizes) == 3
    assert without_seconds(in_portions) == without_seconds(at_once)


def _noting(next_of, sizes):
    """The most training sets of a method that were handed out at once."""

    def noting(self, records=()):
        fits = next_of(self, records)
        sizes.append(
            max(
                Counter(fit.method for fit in {(f.method, f.train.tobytes()): f for f in fits}.values()).values(),
                default=0,
            )
        )
        return fits

    return noting


def without_seconds(answer):
    methods = [{key: value for key, value in one.items() if key != "seconds"} for one in answer["methods"]]
    return {**answer, "methods": methods, "seconds": None}
