"""The picked method: its simultaneous interval, ties, and the set it cannot be told apart from."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import Counted, CountedClassifier, method_of
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise import comparisons, intervals
from foldwise.errors import BadInterval

LEARNERS = {"ols": LinearRegression(), "knn": Counted(3), "one": Counted(1)}


@pytest.fixture(scope="module")
def folds(numbers):
    return fw.compare(LEARNERS, *numbers, outer=6, jobs=1)


@pytest.fixture(scope="module")
def held_out(classes):
    X, y = classes
    learners = {"logistic": LogisticRegression(), "knn": CountedClassifier(3), "far": CountedClassifier(25)}
    return lambda loss: fw.compare(learners, X, y, outer=0.5, loss=loss, jobs=1)


def test_the_picked_method_alone_has_a_simultaneous_interval(folds):
    best = folds.best
    for method in folds.to_dict()["methods"]:
        assert (method["low_simultaneous"] is not None) == (method["name"] == best)
    winner, method = folds.to_dict()["winner"], method_of(folds, best)
    assert winner["name"] == best
    assert winner["among"] == 3
    assert winner["risk"] == method["risk"]
    assert winner["low_simultaneous"] == method["low_simultaneous"] < method["low"]
    assert winner["high_simultaneous"] == method["high_simultaneous"] > method["high"]


def test_the_interval_of_the_winner_is_the_corrected_t_at_a_level_below_bonferroni(folds):
    method, winner = method_of(folds, folds.best), folds.to_dict()["winner"]
    assert 0.95 < winner["level"] < 1 - 0.05 / 3
    assert winner["level_shared"] == "winner"
    losses = [fold["loss"] for fold in method["folds"]]
    wide = intervals.corrected_t(losses, 7 / 35, winner["level"])
    assert (method["low_simultaneous"], method["high_simultaneous"]) == pytest.approx((wide.low, wide.high))


def test_on_one_test_set_the_simultaneous_interval_is_the_exact_one_at_the_bonferroni_level(held_out):
    result = held_out("zero_one")
    method = method_of(result, result.best)
    wide = intervals.clopper_pearson(round(30 * method["risk"]), 30, 1 - 0.05 / 3)
    assert (method["low_simultaneous"], method["high_simultaneous"]) == pytest.approx((wide.low, wide.high))


def test_a_method_alone_keeps_its_plain_interval(numbers):
    result = fw.compare({"baseline": "baseline"}, *numbers, outer=6, jobs=1)
    method, answer = method_of(result, "baseline"), result.to_dict()
    assert answer["winner"]["among"] == 1
    assert (method["low_simultaneous"], method["high_simultaneous"]) == (method["low"], method["high"])
    assert (answer["winner"]["bbc"], answer["not_told_apart"]) == (None, ["baseline"])


def test_identical_methods_are_a_tie_with_no_difference(numbers):
    learners = {"twin": LinearRegression(), "ols": LinearRegression()}
    result = fw.compare(learners, *numbers, outer=6, jobs=1)
    twin = method_of(result, "twin")
    assert result.best == "ols"
    assert (twin["difference"], twin["difference_low"], twin["difference_high"], twin["p"]) == (0, 0, 0, 1)
    assert {"twin", "ols"} <= set(result.to_dict()["not_told_apart"])
    assert "twin may be as good" in repr(result).replace("\n", " ")


def test_a_method_that_equals_the_baseline_is_a_tie_that_the_baseline_wins(numbers):
    result = fw.compare({"mean": DummyRegressor()}, *numbers, outer=6, jobs=1)
    answer = result.to_dict()
    assert (answer["best"], answer["not_told_apart"]) == ("baseline", ["baseline", "mean"])


@pytest.mark.parametrize("loss", ["zero_one", "brier", "log", "roc_auc"])
def test_identical_methods_are_a_tie_on_one_test_set_too(classes, loss):
    learners = {"twin": LogisticRegression(), "one": LogisticRegression()}
    result = fw.compare(learners, *classes, outer=0.5, loss=loss, jobs=1)
    twin = method_of(result, "twin")
    assert (twin["difference"], twin["difference_low"], twin["difference_high"], twin["p"]) == (0, 0, 0, 1)
    assert {"twin", "one"} <= set(result.to_dict()["not_told_apart"])


def test_the_order_of_methods_changes_nothing(numbers, folds):
    turned = fw.compare(dict(reversed(LEARNERS.items())), *numbers, outer=6, jobs=1).to_dict()
    answer = folds.to_dict()
    for key in ("best", "winner", "refit", "fits"):
        assert answer[key] == turned[key]
    assert set(answer["not_told_apart"]) == set(turned["not_told_apart"])
    plain = {method["name"]: {k: v for k, v in method.items() if k != "seconds"} for method in answer["methods"]}
    for method in turned["methods"]:
        assert {k: v for k, v in method.items() if k != "seconds"} == plain[method["name"]]


def test_the_order_of_tied_classifiers_changes_nothing(classes):
    """0-1 losses tie in many draws of BBC, and the first method must not gain from being first."""
    learners = {"a": CountedClassifier(3), "b": CountedClassifier(5), "c": CountedClassifier(7)}
    winners = [
        fw.compare(dict(items), *classes, outer=5, jobs=1).to_dict()["winner"]
        for items in (learners.items(), reversed(learners.items()))
    ]
    assert winners[0] == winners[1]


def test_fold_labels_in_another_order_change_nothing(numbers):
    labels = np.arange(42) % 6
    answers = [fw.compare(LEARNERS, *numbers, outer=outer, jobs=1).to_dict() for outer in (labels, 5 - labels)]
    for one, other in zip(answers[0]["methods"], answers[1]["methods"], strict=True):
        keys = [
            key for key in ("risk", "low", "high", "difference_low", "difference_high", "p") if one[key] is not None
        ]
        assert [one[key] for key in keys] == pytest.approx([other[key] for key in keys], rel=1e-9)
    assert answers[0]["not_told_apart"] == answers[1]["not_told_apart"]


def test_methods_that_are_not_told_apart_are_those_of_the_simultaneous_family(folds):
    names = [method["name"] for method in folds.to_dict()["methods"]]
    losses = [[fold["loss"] for fold in method["folds"]] for method in folds.to_dict()["methods"]]
    family = comparisons.compare_all(losses, 7 / 35, names=names)
    assert family.best == folds.best
    assert set(folds.to_dict()["not_told_apart"]) == set(family.not_told_apart)


def test_a_hopeless_method_is_told_apart_on_folds_and_on_one_test_set():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = 3 * X[:, 0] + rng.normal(size=200)
    for outer in (10, 0.5):
        result = fw.compare({"ols": LinearRegression(), "ridge": Ridge(1e-3)}, X, y, outer=outer, jobs=1)
        assert set(result.to_dict()["not_told_apart"]) == {"ols", "ridge"}


@pytest.mark.parametrize("words", [{"outer": "loo"}, {"outer": 4, "time": np.arange(42.0)}], ids=["loo", "time"])
def test_nothing_is_said_where_no_interval_is_valid(numbers, words):
    result = fw.compare(LEARNERS, *numbers, jobs=1, **words)
    assert result.to_dict()["not_told_apart"] is None
    assert "cannot be said here" in repr(result).replace("\n", " ")


# One test set: the tests of the public functions on losses by hand.


def rows_of(result, name):
    frame = result.losses()
    return frame[frame["method"] == name].sort_values("row")


def wrong_rows(result, name):
    return rows_of(result, name).eval("prediction != target").to_numpy().astype(float)


def test_zero_one_losses_are_compared_by_the_exact_mcnemar(held_out):
    result = held_out("zero_one")
    wrong = {name: wrong_rows(result, name) for name in ("knn", "far")}
    found, truth = result.difference("knn", "far"), comparisons.mcnemar(wrong["knn"], wrong["far"])
    assert found.interval == "Tango"
    assert (found.value, found.p) == pytest.approx((truth.value, truth.p))


def test_bounded_losses_are_compared_by_betting_in_the_order_of_the_seed(held_out):
    result = held_out("brier")
    gaps = rows_of(result, "logistic")["loss"].to_numpy() - rows_of(result, "far")["loss"].to_numpy()
    order = np.random.default_rng([0, 0xBE7]).permutation(len(gaps))
    found, truth = result.difference("logistic", "far"), intervals.betting(gaps[order], (-1, 1))
    assert found.interval == "betting"
    assert (found.value, found.low, found.high) == pytest.approx((truth.value, truth.low, truth.high))


def test_unbounded_losses_are_compared_by_t(numbers):
    result = fw.compare(LEARNERS, *numbers, outer=0.5, jobs=1)
    gaps = rows_of(result, "ols")["loss"].to_numpy() - rows_of(result, "one")["loss"].to_numpy()
    found, truth = result.difference("ols", "one"), intervals.holdout_t(gaps)
    assert found.interval == "t"
    assert (found.value, found.low, found.high) == pytest.approx((truth.value, truth.low, truth.high))


def test_areas_under_the_curve_are_compared_by_delong(held_out, classes):
    X, y = classes
    result = held_out("roc_auc")
    split = result.study.outer[0]
    scores = {
        name: learner.fit(X[split.train], y[split.train]).predict_proba(X[split.test])[:, 1]
        for name, learner in (("logistic", LogisticRegression()), ("far", CountedClassifier(25)))
    }
    truth = comparisons.delong(y[split.test], scores["logistic"], scores["far"])
    found = result.difference("logistic", "far")
    assert found.interval == "DeLong"
    assert (found.value, found.low, found.high, found.p) == pytest.approx(
        (-truth.value, -truth.high, -truth.low, truth.p)
    )


def test_the_set_on_one_test_set_holds_for_all_pairs_at_once(held_out):
    result = held_out("zero_one")
    names = [method["name"] for method in result.to_dict()["methods"]]
    wrong = {name: wrong_rows(result, name) for name in names}
    expected = [result.best]
    for name in names:
        if name != result.best:
            gap = comparisons.mcnemar(wrong[name], wrong[result.best], 1 - 0.05 / 6)
            expected += [name] if gap.low <= 0 <= gap.high else []
    assert set(result.to_dict()["not_told_apart"]) == set(expected)


# Other splits.


def test_a_method_of_another_result_is_compared_on_the_same_splits_alone(numbers, folds):
    X, y = numbers
    other = fw.compare({"ridge": Ridge(5.0)}, X, y, outer=6, jobs=1)
    together = fw.compare({**LEARNERS, "ridge": Ridge(5.0)}, X, y, outer=6, jobs=1)
    found, truth = folds.difference("ols", "ridge", of=other), together.difference("ols", "ridge")
    assert (found.value, found.low, found.high, found.p) == (truth.value, truth.low, truth.high, truth.p)


@pytest.mark.parametrize("words", [{"seed": 1}, {"outer": 5}, {"outer": 6, "repeats": 2}])
def test_a_comparison_over_different_splits_is_refused(numbers, folds, words):
    other = fw.compare({"ridge": Ridge()}, *numbers, jobs=1, **({"outer": 6} | words))
    with pytest.raises(
        BadInterval, match=r"not of the same data and outer splits.*\. Compare the methods in one study"
    ):
        folds.difference("ols", "ridge", of=other)


def test_a_comparison_over_different_data_is_refused(numbers, folds):
    X, y = numbers
    other = fw.compare({"ridge": Ridge()}, X, y + 1, outer=6, jobs=1)
    with pytest.raises(BadInterval, match="not of the same data and outer splits"):
        folds.difference("ols", "ridge", of=other)


def test_methods_that_are_tuned_on_other_inner_splits_are_not_the_same():
    """Their candidates are the same, their choices need not be: the difference is that of their risks."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=150)
    tree, grid = DecisionTreeRegressor(random_state=0), {"max_leaf_nodes": [2, 8, 40]}
    learners = {
        "a": fw.tune(tree, grid, inner=3),
        "b": fw.tune(tree, grid, inner=0.1),
        "c": fw.tune(tree, grid, inner=3),
    }
    result = fw.compare(learners, X, y, outer=4, jobs=1)
    table = result.table().set_index("method")
    assert table.risk["a"] == table.risk["c"] != table.risk["b"]
    assert result.difference("b", "a").value == pytest.approx(table.risk["b"] - table.risk["a"])
    assert result.difference("b", "a").low < result.difference("b", "a").high
    assert result.difference("c", "a").high == 0
