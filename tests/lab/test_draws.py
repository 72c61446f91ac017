"""Held-out losses of the lab are those of plain loops over folds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from foldwise.errors import BadSplits
from foldwise.lab.draws import (
    cv_draws,
    drawn,
    fold_labels,
    holdout_draws,
    leave_two_out,
    out_of_fold,
    random_folds,
)
from foldwise.lab.learners import Centroid, Ridge
from foldwise.lab.problems import find_problem


def naive_loss(X, y, train, test):
    return (y[test] - LinearRegression().fit(X[train], y[train]).predict(X[test])) ** 2


def test_out_of_fold_losses_and_risks_are_those_of_a_plain_loop():
    problem = find_problem("linear")
    draws = cv_draws(problem, Ridge(), rows=23, folds=4, times=3, rng=np.random.default_rng(1))
    for r in range(3):
        X, y = draws.X[r], draws.y[r]
        for k in range(4):
            train, test = np.flatnonzero(draws.folds != k), np.flatnonzero(draws.folds == k)
            assert_allclose(draws.losses[r, test], naive_loss(X, y, train, test), rtol=1e-8)
            model = LinearRegression().fit(X[train], y[train])
            risk = 1 + model.intercept_**2 + ((model.coef_ - problem.slopes) ** 2).sum()
            assert_allclose(draws.fold_risks[r, k], risk, rtol=1e-8)
    assert draws.ratio == pytest.approx(1 / 3)


def test_leave_two_out_losses_are_those_of_models_without_both_folds():
    rng = np.random.default_rng(2)
    problem = find_problem("linear")
    X, y = problem.draw(24, rng, times=2)
    labels = random_folds(24, 4, 2, rng)
    found = leave_two_out(problem, Ridge(), X, y, labels)
    outer = out_of_fold(problem, Ridge(), X, y, labels)
    for r, run, k in np.ndindex(2, 2, 4):
        fold = labels[run]
        assert np.isnan(found[r, run, k, fold == k]).all()
        for j in set(range(4)) - {k}:
            train, test = np.flatnonzero(~np.isin(fold, (j, k))), np.flatnonzero(fold == j)
            assert_allclose(found[r, run, k, test], naive_loss(X[r], y[r], train, test), rtol=1e-8)
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        assert_allclose(outer[r, run, test], naive_loss(X[r], y[r], train, test), rtol=1e-8)


def test_folds_of_classes_are_stratified():
    _, y = drawn(find_problem("two classes"), 50, 4, np.random.default_rng(4))
    fold = fold_labels(find_problem("two classes"), 50, 7)
    counts = np.array([[row[fold == k].sum() for k in range(7)] for row in y])
    assert (np.ptp(counts, axis=1) <= 1).all()


def test_groups_stay_in_one_fold_unless_asked():
    problem = find_problem("grouped")
    groups, fold = problem.groups(60), fold_labels(problem, 60, 5)
    assert all(len(set(fold[groups == g])) == 1 for g in range(20))
    assert all(len(set(fold_labels(problem, 60, 5, by_rows=True)[groups == g])) == 3 for g in range(20))
    with pytest.raises(BadSplits, match="cannot make 13 folds of 5 groups"):
        fold_labels(problem, 15, 13)


def test_a_model_is_tested_on_rows_it_has_not_seen():
    problem = find_problem("two classes")
    test = holdout_draws(problem, Centroid(), rows=50, test_rows=4000, times=3, rng=np.random.default_rng(6))
    assert_allclose(test.losses.mean(-1), test.risks, atol=0.04)
