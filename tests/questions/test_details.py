"""What the page shows of the records (questions/predicted.py, questions/validation.py) agrees with naive loops."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import Ridge
from sklearn.metrics import confusion_matrix
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.questions.predicted import calibration, confusion, predictions, residuals
from foldwise.questions.validation import _edge, edges, validation_curves


def method_named(result, name):
    return next(method.method for method in result.methods if method.method.name == name)


def summary_of(result, name):
    return predictions(result.reading, method_named(result, name))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    return X, X[:, 0] + 0.3 * rng.normal(size=60)


@pytest.fixture(scope="module")
def ridge(rows):
    learner = fw.tune(Ridge(), alpha=[0.1, 10.0, 1000.0], fit_intercept=[True, False])
    return fw.compare({"ridge": learner}, *rows, outer=4, inner=3, jobs=1, optimism=True)


def naive_scores(result, rows):
    """scores[candidate, outer split] by the plain loop."""
    X, y = rows
    splits = result.splits()
    candidates = [(alpha, intercept) for alpha in (0.1, 10.0, 1000.0) for intercept in (True, False)]
    scores = np.zeros((len(candidates), 4))
    inner = splits[splits["level"] == "inner"]
    for (_, fold), part in inner.groupby(["repeat", "fold"]):
        losses = np.zeros((len(candidates), part["inner_fold"].nunique()))
        for at, one in part.groupby("inner_fold"):
            train, test = (one.loc[one["part"] == name, "row"].to_numpy() for name in ("train", "test"))
            for number, (alpha, intercept) in enumerate(candidates):
                model = Ridge(alpha=alpha, fit_intercept=intercept).fit(X[train], y[train])
                losses[number, int(at)] = np.mean((y[test] - model.predict(X[test])) ** 2)
        scores[:, int(fold)] = losses.mean(axis=1)
    return candidates, scores


def test_a_validation_curve_is_that_of_the_naive_loops(ridge, rows):
    candidates, scores = naive_scores(ridge, rows)
    curves = {c["parameter"]: c for c in validation_curves(ridge.reading, ridge.study.methods[0])}

    for point in curves["alpha"]["points"]:
        members = [at for at, (alpha, _) in enumerate(candidates) if alpha == point["value"]]
        best = min(members, key=lambda at: scores[at].mean())
        assert point["score"] == pytest.approx(scores[best].mean())
        assert (point["low"], point["high"]) == pytest.approx((scores[best].min(), scores[best].max()))
        assert point["test"] is not None
    chosen = [candidate["alpha"] for candidate in ridge.choices().query("method == 'ridge'")["candidate"]]
    assert all(point["folds"] == chosen.count(point["value"]) for point in curves["alpha"]["points"])
    assert curves["alpha"]["sides"] == {"left": "overfitting", "right": "underfitting"}
    assert not curves["fit_intercept"]["is_ordered"]


def test_a_choice_at_the_end_of_a_space_is_told_in_words_and_in_a_finding(rows):
    result = fw.compare(
        {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[12, 20, 25])}, *rows, outer=4, inner=3, jobs=1
    )
    (words,) = edges(result.reading, result.study.methods[0])

    assert words.startswith("n_neighbors=12 is the smallest value tried and 4 of 4 outer splits chose it")
    found = [one.text for one in result.findings if one.code == "FW501"]
    assert found == [f"k-nn: {words.removesuffix(': try values beyond it')}"]


def test_two_values_have_no_middle_so_no_end_is_warned_of(rows):
    result = fw.compare({"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[5, 25])}, *rows, outer=4, inner=3, jobs=1)

    assert edges(result.reading, result.study.methods[0]) == []


def test_residuals_are_counted_once_and_their_means_are_right():
    rng = np.random.default_rng(0)
    found = rng.normal(size=105)
    truth = found + 1.0
    got = residuals(truth, found)

    assert sum(part["rows"] for part in got["bins"]) == np.sum(got["counts"]) == 105
    assert [part["mean"] for part in got["bins"]] == pytest.approx([1.0] * 10)
    assert max(part["rows"] for part in got["bins"]) - min(part["rows"] for part in got["bins"]) <= 1


def test_confusion_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    truth, found = rng.integers(0, 3, 50), rng.integers(0, 3, 50)

    assert confusion(truth, found, ["a", "b", "c"])["counts"] == confusion_matrix(truth, found).tolist()
    assert confusion(truth, found, [str(at) for at in range(30)]) is None


def test_calibration_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    said = rng.uniform(size=200)
    is_so = rng.uniform(size=200) < said**2
    so, mean = calibration_curve(is_so, said, n_bins=10)
    got = calibration(said, is_so)

    assert [part["so"] for part in got] == pytest.approx(so.tolist())
    assert [part["said"] for part in got] == pytest.approx(mean.tolist())


def test_a_bin_has_the_exact_interval_of_its_share_and_a_row_of_two_repeats_counts_once():
    rng = np.random.default_rng(4)
    said = rng.uniform(size=100)
    is_so = rng.uniform(size=100) < said
    once = calibration(said, is_so, level=0.9)

    for part in once:
        hits = round(part["so"] * part["rows"])
        expected = binomtest(hits, part["rows"]).proportion_ci(0.9, method="exact")
        assert (part["low"], part["high"]) == pytest.approx((expected.low, expected.high))
    assert calibration(np.tile(said, 2), np.tile(is_so, 2), level=0.9, repeats=2)[3]["low"] == once[3]["low"]
    assert "low" not in calibration(said, is_so)[0]


def test_the_predictions_of_a_study_are_those_of_its_losses_table():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    result = fw.compare({"k-nn": KNeighborsClassifier(5)}, X, y, outer=3, jobs=1)
    table = result.losses().query("method == 'k-nn'")
    got = summary_of(result, "k-nn")

    expected = confusion_matrix(table["target"], table["prediction"], labels=["no", "yes"])
    assert got["confusion"] == {"classes": ["no", "yes"], "counts": expected.tolist()}
    assert got["calibration"]["of"] == "class yes"
    assert sum(part["rows"] for part in got["calibration"]["bins"]) == 60


def test_an_unfinished_or_failed_method_has_no_predictions_and_a_page_all_the_same(rows):
    class Fails(Ridge):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("never")

    result = fw.compare({"fails": Fails(), "ridge": Ridge()}, *rows, outer=3, jobs=1)

    assert summary_of(result, "fails") is None


def scored(chosen, means, *, final=None, noise=0.0):
    """The scores of a tuning: what each of three outer splits chose, and the mean score of each candidate."""
    scores = np.asarray(means, float)[:, None] + np.zeros(3)
    scores[1:2] += noise * np.array([1, -1, 0])
    return SimpleNamespace(chosen=[chosen] * 3, means=np.asarray(means, float), scores=scores, final=final)


def test_the_end_of_what_a_parameter_can_be_is_no_edge():
    candidates, falling = [{"tree__ccp_alpha": at / 10, "C": at / 10} for at in range(6)], range(1, 7)
    assert _edge("tree__ccp_alpha", candidates, scored(0, falling)) is None
    assert _edge("C", candidates, scored(0, falling)).startswith("C=0 is the smallest value tried")
    depths = [{"max_depth": at} for at in (1, 2, 3)]
    assert _edge("max_depth", depths, scored(0, [1, 2, 3])) is None
    assert _edge("max_depth", depths, scored(2, [3, 2, 1])).startswith("max_depth=3 is the largest value tried")


def test_an_end_towards_which_the_scores_no_longer_change_is_no_edge():
    """A penalty that is none already: a smaller one would be no other."""
    penalties = [{"alpha": 10.0**power} for power in range(-6, 2)]
    assert _edge("alpha", penalties, scored(0, [1, 1.0005, 1.2, 1.4, 1.6, 1.8, 2, 3])) is None
    assert "try values beyond it" in _edge("alpha", penalties, scored(0, [1, 1.05, 1.2, 1.4, 1.6, 1.8, 2, 3]))


def test_an_end_that_wins_by_luck_is_no_edge():
    """The final tuning chose another value, or the lead over the next value is as large as its noise."""
    penalties = [{"alpha": 10.0**power} for power in range(-6, 2)]
    slope = [1, 1.05, 1.2, 1.4, 1.6, 1.8, 2, 3]
    assert _edge("alpha", penalties, scored(0, slope, final=1)) is None
    assert _edge("alpha", penalties, scored(0, slope, noise=0.1)) is None
    assert _edge("alpha", penalties, scored(0, slope, final=0, noise=0.01)) is not None


def test_a_penalty_too_small_to_matter_is_not_said_to_be_too_large():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.1 * rng.normal(size=120)
    spec = {"ridge": fw.tune(Ridge(), alpha=[1e-6, 1e-4, 1.0, 100.0])}
    result = fw.compare(spec, X, y, outer=4, inner=3, jobs=1)
    assert result.choices().query("method == 'ridge'")["candidate"].map(lambda one: one["alpha"]).max() <= 1e-4
    assert edges(result.reading, result.study.methods[0]) == []
