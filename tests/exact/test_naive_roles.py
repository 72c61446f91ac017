"""Groups, weights and time reach every level, and the numbers stay those of the naive loops."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw

K_NN, KS = KNeighborsRegressor(), [1, 3, 8]
CANDIDATES = [{"n_neighbors": k} for k in KS]


@pytest.fixture(scope="module")
def groups() -> np.ndarray:
    return np.random.default_rng(3).integers(20, size=78)


@pytest.fixture(scope="module")
def weights() -> np.ndarray:
    return np.random.default_rng(4).uniform(0.2, 3.0, size=78)


@pytest.mark.few(2)
@pytest.mark.parametrize(("outer", "inner"), [(7, "aligned"), (5, "pairs"), (4, 3), (0.3, 0.3), ("logo", 3)])
def test_groups_are_never_on_both_sides_at_either_level(curved: Any, groups: Any, outer: Any, inner: Any) -> None:
    few = groups % 6 if outer == "logo" else groups
    result = fw.compare({"k-nn": fw.tune(K_NN, n_neighbors=KS)}, *curved, groups=few, outer=outer, inner=inner, jobs=1)
    splits = naive.splits_of(result)
    for train, test in [*splits[0], *(pair for own in splits[1] for pair in own), *splits[2]]:
        assert not set(few[train]) & set(few[test])
    naive.assert_same(result, "k-nn", naive.Loops(*curved, naive.squared).nested(K_NN, CANDIDATES, *splits))


def test_grouped_labels_and_a_grouped_splitter_equal_the_naive_loops(curved: Any, groups: Any) -> None:
    labels, splitter = groups % 5, GroupKFold(3)
    learners = {"k-nn": fw.tune(K_NN, n_neighbors=KS)}
    result = fw.compare(learners, *curved, groups=groups, outer=labels, inner=splitter, jobs=1)
    outer = naive.folds(labels)
    inner = [naive.inside(splitter, train, *curved, groups) for train, _ in outer]
    final = naive.inside(splitter, np.arange(78), *curved, groups)
    naive.assert_same(result, "k-nn", naive.Loops(*curved, naive.squared).nested(K_NN, CANDIDATES, outer, inner, final))


@pytest.mark.few(1)
@pytest.mark.parametrize("folds", [5, 7])
def test_weights_reach_fits_and_losses_of_regressors(curved: Any, weights: Any, folds: int) -> None:
    labels, ridge = np.arange(78) % folds, make_pipeline(StandardScaler(), Ridge())
    learners = {"ridge": fw.tune(ridge, alpha=[0.1, 10.0, 100.0]), "k-nn": fw.tune(K_NN, n_neighbors=KS)}
    result = fw.compare(learners, *curved, weights=weights, outer=labels, jobs=1)
    scheme = naive.folds(labels), *naive.aligned(labels)
    weighted = naive.Loops(*curved, naive.squared, weights, word="ridge__sample_weight")
    alphas = [{"ridge__alpha": alpha} for alpha in (0.1, 10.0, 100.0)]
    naive.assert_same(result, "ridge", weighted.nested(ridge, alphas, *scheme), names={"ridge__alpha": "alpha"})
    # k-nn takes no weights: they enter its losses alone, and that is said.
    judged = naive.Loops(*curved, naive.squared, weights)
    naive.assert_same(result, "k-nn", judged.nested(K_NN, CANDIDATES, *scheme))
    assert any("k-nn takes no row weights" in note for note in result.notes)
    assert not any("ridge takes no row weights" in note for note in result.notes)


def test_weights_reach_fits_and_log_losses_of_classifiers(classed: Any) -> None:
    labels, logistic = np.arange(84) % 5, LogisticRegression()
    weights = np.random.default_rng(5).uniform(0.2, 3.0, size=84)
    learners = {"logistic": fw.tune(logistic, C=[0.01, 1.0])}
    result = fw.compare(learners, *classed, weights=weights, loss="log", outer=labels, jobs=1)
    loops = naive.Loops(*classed, naive.log, weights, word="sample_weight")
    answer = loops.nested(logistic, [{"C": 0.01}, {"C": 1.0}], naive.folds(labels), *naive.aligned(labels))
    naive.assert_same(result, "logistic", answer)


def test_the_refitted_model_is_weighted_too(curved: Any, weights: Any) -> None:
    result = fw.compare({"ridge": Ridge()}, *curved, weights=weights, outer=5, jobs=1)
    expected = Ridge().fit(*curved, sample_weight=weights)
    np.testing.assert_allclose(result.refit("ridge").coef_, expected.coef_, rtol=1e-12)


@pytest.mark.parametrize("learner", [Ridge(), K_NN], ids=["ridge", "k-nn"])
def test_weights_of_one_change_no_number(curved: Any, learner: Any) -> None:
    plain = fw.compare({"it": learner}, *curved, outer=7, jobs=1).to_dict()["methods"][0]
    even = fw.compare({"it": learner}, *curved, outer=7, weights=np.ones(78), jobs=1).to_dict()["methods"][0]
    assert even["risk"] == pytest.approx(plain["risk"], rel=1e-12)


@pytest.mark.parametrize(("outer", "inner"), [(5, 4), (0.2, 0.25), (4, TimeSeriesSplit(3))])
def test_no_level_trains_on_later_rows_than_it_tests(curved: Any, outer: Any, inner: Any) -> None:
    time = (
        np.arange(78.0)
        if not isinstance(inner, int | float)
        else np.random.default_rng(6).permutation(78).astype(float)
    )
    learners = {"k-nn": fw.tune(K_NN, n_neighbors=[1, 3])}
    result = fw.compare(learners, *curved, time=time, outer=outer, inner=inner, jobs=1)
    splits = naive.splits_of(result)
    for train, test in [*splits[0], *(pair for own in splits[1] for pair in own), *splits[2]]:
        assert time[train].max() < time[test].min()
    answer = naive.Loops(*curved, naive.squared).nested(K_NN, CANDIDATES[:2], *splits)
    naive.assert_same(result, "k-nn", answer)


def test_time_series_splits_of_scikit_learn_at_both_levels_equal_the_naive_loops(curved: Any) -> None:
    outer_splitter, inner_splitter = TimeSeriesSplit(4), TimeSeriesSplit(3)
    learners = {"k-nn": fw.tune(K_NN, n_neighbors=[1, 3])}
    result = fw.compare(learners, *curved, time=np.arange(78), outer=outer_splitter, inner=inner_splitter, jobs=1)
    outer = naive.inside(outer_splitter, np.arange(78), curved[0])
    inner = [naive.inside(inner_splitter, train, curved[0]) for train, _ in outer]
    final = naive.inside(inner_splitter, np.arange(78), curved[0])
    answer = naive.Loops(*curved, naive.squared).nested(K_NN, CANDIDATES[:2], outer, inner, final)
    naive.assert_same(result, "k-nn", answer)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["bool", "int", "text"])
def test_the_kind_of_the_labels_changes_no_number(classed: Any, kind: str) -> None:
    X, y = classed[0], classed[1] == "top"
    labels, logistic = np.arange(84) % 5, LogisticRegression()
    named = {"bool": y, "int": np.where(y, 7, 2), "text": np.where(y, "b", "a")}[kind]
    result = fw.compare(
        {"it": fw.tune(logistic, C=[0.01, 1.0])}, X, named, loss=["log", "roc_auc"], outer=labels, jobs=1
    )
    loops = naive.Loops(X, y, naive.log)
    answer = loops.nested(logistic, [{"C": 0.01}, {"C": 1.0}], naive.folds(labels), *naive.aligned(labels))
    naive.assert_same(result, "it", answer)
    models = [loops.fit(logistic, c, train) for c, (train, _) in zip(answer.chosen, naive.folds(labels), strict=True)]
    areas = [
        roc_auc_score(y[test], model.predict_proba(X[test])[:, 1])
        for model, (_, test) in zip(models, naive.folds(labels), strict=True)
    ]
    assert result.to_dict()["methods"][0]["losses"]["roc_auc"]["value"] == pytest.approx(1 - np.mean(areas), rel=1e-10)
    assert set(result.refit("it").predict(X)) == set(named)


@pytest.mark.few(2)
@pytest.mark.parametrize("container", ["frame", "sparse", "polars"])
def test_the_container_of_the_rows_changes_no_number(curved: Any, container: str) -> None:
    X, y = curved
    names = [f"column {at}" for at in range(4)]
    held = {
        "frame": lambda: pd.DataFrame(X, columns=names),
        "sparse": lambda: csr_array(X),
        "polars": lambda: pl.DataFrame(X, names),
    }
    labels = np.arange(78) % 5
    learners = {
        "k-nn": fw.tune(K_NN, n_neighbors=KS),
        "ridge": fw.tune(Ridge(solver="lsqr", tol=1e-14), alpha=[0.1, 9.0]),
    }
    result = fw.compare(learners, held[container](), y, outer=labels, jobs=1)
    scheme, loops = (naive.folds(labels), *naive.aligned(labels)), naive.Loops(X, y, naive.squared)
    naive.assert_same(result, "k-nn", loops.nested(K_NN, CANDIDATES, *scheme))
    ridge = result.to_dict()["methods"][1]["risk"]
    assert ridge == pytest.approx(loops.nested(Ridge(), [{"alpha": 0.1}, {"alpha": 9.0}], *scheme).risk, rel=1e-6)
