"""Aligned nested cross-validation equals the naive nested loops, for every family of learner, several at once."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import foldwise as fw

# name: estimator, parameter as the user names it, parameter in full, values
Entry = tuple[Any, str, str, list[Any]]
REGRESSORS: dict[str, Entry] = {
    "k-nn": (KNeighborsRegressor(), "n_neighbors", "n_neighbors", [1, 3, 6, 11]),
    "ridge": (make_pipeline(StandardScaler(), Ridge()), "alpha", "ridge__alpha", [0.01, 10.0, 100.0]),
    "tree": (DecisionTreeRegressor(random_state=0), "max_depth", "max_depth", [1, 3, None]),
    "forest": (RandomForestRegressor(3, random_state=5), "max_depth", "max_depth", [2, 5]),
    "svm": (make_pipeline(StandardScaler(), SVR()), "svr__C", "svr__C", [0.1, 1.0, 10.0]),
}
CLASSIFIERS: dict[str, Entry] = {
    "k-nn": (KNeighborsClassifier(), "n_neighbors", "n_neighbors", [1, 3, 7]),
    "logistic": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        "C",
        "logisticregression__C",
        [0.01, 0.3, 10.0],
    ),
    "tree": (DecisionTreeClassifier(random_state=0), "max_depth", "max_depth", [1, 3, None]),
    "forest": (RandomForestClassifier(3, random_state=5), "max_depth", "max_depth", [2, 5]),
    "svm": (SVC(), "C", "C", [0.1, 1.0, 10.0]),
}


def fold_labels(rows: int, folds: int) -> np.ndarray:
    """Folds of uneven sizes, their labels in no order of the rows."""
    labels = np.random.default_rng(folds).integers(folds, size=rows)
    labels[:folds] = np.arange(folds)
    return 10 * labels + 3


def tuned(entries: dict[str, Entry]) -> dict[str, Any]:
    return {name: fw.tune(estimator, **{word: values}) for name, (estimator, word, _, values) in entries.items()}


def truth(loops: naive.Loops, entry: Entry, labels: np.ndarray) -> naive.Answer:
    estimator, _, full, values = entry
    inner, final = naive.aligned(labels)
    return loops.nested(estimator, [{full: value} for value in values], naive.folds(labels), inner, final)


def assert_equals_loops(result: Any, loops: naive.Loops, name: str, entry: Entry, labels: np.ndarray) -> None:
    naive.assert_same(result, name, truth(loops, entry, labels), names={entry[2]: entry[1]})


@pytest.fixture(
    scope="module", params=[7, pytest.param(13, marks=pytest.mark.slow), 5], ids=["7 lines", "13 lines", "pairs of 5"]
)
def regressions(request: pytest.FixtureRequest, curved: Any) -> tuple[Any, np.ndarray]:
    labels = fold_labels(len(curved[1]), request.param)
    return fw.compare(tuned(REGRESSORS), *curved, outer=labels, inner="aligned", jobs=1), labels


@pytest.mark.few(6)
@pytest.mark.parametrize("name", REGRESSORS)
def test_five_regressors_at_once_equal_the_naive_loops_one_by_one(name: str, regressions: Any, curved: Any) -> None:
    result, labels = regressions
    assert_equals_loops(result, naive.Loops(*curved, naive.squared), name, REGRESSORS[name], labels)


@pytest.fixture(scope="module", params=[pytest.param(7, marks=pytest.mark.slow), 5], ids=["7 lines", "pairs of 5"])
def classifications(request: pytest.FixtureRequest, classed: Any) -> tuple[Any, np.ndarray]:
    labels = fold_labels(len(classed[1]), request.param)
    return fw.compare(tuned(CLASSIFIERS), *classed, outer=labels, inner="aligned", jobs=1), labels


@pytest.mark.few(5)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_five_classifiers_at_once_equal_the_naive_loops_one_by_one(
    name: str, classifications: Any, classed: Any
) -> None:
    result, labels = classifications
    assert_equals_loops(result, naive.Loops(*classed, naive.zero_one), name, CLASSIFIERS[name], labels)


@pytest.mark.few(1)
@pytest.mark.parametrize(("folds", "classes"), [(5, 3), (7, 2), (13, 2)])
def test_logistic_regression_under_log_loss_equals_the_naive_loops(folds: int, classes: int, classed: Any) -> None:
    X, y = classed
    y = np.where(y == "mid", "low", y) if classes == 2 else y
    labels, entry = np.arange(len(y)) % folds, CLASSIFIERS["logistic"]
    result = fw.compare(tuned({"logistic": entry}), X, y, loss="log", outer=labels, inner="aligned", jobs=1)
    assert_equals_loops(result, naive.Loops(X, y, naive.log), "logistic", entry, labels)


def test_thirteen_lines_of_a_classifier_equal_the_naive_loops(classed: Any) -> None:
    labels, entry = fold_labels(84, 13), CLASSIFIERS["svm"]
    result = fw.compare(tuned({"svm": entry}), *classed, outer=labels, inner="lines", jobs=1)
    assert_equals_loops(result, naive.Loops(*classed, naive.zero_one), "svm", entry, labels)


def test_pairs_can_be_asked_for_where_there_are_lines(curved: Any) -> None:
    labels = fold_labels(78, 7)
    estimator, word, _, values = REGRESSORS["k-nn"]
    result = fw.compare({"k-nn": fw.tune(estimator, **{word: values})}, *curved, outer=labels, inner="pairs", jobs=1)
    names = np.unique(labels)
    inner = [
        [
            (np.flatnonzero((labels != one) & (labels != other)), np.flatnonzero(labels == other))
            for other in names
            if other != one
        ]
        for one in names
    ]
    loops, outer = naive.Loops(*curved, naive.squared), naive.folds(labels)
    answer = loops.nested(estimator, [{word: value} for value in values], outer, inner, outer)
    naive.assert_same(result, "k-nn", answer)
    # The pairs have the plain CV of every candidate on the outer folds, so optimism costs nothing.
    table = loops.table(estimator, [{word: value} for value in values], outer)
    optimism = next(method["optimism"] for method in result.to_dict()["methods"] if method["name"] == "k-nn")
    assert optimism == pytest.approx(answer.risk - table.mean(axis=1).min(), abs=1e-10)


def test_optimism_bought_for_lines_is_risk_less_the_best_plain_cross_validation(curved: Any) -> None:
    labels, (estimator, word, _, values) = fold_labels(78, 7), REGRESSORS["k-nn"]
    learners = {"k-nn": fw.tune(estimator, **{word: values})}
    without = fw.compare(learners, *curved, outer=labels, jobs=1)
    bought = fw.compare(learners, *curved, outer=labels, optimism=True, jobs=1).to_dict()["methods"][0]
    assert without.to_dict()["methods"][0]["optimism"] is None
    assert any("optimism=True" in note for note in without.notes)
    loops = naive.Loops(*curved, naive.squared)
    table = loops.table(estimator, [{word: value} for value in values], naive.folds(labels))
    assert bought["optimism"] == pytest.approx(bought["risk"] - table.mean(axis=1).min(), abs=1e-10)


def test_the_best_is_the_smallest_risk_and_differences_are_to_it(regressions: Any) -> None:
    answer = regressions[0].to_dict()
    risks = {method["name"]: method["risk"] for method in answer["methods"]}
    assert answer["best"] == min(risks, key=lambda name: risks[name])
    for method in answer["methods"]:
        assert method["difference"] == pytest.approx(method["risk"] - risks[answer["best"]], abs=1e-12)


def test_the_baseline_is_the_mean_of_the_training_targets(regressions: Any, curved: Any) -> None:
    result, labels = regressions
    y = curved[1]
    expected = [np.mean((y[test] - y[train].mean()) ** 2) for train, test in naive.folds(labels)]
    baseline = next(method for method in result.to_dict()["methods"] if method["name"] == "baseline")
    np.testing.assert_allclose([fold["loss"] for fold in baseline["folds"]], expected, rtol=1e-10)


def test_a_learner_has_the_same_numbers_alone_and_in_company(regressions: Any, curved: Any) -> None:
    result, labels = regressions
    alone = fw.compare(tuned({"tree": REGRESSORS["tree"]}), *curved, outer=labels, jobs=1).to_dict()["methods"][0]
    among = next(method for method in result.to_dict()["methods"] if method["name"] == "tree")
    same = ("risk", "low", "high", "selection_score", "train_risk", "fits", "folds")
    assert {name: alone[name] for name in same} == {name: among[name] for name in same}


@pytest.mark.parametrize("name", ["ridge", "forest"])
def test_the_refitted_model_is_the_final_candidate_on_all_rows(name: str, regressions: Any, curved: Any) -> None:
    result, (estimator, word, full, _) = regressions[0], REGRESSORS[name]
    expected = clone(estimator).set_params(**{full: result.candidate(name)[word]}).fit(*curved)
    np.testing.assert_allclose(result.refit(name).predict(curved[0]), expected.predict(curved[0]), rtol=1e-10)
