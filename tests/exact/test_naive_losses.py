"""Losses of every kind, selection rules, conditional spaces and random draws, all as the naive loops have them."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_pinball_loss, median_absolute_error, r2_score, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import foldwise as fw

K_NN, KS = KNeighborsRegressor(), [1, 3, 8]
CANDIDATES = [{"n_neighbors": k} for k in KS]
LABELS = np.arange(78) % 5
SCHEME = naive.folds(LABELS), *naive.aligned(LABELS)


def compare_k_nn(curved: Any, **words: Any) -> Any:
    return fw.compare({"k-nn": fw.tune(K_NN, n_neighbors=KS)}, *curved, outer=LABELS, inner="pairs", jobs=1, **words)


@pytest.fixture(scope="module")
def binary(classed: Any) -> tuple[Any, Any, Any]:
    X, y = classed
    return X, np.where(y == "mid", "low", y), np.arange(len(y)) % 5


def test_the_first_of_several_losses_selects_and_all_are_told(curved: Any) -> None:
    result = compare_k_nn(curved, loss=["absolute", "squared", "pinball(0.9)"])
    answer = naive.Loops(*curved, naive.absolute).nested(K_NN, CANDIDATES, *SCHEME)
    naive.assert_same(result, "k-nn", answer)
    loops = naive.Loops(*curved, naive.squared)
    models = [loops.fit(K_NN, chosen, train) for chosen, (train, _) in zip(answer.chosen, SCHEME[0], strict=True)]
    others = result.to_dict()["methods"][0]["losses"]
    squared = [loops.loss(model, test) for model, (_, test) in zip(models, SCHEME[0], strict=True)]
    assert others["squared"]["value"] == pytest.approx(np.mean(squared), rel=1e-10)
    X, y = curved
    pinball = [
        mean_pinball_loss(y[test], model.predict(X[test]), alpha=0.9)
        for model, (_, test) in zip(models, SCHEME[0], strict=True)
    ]
    assert others["pinball(0.9)"]["value"] == pytest.approx(np.mean(pinball), rel=1e-10)


def test_per_row_losses_and_predictions_are_those_of_the_naive_loops(curved: Any) -> None:
    X, y = curved
    result = compare_k_nn(curved)
    rows = result.losses().query("method == 'k-nn'").set_index("row")
    answer = naive.Loops(X, y, naive.squared).nested(K_NN, CANDIDATES, *SCHEME)
    loops = naive.Loops(X, y, naive.squared)
    for fold, ((train, test), chosen) in enumerate(zip(SCHEME[0], answer.chosen, strict=True)):
        prediction = loops.fit(K_NN, chosen, train).predict(X[test])
        np.testing.assert_allclose(rows.loc[test, "prediction"], prediction, rtol=1e-10)
        np.testing.assert_allclose(rows.loc[test, "loss"], (y[test] - prediction) ** 2, rtol=1e-9)
        assert set(rows.loc[test, "fold"]) == {fold}


@pytest.mark.few(1)
@pytest.mark.parametrize("learner", ["logistic", "svm"])
def test_roc_auc_is_one_less_the_area_fold_by_fold(binary: Any, learner: str) -> None:
    X, y, labels = binary
    estimator = LogisticRegression() if learner == "logistic" else SVC()
    result = fw.compare({"it": fw.tune(estimator, C=[0.02, 1.0])}, X, y, loss="roc_auc", outer=labels, jobs=1)

    def area(model: Any, X: Any, y: Any, weights: Any) -> float:
        return 1 - float(roc_auc_score(y == "top", model.decision_function(X)))

    answer = naive.Loops(X, y, area).nested(
        estimator, [{"C": 0.02}, {"C": 1.0}], naive.folds(labels), *naive.aligned(labels)
    )
    naive.assert_same(result, "it", answer)


def test_a_scorer_by_name_and_as_an_object_are_fold_level_measures(curved: Any) -> None:
    def r2(model: Any, X: Any, y: Any, weights: Any) -> float:
        return 1 - float(r2_score(y, model.predict(X)))

    naive.assert_same(
        compare_k_nn(curved, loss="r2"), "k-nn", naive.Loops(*curved, r2).nested(K_NN, CANDIDATES, *SCHEME)
    )

    def median(model: Any, X: Any, y: Any, weights: Any) -> float:
        return float(median_absolute_error(y, model.predict(X)))

    scorer = make_scorer(median_absolute_error, greater_is_better=False)
    answer = naive.Loops(*curved, median).nested(K_NN, CANDIDATES, *SCHEME)
    naive.assert_same(compare_k_nn(curved, loss=scorer), "k-nn", answer)


def test_a_function_of_target_and_prediction_is_a_loss(curved: Any) -> None:
    def cubed(y: Any, prediction: Any) -> Any:
        return np.abs(y - prediction) ** 3

    def judge(model: Any, X: Any, y: Any, weights: Any) -> float:
        return float(np.mean(np.abs(y - model.predict(X)) ** 3))

    answer = naive.Loops(*curved, judge).nested(K_NN, CANDIDATES, *SCHEME)
    naive.assert_same(compare_k_nn(curved, loss=cubed), "k-nn", answer)


def test_a_cost_matrix_is_read_by_true_class_and_predicted_class(classed: Any) -> None:
    X, y = classed
    classes, costs = ["low", "mid", "top"], np.array([[0.0, 1.0, 7.0], [2.0, 0.0, 1.0], [5.0, 3.0, 0.0]])
    labels, k_nn = np.arange(84) % 5, KNeighborsClassifier()

    def judge(model: Any, X: Any, y: Any, weights: Any) -> float:
        said = model.predict(X)
        return float(
            np.mean([costs[classes.index(true), classes.index(got)] for true, got in zip(y, said, strict=True)])
        )

    answer = naive.Loops(X, y, judge).nested(k_nn, CANDIDATES, naive.folds(labels), *naive.aligned(labels))
    for given in (costs, costs.tolist()):
        result = fw.compare({"k-nn": fw.tune(k_nn, n_neighbors=KS)}, X, y, loss=given, outer=labels, jobs=1)
        naive.assert_same(result, "k-nn", answer)


def test_brier_and_balanced_losses_by_their_definitions(classed: Any) -> None:
    X, y = classed
    k_nn, classes, counts = (
        KNeighborsClassifier(5),
        np.unique(y),
        {label: np.mean(y == label) for label in np.unique(y)},
    )
    labels = np.arange(84) % 4
    result = fw.compare({"k-nn": k_nn}, X, y, loss=["brier", "balanced_zero_one"], outer=labels, jobs=1)

    def brier(model: Any, X: Any, y: Any, weights: Any) -> float:
        return float(np.mean(((model.predict_proba(X) - (y[:, None] == classes)) ** 2).sum(axis=1)))

    def balanced(model: Any, X: Any, y: Any, weights: Any) -> float:
        return float(
            np.mean([(got != true) / (3 * counts[true]) for true, got in zip(y, model.predict(X), strict=True)])
        )

    losses = result.to_dict()["methods"][0]["losses"]
    for name, judge in (("brier", brier), ("balanced_zero_one", balanced)):
        expected = np.mean(naive.Loops(X, y, judge).plain(k_nn, naive.folds(labels)))
        assert losses[name]["value"] == pytest.approx(expected, rel=1e-10)


@pytest.mark.few(1)
@pytest.mark.parametrize("folds", [5, 7])
def test_one_standard_error_takes_the_simplest_within_reach_of_the_best(curved: Any, folds: int) -> None:
    labels, ks = np.arange(78) % folds, [1, 2, 3, 5, 8, 13, 21]
    learners = {"k-nn": fw.tune(K_NN, n_neighbors=ks, simpler={"n_neighbors": "high"})}
    result = fw.compare(learners, *curved, outer=labels, rule="one_se", jobs=1)

    def simplest(table: np.ndarray) -> int:
        means = table.mean(axis=1)
        best = int(np.argmin(means))
        limit = means[best] + table[best].std(ddof=1) / np.sqrt(table.shape[1])
        return max(at for at in range(len(ks)) if means[at] <= limit)

    candidates = [{"n_neighbors": k} for k in ks]
    scheme = naive.folds(labels), *naive.aligned(labels)
    loops = naive.Loops(*curved, naive.squared)
    answer = loops.nested(K_NN, candidates, *scheme, choose=simplest)
    naive.assert_same(result, "k-nn", answer)
    plain = fw.compare(learners, *curved, outer=labels, jobs=1)
    assert plain.candidate("k-nn", rule="one_se") == answer.final
    best = loops.nested(K_NN, candidates, *scheme)
    assert plain.candidate("k-nn") == best.final
    assert any(one != other for one, other in zip(best.chosen, answer.chosen, strict=True))


def test_ties_go_to_the_first_candidate_as_declared(curved: Any) -> None:
    scale = [{"leaf_size": size, "n_neighbors": k} for size in (40, 10) for k in (8, 3)]  # leaf_size changes nothing
    result = fw.compare(
        {"k-nn": fw.tune(K_NN, leaf_size=[40, 10], n_neighbors=[8, 3])}, *curved, outer=LABELS, inner="pairs", jobs=1
    )
    answer = naive.Loops(*curved, naive.squared).nested(K_NN, scale, *SCHEME)
    assert {candidate["leaf_size"] for candidate in answer.chosen} == {40}
    naive.assert_same(result, "k-nn", answer)


def test_a_conditional_space_tries_its_blocks_one_after_another(curved: Any) -> None:
    space = [{"kernel": ["linear"], "C": [0.1, 1.0]}, {"kernel": ["rbf"], "C": [1.0], "gamma": [0.05, 0.5]}]
    candidates = [
        {"kernel": "linear", "C": 0.1},
        {"kernel": "linear", "C": 1.0},
        {"kernel": "rbf", "C": 1.0, "gamma": 0.05},
        {"kernel": "rbf", "C": 1.0, "gamma": 0.5},
    ]
    result = fw.compare({"svm": fw.tune(SVR(), space=space)}, *curved, outer=LABELS, jobs=1)
    naive.assert_same(result, "svm", naive.Loops(*curved, naive.squared).nested(SVR(), candidates, *SCHEME))


def test_a_space_may_choose_a_whole_step_of_a_pipeline(curved: Any) -> None:
    pipeline = Pipeline([("scale", StandardScaler()), ("model", Ridge())])
    ridge, k_nn = Ridge(), KNeighborsRegressor()
    space = [{"model": [ridge], "model__alpha": [1.0, 30.0]}, {"model": [k_nn], "model__n_neighbors": [4]}]
    result = fw.compare({"either": fw.tune(pipeline, space=space)}, *curved, outer=LABELS, jobs=1)
    assert (ridge.alpha, k_nn.n_neighbors) == (1.0, 5)  # the user's own objects stay as they were
    candidates = [{"model": Ridge(1.0)}, {"model": Ridge(30.0)}, {"model": KNeighborsRegressor(4)}]
    answer = naive.Loops(*curved, naive.squared).nested(pipeline, candidates, *SCHEME)
    folds = result.to_dict()["methods"][0]["folds"]
    np.testing.assert_allclose([fold["loss"] for fold in folds], answer.losses, rtol=1e-10)


def test_a_random_draw_is_shared_by_all_folds_and_judged_as_the_naive_loops_judge_it(curved: Any) -> None:
    learner = fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3))
    result = fw.compare({"ridge": learner}, *curved, outer=LABELS, tuner="random", budget=6, seed=3, jobs=1)
    candidates = [dict(candidate) for candidate in result.study.methods[0].candidates]
    alphas = [candidate["alpha"] for candidate in candidates]
    assert len(set(alphas)) == 6
    assert all(1e-3 <= alpha <= 1e3 for alpha in alphas)
    assert max(alphas) / min(alphas) > 1e3  # spread over the whole range
    answer = naive.Loops(*curved, naive.squared).nested(Ridge(), candidates, *SCHEME)
    naive.assert_same(result, "ridge", answer)
    again = fw.compare({"ridge": learner}, *curved, outer=LABELS, tuner="random", budget=6, seed=4, jobs=1)
    assert [candidate["alpha"] for candidate in again.study.methods[0].candidates] != alphas
