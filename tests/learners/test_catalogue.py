"""The built-in learners, by name and with options of their own (learners/learner.py, learners/idle.py)."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Lasso
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner, BadSpace
from foldwise.learners.catalogue import CLASSIFICATION, SIZES, builtin, default_learners, find_entry
from foldwise.learners.listing import entries
from foldwise.learners.named import learner
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.solvers.logistic import LogisticSolver
from foldwise.solvers.solver import FitRequest
from foldwise.spaces.parameter import int_range

NAMES = [row["name"] for row in entries() if row["extra"] is None]


def plain_table(task: str, rows: int = 60):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 4))
    signal = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=rows)
    cuts = {"regression": None, "binary": [0.0], "multiclass": [-0.7, 0.7]}[task]
    return X, signal if cuts is None else np.array(["low", "mid", "top"])[np.digitize(signal, cuts)]


def mixed_table(task: str, rows: int = 60):
    """Gaps, a constant, an empty column, and a category that most folds have not seen."""
    rng = np.random.default_rng(2)
    X, y = plain_table(task, rows)
    table = pd.DataFrame(X, columns=list("abcd"))
    table.loc[rng.integers(0, rows, 15), "a"] = np.nan
    table["constant"] = 3.0
    table["empty"] = np.nan
    table["flag"] = X[:, 2] > 0
    table["shop"] = pd.Series(rng.choice(["x", "y", None], rows), dtype=object)
    table.loc[0, "shop"] = "only here"
    table["grade"] = pd.Categorical(rng.choice(["u", "v", "w"], rows))
    table["day"] = pd.date_range("2024-01-01", periods=rows)
    return table, y


def sparse_table(task: str):
    X, y = plain_table(task)
    return sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0)), y


TABLES = {"plain": plain_table, "mixed": mixed_table, "sparse": sparse_table}
TASKS = ("regression", "binary", "multiclass")


def ends_of(space):
    """The first and the last candidate: the corners of a space."""
    return [{}] if space is None else [space.grid()[0], space.grid()[-1]]


def quick(estimator):
    """With few trees and rounds, whose number is not what is tested."""
    known = estimator.get_params(deep=True)
    few = {"learner__n_estimators": 5, "learner__max_iter": 5, "max_iter": 5}
    is_boosting = "learner__max_leaf_nodes" in known or "max_leaf_nodes" in known
    return estimator.set_params(**{name: few[name] for name in few if name in known and is_boosting})


SERVED = [(name, task) for name in NAMES for task in TASKS if task in find_entry(name).tasks]


@pytest.mark.few(42)
@pytest.mark.parametrize(("name", "task"), SERVED)
@pytest.mark.parametrize("table", TABLES)
def test_every_built_in_learner_fits_every_table_in_silence(name, table, task):
    X, y = TABLES[table](task)
    data = make_dataset(X, y)
    assert data.task == task
    made = builtin(name, data)
    names = {} if made.space is None else made.space.resolve(made.estimator)

    for candidate in ends_of(made.space)[0 if table == "plain" else -1 :]:
        estimator = clone(made.estimator).set_params(**{names[key]: value for key, value in candidate.items()})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            predicted = cross_val_predict(quick(estimator), data.X, data.y, cv=KFold(2, shuffle=True, random_state=0))
        assert predicted.shape == data.y.shape
        assert is_classifier(estimator) == (data.task in CLASSIFICATION)
        assert pd.notna(predicted).all()


@pytest.mark.parametrize("name", NAMES)
def test_chance_is_left_to_the_study(name):
    entry = find_entry(name)
    X, y = plain_table("regression" if "regression" in entry.tasks else "binary")
    parameters = builtin(name, make_dataset(X, y)).estimator.get_params(deep=True)
    assert {value for key, value in parameters.items() if key.endswith("random_state")} <= {None}
    assert {value for key, value in parameters.items() if key.endswith("n_jobs")} <= {None, 1}


def test_k_nn_is_scaled_nearest_neighbours_of_one_to_sixty():
    X, y = plain_table("regression", rows=200)
    made = builtin("k-nn", make_dataset(X, y))
    counts = list(dict.fromkeys(c["n_neighbors"] for c in made.space.grid()))
    assert counts[:8] == list(range(1, 9))
    assert counts[-1] == 60

    expected = KNeighborsRegressor().fit(StandardScaler().fit_transform(X), y)
    assert_allclose(made.estimator.fit(X, y).predict(X), expected.predict(StandardScaler().fit_transform(X)))


@pytest.mark.parametrize("size", SIZES)
def test_k_nn_asks_for_no_more_neighbours_than_the_smallest_study_trains_on(size):
    X, y = plain_table("regression", rows=12)
    assert builtin(f"k-nn:{size}", make_dataset(X, y)).space.grid()[-1]["n_neighbors"] == 4


def test_the_penalty_of_lasso_does_not_depend_on_the_unit_of_the_target():
    X, y = plain_table("regression")
    made = builtin("lasso", make_dataset(X, y), overrides={"alpha": 0.1}).estimator
    Z, z = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    expected = Lasso(alpha=0.1).fit(Z, z).predict(Z) * y.std() + y.mean()

    assert_allclose(made.fit(X, y).predict(X), expected)
    assert_allclose(clone(made).fit(X, 1000 * y).predict(X), 1000 * expected)


def test_the_baseline_ignores_the_table():
    X, y = mixed_table("regression")
    made = builtin("baseline", make_dataset(X, y))
    assert made.space is None
    assert_allclose(made.estimator.fit(X, y).predict(X), y.mean())


def test_lists_replace_the_default_space_and_single_values_fix_a_parameter():
    data = make_dataset(*plain_table("regression"))
    assert builtin("k-nn", data, overrides={"n_neighbors": range(1, 6)}).space.size == 5
    assert builtin("tree", data, overrides={"max_depth": int_range(1, 3)}).space.names == ("max_depth",)

    fixed = builtin("forest", data, overrides={"max_features": 0.5})
    assert fixed.space.names == ("min_samples_leaf",)
    assert fixed.estimator.get_params()["learner__max_features"] == 0.5

    both = builtin("k-nn", data, overrides={"weights": "distance", "n_neighbors": [3, 5]})
    assert both.space.grid() == [{"n_neighbors": 3}, {"n_neighbors": 5}]
    assert both.estimator.get_params()["learner__weights"] == "distance"
    assert builtin("k-nn", data, overrides={"n_neighbors": 3, "weights": "uniform", "p": 2}).space is None


@pytest.mark.parametrize(
    ("name", "task", "words"),
    [
        ("rigde", "regression", r"there is no built-in learner 'rigde'. Did you mean 'ridge'\?"),
        ("xyz", "regression", r"no built-in learner 'xyz'. Known are: baseline, boosting"),
        ("qda", "regression", "the learner 'qda' is not for regression. Use 'kernel-ridge'"),
        ("ridge:huge", "regression", "there is no size 'huge' of a space. Known are: default, large, small"),
        ("lasso", "binary", "the learner 'lasso' is not for classification. Use 'logistic'"),
        ("logistic", "regression", "the learner 'logistic' is not for regression. Use 'ridge'"),
    ],
)
def test_a_learner_that_cannot_be_had_is_refused_with_another(name, task, words):
    with pytest.raises(BadLearner, match=words):
        builtin(name, make_dataset(*plain_table(task)))


@pytest.mark.parametrize("values", [[1, 2], 3], ids=["tuned", "fixed"])
def test_an_unknown_parameter_of_a_built_in_learner_is_told_with_its_name(values):
    data = make_dataset(*plain_table("regression"))
    with pytest.raises(BadSpace, match=r"learner 'k-nn': the learner has no parameter 'n_neighbour'. Did you mean"):
        builtin("k-nn", data, overrides={"n_neighbour": values})


def test_a_fixed_value_beside_a_fixed_choice_that_does_not_use_it_is_refused():
    data = make_dataset(*plain_table("regression"))
    with pytest.raises(BadSpace, match="learner 'svm': gamma has no effect with kernel='linear'"):
        builtin("svm", data, overrides={"kernel": "linear", "gamma": 0.1})
    assert builtin("svm", data, overrides={"kernel": "rbf", "gamma": 0.1}).space.names == ("C", "epsilon")


def test_default_learners_serve_their_task():
    for task in TASKS:
        assert all(task in find_entry(name).tasks for name in default_learners(task))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: learner("rigde"), r"there is no built-in learner 'rigde'. Did you mean 'ridge'\?"),
        (lambda: learner(""), "there is no built-in learner ''"),
        (lambda: learner(3), "needs the name of a built-in learner, not 3"),
        (lambda: learner("ridge", size="big"), "there is no size 'big'"),
        (lambda: learner("ridge:small", size="large"), "'ridge:small' says its size, and so does size='large'"),
    ],
)
def test_a_learner_that_is_misspelt_is_told_at_once(make, words):
    with pytest.raises(BadLearner, match=words):
        make()


@pytest.mark.parametrize("name", ["", "  "])
def test_a_row_needs_a_name(name):
    data = make_dataset(*plain_table("regression"))
    with pytest.raises(BadLearner, match="a learner has an empty name"):
        make_learners({name: Lasso()}, data, make_losses(None, data))


@pytest.mark.parametrize("penalty", [0.01, 1.0, 10.0])
def test_absolute_penalties_of_logistic_end_where_the_solver_does(penalty):
    X, y = load_breast_cancer(return_X_y=True)
    data = make_dataset(X, y)
    made = builtin("logistic", data, overrides={"C": penalty, "l1_ratio": 1.0}).estimator
    rows = np.arange(len(y))
    request = FitRequest((made,), rows[::2], rows[1::2], ("predict_proba",))
    [(_, _, responses)] = LogisticSolver().solve([request], data)
    assert_allclose(responses["predict_proba"][0], made.fit(X[::2], y[::2]).predict_proba(X[1::2]), atol=1e-6)
