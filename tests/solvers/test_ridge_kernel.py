"""Kernel ridge and fixed Gaussian processes against scikit-learn, fit by fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import TransformedTargetRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, pairs, requests_of, solve

from foldwise.data.dataset import make_dataset
from foldwise.solvers.ridge_kernel import KernelRidgeSolver

SOLVER = KernelRidgeSolver()
PENALTIES = (0.01, 0.1, 1.0, 100.0)


def rows(n: int, d: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + 0.3 * rng.normal(size=n) + 1


def ridges(**settings):
    return [KernelRidge(alpha=penalty, **settings) for penalty in PENALTIES]


@pytest.mark.few(3)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", "cosine"])
def test_every_kernel_equals_the_plain_loop(kernel):
    data = make_dataset(*rows(50, 3))
    assert_twins(SOLVER, ridges(kernel=kernel, degree=2), data, [*folds(50, 4), *pairs(50, 4), *bootstraps(50, 2)])


@pytest.mark.parametrize("is_scaled", [False, True])
def test_weights_and_scaling_inside_the_folds_equal_the_plain_loop(is_scaled):
    X, y = rows(60, 4)
    learners = ridges(kernel="rbf", gamma=0.2)
    if is_scaled:
        X[:, 0] *= 100
        learners = [make_pipeline(StandardScaler(), learner) for learner in learners]
    assert_twins(SOLVER, learners, make_dataset(X, y, weights=np.linspace(0.5, 2, 60)), folds(60, 5))


def test_leave_one_out_and_training_rows_equal_the_plain_loop():
    data = make_dataset(*rows(30, 2))
    half = np.arange(0, 30, 2)
    assert_twins(SOLVER, ridges(kernel="laplacian"), data, [*folds(30, 30), (half, np.arange(30))])


@pytest.mark.few(1)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("count", [1, 9])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_leaving_out_one_row_or_ten_holds_at_both_ends_of_the_path(kernel, count, weighted):
    X, y = rows(60, 3)
    penalties = (0.01, 1e6) if count == 1 else np.logspace(-2, 6, count)  # few and many go different ways
    learners = [KernelRidge(alpha=penalty, kernel=kernel) for penalty in penalties]
    data = make_dataset(X, y, weights=np.linspace(0.5, 2, 60) if weighted else None)
    in_doubt = weighted and kernel == "linear"  # digits of some answers; these are left to the plain loop
    assert_twins(SOLVER, learners, data, folds(60, 60), allow_none=in_doubt)
    assert_twins(SOLVER, learners, data, [*folds(60, 60)[:5], *folds(60, 10)], allow_none=in_doubt)


@pytest.mark.few(1)
@pytest.mark.parametrize("normalize", [False, True])
def test_processes_left_one_row_out_equal_the_plain_loop(normalize):
    X, y = rows(40, 2)
    learners = [GaussianProcessRegressor(alpha=noise, optimizer=None, normalize_y=normalize) for noise in (1e-3, 1.0)]
    assert_twins(SOLVER, learners, make_dataset(X, y + 5), [*folds(40, 40), *folds(40, 10)])


@pytest.mark.few(1)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_a_scaled_target_equals_the_plain_loop(is_scaled, weighted):
    X, y = rows(50, 3)
    learners = [TransformedTargetRegressor(ridge, transformer=StandardScaler()) for ridge in ridges(kernel="rbf")]
    learners = [make_pipeline(StandardScaler(), learner) for learner in learners] if is_scaled else learners
    data = make_dataset(X, 3 * y + 5, weights=np.linspace(0.5, 2, 50) if weighted else None)
    assert_twins(SOLVER, learners, data, [*folds(50, 50)[:10], *folds(50, 10), *bootstraps(50, 2)])


def test_predictions_keep_their_digits_beside_large_residuals():
    X, y = rows(60, 3)
    learners = [KernelRidge(alpha=penalty) for penalty in np.logspace(-4, 6, 9)]
    answers = assert_twins(SOLVER, learners, make_dataset(X, y + 100), folds(60, 60), allow_none=True)
    assert None not in answers[-240:]


def test_leaving_out_is_doubted_where_rounding_shows():
    X, y = rows(60, 1)
    learners = [KernelRidge(alpha=1e-12, kernel="rbf", gamma=0.01)]
    answers = assert_twins(SOLVER, learners, make_dataset(X, y), folds(60, 60), allow_none=True)
    assert answers == [None] * 60


@pytest.mark.parametrize("kernel", [None, RBF(0.5), Matern() + WhiteKernel(0.1)])
@pytest.mark.parametrize("normalize", [False, True])
def test_processes_with_a_fixed_kernel_equal_the_plain_loop(kernel, normalize):
    data = make_dataset(*rows(40, 2))
    learners = [
        GaussianProcessRegressor(kernel, alpha=noise, optimizer=None, normalize_y=normalize) for noise in PENALTIES
    ]
    assert_twins(SOLVER, learners, data, folds(40, 4))


def test_kernels_that_print_alike_are_told_apart():
    data = make_dataset(*rows(40, 2))
    learners = [GaussianProcessRegressor(RBF(length), alpha=0.1, optimizer=None) for length in (1.0001, 1.004)]
    assert repr(learners[0].kernel) == repr(learners[1].kernel)
    assert_twins(SOLVER, learners, data, folds(40, 4))


def test_a_process_asked_for_its_training_rows_is_left_to_the_plain_loop():
    data = make_dataset(*rows(20, 2))
    fits = fits_of([GaussianProcessRegressor(optimizer=None)], [(np.arange(10), np.arange(20))], ("predict",))
    assert solve(SOLVER, fits, data) == [None]


@given(
    n=st.integers(8, 50),
    d=st.integers(1, 8),
    count=st.integers(2, 6),
    penalty=st.sampled_from([1e-10, 1e-6, 1e-3, 1.0]),
    gamma=st.sampled_from([None, 1e-3, 1.0, 30.0]),
    repeat=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_table_and_penalty_equals_the_plain_loop_or_is_left_to_it(n, d, count, penalty, gamma, repeat, seed):
    X, y = rows(n, d, seed)
    if repeat:
        X[n // 2 :] = X[: n - n // 2]
    learners = [KernelRidge(alpha=penalty, kernel="rbf", gamma=gamma)]
    answers = assert_twins(SOLVER, learners, make_dataset(X, y), folds(n, count, seed), allow_none=True)
    assert penalty < 1.0 or None not in answers


@pytest.mark.parametrize(
    "learner",
    [
        KernelRidge(kernel="precomputed"),
        KernelRidge(kernel=lambda a, b: 1.0),
        KernelRidge(alpha=[1.0]),
        GaussianProcessRegressor(),
        GaussianProcessRegressor(RBF()),
        GaussianProcessRegressor(optimizer=None, alpha=np.ones(20)),
        type("Own", (KernelRidge,), {})(),
    ],
)
def test_what_it_does_not_know_it_does_not_take(learner):
    assert not SOLVER.takes(learner, make_dataset(*rows(20, 2)))


def test_it_pays_for_many_penalties_and_not_for_one_fit():
    data = make_dataset(*rows(300, 3))
    many = fits_of([KernelRidge(alpha=a) for a in np.logspace(-2, 2, 30)], folds(300, 5), ("predict",))
    assert SOLVER.pays(requests_of(many), data)
    assert not SOLVER.pays(requests_of(many[:1]), data)
