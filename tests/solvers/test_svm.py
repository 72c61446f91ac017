"""Support vector machines on shared Grams, against scikit-learn's own kernels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR
from twin import assert_twins, bootstraps, folds, jobs_of

from foldwise.data.dataset import make_dataset
from foldwise.solvers.finding import find
from foldwise.solvers.svm import SOLVERS

[SVM] = SOLVERS
KERNELS = [
    {"kernel": "rbf"},
    {"kernel": "linear"},
    {"kernel": "poly", "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.01},
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    X[40:50] = X[:10]  # rows that are there twice
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=80) / 3, rng.uniform(0.5, 2, 80)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("cuts", [[0.0], [-1, 1]], ids=["two classes", "three classes"])
def test_classes_agree_for_every_penalty_and_kernel(kernel, cuts, table):
    X, y, weights = table
    data = make_dataset(X, np.digitize(y, cuts), weights=weights)
    gammas = [{}] if "gamma" in kernel else [{"gamma": g} for g in ("scale", "auto", 0.01, 1.0)]
    machines = [SVC(C=C, tol=1e-9, **kernel, **gamma) for C in (0.1, 1.0, 10.0) for gamma in gammas]
    assert_twins(SVM, machines, data, folds(80, 3), ("predict", "decision_function"), tolerance=1e-6)


def test_the_built_in_regression_machine_agrees_behind_its_scaling(table):
    X, y, weights = table
    data = make_dataset(X * [1, 10, 100], 1000 * y, weights=weights)
    machines = [
        make_pipeline(
            StandardScaler(), TransformedTargetRegressor(SVR(C=C, gamma=g, tol=1e-9), transformer=StandardScaler())
        )
        for C in (0.1, 10.0)
        for g in (0.01, 1.0)
    ]
    assert_twins(SVM, machines, data, folds(80, 3) + bootstraps(80, 1), tolerance=1e-6)


def test_the_default_tolerance_ends_in_the_same_place(table):
    """The kernel is rounded to single precision before it is used, which hides its last digits."""
    X, y, _ = table
    data = make_dataset(X, np.digitize(y, [0]))
    machines = [SVC(C=C, gamma=g) for C in (0.1, 1.0, 10.0) for g in (0.01, 0.1, 1.0)]
    assert_twins(SVM, machines, data, folds(80, 3), ("predict", "decision_function"), tolerance=1e-6)


def test_the_nu_machines_agree(table):
    X, y, _ = table
    assert_twins(SVM, [NuSVR(nu=nu, tol=1e-9) for nu in (0.3, 0.6)], make_dataset(X, y), folds(80, 3), tolerance=1e-6)
    labels = make_dataset(X, np.digitize(y, [0]))
    assert_twins(SVM, [NuSVC(nu=nu, tol=1e-9) for nu in (0.2, 0.4)], labels, folds(80, 3), tolerance=1e-6)


def test_a_training_part_of_one_class_is_left_to_the_plain_loop(table):
    X, _, _ = table
    data = make_dataset(X, np.r_[np.ones(40), np.zeros(40)].astype(int))
    jobs = jobs_of([SVC(C=1.0), SVC(C=2.0)], [(np.arange(40), np.arange(40, 80))], ("predict",))
    assert SVM.solve(jobs, data) == [None, None]


def test_what_it_cannot_answer_is_not_taken(table):
    X, y, _ = table
    data = make_dataset(X, y)
    refused = [SVR(max_iter=10), SVR(kernel="precomputed"), SVR(kernel=lambda a, b: a @ b.T), SVR(gamma=-1.0)]
    assert not any(SVM.takes(machine, data) for machine in refused)
    assert not SVM.takes(SVC(probability=True), make_dataset(X, np.digitize(y, [0])))
    wide = make_dataset(np.zeros((5001, 1)), np.arange(5001.0))
    assert not SVM.takes(SVR(), wide)


def test_the_kernel_is_made_once_for_all_penalties(table, monkeypatch):
    from foldwise.solvers import svm

    made = []
    plain = svm._values
    monkeypatch.setattr(svm, "_values", lambda kernel, *a, **k: made.append(kernel) or plain(kernel, *a, **k))
    X, y, _ = table
    machines = [SVR(C=C, gamma=g) for C in (0.1, 1.0, 10.0) for g in (0.1, 1.0)]
    SVM.solve(jobs_of(machines, folds(80, 2)[:1], ("predict",)), make_dataset(X, y))
    assert len(made) == 2 * 2  # for the training rows, and for the rows asked for


def test_rows_without_weight_are_left_to_other_ways(table):
    """Libsvm drops such rows, and then reads the wrong columns of a kernel that is ready made."""
    X, y, weights = table
    data = make_dataset(X, y, weights=np.where(weights < 1, 0.0, weights))
    machines = [make_pipeline(StandardScaler(), SVR(C=C, tol=1e-9)) for C in (0.1, 10.0)]
    assert not SVM.takes(machines[0], data)
    other = find(machines, data, solvers="all", is_builtin=True)
    assert other is not None
    assert_twins(other, machines, data, folds(80, 3))
