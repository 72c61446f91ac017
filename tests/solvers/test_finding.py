"""Which solver answers which method, and what is seen through (solvers/solver.py, solvers/steps.py)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso, Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.solvers import finding
from foldwise.solvers.finding import all_solvers, find


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return X, X[:, 0] + rng.normal(size=40)


def found(estimators, data, **options):
    solver = find(estimators, data, is_builtin=options.pop("is_builtin", False), **options)
    return None if solver is None else solver.name


@pytest.mark.parametrize(
    ("learner", "name"),
    [(KNeighborsRegressor(), "k-nn"), (Ridge(), "ridge"), (KernelRidge(), "kernel ridge"), (BaggingRegressor(), None)],
)
def test_the_kind_of_estimator_says_which_solver_answers(table, learner, name):
    assert found([learner], make_dataset(*table)) == name


@pytest.mark.parametrize("name", ["k-nn", "ridge"])
@pytest.mark.parametrize("as_frame", [False, True])
def test_built_in_learners_on_numbers_have_their_solver(table, name, as_frame):
    X = pd.DataFrame(table[0], columns=list("abc")) if as_frame else table[0]
    data = make_dataset(X, table[1])
    assert found([builtin(name, data).estimator], data, is_builtin=True) == name


def test_no_solver_is_found_where_none_is_wanted(table):
    assert found([Ridge()], make_dataset(*table), solvers=False) is None


def test_every_candidate_must_be_taken(table):
    data = make_dataset(*table)
    assert found([Ridge(1.0), Ridge(2.0)], data) == "ridge"
    assert found([Ridge(1.0), Ridge(1.0, positive=True)], data) != "ridge"


class Iterating:
    """A solver that goes to the optimum, of anything."""

    name, unit, is_exact = "iterating", "train", False

    def takes(self, estimator, data):
        return True


@pytest.mark.parametrize(
    ("tol", "options", "is_used"),
    [
        (1e-4, {}, False),
        (1e-4, {"is_builtin": True}, True),
        (1e-4, {"solvers": "all"}, True),
        (1e-9, {}, True),
        (1e-9, {"solvers": False}, False),
    ],
)
def test_solvers_that_iterate_wait_for_a_tight_tolerance_or_a_word(table, monkeypatch, tol, options, is_used):
    monkeypatch.setattr(finding, "all_solvers", lambda: (Iterating(),))
    learners = [make_pipeline(StandardScaler(), Lasso(tol=tol))]
    assert (found(learners, make_dataset(*table), **options) == "iterating") is is_used


def test_families_come_before_what_takes_anything():
    names = [solver.name for solver in all_solvers()]
    assert names[:4] == ["baseline", "k-nn", "ridge", "kernel ridge"]
    assert len(set(names)) == len(names)


def test_classes_go_to_the_classifier(table):
    data = make_dataset(table[0], np.where(table[1] > 0, "up", "down"))
    assert found([RidgeClassifier()], data) == "ridge"
    assert found([builtin("ridge", data).estimator], data, is_builtin=True) == "ridge"
