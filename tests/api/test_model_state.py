"""Numbers in a model file (api/model_state.py) that would send compiled code outside of memory are refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder, SplineTransformer
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

from foldwise.api.model_file import load_model, save_model
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner
from foldwise.learners.conformal import SetModel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + RNG.normal(size=60)
LABELS = np.repeat(["a", "b", "c"], 20)
TOWNS = np.repeat(["x", "y", "z", "w"], [30, 20, 5, 5]).astype(object)[:, None]


def tree(**changes):
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, Y)
    state = model.tree_.__getstate__()
    for name, value in changes.items():
        state["nodes"][name][0] = value
    model.tree_.__setstate__(state)
    return model


def forest():
    model = RandomForestRegressor(3, max_depth=2, random_state=0).fit(X, Y)
    model.n_features_in_ = 1
    return model


def boosting(**changes):
    model = HistGradientBoostingClassifier(max_iter=2, categorical_features=[2], min_samples_leaf=3)
    model.fit(np.column_stack([X[:, :2], np.arange(60) % 5]), LABELS)
    predictor = model._predictors[0][0]
    for name, value in changes.items():
        predictor.nodes[name][0] = value
    return model


def neighbours(**changes):
    model = KNeighborsClassifier(algorithm=changes.pop("algorithm", "brute")).fit(X, LABELS)
    for name, value in changes.items():
        setattr(model, name, value)
    return model


def search_tree(place):
    model = KNeighborsClassifier(algorithm="kd_tree", leaf_size=5).fit(X, LABELS)
    state = list(model._tree.__getstate__())
    state[place] = np.array(state[place])
    if place == 1:
        state[1][0] = 10**6
    else:
        state[2]["is_leaf"][-1] = 0
    model._tree.__setstate__(tuple(state))
    return model


def svm(kind, **changes):
    model = kind().fit(X, LABELS if kind is SVC else Y)
    for name, change in changes.items():
        setattr(model, name, change(getattr(model, name)))
    return model


def one_hot(**changes):
    model = OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist").fit(TOWNS)
    for name, value in changes.items():
        setattr(model, name, value)
    return model


def spline():
    model = SplineTransformer().fit(X)
    model.bsplines_[0].c = model.bsplines_[0].c[:2]
    return model


def sets(**changes):
    model = KNeighborsClassifier().fit(X, LABELS)
    made = SetModel(model, [model, model], [np.full(30, 0.5), np.full(30, 0.25)], None, [30, 30])
    for name, value in changes.items():
        setattr(made, name, value)
    return made


SOUND = {
    "sets": sets,
    "sets by group": lambda: sets(unit="group", masses=[np.full(30, 0.1)] * 2, unit_counts=[3, 3]),
    "tree": tree,
    "forest": lambda: RandomForestRegressor(3, random_state=0).fit(X, Y),
    "boosting": boosting,
    "neighbours": neighbours,
    "neighbours by a tree": lambda: neighbours(algorithm="ball_tree"),
    "neighbours of a sparse table": lambda: KNeighborsClassifier().fit(sparse.csr_matrix(X), LABELS),
    "svm": lambda: svm(SVC),
    "svm of a sparse table": lambda: SVC().fit(sparse.csr_matrix(X), LABELS),
    "svm of numbers": lambda: svm(SVR),
    "one-hot": one_hot,
    "one-hot without one": lambda: OneHotEncoder(drop="first").fit(TOWNS),
    "splines": lambda: SplineTransformer().fit(X),
}
CRAFTED = {
    "a child that is not there": lambda: tree(left_child=10**6),
    "a child before its parent": lambda: tree(right_child=0),
    "a column that is not there": lambda: tree(feature=10**6),
    "a column below zero": lambda: tree(feature=-7),
    "a forest of fewer columns": forest,
    "a boosted node that is not there": lambda: boosting(left=10**6),
    "a boosted column that is not there": lambda: boosting(feature_idx=10**6),
    "categories of a column of numbers": lambda: boosting(is_categorical=1, feature_idx=2, bitset_idx=0),
    "categories that are not there": lambda: boosting(is_categorical=1, feature_idx=0, bitset_idx=10**6),
    "a class that is not there": lambda: neighbours(_y=np.full(60, 10**6)),
    "fewer columns than are read": lambda: neighbours(_fit_X=X[:, :1].copy()),
    "more rows than there are": lambda: neighbours(n_samples_fit_=10**6),
    "a row that is not there": lambda: search_tree(1),
    "a leaf with children": lambda: search_tree(2),
    "fewer coefficients": lambda: svm(SVC, _dual_coef_=lambda found: found[:, :1].copy()),
    "fewer constants": lambda: svm(SVC, _intercept_=lambda found: found[:1].copy()),
    "more vectors than there are": lambda: svm(SVC, _n_support=lambda found: found * 1000),
    "vectors of fewer columns": lambda: svm(SVR, support_vectors_=lambda found: found[:, :1].copy()),
    "fewer columns than codes": lambda: one_hot(_n_features_outs=[1]),
    "a code beyond the columns": lambda: one_hot(_default_to_infrequent_mappings=[np.array([0, 1, 2, 10**6])]),
    "fewer coefficients than knots": spline,
    "a response that runs another method": lambda: sets(response="set_params"),
    "more folds than models": lambda: sets(unit_counts=[20, 20, 20]),
    "a fold with more rows than scores": lambda: sets(unit_counts=[10**9, 30]),
    "rows that are counted in words": lambda: sets(unit_counts=["30", "30"]),
    "scores that are no numbers": lambda: sets(scores=["many", "more"]),
    "groups without their shares": lambda: sets(unit="group"),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_a_fit_leaves_is_loaded(name, tmp_path):
    load_model(save_model(tmp_path / "m.skops", SOUND[name](), make_dataset(X, Y)))


@pytest.mark.parametrize("name", CRAFTED)
def test_what_no_fit_leaves_is_refused(name, tmp_path):
    path = save_model(tmp_path / "m.skops", CRAFTED[name](), make_dataset(X, Y))
    with pytest.raises(BadLearner, match=r"holds a \w+ that no fit leaves. Do not use it"):
        load_model(path)
