"""Support vector machines on shared Grams (solvers/svm_kernels.py), against scikit-learn's own kernels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg.blas import ddot
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR
from twin import assert_twins, bootstraps, fits_of, folds, solve

from foldwise.data.dataset import make_dataset
from foldwise.solvers import svm_kernels
from foldwise.solvers.finding import find
from foldwise.solvers.steps import params_key
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


@pytest.mark.few(3)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("cuts", [[0.0], [-1, 1]], ids=["two classes", "three classes"])
def test_classes_agree_for_every_penalty_and_kernel(kernel, cuts, table):
    X, y, weights = table
    data = make_dataset(X, np.digitize(y, cuts), weights=weights)
    gammas = [{}] if "gamma" in kernel else [{"gamma": g} for g in ("scale", "auto", 0.01, 1.0)]
    machines = [SVC(C=C, **kernel, **gamma) for C in (0.1, 1.0, 10.0) for gamma in gammas]
    assert_twins(SVM, machines, data, folds(80, 3), ("predict", "decision_function"))


def test_the_built_in_regression_machine_agrees_behind_its_scaling(table):
    X, y, weights = table
    data = make_dataset(X * [1, 10, 100], 1000 * y, weights=weights)
    machines = [
        make_pipeline(StandardScaler(), TransformedTargetRegressor(SVR(C=C, gamma=g), transformer=StandardScaler()))
        for C in (0.1, 10.0)
        for g in (0.01, 1.0)
    ]
    assert_twins(SVM, machines, data, folds(80, 3) + bootstraps(80, 1))


@pytest.mark.parametrize("one", [*(SVC(**kernel) for kernel in KERNELS), SVC(kernel="poly", gamma=0.3, degree=2)])
def test_a_kernel_rounds_as_libsvm_rounds_it_however_its_products_are_summed(one, monkeypatch):
    """Values beside a boundary of rounding are found and made again; with larger noise there are more to find."""
    X = np.random.default_rng(1).normal(size=(200, 7))
    part, kernel = svm_kernels.Training(X), svm_kernels.make_kernel(one, X)
    libsvm = np.array([[kernel.value(ddot(a, b), ddot(a, a), ddot(b, b)) for a in X] for b in X])
    noise = 2e-12 * np.random.default_rng(2).choice([-20, 20], (200, 200)) * part.squares.max()
    plain = svm_kernels._products
    monkeypatch.setattr(svm_kernels, "EPSILON", 2e-12)
    monkeypatch.setattr(svm_kernels, "_products", lambda X: plain(X) + noise)
    noisy = kernel.values(part.lengths if one.kernel == "rbf" else part.products)
    assert (noisy.astype(np.float32) != libsvm.astype(np.float32)).sum() > 10, "nothing is put to the test"
    np.testing.assert_array_equal(part.gram(kernel).astype(np.float32), libsvm.astype(np.float32))
    np.testing.assert_array_equal(part.gram(kernel).diagonal(), libsvm.diagonal())


def test_libsvm_takes_the_very_same_steps_on_a_ready_made_kernel():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 6)) + 1.0
    y = np.where(X[:, 0] * X[:, 1] + rng.normal(size=400) > 1, 1, 0)
    machines = [SVC(C=C, gamma=g) for g in (0.01, 0.3) for C in (1.0, 100.0)]
    machine = SVM.family.fit(machines, X, y, {})
    for one in machines:
        found, plain = machine.models[params_key(one)], clone(one).fit(X, y)
        assert found.n_iter_.tolist() == plain.n_iter_.tolist()
        np.testing.assert_array_equal(found.dual_coef_, plain.dual_coef_)
        new = rng.normal(size=(50, 6)) + 1.0
        np.testing.assert_array_equal(found.decision_function(new), plain.decision_function(new))


def test_with_few_support_vectors_no_whole_kernel_is_made(monkeypatch):
    """Libsvm then looks at little of its kernel, and making all of it would be slower than the plain loop."""
    monkeypatch.setattr(svm_kernels.Training, "gram", lambda *_: pytest.fail("a whole kernel was made"))
    rng = np.random.default_rng(4)
    X = rng.normal(size=(600, 2))
    X[:, 0] += np.repeat([-9, 9], 300)
    data = make_dataset(X, np.repeat([0, 1], 300))
    assert_twins(SVM, [SVC(C=C, gamma=0.02) for C in (1.0, 10.0)], data, folds(600, 5)[:1])


def test_numbers_of_very_different_size_are_answered_alike(table):
    X, y, _ = table
    for scale in ([1e-4, 1, 1e4], [1e6, 1e6, 1e6]):
        data = make_dataset(X * scale + 3.0, np.digitize(y, [0]))
        machines = [SVC(C=C, gamma=g) for C in (0.1, 10.0) for g in ("scale", 1e-3)]
        assert_twins(SVM, machines, data, folds(80, 3), ("predict", "decision_function"))


def test_equal_rows_of_huge_numbers_stay_equal(table):
    """Their distance from products is all rounding, which a large gamma would make a kernel value of zero."""
    X, y, _ = table
    data = make_dataset(1e20 * X, np.digitize(y, [0]))
    assert_twins(SVM, [SVC(C=C, gamma="auto") for C in (0.1, 10.0)], data, folds(80, 3), ("decision_function",))


@pytest.mark.parametrize("machine", [SVR(), SVC()], ids=["numbers", "classes"])
def test_an_answer_does_not_depend_on_what_else_is_asked_for(machine, table):
    """Else a study that was interrupted could go on to other bytes."""
    X, y, _ = table
    data = make_dataset(X, np.digitize(y, [0]) if isinstance(machine, SVC) else y)
    asked = ("decision_function",) if isinstance(machine, SVC) else ("predict",)
    machines = [clone(machine).set_params(C=C, gamma=g) for C in (0.1, 10.0) for g in (0.1, 1.0)]
    train = np.arange(60)
    together = solve(SVM, fits_of(machines, [(train, np.arange(60, 80))], asked), data)
    for one, many in zip(machines, together, strict=True):
        for rows in (np.arange(60, 61), np.arange(63, 70)):
            [alone] = solve(SVM, fits_of([one], [(train, rows)], asked), data)
            np.testing.assert_array_equal(alone[asked[0]], many[asked[0]][rows - 60])


def test_a_class_that_hangs_on_rounding_is_libsvms_own():
    """Rows on the boundary: the mirrored training rows cancel there but for rounding."""
    rng = np.random.default_rng(5)
    half = rng.normal(size=(40, 3))
    X, y = np.r_[half, half * [-1, 1, 1]], np.repeat([0, 1], 40)
    middle = rng.normal(size=(200, 3)) * [0, 1, 1]
    data = make_dataset(np.r_[X, middle], np.r_[y, np.zeros(100, int), np.ones(100, int)])
    machines = [SVC(C=C, gamma=g) for C in (0.01, 0.1) for g in (0.3, 1.0)]
    fits = fits_of(machines, [(np.arange(80), np.arange(80, 280))], ("predict",))
    for one, answer in zip(machines, solve(SVM, fits, data), strict=True):
        plain = clone(one).fit(X, y)
        assert (np.abs(plain.decision_function(middle)) < 1e-12).any(), "nothing is put to the test"
        np.testing.assert_array_equal(answer["predict"], plain.predict(middle))


def test_the_nu_machines_agree(table):
    X, y, _ = table
    assert_twins(SVM, [NuSVR(nu=nu) for nu in (0.3, 0.6)], make_dataset(X, y), folds(80, 3))
    labels = make_dataset(X, np.digitize(y, [0]))
    assert_twins(SVM, [NuSVC(nu=nu) for nu in (0.2, 0.4)], labels, folds(80, 3))


def test_a_training_part_of_one_class_is_left_to_other_ways(table):
    X, _, _ = table
    data = make_dataset(X, np.r_[np.ones(40), np.zeros(40)].astype(int))
    fits = fits_of([SVC(C=1.0), SVC(C=2.0)], [(np.arange(40), np.arange(40, 80))], ("predict",))
    assert solve(SVM, fits, data) == [None, None]


def test_what_it_cannot_answer_is_not_taken(table):
    X, y, _ = table
    data = make_dataset(X, y)
    refused = [SVR(max_iter=10), SVR(kernel="precomputed"), SVR(kernel=lambda a, b: a @ b.T), SVR(gamma=-1.0)]
    assert not any(SVM.takes(machine, data) for machine in refused)
    assert not SVM.takes(SVC(probability=True), make_dataset(X, np.digitize(y, [0])))
    wide = make_dataset(np.zeros((5001, 1)), np.arange(5001.0))
    assert not SVM.takes(SVR(), wide)


def test_the_kernel_is_made_once_for_all_penalties(table, monkeypatch):
    made = []
    plain = svm_kernels.Kernel.values
    monkeypatch.setattr(svm_kernels.Kernel, "values", lambda kernel, table: made.append(kernel) or plain(kernel, table))
    X, y, _ = table
    machines = [SVR(C=C, gamma=g) for C in (0.1, 1.0, 10.0) for g in (0.1, 1.0)]
    solve(SVM, fits_of(machines, folds(80, 2)[:1], ("predict",)), make_dataset(X, y))
    assert len(made) == 2  # for the training rows; libsvm makes those of the rows asked for


def test_a_users_own_machine_is_answered_without_being_asked_to(table):
    X, y, _ = table
    assert find([SVR(C=1.0), SVR(C=2.0)], make_dataset(X, y), is_builtin=False) is SVM


def test_rows_without_weight_are_left_to_other_ways(table):
    """Libsvm drops such rows, and then reads the wrong columns of a kernel that is ready made."""
    X, y, weights = table
    data = make_dataset(X, y, weights=np.where(weights < 1, 0.0, weights))
    machines = [make_pipeline(StandardScaler(), SVR(C=C, tol=1e-9)) for C in (0.1, 10.0)]
    assert not SVM.takes(machines[0], data)
    other = find(machines, data, solvers="all", is_builtin=True)
    assert other is not None
    assert_twins(other, machines, data, folds(80, 3))
