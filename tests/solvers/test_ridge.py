"""Ridge against scikit-learn (solvers/ridge_primal.py, solvers/ridge_dual.py, solvers/ridge_penalties.py)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, pairs, plain, requests_of, solve

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.solvers import ridge_penalties, ridge_primal
from foldwise.solvers.ridge import RidgeSolver

SOLVER = RidgeSolver()
PENALTIES = (1e-4, 1e-2, 1.0, 30.0, 1e4)
CLASSED = ("predict", "decision_function")


def rows(n: int, d: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) / np.sqrt(d) + rng.normal(size=n) + 3


def ridges(**settings):
    return [Ridge(penalty, **settings) for penalty in PENALTIES]


@pytest.mark.few(4)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("shape", [(60, 5), (60, 1), (30, 50)], ids=["tall", "one column", "wide"])
def test_every_penalty_on_every_training_part_equals_the_plain_loop(shape, is_weighted, intercept):
    X, y = rows(*shape)
    weights = np.random.default_rng(1).uniform(0.2, 3, shape[0]) if is_weighted else None
    data = make_dataset(X, y, weights=weights)
    splits = [*folds(shape[0], 4), *pairs(shape[0], 4)]
    assert_twins(SOLVER, ridges(fit_intercept=intercept), data, splits)


@pytest.mark.few(4)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("scaler", [StandardScaler(), StandardScaler(with_std=False), StandardScaler(with_mean=False)])
@pytest.mark.parametrize("shape", [(60, 5), (30, 50)], ids=["tall", "wide"])
def test_scaling_inside_the_folds_equals_the_plain_loop(shape, scaler, intercept):
    X, y = rows(*shape)
    X[:, 0] *= 30
    weights = np.random.default_rng(1).uniform(0.2, 3, shape[0])
    data = make_dataset(X, y, weights=weights)
    learners = [make_pipeline(scaler, learner) for learner in ridges(fit_intercept=intercept)]
    # without an intercept the mean of the target lies in the null space of centred rows, for scikit-learn too
    is_null = not intercept and scaler.with_mean and shape[0] < shape[1]
    answers = assert_twins(SOLVER, learners, data, folds(shape[0], 4), allow_none=is_null)
    assert None not in answers[16 if is_null else 8 :]


def test_the_built_in_learner_is_answered():
    data = make_dataset(*rows(60, 4))
    estimator = builtin("ridge", data).estimator
    assert_twins(SOLVER, [estimator.set_params(learner__alpha=0.3)], data, folds(60, 5))


@pytest.mark.few(1)
@pytest.mark.parametrize("shape", [(30, 3), (20, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_leave_one_out_equals_the_plain_loop(shape, is_scaled, intercept):
    data = make_dataset(*rows(*shape), weights=np.linspace(0.5, 2, shape[0]))
    learners = ridges(fit_intercept=intercept)
    if is_scaled:
        learners = [make_pipeline(StandardScaler(), learner) for learner in learners]
    is_null = not intercept and is_scaled and shape[0] < shape[1]
    answers = assert_twins(SOLVER, learners, data, folds(shape[0], shape[0]), allow_none=is_null)
    assert None not in answers[2 * shape[0] :]


@pytest.mark.parametrize("shape", [(50, 4), (30, 40)], ids=["tall", "wide"])
def test_bootstraps_and_training_rows_equal_the_plain_loop(shape):
    data = make_dataset(*rows(*shape))
    some = np.arange(0, shape[0], 3)
    assert_twins(SOLVER, ridges(), data, [*bootstraps(shape[0], 2), (some, np.arange(shape[0]))])


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("shape", [(70, 5), (40, 60)], ids=["tall", "wide"])
def test_classes_and_decisions_equal_the_plain_loop(shape, classes):
    X, y = rows(*shape)
    label = np.array(["b", "d", "a", "c"], dtype=object)[
        np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    ]
    data = make_dataset(X, label, positive="b" if classes == 2 else None)
    assert_twins(SOLVER, [RidgeClassifier(penalty) for penalty in PENALTIES], data, folds(shape[0], 4), CLASSED)


def test_a_training_part_without_a_class_is_left_to_the_plain_loop():
    X = rows(40, 3)[0]
    label = np.array(["a", "b", "c"], dtype=object)[np.arange(40) % 3]
    train = np.flatnonzero(label != "c")
    fits = fits_of([RidgeClassifier()], [(train, np.flatnonzero(label == "c"))], ("predict",))
    assert solve(SOLVER, fits, make_dataset(X, label)) == [None]


@pytest.mark.parametrize("intercept", [True, False])
def test_least_squares_equals_the_plain_loop(intercept):
    data = make_dataset(*rows(60, 5), weights=np.linspace(0.5, 2, 60))
    assert_twins(SOLVER, [LinearRegression(fit_intercept=intercept)], data, [*folds(60, 5), *folds(60, 60)])


def test_least_squares_of_dependent_columns_is_left_to_the_plain_loop():
    X, y = rows(40, 4)
    X[:, 3] = X[:, 0] - 2 * X[:, 1]
    answers = solve(SOLVER, fits_of([LinearRegression(), Ridge(0.0)], folds(40, 4), ("predict",)), make_dataset(X, y))
    assert answers == [None] * 8


def test_a_column_that_varies_in_the_held_out_rows_alone_equals_the_plain_loop():
    X, y = rows(50, 4)
    X[:, 2] = 7.0
    X[:10, 2] += np.arange(10) * 1e4
    data = make_dataset(X, y)
    splits = [(np.arange(10, 50), np.arange(10)), (np.arange(5, 50), np.arange(5))]
    learners = [*ridges(), *(make_pipeline(StandardScaler(), learner) for learner in ridges())]
    assert_twins(SOLVER, learners, data, splits, allow_none=True)
    assert_twins(SOLVER, [make_pipeline(StandardScaler(), Ridge())], data, splits[:1])


def test_rows_far_from_all_others_cost_no_digits_where_they_are_left_out():
    X, y = rows(60, 4)
    X[:6] *= 1e5
    learners = [make_pipeline(StandardScaler(), learner) for learner in ridges()]
    assert_twins(SOLVER, learners, make_dataset(X, y), [(np.arange(6, 50), np.arange(50, 60))])


def test_means_far_from_nought_cost_no_digits():
    X, y = rows(80, 5)
    assert_twins(SOLVER, ridges(), make_dataset(X + 1e5, y + 1e5), folds(80, 5), tolerance=1e-10)


@given(
    n=st.integers(8, 50),
    d=st.integers(1, 30),
    count=st.integers(2, 6),
    kind=st.sampled_from(["plain", "collinear", "constant", "unequal", "repeated"]),
    is_scaled=st.booleans(),
    intercept=st.booleans(),
    is_weighted=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_table_equals_the_plain_loop(n, d, count, kind, is_scaled, intercept, is_weighted, seed):
    X, y = rows(n, d, seed)
    if kind == "collinear":
        X[:, -1] = X[:, 0] * 3
    if kind == "constant":
        X[:, -1] = 2.0
    if kind == "unequal":
        X *= 10.0 ** np.linspace(-3, 3, d)
    if kind == "repeated":
        X[n // 2 :] = X[: n - n // 2]
    weights = np.random.default_rng(seed).uniform(0.1, 2, n) if is_weighted else None
    learners = ridges(fit_intercept=intercept)
    if is_scaled:
        learners = [make_pipeline(StandardScaler(), learner) for learner in learners]
    data = make_dataset(X, y, weights=weights)
    answers = assert_twins(SOLVER, learners, data, folds(n, count, seed), allow_none=True)
    assert kind in ("unequal", "collinear", "repeated", "constant") or None not in answers[2 * count :]


@pytest.mark.parametrize(
    "learner",
    [
        Ridge(positive=True),
        Ridge(alpha=np.array([1.0])),
        Ridge(solver="sag"),
        RidgeClassifier(),
        type("Own", (Ridge,), {})(),
        make_pipeline(StandardScaler(), StandardScaler(), Ridge()),
    ],
)
def test_what_it_does_not_know_it_does_not_take(learner):
    assert not SOLVER.takes(learner, make_dataset(*rows(20, 2)))


def test_it_pays_for_many_penalties_and_not_for_one_fit_of_a_wide_table():
    data = make_dataset(*rows(200, 190))
    many = fits_of(ridges(), folds(200, 5), ("predict",))
    assert SOLVER.pays(requests_of(many), data)
    assert not SOLVER.pays(requests_of(many[:1]), data)


def test_whether_it_pays_is_the_same_for_the_rest_of_a_batch():
    """Or a study that was killed would go on with other bits."""
    data = make_dataset(*rows(200, 3))
    ends = fits_of(ridges()[:1], folds(200, 5), ("predict",))
    assert {SOLVER.pays(requests_of(ends[at:]), data) for at in range(len(ends))} == {True}


@pytest.mark.few(3)
@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_well_conditioned_wide_tables_answered_by_a_few_steps_equal_the_plain_loop(is_weighted, intercept, is_scaled):
    X, y = rows(2000, 160)
    weights = np.random.default_rng(1).uniform(0.5, 2, 2000) if is_weighted else None
    learners = ridges(fit_intercept=intercept)
    if is_scaled:
        learners = [make_pipeline(StandardScaler(), learner) for learner in learners]
    splits = [*folds(2000, 8)[:1], *bootstraps(2000, 1), (np.arange(400), np.arange(300, 500))]
    assert_twins(SOLVER, learners, make_dataset(X * 0.1 + 1, y, weights=weights), splits)


def test_columns_that_nearly_repeat_each_other_equal_the_plain_loop_at_any_penalty():
    X, y = rows(500, 160)
    X[:, 80:] = X[:, :80] + 1e-3 * X[:, 80:]
    answers = assert_twins(SOLVER, ridges(), make_dataset(X, y), folds(500, 4), allow_none=True)
    assert None not in answers[8:]  # the two smallest penalties may hang on the last digits


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(40, 5), (20, 30)], ids=["tall", "wide"])
def test_columns_far_from_nought_beside_their_spread_are_answered_to_ten_digits_or_left(shape, intercept):
    X, y = rows(*shape)
    X += np.resize([1e6, 0.0, -1e8, 1e3, 1e7], shape[1])
    learners = ridges(fit_intercept=intercept)
    for made in (learners, [make_pipeline(StandardScaler(with_mean=False), learner) for learner in learners]):
        assert_twins(
            SOLVER, made, make_dataset(X, y), [*folds(shape[0], 3), *folds(shape[0], shape[0])[:4]], allow_none=True
        )


def test_columns_far_from_nought_are_answered_after_a_scaler():
    X, y = rows(40, 5)
    assert_twins(
        SOLVER, [make_pipeline(StandardScaler(), one) for one in ridges()], make_dataset(X + 1e6, y), folds(40, 3)
    )


@pytest.mark.parametrize("last", [1e-10, 1e-14], ids=["nearly constant", "constant but for rounding"])
def test_nearly_constant_columns_are_answered_to_ten_digits_or_left(last):
    X, y = rows(40, 5)
    X[:, -1] = 1 + last * X[:, -1]
    learners = [Ridge(0.0), *ridges(), LinearRegression()]
    for learner in learners:
        assert_twins(SOLVER, [learner], make_dataset(X, y), folds(40, 3), allow_none=True)


def test_least_squares_leaves_columns_of_very_different_size_to_the_plain_loop_which_drops_some():
    X, y = rows(40, 5)
    data = make_dataset(X * [1e-8, 1e8, 1.0, 1e-4, 1e4], y)
    assert_twins(SOLVER, [LinearRegression()], data, folds(40, 3), allow_none=True)
    mild = make_dataset(X * [1e-2, 1e2, 1.0, 1.0, 1.0], y)
    assert_twins(SOLVER, [LinearRegression()], mild, folds(40, 3))


def test_square_training_parts_are_solved_by_their_columns_as_in_the_plain_loop():
    X, y = rows(12, 6)
    X[:, -1] = 1 + 1e-10 * X[:, -1]
    learners = [make_pipeline(StandardScaler(), Ridge(penalty)) for penalty in (0.0, 1e-14, 1.0)]
    assert_twins(SOLVER, learners, make_dataset(X, y), [(np.arange(6), np.arange(6, 12))], allow_none=True)


def test_a_column_that_hardly_varied_yet_is_answered_to_ten_digits_or_left():
    time = np.linspace(0, 1, 60)
    data = make_dataset(np.vander(time, 12), np.sin(5 * time))
    splits = [(np.arange(end), np.arange(end, end + 5)) for end in (13, 20, 40)]
    learners = [make_pipeline(StandardScaler(), learner) for learner in ridges()]
    assert_twins(SOLVER, learners, data, splits, allow_none=True)


def test_small_targets_are_answered_to_as_many_digits_as_large_ones():
    time = np.linspace(0, 1, 40)
    target = 1e-9 * np.sin(5 * time)
    data, splits, learners = make_dataset(np.vander(time, 9), target), folds(40, 4), [Ridge(1e-12), Ridge(1e-9)]
    for fit, answer in zip(
        fits_of(learners, splits, ("predict",)),
        assert_twins(SOLVER, learners, data, splits, allow_none=True),
        strict=True,
    ):
        if answer is not None:
            expected = plain(fit, data)["predict"]
            np.testing.assert_allclose(answer["predict"], expected, rtol=0, atol=1e-10 * np.abs(target).max())


@pytest.mark.parametrize("narrow", [1e-7, 1e-6, 5e-6, 1e-5, 1e-4])
@pytest.mark.parametrize("shape", [(40, 5), (20, 30)], ids=["tall", "wide"])
def test_least_squares_that_drops_directions_by_its_tolerance_is_left_to_the_plain_loop(shape, narrow):
    X, y = rows(*shape)
    data, splits = make_dataset(X * np.where(np.arange(shape[1]) < shape[1] - 3, narrow, 1.0), y), folds(shape[0], 3)
    for tol in (1e-12, 1e-6, 1e-5):
        assert_twins(SOLVER, [LinearRegression(tol=tol)], data, splits, allow_none=True)


def test_least_squares_with_a_loose_tolerance_is_not_taken():
    X, y = rows(20, 3)
    assert not SOLVER.takes(LinearRegression(tol=0.1), make_dataset(X, y))


def test_least_squares_on_columns_of_many_sizes_equals_the_plain_loop():
    B = load_breast_cancer().data
    assert_twins(SOLVER, [LinearRegression()], make_dataset(B[:, 1:], B[:, 0]), folds(len(B), 5), allow_none=True)


def test_rows_predicted_in_blocks_are_predicted_alike(monkeypatch):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(90, 4)) + 3
    data = make_dataset(X, X @ [1.0, 2.0, 0.0, -1.0] + rng.normal(size=90))
    monkeypatch.setattr(ridge_primal, "BLOCK", 4 * 7)
    monkeypatch.setattr(ridge_primal, "SMALL", 10)
    learners = [make_pipeline(StandardScaler(), Ridge(alpha)) for alpha in (1e-6, 1.0, 1e4)]
    assert_twins(SOLVER, learners, data, folds(90, 3))


@pytest.mark.parametrize("classes", [False, True])
def test_answers_that_are_handed_on_some_at_a_time_have_the_bits_of_all_at_once(classes, monkeypatch):
    """A copy of all answers of a training set was as large again as they are."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] > 0, "yes", "no") if classes else X[:, 0] + rng.normal(size=60)
    estimator = RidgeClassifier() if classes else Ridge()
    learner = fw.tune(estimator, alpha=[float(alpha) for alpha in np.logspace(2, -2, 30)])
    options = {"outer": 3, "inner": 3, "jobs": 1, "solvers": "all"}
    whole = fw.compare({"ridge": learner}, X, y, **options)
    sizes = []
    responses = ridge_penalties.PenaltyBatch._responses
    monkeypatch.setattr(ridge_penalties, "HANDED", 100)
    monkeypatch.setattr(
        ridge_penalties.PenaltyBatch, "_responses", lambda *args: (sizes.append(len(args[-1])), responses(*args))[1]
    )
    some = fw.compare({"ridge": learner}, X, y, **options)
    assert max(sizes) < 30
    assert [one["folds"] for one in some.to_dict()["methods"]] == [one["folds"] for one in whole.to_dict()["methods"]]
    assert some.fits_made == whole.fits_made
