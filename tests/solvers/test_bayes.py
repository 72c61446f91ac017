"""Smoothing applied to counts made once (solvers/family.py), against fitting every candidate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, solve

from foldwise.data.dataset import make_dataset
from foldwise.solvers.bayes import SOLVERS

GAUSSIAN, MULTINOMIAL, COMPLEMENT, BERNOULLI, REGULARIZED, QUADRATIC, LINEAR = SOLVERS
RESPONSES = ("predict", "predict_proba")
ALL_RESPONSES = (*RESPONSES, "decision_function")


def labelled(rows=90, columns=4, classes=3, seed=0, *, is_counts=False, weighted=False):
    rng = np.random.default_rng(seed)
    codes = np.r_[np.repeat(np.arange(classes), 2), rng.integers(0, classes, rows - 2 * classes)]
    X = rng.normal(size=(rows, columns)) + codes[:, None] * rng.normal(size=columns)
    X = rng.poisson(np.exp(np.clip(X, -2, 2))).astype(float) if is_counts else X
    return make_dataset(X, codes.astype(str), weights=rng.uniform(0.5, 2, rows) if weighted else None)


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(12, 40),
    columns=st.integers(1, 4),
    classes=st.integers(2, 4),
    weighted=st.booleans(),
    values=st.lists(st.floats(-9, 1), min_size=2, max_size=4),
)
@settings(max_examples=6)
def test_every_smoothing_is_read_from_one_count(seed, rows, columns, classes, weighted, values):
    amounts = [10.0**value for value in values]
    splits = folds(rows, 3, seed)
    counts = labelled(rows, columns, classes, seed, is_counts=True, weighted=weighted)
    for solver, kind in ((MULTINOMIAL, MultinomialNB), (COMPLEMENT, ComplementNB), (BERNOULLI, BernoulliNB)):
        models = [kind(alpha=amount) for amount in amounts]
        assert_twins(solver, models, counts, splits, RESPONSES, tolerance=0, allow_none=True)
    numbers = labelled(rows, columns, classes, seed, weighted=weighted)
    models = [GaussianNB(var_smoothing=amount) for amount in amounts]
    assert_twins(GAUSSIAN, models, numbers, splits, RESPONSES, tolerance=0)


@pytest.mark.parametrize("classes", [2, 4])
def test_discriminants_agree_along_their_path(classes):
    data = labelled(classes=classes)
    splits = folds(90, 3) + bootstraps(90, 1)
    quadratic = [QuadraticDiscriminantAnalysis(reg_param=value) for value in (0.0, 0.01, 0.5, 1.0)]
    assert_twins(REGULARIZED, quadratic, data, splits, ALL_RESPONSES, tolerance=0)
    linear = [LinearDiscriminantAnalysis(solver="lsqr", shrinkage=value) for value in (0.001, 0.01, 0.5, 1.0)]
    assert_twins(LINEAR, linear, data, splits, ALL_RESPONSES, tolerance=1e-10)


def test_linear_discriminants_agree_with_more_columns_than_rows_and_collinear_ones():
    wide = labelled(rows=30, columns=60)
    models = [LinearDiscriminantAnalysis(solver="lsqr", shrinkage=value) for value in (0.001, 0.1, 0.9)]
    assert_twins(LINEAR, models, wide, folds(30, 3), ALL_RESPONSES, tolerance=1e-10)
    X = np.column_stack([wide.X[:, :2], wide.X[:, 0], np.ones(30)])
    assert_twins(LINEAR, models, make_dataset(X, wide.y), folds(30, 3), ALL_RESPONSES, tolerance=1e-10)


def test_a_class_of_too_few_rows_is_left_to_the_plain_loop():
    data = labelled(rows=20, columns=8, classes=4)
    models = [QuadraticDiscriminantAnalysis(reg_param=value) for value in (0.1, 0.2)]
    assert solve(REGULARIZED, fits_of(models, folds(20, 2), ("predict",)), data) == [None] * 4


def test_a_pass_counts_once(monkeypatch):
    counted = []
    plain_fit = MultinomialNB.fit
    monkeypatch.setattr(MultinomialNB, "fit", lambda self, *a, **k: counted.append(1) or plain_fit(self, *a, **k))
    models = [MultinomialNB(alpha=value) for value in (0.1, 1.0, 2.0)]
    solve(MULTINOMIAL, fits_of(models, folds(90, 3), ("predict",)), labelled(is_counts=True))
    assert len(counted) == 3


def test_values_with_warnings_or_other_formulas_are_not_taken():
    data = labelled()
    assert not MULTINOMIAL.takes(MultinomialNB(alpha=0.0), data)
    assert not MULTINOMIAL.takes(MultinomialNB(alpha=[1.0, 2.0, 3.0, 4.0]), data)
    assert not LINEAR.takes(LinearDiscriminantAnalysis(), data)
    assert not LINEAR.takes(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), data)
    assert not QUADRATIC.takes(QuadraticDiscriminantAnalysis(solver="eigen"), data)


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(20, 60),
    columns=st.integers(1, 9),
    classes=st.integers(2, 4),
    spread=st.sampled_from([0.0, 2.0]),
    shrinkage=st.floats(-3, 0),
)
def test_shrunk_covariances_equal_the_plain_loop_or_are_left_to_it(seed, rows, columns, classes, spread, shrinkage):
    plain, rng = labelled(rows, columns, classes, seed), np.random.default_rng(seed)
    data = make_dataset(plain.X * 10 ** rng.uniform(-spread, spread, columns), plain.y)
    models = [QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=value) for value in (10**shrinkage, 0.1)]
    for fit in fits_of(models, folds(rows, 3, seed), ALL_RESPONSES):
        if solve(QUADRATIC, [fit], data) != [None]:  # the plain loop refuses some of the others
            assert_twins(QUADRATIC, [fit.estimator], data, [(fit.train, fit.rows)], ALL_RESPONSES)


def test_shrunk_covariances_need_no_more_rows_of_a_class_than_columns():
    wide = labelled(rows=40, columns=30)
    models = [QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=value) for value in (0.001, 0.1, 0.9, 1.0)]
    assert_twins(QUADRATIC, models, wide, [*folds(40, 3), *bootstraps(40, 2)], ALL_RESPONSES)
    scaled = [make_pipeline(StandardScaler(), model) for model in models]
    assert_twins(QUADRATIC, scaled, wide, folds(40, 3), ALL_RESPONSES)


def test_a_class_named_positive_keeps_its_column_and_sign():
    plain = labelled(classes=2)
    data = make_dataset(plain.X, plain.y, positive="0")
    assert data.classes == ("1", "0")
    assert_twins(GAUSSIAN, [GaussianNB(var_smoothing=0.1)] * 2, data, folds(90, 4), RESPONSES)
    assert_twins(LINEAR, [LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)], data, folds(90, 4), ALL_RESPONSES)
