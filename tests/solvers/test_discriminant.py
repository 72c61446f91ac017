"""Discriminants from sums by class, against fitting every candidate to every training part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, folds, jobs_of, pairs

from foldwise.data.dataset import make_dataset
from foldwise.solvers.discriminant import SOLVERS

LINEAR, QUADRATIC = SOLVERS
RESPONSES = ("predict", "predict_proba", "decision_function")
LINEAR_MODELS = {
    "svd": [LinearDiscriminantAnalysis()],
    "lsqr": [LinearDiscriminantAnalysis(solver="lsqr")],
    "eigen": [LinearDiscriminantAnalysis(solver="eigen")],
    "drawn": [LinearDiscriminantAnalysis(solver="lsqr", shrinkage=value) for value in (0.01, 0.5, 1.0)],
    "drawn eigen": [LinearDiscriminantAnalysis(solver="eigen", shrinkage=value) for value in (0.01, 0.5, 1.0)],
}
QUADRATIC_MODELS = {
    "svd": [QuadraticDiscriminantAnalysis()],
    "drawn": [QuadraticDiscriminantAnalysis(reg_param=value) for value in (0.0, 0.01, 0.5, 1.0)],
    "eigen": [QuadraticDiscriminantAnalysis(solver="eigen")],
    "drawn eigen": [QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=value) for value in (0.01, 0.5, 1.0)],
}


def labelled(rows=90, columns=4, classes=3, seed=0, *, positive=None):
    rng = np.random.default_rng(seed)
    codes = np.r_[np.repeat(np.arange(classes), 2), rng.integers(0, classes, rows - 2 * classes)]
    X = rng.normal(size=(rows, columns)) + codes[:, None] * rng.normal(size=columns)
    return make_dataset(X + 0.5 * (codes[:, None] == 1) * X[:, ::-1], codes.astype(str), positive=positive)


@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("kind", LINEAR_MODELS)
def test_linear_discriminants_equal_the_plain_loop(kind, classes, is_scaled):
    models = LINEAR_MODELS[kind]
    models = [make_pipeline(StandardScaler(), model) for model in models] if is_scaled else models
    splits = [*folds(90, 90)[:20], *pairs(90, 4), *bootstraps(90, 2)]
    assert_twins(LINEAR, models, labelled(classes=classes), splits, RESPONSES)


@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", QUADRATIC_MODELS)
def test_quadratic_discriminants_equal_the_plain_loop(kind, classes, is_scaled):
    models = QUADRATIC_MODELS[kind]
    models = [make_pipeline(StandardScaler(), model) for model in models] if is_scaled else models
    splits = [*folds(90, 90)[:20], *pairs(90, 4), *bootstraps(90, 2)]
    assert_twins(QUADRATIC, models, labelled(classes=classes), splits, RESPONSES)


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(12, 50),
    columns=st.integers(1, 9),
    classes=st.integers(2, 4),
    spread=st.sampled_from([0.0, 2.0, 5.0]),
    offset=st.sampled_from([0.0, 10.0, 1e5]),
    odd=st.sampled_from(["none", "double", "constant", "zero", "flat class", "repeats"]),
    count=st.sampled_from([2, 4, 12]),
)
@settings(max_examples=25, deadline=None)
def test_any_table_equals_the_plain_loop_or_is_left_to_it(seed, rows, columns, classes, spread, offset, odd, count):
    data, rng = labelled(rows, columns, classes, seed), np.random.default_rng(seed)
    X = data.X * 10 ** rng.uniform(-spread, spread, columns) + offset
    extra = {
        "double": 2 * X[:, :1],
        "constant": np.full((rows, 1), 0.1),
        "zero": np.zeros((rows, 1)),
        "flat class": data.codes[:, None] * 1.0,
    }
    X = np.column_stack([X, extra[odd]]) if odd in extra else X
    X = X[np.arange(rows) // 2] if odd == "repeats" else X
    table, splits = make_dataset(X, data.y), folds(rows, count, seed) + bootstraps(rows, 1, seed)
    for solver, kinds in ((LINEAR, LINEAR_MODELS), (QUADRATIC, QUADRATIC_MODELS)):
        models = [model for kind in kinds.values() for model in kind[:2]]
        jobs = jobs_of(models, splits, RESPONSES)
        answers = solver.solve(jobs, table)
        sure = [at for at, answer in enumerate(answers) if answer is not None]
        for at in sure:  # the plain loop refuses some of the others
            job = jobs[at]
            assert_twins(solver, [job.estimator], table, [(job.train, job.rows)], RESPONSES)


def test_collinear_columns_and_columns_of_zeros_are_dropped_as_the_svd_drops_them():
    data = labelled()
    X = np.column_stack([data.X, data.X[:, 0] - data.X[:, 1], np.zeros(90)])
    assert_twins(LINEAR, LINEAR_MODELS["svd"], make_dataset(X, data.y), folds(90, 5), RESPONSES)


def test_columns_of_very_different_size_keep_their_digits():
    data = labelled()
    table = make_dataset(data.X * [1e-4, 1.0, 1e3, 1e6], data.y)
    assert_twins(LINEAR, LINEAR_MODELS["svd"], table, folds(90, 5), RESPONSES)
    wide = make_dataset(data.X * [1.0, 1e1, 1e2, 1e4], data.y)
    assert_twins(QUADRATIC, QUADRATIC_MODELS["svd"], wide, folds(90, 5), RESPONSES)


def test_more_columns_than_rows_are_drawn_as_the_plain_loop_draws_them():
    wide = labelled(rows=30, columns=60)
    assert_twins(LINEAR, LINEAR_MODELS["drawn"], wide, folds(30, 3), RESPONSES)
    jobs = jobs_of(LINEAR_MODELS["svd"], folds(30, 3), RESPONSES)
    assert LINEAR.solve(jobs, wide) == [None] * 3
    assert not LINEAR.pays(jobs * 20, wide)


def test_class_means_nearly_in_a_row_are_left_to_the_plain_loop():
    codes = np.arange(90) % 3
    X = np.random.default_rng(0).normal(size=(90, 3)) + codes[:, None] * [3e3, 0.0, 0.0]
    jobs = jobs_of(LINEAR_MODELS["svd"], folds(90, 3), ("decision_function",))
    assert LINEAR.solve(jobs, make_dataset(X, codes.astype(str))) == [None] * 3


def test_a_class_named_positive_keeps_its_sign():
    data = labelled(classes=2, positive="0")
    assert data.classes == ("1", "0")
    assert_twins(LINEAR, LINEAR_MODELS["svd"], data, folds(90, 4), RESPONSES)
    assert_twins(QUADRATIC, QUADRATIC_MODELS["svd"], data, folds(90, 4), RESPONSES)


def test_missing_and_small_classes_are_left_to_the_plain_loop():
    data = labelled(rows=40)
    splits = [(np.flatnonzero(data.codes != 2), np.flatnonzero(data.codes == 2)), *folds(40, 5)]
    answers = LINEAR.solve(jobs_of(LINEAR_MODELS["svd"], splits, ("predict",)), data)
    assert answers[0] is None
    assert None not in answers[1:]
    small = labelled(rows=20, columns=8, classes=4)
    jobs = jobs_of(QUADRATIC_MODELS["drawn"][1:3], folds(20, 2), ("predict",))
    assert QUADRATIC.solve(jobs, small) == [None] * 4


@pytest.mark.parametrize(
    ("solver", "model"),
    [
        (LINEAR, LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
        (LINEAR, LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1e-6)),
        (LINEAR, LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5])),
        (LINEAR, LinearDiscriminantAnalysis(n_components=1)),
        (LINEAR, type("Own", (LinearDiscriminantAnalysis,), {})()),
        (QUADRATIC, QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto")),
        (QUADRATIC, QuadraticDiscriminantAnalysis(priors=[0.2, 0.3, 0.5])),
    ],
)
def test_what_it_does_not_know_it_does_not_take(solver, model):
    assert not solver.takes(model, labelled())


def test_it_pays_for_many_parts_and_not_for_one_fit():
    data = labelled(rows=300)
    for solver, model in ((LINEAR, LinearDiscriminantAnalysis()), (QUADRATIC, QuadraticDiscriminantAnalysis())):
        jobs = jobs_of([model], folds(300, 300), ("predict",))
        assert solver.pays(jobs, data)
        assert not solver.pays(jobs[:1], data)
