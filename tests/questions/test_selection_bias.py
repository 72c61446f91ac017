"""Selection scores without the luck of the pick: from loss tables made by plain loops, and on pure noise."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import Counted, grid, labels_of, method_of, pairs_of, row_losses
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise import intervals

KS = [1, 3, 6]
KNN, CANDIDATES = Counted(), grid("n_neighbors", KS)


def table_of(X, y, final, candidates=CANDIDATES, learner=KNN):
    """Out-of-fold losses[row, candidate] and fold means[fold, candidate] of all candidates on the final splits."""
    sums, times = np.zeros((len(y), len(candidates))), np.zeros(len(y))
    means = np.zeros((len(final), len(candidates)))
    for at, pair in enumerate(final):
        times[pair[1]] += 1
        for number, candidate in enumerate(candidates):
            losses = row_losses(learner, candidate, X, y, pair)
            sums[pair[1], number] += losses
            means[at, number] = losses.mean()
    return sums / times[:, None], means


@pytest.mark.few(2)
@pytest.mark.parametrize("words", [{"inner": 4}, {"inner": "pairs"}, {"outer": 7}, {"inner": 3, "repeats": 2}], ids=str)
def test_the_corrections_equal_the_public_functions_on_tables_by_loops(numbers, words):
    X, y = numbers
    tuned = {"knn": fw.tune(Counted(), n_neighbors=KS)}
    result = fw.compare(tuned, X, y, **({"outer": 5} | words), seed=3, level=0.9, jobs=1)
    table, means = table_of(X, y, pairs_of(result.study.methods[0].inner.final))
    bbc = intervals.bbc(table, seed=3, level=0.9)
    method = method_of(result, "knn")
    corrected = method["selection_corrected"]
    assert (corrected["bbc"], corrected["low"], corrected["high"]) == pytest.approx((bbc.value, bbc.low, bbc.high))
    assert corrected["tibshirani"] == pytest.approx(intervals.tibshirani(means).value)
    frame = result.selection_bias().set_index("method")
    assert frame.loc["knn", "corrected: bbc"] == corrected["bbc"]
    assert frame.loc["knn", "risk"] == method["risk"]
    assert frame.loc["knn", "selection_score"] == method["selection_score"]


def test_whole_groups_are_drawn_where_there_are_groups(numbers):
    X, y = numbers
    groups = np.arange(len(y)) // 3
    tuned = {"knn": fw.tune(Counted(), n_neighbors=KS)}
    result = fw.compare(tuned, X, y, outer=4, inner=3, groups=groups, jobs=1)
    table, _ = table_of(X, y, pairs_of(result.study.methods[0].inner.final))
    bbc = intervals.bbc(table, groups=groups)
    corrected = method_of(result, "knn")["selection_corrected"]
    assert (corrected["bbc"], corrected["low"], corrected["high"]) == pytest.approx((bbc.value, bbc.low, bbc.high))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"outer": 4, "inner": 3, "weights": np.linspace(1, 2, 42)}, "no correction allows for weights"),
        ({"outer": 4, "inner": 3, "loss": "r2"}, "r2 has no loss per row"),
        ({"outer": 4, "inner": "dev"}, "does not hold out every row"),
        ({"outer": 0.2, "inner": 0.25}, "does not hold out every row"),
    ],
    ids=["weights", "a measure", "dev rows", "a dev split"],
)
def test_there_is_no_correction_where_it_does_not_apply(numbers, words, why):
    tuned = {"knn": fw.tune(Counted(), n_neighbors=KS)}
    result = fw.compare(tuned, *numbers, jobs=1, **words)
    assert method_of(result, "knn")["selection_score"] is not None
    assert method_of(result, "knn")["selection_corrected"] is None
    (row,) = result.selection_bias().to_dict("records")
    assert row["method"] == "knn"
    assert np.isnan(row["corrected: bbc"])
    assert why in row["note"]


def test_untuned_methods_and_single_candidates_picked_nothing(numbers):
    learners = {"fixed": Ridge(), "one": fw.tune(Ridge(), alpha=[1.0])}
    result = fw.compare(learners, *numbers, outer=4, inner=3, jobs=1)
    assert [method["selection_corrected"] for method in result.to_dict()["methods"]] == [None] * 3


def test_one_candidate_makes_nested_cross_validation_the_plain_one(numbers):
    learners = {"fixed": Ridge(2.0), "one": fw.tune(Ridge(), alpha=[2.0])}
    result = fw.compare(learners, *numbers, outer=4, inner=3, jobs=1)
    fixed, one = method_of(result, "fixed"), method_of(result, "one")
    for name in ("risk", "low", "high", "interval"):
        assert fixed[name] == one[name]


class Coin(ClassifierMixin, BaseEstimator):
    """Guesses the class of a row from one noisy column; there is nothing to learn."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, self.column] > 0).astype(int)]


@pytest.mark.slow
def test_on_pure_noise_the_smallest_score_is_too_good_and_the_corrections_are_not():
    """30 small studies of 15 coins: truth is 0.5 whatever is picked."""
    found = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 15)), np.arange(40) % 2
        coins = {"coin": fw.tune(Coin(), column=list(range(15)))}
        result = fw.compare(coins, X, y, outer=3, inner=2, seed=seed, jobs=1)
        method = method_of(result, "coin")
        found.append((method["selection_score"], method["selection_corrected"]["bbc"], method["risk"]))
    smallest, bbc, nested = np.mean(found, axis=0)
    error = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert smallest < 0.5 - 10 * error[0]
    assert 0.5 - smallest > 0.1
    assert abs(bbc - 0.5) < 0.25 * (0.5 - smallest)
    assert abs(nested - 0.5) < 3 * error[2]


def test_the_winner_is_corrected_by_the_table_of_outer_losses(numbers):
    X, y = numbers
    learners = {"a": Ridge(), "knn": Counted(3), "b": Counted(1)}
    result = fw.compare(learners, X, y, outer=5, repeats=2, seed=2, jobs=1)
    labels, tables = labels_of(result), []
    frame = result.losses()
    for name in sorted([*learners, "baseline"]):
        own = frame[frame["method"] == name].pivot(index="row", columns="repeat", values="loss")
        tables.append(own.mean(axis=1).to_numpy())
    assert labels.shape == (2, len(y))
    bbc = intervals.bbc(np.stack(tables, axis=1), seed=2)
    winner = result.to_dict()["winner"]
    assert (winner["bbc"], winner["bbc_low"], winner["bbc_high"]) == pytest.approx((bbc.value, bbc.low, bbc.high))
