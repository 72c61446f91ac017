"""Trees from the compiled builder (solvers/forests.py) against the public fit: node for node, or left to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from twin import fits_of, folds, solve

from foldwise.data.dataset import make_dataset
from foldwise.solvers import forests
from foldwise.solvers.forests import SOLVERS

SIZE = 3
FOREST = RandomForestRegressor(random_state=7, max_features=0.5)
GROWTH = {
    "max_features": [None, "sqrt", "log2", 1, 2, 0.5, 1.0],
    "min_samples_leaf": [1, 3, 0.1],
    "min_samples_split": [2, 7, 0.3],
    "min_weight_fraction_leaf": [0.0, 0.1],
    "max_depth": [None, 2, 5],
    "max_leaf_nodes": [None, 4, 9],
    "min_impurity_decrease": [0.0, 0.01],
    "ccp_alpha": [0.0, 0.01],
    "random_state": [0, np.int64(5)],
}
CRITERIA = (("squared_error", "absolute_error", "poisson"), ("gini", "entropy", "log_loss"))
BALANCES = [None, "balanced", "balanced_subsample", {0: 1.0, 1: 2.5, 2: 0.5}]


def table(rows: int = 40) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, 4)).round(1)
    return X, np.exp(X[:, 0] + rng.normal(size=rows)), rng.uniform(0.5, 2, rows)


@pytest.fixture
def untried():
    """Private parts are tried anew in this test, and after it."""
    forests.is_trusted.cache_clear()
    yield
    forests.is_trusted.cache_clear()


def assert_same_trees(forest: Any, X: Any, y: Any, extra: dict[str, Any]) -> None:
    ours = forests.grow(forest, SIZE, X, y, extra).trees
    theirs = forest.set_params(n_estimators=SIZE).fit(X, y, **extra).estimators_
    for mine, tree in zip(ours, theirs, strict=True):
        state, other = mine.__getstate__(), tree.tree_.__getstate__()
        assert state["max_depth"] == other["max_depth"]
        for name in ("nodes", "values"):
            np.testing.assert_array_equal(state[name], other[name], strict=True)


@st.composite
def regressors(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from([RandomForestRegressor, ExtraTreesRegressor]))
    parameters = {name: draw(st.sampled_from(values)) for name, values in GROWTH.items()}
    signs = draw(st.sampled_from([None, [1, 0, -1, 0]]))
    choices = CRITERIA[0][:1] if signs else CRITERIA[0]
    return kind(criterion=draw(st.sampled_from(choices)), monotonic_cst=signs, **parameters, **draw(samples()))


@st.composite
def classifiers(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from([RandomForestClassifier, ExtraTreesClassifier]))
    parameters = {name: draw(st.sampled_from(values)) for name, values in GROWTH.items()}
    parameters["class_weight"] = draw(st.sampled_from(BALANCES))
    return kind(criterion=draw(st.sampled_from(CRITERIA[1])), **parameters, **draw(samples()))


@st.composite
def samples(draw: st.DrawFn) -> dict[str, Any]:
    bootstrap = draw(st.booleans())
    return {"bootstrap": bootstrap, "max_samples": draw(st.sampled_from([None, 0.6, 25])) if bootstrap else None}


@given(forest=regressors(), is_weighted=st.booleans(), has_gaps=st.booleans())
def test_trees_of_numbers_are_those_of_the_public_fit(forest, is_weighted, has_gaps):
    X, y, weights = table()
    if has_gaps and forest.criterion == "squared_error" and forest.monotonic_cst is None:
        X[::4, 0] = X[1::5, 2] = np.nan
    assert_same_trees(forest, X, y, {"sample_weight": weights} if is_weighted else {})


@given(forest=classifiers(), is_weighted=st.booleans(), is_sparse=st.booleans())
def test_trees_of_classes_are_those_of_the_public_fit(forest, is_weighted, is_sparse):
    X, y, weights = table()
    X = csr_matrix(np.where(np.abs(X) < 0.8, 0, X)) if is_sparse else X
    assert_same_trees(forest, X, np.digitize(y, [0.7, 2]), {"sample_weight": weights} if is_weighted else {})


def test_directions_of_two_classes_are_kept():
    X, y, _ = table()
    forest = RandomForestClassifier(random_state=1, monotonic_cst=[1, 0, 0, -1])
    assert_same_trees(forest, X, np.where(y > 1, "much", "little"), {})


def test_scikit_learn_fits_one_tree_and_no_more(monkeypatch):
    """What it costs is what this is for: a change that sends all forests to the public fit is seen here."""
    assert forests.is_trusted()
    assert public_sizes(monkeypatch, FOREST) == [1]


@pytest.mark.parametrize("change", [{"n_jobs": 2}, {"random_state": None}, {"random_state": np.random.RandomState(0)}])
def test_what_is_not_covered_is_left_to_the_public_fit(change, monkeypatch):
    assert public_sizes(monkeypatch, RandomForestRegressor(**{"random_state": 0, **change})) == [SIZE]


def public_sizes(monkeypatch: Any, forest: Any) -> list[int]:
    sizes, plain_fit = [], RandomForestRegressor.fit
    spy = lambda self, *a, **k: sizes.append(self.n_estimators) or plain_fit(self, *a, **k)  # noqa: E731
    monkeypatch.setattr(RandomForestRegressor, "fit", spy)
    forests.grow(forest, SIZE, *table()[:2], {})
    return sizes


def other_splitter(tree: Any) -> Any:
    from sklearn.tree._splitter import RandomSplitter

    return RandomSplitter


def gone(*_: Any) -> Any:
    raise ImportError("cannot import name 'DepthFirstTreeBuilder'")


@pytest.mark.parametrize(
    ("part", "broken"), [("_splitter", other_splitter), ("_grower", gone), ("_noting", lambda kind: kind)]
)
def test_private_parts_that_changed_are_not_used(part, broken, untried, monkeypatch):
    """Another answer, a missing import, a forest that no longer calls what is overridden: the public fit, silently."""
    monkeypatch.setattr(forests, part, broken)
    assert not forests.is_trusted()
    assert_same_trees(FOREST, *table()[:2], {})


@pytest.mark.parametrize(
    "change",
    [
        {"max_features": 0.0},
        {"min_samples_leaf": 0},
        {"criterion": "guess"},
        {"max_samples": 2.0, "criterion": "poisson"},
        {"monotonic_cst": [1, 0]},
        {"bootstrap": False, "max_samples": 0.5},
    ],
)
def test_errors_are_in_the_words_of_scikit_learn(change):
    X, y, _ = table()
    forest = RandomForestRegressor(random_state=0).set_params(**change)
    theirs = raised(lambda: forest.fit(X, -y))
    ours = raised(lambda: forests.grow(forest, SIZE, X, -y, {}))
    assert (type(ours), str(ours)) == (type(theirs), str(theirs))


def raised(call: Any) -> Exception:
    with pytest.raises(ValueError, match=r".") as found:
        call()
    return found.value


def test_rows_that_trees_refuse_are_left_to_the_plain_loop():
    X, y, _ = table()
    X[3, 1] = np.inf
    fits = fits_of([RandomForestRegressor(SIZE, random_state=0)], folds(40, 2), ("predict",))
    assert solve(SOLVERS[0], fits, make_dataset(X, y)) == [None, None]
