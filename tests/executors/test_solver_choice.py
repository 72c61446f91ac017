"""Fits of a search travel with their point (executors/workload.py), and a solver answers those that it takes."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.api.request import request
from foldwise.executors import solver_choice
from foldwise.executors.solver_choice import SolverChoice
from foldwise.executors.workload import packed, unpacked, workload_of
from foldwise.plans.fit import SharedBatch
from foldwise.plans.needed import needed
from foldwise.records.memory import MemoryStore
from foldwise.run import keep_proposals
from foldwise.studies.reading import Reading


@pytest.fixture
def runnable():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    specs = {"ridge": fw.tune(Ridge(), alpha=fw.log_range(0.01, 100))}
    words = {"outer": 2, "inner": 2, "tuner": "random", "budget": "1 min"}
    return request(specs, X, X[:, 0], **words).study(is_alone=True)


def first_fits(runnable):
    """Those of the candidates that are proposed before any score is known."""
    reading = Reading(runnable.study, MemoryStore())
    keep_proposals(runnable, reading, 0)
    return needed(runnable, reading)


def test_a_worker_that_knows_no_candidates_makes_them_from_their_points(runnable):
    fits = first_fits(runnable)
    far = unpacked(packed(workload_of(runnable)), runnable.data)
    assert far.candidates == ((),)
    assert far.estimators is None
    for fit in fits:
        sent = pickle.loads(pickle.dumps(fit))
        assert sent.point == fit.point
        assert far.estimator(sent).alpha == runnable.estimator(0, fit.candidate, fit.point).alpha


class Stub:
    """A solver for small penalties only."""

    name, batch, is_exact = "stub", "train", True

    def takes(self, estimator, data):
        return estimator.alpha < 1

    def shares(self, estimator):
        return None

    def pays(self, fits, data):
        return True


def test_candidates_that_a_solver_does_not_take_are_fitted_one_by_one(runnable, monkeypatch):
    monkeypatch.setattr(solver_choice, "find", lambda *words, **more: Stub())
    fits = first_fits(runnable)
    work = workload_of(runnable)
    batches = SolverChoice(work).batches(fits)
    together = [fit for batch in batches if isinstance(batch, SharedBatch) for fit in batch]
    alone = [batch[0] for batch in batches if not isinstance(batch, SharedBatch)]
    assert together
    assert alone
    assert all(work.estimator(fit).alpha < 1 for fit in together)
    assert all(work.estimator(fit).alpha >= 1 for fit in alone)
    assert len(together) + len(alone) == len(fits)


def test_a_solver_is_looked_for_with_examples_from_all_of_the_space(runnable):
    first = first_fits(runnable)[0]
    examples = [estimator.alpha for estimator in workload_of(runnable).examples(first)]
    assert len(set(examples)) == 32
    assert min(examples) < 0.02
    assert max(examples) > 50
    fixed = replace(workload_of(runnable), candidates=([{"alpha": 3.0}],), estimators=None)
    assert [estimator.alpha for estimator in fixed.examples(first)] == [3.0]
