"""Naive Bayes from sums by class, against fitting every candidate to every training part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, folds, jobs_of, pairs

from foldwise.data.dataset import make_dataset
from foldwise.solvers.bayes import SOLVERS
from foldwise.solvers.class_sums import ClassSums
from foldwise.solvers.finding import find

GAUSSIAN, MULTINOMIAL, COMPLEMENT, BERNOULLI = SOLVERS[:4]
COUNTED = ((MULTINOMIAL, MultinomialNB), (COMPLEMENT, ComplementNB), (BERNOULLI, BernoulliNB))
RESPONSES = ("predict", "predict_proba")


def labelled(rows=90, columns=4, classes=3, seed=0, *, is_counts=False, weighted=False, positive=None):
    rng = np.random.default_rng(seed)
    codes = np.r_[np.repeat(np.arange(classes), 2), rng.integers(0, classes, rows - 2 * classes)]
    X = rng.normal(size=(rows, columns)) + codes[:, None] * rng.normal(size=columns)
    X = rng.poisson(np.exp(np.clip(X, -2, 2))).astype(float) if is_counts else X
    weights = rng.uniform(0.5, 2, rows) if weighted else None
    return make_dataset(X, codes.astype(str), weights=weights, positive=positive)


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(12, 40),
    columns=st.integers(1, 6),
    classes=st.integers(2, 4),
    weighted=st.booleans(),
    values=st.lists(st.floats(-9, 1), min_size=1, max_size=3),
    count=st.sampled_from([2, 3, 12]),
)
@settings(max_examples=12, deadline=None)
def test_every_smoothing_and_every_part_equal_the_plain_loop(seed, rows, columns, classes, weighted, values, count):
    amounts = [10.0**value for value in values]
    splits = folds(rows, count, seed) + bootstraps(rows, 1, seed)
    counts = labelled(rows, columns, classes, seed, is_counts=True, weighted=weighted)
    for solver, kind in COUNTED:
        models = [kind(alpha=amount) for amount in amounts]
        assert_twins(solver, models, counts, splits, RESPONSES, allow_none=True)
    numbers = labelled(rows, columns, classes, seed, weighted=weighted)
    models = [GaussianNB(var_smoothing=amount) for amount in amounts]
    assert_twins(GAUSSIAN, models, numbers, splits, RESPONSES, allow_none=True)
    models = [make_pipeline(StandardScaler(), model) for model in models]
    assert_twins(GAUSSIAN, models, numbers, splits, RESPONSES, allow_none=True)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_gaussian_leave_one_out_folds_and_pairs_are_all_answered(weighted, is_scaled):
    data = labelled(rows=60, weighted=weighted)
    models = [GaussianNB(var_smoothing=value) for value in (1e-9, 0.1)]
    models = [make_pipeline(StandardScaler(), model) for model in models] if is_scaled else models
    assert_twins(GAUSSIAN, models, data, [*folds(60, 60), *pairs(60, 5)], RESPONSES)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("solver", "kind"), COUNTED)
def test_counted_leave_one_out_and_bootstraps_are_all_answered(solver, kind, weighted):
    data = labelled(rows=60, columns=7, is_counts=True, weighted=weighted)
    models = [kind(alpha=0.5), kind(alpha=2.0)]
    assert_twins(solver, models, data, [*folds(60, 60), *bootstraps(60, 3)], RESPONSES)


@pytest.mark.parametrize(
    ("solver", "model"),
    [
        (MULTINOMIAL, MultinomialNB(fit_prior=False)),
        (COMPLEMENT, ComplementNB(norm=True)),
        (BERNOULLI, BernoulliNB(binarize=1.5)),
    ],
)
def test_other_settings_equal_the_plain_loop(solver, model):
    assert_twins(solver, [model], labelled(columns=9, is_counts=True), folds(90, 4), RESPONSES)


def test_a_class_named_positive_keeps_its_column():
    data = labelled(classes=2, positive="0")
    assert data.classes == ("1", "0")
    assert_twins(GAUSSIAN, [GaussianNB()], data, folds(90, 4), RESPONSES)


def test_constant_columns_and_columns_constant_in_a_class_equal_the_plain_loop():
    plain = labelled(rows=60)
    X = np.column_stack([plain.X, np.full(60, 0.1), np.where(plain.codes == 1, 3.0, plain.X[:, 0])])
    models = [GaussianNB(), make_pipeline(StandardScaler(), GaussianNB())]
    assert_twins(GAUSSIAN, models, make_dataset(X, plain.y), folds(60, 6), ("predict",))


def test_a_row_far_out_leaves_the_digits_of_the_others():
    plain = labelled(rows=60)
    X = plain.X.copy()
    X[10] = 1e7
    data = make_dataset(X, plain.y)
    without = np.setdiff1d(np.arange(60), [10])
    assert_twins(GAUSSIAN, [GaussianNB()], data, [(without, np.arange(10))] * 2, RESPONSES)


def test_rows_without_any_count_are_tied_and_take_the_first_class():
    plain = labelled(rows=60, is_counts=True)
    X = plain.X.copy()
    X[::7] = 0.0
    assert_twins(COMPLEMENT, [ComplementNB()], make_dataset(X, plain.y), folds(60, 5), RESPONSES)


def test_equal_columns_of_equal_classes_are_left_to_the_plain_loop():
    X, y = np.tile(np.eye(2), (10, 1)), np.repeat(["a", "b"], 10)
    answers = assert_twins(BERNOULLI, [BernoulliNB()], make_dataset(X, y), folds(20, 5), RESPONSES, allow_none=True)
    assert len(answers) == 5


def test_a_part_without_one_of_the_classes_is_left_to_the_plain_loop():
    data = labelled(rows=40)
    train = np.flatnonzero(data.codes != 2)
    jobs = jobs_of([GaussianNB()], [(train, np.flatnonzero(data.codes == 2)), *folds(40, 5)], RESPONSES)
    answers = GAUSSIAN.solve(jobs, data)
    assert answers[0] is None
    assert None not in answers[1:]


def test_sums_of_parts_equal_naive_sums():
    rng = np.random.default_rng(0)
    X, codes, weights = rng.normal(size=(30, 3)), np.arange(30) % 2, rng.uniform(size=30)
    trains = [np.arange(1, 30), np.arange(20), np.sort(rng.integers(0, 30, 30)), np.arange(5)]
    sums, plain = ClassSums(codes, 2, trains, weights=weights), ClassSums(codes, 2, trains)
    for at, train in enumerate(trains):
        for code in range(2):
            rows = train[codes[train] == code]
            assert plain.counts[at, code] == rows.size
            np.testing.assert_allclose(sums.of(X)[at, code], (X[rows] * weights[rows, None]).sum(axis=0), atol=1e-13)
            found = plain.products(X, is_pooled=False)[at, code]
            np.testing.assert_allclose(found, X[rows].T @ X[rows], atol=1e-13)
        found = plain.products(X, is_pooled=True)[at, 0]
        np.testing.assert_allclose(found, X[train].T @ X[train], atol=1e-13)


def test_values_with_warnings_or_other_formulas_are_not_taken():
    data, counts = labelled(), labelled(is_counts=True)
    assert not MULTINOMIAL.takes(MultinomialNB(alpha=0.0), counts)
    assert not MULTINOMIAL.takes(MultinomialNB(alpha=[1.0, 2.0, 3.0, 4.0]), counts)
    assert not MULTINOMIAL.takes(MultinomialNB(class_prior=[0.2, 0.3, 0.5]), counts)
    assert not MULTINOMIAL.takes(MultinomialNB(), data)
    assert not MULTINOMIAL.takes(make_pipeline(StandardScaler(), MultinomialNB()), counts)
    assert not BERNOULLI.takes(BernoulliNB(binarize=None), counts)
    assert not GAUSSIAN.takes(GaussianNB(priors=[0.2, 0.3, 0.5]), data)
    assert not GAUSSIAN.takes(type("Own", (GaussianNB,), {})(), data)


def test_sparse_counts_are_answered_fit_by_fit():
    data = make_dataset(sparse.csr_array(labelled(is_counts=True).X), labelled().y)
    found = find([MultinomialNB()], data, is_builtin=False)
    assert found is not None
    assert found.unit == "train"


def test_it_pays_for_many_parts_and_not_for_one_fit():
    data = labelled(rows=300)
    jobs = jobs_of([GaussianNB()], folds(300, 300), ("predict",))
    assert GAUSSIAN.pays(jobs, data)
    assert not GAUSSIAN.pays(jobs[:1], data)
