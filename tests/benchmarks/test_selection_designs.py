"""Selection bias: the smallest error flatters, its corrections and nested CV do not, or much less."""

from __future__ import annotations

import numpy as np
import pytest
from designs.batched import balanced_folds, centroid, on_columns, squared, zero_one
from designs.selection import corrected_minima, evaluate_pick, selection_bias, shrunken_scores
from numpy.testing import assert_allclose
from sklearn.neighbors import NearestCentroid

from foldwise import intervals
from foldwise.errors import BadData
from foldwise.lab import find_problem
from foldwise.lab.decomposition import ridge


@pytest.mark.slow
@pytest.mark.parametrize("name", ["noise", "breast_cancer", "diabetes"])
def test_the_minimum_flatters_and_nested_cv_does_not(name):
    found = selection_bias(name, replications=20, seed=2).set_index("estimate")
    bias, error = found["bias"], found["error"]
    assert bias["minimum"] < -2 * error["minimum"]
    assert abs(bias["nested"]) < 3.5 * error["nested"]
    assert bias["minimum"] < bias["bbc"] < 3.5 * error["bbc"]


def test_corrections_are_the_public_ones():
    rng = np.random.default_rng(0)
    losses = (rng.random((3, 40, 6)) < 0.3).astype(float)
    folds = balanced_folds(40, 5)
    found = corrected_minima(losses, folds, np.random.default_rng(1))
    seeds = np.random.default_rng(1).integers(0, 2**31, 3)
    for r in range(3):
        scores = np.array([losses[r, folds == k].mean(0) for k in range(5)])
        assert found["minimum"][r] == pytest.approx(scores.mean(0).min())
        assert found["tibshirani"][r] == pytest.approx(intervals.tibshirani(scores).value)
        assert found["bbc"][r] == pytest.approx(intervals.bbc(losses[r], 300, int(seeds[r]), 0.95).value)


def test_one_candidate_makes_nested_cv_plain():
    """D11: with a single rule there is nothing to choose, so that minimum, correction and nesting are one number."""
    rng = np.random.default_rng(3)
    problem = find_problem("two classes")
    X, y = problem.draw(40, rng, times=4)
    found = evaluate_pick([on_columns(centroid, (0, 1))], X, y, zero_one, outer=5, inner=4, rng=rng)
    assert_allclose(found["nested"], found["minimum"])
    assert_allclose(found["tibshirani"], found["minimum"])


def test_the_order_of_rules_does_not_matter_where_there_are_no_ties():
    rng = np.random.default_rng(4)
    problem = find_problem("linear")
    X, y = problem.draw(40, rng, times=3)
    rules = [on_columns(ridge, columns) for columns in ((0,), (1, 2), (0, 1, 3))]
    one = evaluate_pick(rules, X, y, squared, outer=5, inner=4, rng=np.random.default_rng(0))
    two = evaluate_pick(rules[::-1], X, y, squared, outer=5, inner=4, rng=np.random.default_rng(0))
    for name in ("minimum", "tibshirani", "nested"):
        assert_allclose(one[name], two[name])
    assert (one["choice"] == 2 - two["choice"]).all()


def test_unshrunken_centroids_are_scikit_learns_on_scaled_columns():
    """Threshold 0 is the nearest centroid in units of the pooled spread."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 6)), np.repeat([0.0, 1.0], 20)
    X[:, 0] += 2 * y
    folds = balanced_folds(40, 5)
    scores = shrunken_scores(X, y, folds)
    expected = []
    for k in range(5):
        train, test = folds != k, folds == k
        residual = X[train] - np.stack([X[train & (y == c)].mean(0) for c in (0, 1)])[y[train].astype(int)]
        sd = np.sqrt((residual**2).sum(0) / (train.sum() - 2))
        scale = sd + np.median(sd)
        model = NearestCentroid().fit(X[train] / scale, y[train])
        expected.append((model.predict(X[test] / scale) != y[test]).mean())
    assert_allclose(scores[:, 0], expected)


def test_an_unknown_experiment_is_refused():
    with pytest.raises(BadData, match="no selection experiment has the name 'iris'"):
        selection_bias("iris")
