"""Bates and conservative z intervals of a study (questions/evidence.py) equal the public functions on plain loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from by_hand import Counted, grid, labels_of, method_of, pairs_of, row_losses, score_table, tuned_losses, without
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw
from foldwise import intervals
from foldwise.errors import BadInterval

KS = [1, 4, 9]


@pytest.fixture(autouse=True)
def nothing_counted():
    Counted.made.clear()


def bates_of(labels: np.ndarray, outer, beside) -> fw.Estimate:
    """The interval from outer(train, test) and beside(repeat, i, j, test) losses of every repeat."""
    repeats, rows = labels.shape
    folds = int(labels.max()) + 1
    outer_losses, pair_losses = np.zeros((repeats, rows)), np.full((repeats, rows, folds), np.nan)
    for repeat, own in enumerate(labels):
        for fold in range(folds):
            outer_losses[repeat, own == fold] = outer(repeat, fold)
        for i, j in combinations(range(folds), 2):
            for here, there in ((i, j), (j, i)):
                pair_losses[repeat, own == here, there] = beside(repeat, i, j, np.flatnonzero(own == here))
    return intervals.bates(outer_losses, pair_losses, labels)


def assert_interval(method, estimate) -> None:
    """The width and place of the interval, around the mean over folds where folds are not equal."""
    shift = method["risk"] - estimate.value
    low = method["low"] if method["formula_low"] is None else method["formula_low"]
    assert (low - shift, method["high"] - shift) == pytest.approx((estimate.low, estimate.high), rel=1e-10)
    assert method["low"] == max(0, low)


@pytest.mark.parametrize("repeats", [1, 2])
def test_an_untuned_learner_equals_pairs_of_folds_fitted_by_hand(numbers, repeats):
    X, y = numbers
    result = fw.compare({"knn": Counted(4)}, X, y, outer=5, repeats=repeats, interval="bates", jobs=1)
    labels, learner = labels_of(result), Counted(4)
    counted = len(Counted.made)

    truth = bates_of(
        labels,
        lambda r, k: row_losses(learner, {}, X, y, (without(labels[r], k), np.flatnonzero(labels[r] == k))),
        lambda r, i, j, test: row_losses(learner, {}, X, y, (without(labels[r], i, j), test)),
    )

    method = method_of(result, "knn")
    assert_interval(method, truth)
    assert method["interval"] == "Bates"
    assert counted == method["fits"] == repeats * 5 * 6 // 2
    details = result.methods[0].estimate().details
    assert details["inflation"] == pytest.approx(truth.details["inflation"])
    assert details["is_stable"] == truth.details["is_stable"]


def test_leave_two_out_models_of_a_tuned_learner_are_tuned_on_their_own_inner_folds(numbers):
    X, y = numbers
    tuned = fw.tune(Counted(), n_neighbors=KS)
    result = fw.compare({"knn": tuned}, X, y, outer=4, inner=3, interval="bates", jobs=1)
    study, labels = result.study, labels_of(result)
    inner = [pairs_of(splits) for splits in study.methods[0].inner.splits]
    beside = dict(zip(combinations(range(4), 2), study.methods[0].extra_inner, strict=True))
    learner, candidates = Counted(), grid("n_neighbors", KS)
    counted = len(Counted.made)

    def outer(_, fold):
        pair = without(labels[0], fold), np.flatnonzero(labels[0] == fold)
        return tuned_losses(learner, candidates, X, y, pair, inner[fold])

    def two_out(_, i, j, test):
        train = without(labels[0], i, j)
        within = pairs_of(beside[i, j])
        for rows, held in within:  # the inner folds cut the training rows of the pair, and nothing else
            np.testing.assert_array_equal(np.union1d(rows, held), train)
        return tuned_losses(learner, candidates, X, y, (train, test), within)

    assert_interval(method_of(result, "knn"), bates_of(labels, outer, two_out))
    # 4 outer, 6 pairs and the final tuning, each on 3 inner folds; then one fit of the chosen candidate each
    assert counted == method_of(result, "knn")["fits"] == (4 + 6 + 1) * 3 * len(KS) + 4 + 6


def test_on_pairs_the_leave_two_out_models_are_tuned_on_the_other_folds(numbers):
    X, y = numbers
    tuned = fw.tune(Counted(), n_neighbors=KS)
    result = fw.compare({"knn": tuned}, X, y, outer=5, inner="pairs", interval="bates", jobs=1)
    labels, learner, candidates = labels_of(result), Counted(), grid("n_neighbors", KS)
    own = labels[0]
    counted = len(Counted.made)

    def other_folds(*held):
        rest = [fold for fold in range(5) if fold not in held]
        return [(without(own, *held, fold), np.flatnonzero(own == fold)) for fold in rest]

    def outer(_, k):
        pair = without(own, k), np.flatnonzero(own == k)
        return tuned_losses(learner, candidates, X, y, pair, other_folds(k))

    def two_out(_, i, j, test):
        return tuned_losses(learner, candidates, X, y, (without(own, i, j), test), other_folds(i, j))

    assert_interval(method_of(result, "knn"), bates_of(labels, outer, two_out))
    # all candidates without 1, 2 and 3 folds; the chosen ones are among them
    assert counted == method_of(result, "knn")["fits"] == (5 + 10 + 10) * len(KS)


def test_the_auto_row_picks_its_method_on_every_pair_of_folds_too(numbers):
    X, y = numbers
    learners = {"knn": Counted(), "ridge": Ridge()}
    grids = {"knn": grid("n_neighbors", KS), "ridge": grid("alpha", [0.1, 10.0])}
    specs = {"knn": fw.tune(Counted(), n_neighbors=KS), "ridge": fw.tune(Ridge(), alpha=[0.1, 10.0])}
    result = fw.compare(specs, X, y, outer=4, inner="pairs", interval="bates", jobs=1)
    own = labels_of(result)[0]

    def picked(test, *held):
        rest = [fold for fold in range(4) if fold not in held]
        inner = [(without(own, *held, fold), np.flatnonzero(own == fold)) for fold in rest]
        tables = {name: score_table(learners[name], grids[name], X, y, inner).mean(axis=1) for name in learners}
        name = min(tables, key=lambda name: tables[name].min())
        return row_losses(learners[name], grids[name][tables[name].argmin()], X, y, (without(own, *held), test))

    truth = bates_of(
        own[None],
        lambda _, k: picked(np.flatnonzero(own == k), k),
        lambda _, i, j, test: picked(test, i, j),
    )
    auto = method_of(result, "auto")
    assert_interval(auto, truth)
    assert auto["interval"] == "Bates"


def test_a_tuned_learner_on_lines_has_no_bates_interval_and_no_fit_is_made(numbers):
    tuned = {"knn": fw.tune(Counted(), n_neighbors=KS)}
    for words in ({}, {"outer": 7, "inner": "lines"}):
        with pytest.raises(BadInterval, match=r"cannot use lines: leaving out two folds breaks them\. Use inner="):
            fw.compare(tuned, *numbers, interval="bates", jobs=1, **words)
    assert Counted.made == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"outer": 2, "inner": 3}, r"the Bates interval needs 3 or more outer folds, not: 2 folds\. Use outer=10"),
        ({"outer": 0.2}, "the Bates interval needs 3 or more outer folds, not: 20% held out"),
        ({"outer": "loo"}, "Bates interval is not valid here: it needs at least two rows in every fold"),
        ({"outer": 5, "loss": "r2"}, "Bates interval is not valid here: r2 is a measure of a whole fold"),
        ({"outer": 5, "groups": np.arange(42) // 2}, "rows of a group are not independent: the group is the unit"),
        ({"outer": 5, "weights": np.ones(42) + np.arange(42)}, "rows have weights"),
    ],
)
def test_an_invalid_wish_for_bates_is_refused_before_any_fit(numbers, words, message):
    with pytest.raises(BadInterval, match=message):
        fw.compare({"knn": Counted()}, *numbers, interval="bates", jobs=1, **words)
    assert Counted.made == []


@pytest.mark.parametrize(
    ("interval", "words", "message"),
    [
        ("hoeffding", {"outer": 0.2}, "the Hoeffding interval is not valid here: it needs a loss with a stated range"),
        ("bayle", {"outer": 5, "loss": "r2"}, "the Bayle interval is not valid here: r2 is a measure of a whole fold"),
        ("t", {"outer": 5}, "it is for one test set, and there are 5 splits"),
        ("corrected t", {"outer": 4, "time": np.arange(42.0)}, "time-ordered folds are neither exchangeable"),
        ("t", {"outer": 0.2, "time": np.arange(42.0)}, "rows that follow each other in time are not independent"),
        ("conservative z", {"outer": 5}, r"needs random outer splits, not: 5 folds\. Use outer=fw\.MonteCarlo"),
        ("batez", {}, "there is no interval 'batez'"),
    ],
)
def test_every_invalid_wish_is_refused_before_any_fit(numbers, interval, words, message):
    with pytest.raises(BadInterval, match=message):
        fw.compare({"knn": Counted()}, *numbers, interval=interval, jobs=1, **words)
    assert Counted.made == []


def test_the_plan_tells_what_a_bates_interval_costs(numbers):
    learners = {"plain": Counted(3), "tuned": fw.tune(Counted(), n_neighbors=KS)}
    cost = {}
    for interval in (None, "bates"):
        plan = fw.plan(learners, *numbers, outer=5, inner="pairs", interval=interval, pilot=False)
        cost[interval] = {method["name"]: method["fits"] for method in plan.methods}
    assert Counted.made == []
    assert cost[None] == {"plain": 5, "tuned": 15 * len(KS), "baseline": 5}
    assert cost["bates"] == {"plain": 15, "tuned": 25 * len(KS), "baseline": 15}
    result = fw.compare(learners, *numbers, outer=5, inner="pairs", interval="bates", jobs=1)
    assert {method["name"]: method["fits"] for method in result.to_dict()["methods"]} == cost["bates"]


@pytest.mark.few(1)
@pytest.mark.parametrize("tuned", [False, True])
def test_the_conservative_z_equals_random_splits_of_halves_fitted_by_hand(numbers, tuned):
    X, y = numbers
    learner = fw.tune(Counted(), n_neighbors=[2, 7]) if tuned else Counted(3)
    outer = fw.MonteCarlo(2, share=0.1)
    result = fw.compare({"knn": learner}, X, y, outer=outer, inner=2, interval="conservative z", jobs=1)
    study, plain, candidates = result.study, Counted(3), grid("n_neighbors", [2, 7])
    assert study.extra is not None
    inner = study.methods[0].extra_inner or [None] * len(study.extra)
    counted = len(Counted.made)

    def mean_loss(pair, within):
        if within is None:
            return row_losses(plain, {}, X, y, pair).mean()
        return tuned_losses(Counted(), candidates, X, y, pair, pairs_of(within)).mean()

    halves = np.zeros((10, 2, 2))
    for split, within in zip(study.extra, inner, strict=True):
        pair = np.asarray(split.train), np.asarray(split.test)
        halves[split.repeat // 2, split.repeat % 2, split.fold] = mean_loss(pair, within)
    method = method_of(result, "knn")
    full = [fold["loss"] for fold in method["folds"]]
    truth = intervals.conservative_z(full, halves.mean(axis=2))
    assert method["risk"] == pytest.approx(truth.value)
    assert_interval(method, truth)
    # 2 splits of all rows and of both halves of 10 cuts; a tuned one also 2 inner folds of each, and the final tuning
    judged = 2 * (1 + 2 * 10)
    assert counted == method["fits"] == (judged + (judged + 1) * 2 * 2 if tuned else judged)


def test_the_plan_tells_what_a_conservative_z_costs(numbers):
    words = {"outer": fw.MonteCarlo(3, share=0.1), "pilot": False}
    plan = fw.plan({"knn": Counted()}, *numbers, interval="conservative", **words)
    assert plan.methods[0]["fits"] == 63
    assert Counted.made == []


def test_repeats_improve_the_risk_and_count_as_fewer_than_two_runs(numbers):
    X, y = numbers
    result = fw.compare({"ols": LinearRegression()}, X, y, outer=6, repeats=8, jobs=1)
    method = method_of(result, "ols")
    runs = np.array([fold["loss"] for fold in method["folds"]]).reshape(8, 6)
    assert method["risk"] == pytest.approx(runs.mean())
    assert_interval(method, intervals.corrected_t(runs, 7 / 35))
    pooled = intervals.corrected_t(runs.ravel(), 7 / 35)
    assert method["high"] > pooled.high


def test_the_bias_of_the_training_size_is_that_of_the_plain_function():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=120)
    result = fw.compare({"ols": LinearRegression()}, X, y, outer=10, interval="bates", jobs=1)
    evidence = result.methods[0].evidence
    corrected = fw.intervals.bates(evidence.by_row, evidence.pair_losses, evidence.fold_of_row, bias=True)
    assert result.size_bias("ols") == pytest.approx(result.methods[0].risk - corrected.value)
    with pytest.raises(BadInterval, match="needs the leave-two-out fits"):
        fw.compare({"ols": LinearRegression()}, X, y, outer=5, jobs=1).size_bias("ols")
