"""The designs of the survey at reduced size: our results lie within their Monte-Carlo error of the expected ones."""

from __future__ import annotations

import numpy as np
import pytest
from designs import cv_designs, selection
from designs.batched import (
    balanced_folds,
    centroid,
    fold_means,
    leave_two_out,
    linear_model,
    on_columns,
    out_of_fold,
    replicate,
    zero_one,
)
from designs.catalogue import DESIGNS, run_design
from designs.cv_designs import leave_one_out, soft_threshold
from designs.results import Result, covered, monte_carlo_error, results_frame
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import NearestCentroid

from foldwise.errors import BadStudy
from foldwise.lab import find_problem
from foldwise.lab.decomposition import ridge


def assert_agrees(frame):
    wrong = frame[[value is False for value in frame["agrees"]]]
    assert wrong.empty, wrong.to_string()
    assert sum(value is True for value in frame["agrees"]) >= 3


@pytest.mark.slow
@pytest.mark.parametrize(("name", "replications"), [("D6", 20), ("D9", 20), ("D10", 20_000)])
def test_a_design_gives_the_values_expected_of_it(name, replications):
    assert_agrees(run_design(name, replications=replications, seed=1))


@pytest.mark.slow
def test_least_squares_intervals_cover_as_published():
    """Among them the nested cross-validation of Bates, Hastie and Tibshirani, whose formula `fw.intervals` has."""
    assert_agrees(results_frame("D1", cv_designs.d1(replications=120, seed=1, sizes=(100,))))


@pytest.mark.slow
def test_near_twins_cover_as_published():
    assert_agrees(results_frame("D7", cv_designs.d7(replications=200, seed=1, sizes=(100, 1000))))


@pytest.mark.slow
def test_selection_without_models_is_as_optimistic_as_expected():
    results = selection.d5(replications=80, seed=1, sizes=((20, 50), (100, 50)))
    assert_agrees(results_frame("D5", results))


def test_a_result_agrees_within_three_joint_errors_and_its_slack():
    assert Result("", "", 0.90, 0.01, 0.94, 0.0).agrees
    assert Result("", "", 0.88, 0.01, 0.94, 0.0).agrees is False
    assert Result("", "", 0.88, 0.01).agrees is None


def test_an_unknown_design_is_refused():
    assert list(DESIGNS) == ["D1", "D5", "D6", "D7", "D9", "D10"]
    with pytest.raises(BadStudy, match="no design 'D12'"):
        run_design("D12")


def naive_loss(X, y, train, test):
    return (y[test] - LinearRegression().fit(X[train], y[train]).predict(X[test])) ** 2


def test_losses_are_those_of_models_without_one_fold_or_two():
    X, y = find_problem("linear").draw(24, np.random.default_rng(2), times=2)
    labels = balanced_folds(24, 4)
    outer, pairs = out_of_fold(ridge, X, y, labels), leave_two_out(ridge, X, y, labels)
    for r, k in np.ndindex(2, 4):
        train, test = np.flatnonzero(labels != k), np.flatnonzero(labels == k)
        assert_allclose(outer[r, test], naive_loss(X[r], y[r], train, test), rtol=1e-8)
        assert np.isnan(pairs[r, k, test]).all()
        for j in set(range(4)) - {k}:
            train, test = np.flatnonzero(~np.isin(labels, (j, k))), np.flatnonzero(labels == j)
            assert_allclose(pairs[r, k, test], naive_loss(X[r], y[r], train, test), rtol=1e-8)
    assert_allclose(fold_means(outer, labels)[0, 1], outer[0, labels == 1].mean())


def test_leave_one_out_by_the_hat_matrix_is_refitting_without_each_row():
    X, y = find_problem("linear").draw(15, np.random.default_rng(3), times=1)
    expected = [naive_loss(X[0], y[0], np.arange(15) != row, [row])[0] for row in range(15)]
    assert_allclose(leave_one_out(X, y)[0], expected, rtol=1e-8)


def test_learners_are_those_of_scikit_learn_on_their_columns():
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(3, 40, 5)), rng.normal(size=(3, 9, 5))
    y = X[..., 0] + rng.normal(size=(3, 40))
    classes = (y > 0.2).astype(float)
    expected = [NearestCentroid().fit(X[r], classes[r]).predict(new[r]) for r in range(3)]
    assert_allclose(centroid(X, classes, new), expected)
    assert zero_one(classes, 1 - classes).all()
    intercept, slopes = linear_model(on_columns(ridge, (1, 3)), X, y)
    model = LinearRegression().fit(X[1][:, [1, 3]], y[1])
    assert_allclose(slopes[1], [0, model.coef_[0], 0, model.coef_[1], 0], atol=1e-9)
    assert_allclose(intercept[1], model.intercept_)


def test_soft_thresholds_shrink_least_squares_by_their_share_of_the_rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2, 50, 4))
    y = X @ np.array([1.0, -0.5, 0.0, 0.2]) + rng.normal(size=(2, 50))
    _, slopes = linear_model(lambda *rows: soft_threshold(*rows, more=1.0), X, y)
    full = LinearRegression(fit_intercept=False).fit(X[1], y[1]).coef_
    cut = (np.sqrt(50) + 1) / 50
    assert_allclose(slopes[1], np.sign(full) * np.maximum(np.abs(full) - cut, 0), atol=1e-9)


def test_replications_come_in_the_order_of_their_chunks():
    def work(times, rng):
        return {"value": rng.random(times)}

    values = replicate(work, 70, key="a", seed=1)["value"]
    assert len(values) == 70
    assert np.array_equal(replicate(work, 50, key="a", seed=1)["value"], values[:50])
    assert not np.array_equal(replicate(work, 70, key="b", seed=1)["value"], values)
    with pytest.raises(BadStudy, match="0 replications cannot be made"):
        replicate(work, 0, key="a")


def test_misses_are_counted_on_the_side_where_the_truth_lies():
    low, high = np.array([0.0, 0.6, 0.0, 0.0]), np.array([1.0, 0.9, 0.4, 0.3])
    shares = covered(low, high, 0.5)
    assert (shares["coverage"], shares["truth_below"], shares["truth_above"]) == (0.25, 0.25, 0.5)
    assert shares["error"] == pytest.approx(np.sqrt(0.25 * 0.75 / 4))
    assert monte_carlo_error(1.0, 100) == pytest.approx(np.sqrt(0.01 * 0.99 / 100))
