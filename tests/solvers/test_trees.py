"""Pruned and smaller trees read from one, against growing each of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from twin import assert_twins, bootstraps, fits_of, folds, requests_of, solve

from foldwise.data.dataset import make_dataset
from foldwise.solvers.trees import SOLVERS

[TREES] = SOLVERS
CLASS_RESPONSES = ("predict", "predict_proba")


def noisy_rows(rows, columns=4, seed=0, *, is_coarse=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    X = X.round(0) if is_coarse else X
    return X, X[:, 0] + np.sin(3 * X[:, -1]) + rng.normal(size=rows)


def test_every_pruning_value_of_a_regression_is_read_from_one_tree():
    X, y = noisy_rows(150)
    data = make_dataset(X, y)
    trees = [DecisionTreeRegressor(random_state=1, ccp_alpha=a) for a in (0, 1e-7, *np.logspace(-4, 1, 15))]
    assert_twins(TREES, trees, data, folds(150, 4), tolerance=0)


@pytest.mark.few(2)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_leaves_and_pruning_of_a_weighted_classification_agree_in_any_combination(criterion, splitter):
    X, y = noisy_rows(120, is_coarse=True)
    weights = np.random.default_rng(1).uniform(0.5, 2, 120)
    data = make_dataset(X, np.digitize(y, [-1, 1]).astype(str), weights=weights)
    trees = [
        DecisionTreeClassifier(
            criterion=criterion, splitter=splitter, max_features=2, random_state=3, max_leaf_nodes=leaves, ccp_alpha=a
        )
        for leaves in (None, 2, 3, 7, 40, 500)
        for a in (0.0, 0.003, 0.02, 0.5)
    ]
    assert_twins(TREES, trees, data, folds(120, 3) + bootstraps(120, 1), CLASS_RESPONSES, tolerance=0)


@given(
    rows=st.integers(6, 40),
    columns=st.integers(1, 3),
    seed=st.integers(0, 10**6),
    classes=st.integers(2, 4),
    penalties=st.lists(st.floats(0, 0.5), min_size=1, max_size=4),
)
def test_small_trees_with_ties_and_missing_classes_agree(rows, columns, seed, classes, penalties):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (rows, columns)).astype(float)
    y = np.r_[np.arange(classes), rng.integers(0, classes, rows - classes)] if rows > classes else np.arange(rows)
    data = make_dataset(X, y, task="classification")
    trees = [DecisionTreeClassifier(random_state=seed, ccp_alpha=a) for a in penalties]
    assert_twins(TREES, trees, data, folds(rows, 3, seed), CLASS_RESPONSES, tolerance=0)


def test_a_penalty_that_is_exactly_a_branchs_own_prunes_as_scikit_learn_does():
    """On the path itself, rounding alone decides; the weakest link is then followed step by step."""
    X, y = noisy_rows(200, is_coarse=True)
    data = make_dataset(X, np.digitize(y, [0]))
    train, rows = folds(200, 2)[0]
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X[train], data.y[train]).ccp_alphas
    trees = [DecisionTreeClassifier(random_state=0, ccp_alpha=a) for a in np.abs(path)]
    assert_twins(TREES, trees, data, [(train, rows)], CLASS_RESPONSES, tolerance=0)


def test_gaps_and_the_preparation_before_a_tree_are_shared():
    X, y = noisy_rows(80)
    X[::7, 1] = np.nan
    data = make_dataset(X, y)
    bare = [DecisionTreeRegressor(random_state=1, ccp_alpha=a) for a in (0.0, 0.05)]
    assert_twins(TREES, bare, data, folds(80, 3), tolerance=0)
    behind = [make_pipeline(SimpleImputer(strategy="median"), tree) for tree in bare]
    assert_twins(TREES, behind, data, folds(80, 3), tolerance=0)


def test_a_tree_of_one_node_and_a_constant_target_agree():
    X, _ = noisy_rows(30)
    data = make_dataset(X, np.r_[np.zeros(29), 1.0], task="regression")
    trees = [DecisionTreeRegressor(random_state=1, ccp_alpha=a) for a in (0.0, 0.01, 10.0)]
    assert_twins(TREES, trees, data, folds(30, 30), tolerance=0)


def test_one_tree_is_grown_per_training_part_and_way_to_grow(monkeypatch):
    grown = []
    plain_fit = DecisionTreeRegressor.fit
    monkeypatch.setattr(DecisionTreeRegressor, "fit", lambda self, *a, **k: grown.append(1) or plain_fit(self, *a, **k))
    X, y = noisy_rows(60)
    trees = [DecisionTreeRegressor(random_state=1, ccp_alpha=a, max_depth=d) for a in (0.1, 0.2, 0.3) for d in (2, 3)]
    solve(TREES, fits_of(trees, folds(60, 3), ("predict",)), make_dataset(X, y))
    assert len(grown) == 3 * 2


def test_it_pays_also_where_no_candidates_share_a_tree():
    """What trees check of a table is known already, so that every fit is a little faster than the plain one."""
    X, y = noisy_rows(60)
    data = make_dataset(X, y)
    split = folds(60, 3)[:1]
    assert TREES.pays(
        requests_of(fits_of([DecisionTreeRegressor(ccp_alpha=a) for a in (0.0, 0.1)], split, ("predict",))), data
    )
    assert TREES.pays(
        requests_of(fits_of([DecisionTreeRegressor(max_depth=d) for d in (1, 2)], split, ("predict",))), data
    )
    assert TREES.pays(requests_of(fits_of([DecisionTreeRegressor()], split, ("predict",))), data)


def test_subclasses_and_values_scikit_learn_refuses_are_not_taken():
    class Mine(DecisionTreeRegressor):
        pass

    data = make_dataset(*noisy_rows(20))
    for tree in (Mine(), DecisionTreeRegressor(ccp_alpha=-1.0), DecisionTreeRegressor(max_leaf_nodes=1)):
        assert not TREES.takes(tree, data)


def test_a_generator_of_random_numbers_is_left_where_it_was():
    data = make_dataset(*noisy_rows(60))
    generator = np.random.RandomState(0)
    trees = [DecisionTreeRegressor(random_state=generator, max_features=2, ccp_alpha=a) for a in (0.0, 0.1)]
    before = generator.get_state()[2]

    solve(TREES, fits_of(trees, folds(60, 3), ("predict",)), data)

    assert generator.get_state()[2] == before
