"""ROC and precision-recall curves are those of scikit-learn on the same out-of-fold predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_curve
from sklearn.neighbors import KNeighborsClassifier

import foldwise as fw
from foldwise.questions.pictures.ranking import PLACES, precision_places, ranking, roc_places
from foldwise.questions.predicted import predictions


def method_named(result, name):
    return next(method.method for method in result.methods if method.method.name == name)


def summary_of(result, name):
    return predictions(result.reading, method_named(result, name))


def sklearn_roc(truth, score, weights=None):
    false, true, _ = roc_curve(truth, score, sample_weight=weights)
    found = np.interp(PLACES, false, true)
    found[0] = 0.0
    return found


def sklearn_precision(truth, score, weights=None):
    """By its definition: the threshold with the fewest rows that has at least this recall."""
    precision, recall, _ = precision_recall_curve(truth, score, sample_weight=weights)
    precision, recall = precision[:-1], recall[:-1]  # without the point that no threshold has
    return np.array([precision[np.flatnonzero(recall >= place - 1e-12)[-1]] for place in PLACES])


@pytest.mark.parametrize("digits", [1, 9], ids=["ties", "no ties"])
@pytest.mark.parametrize("weighted", [False, True])
def test_both_curves_are_those_of_scikit_learn(digits, weighted):
    rng = np.random.default_rng(0)
    truth = rng.random(150) < 0.3
    score = (truth + rng.normal(size=150)).round(digits)
    weights = rng.uniform(0.5, 2, size=150) if weighted else None

    assert roc_places(truth, score, weights) == pytest.approx(sklearn_roc(truth, score, weights))
    assert precision_places(truth, score, weights) == pytest.approx(sklearn_precision(truth, score, weights))


@pytest.fixture(scope="module")
def two():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] + rng.normal(size=120) > 0.5, "ill", "well")
    return fw.compare({"k-nn": KNeighborsClassifier(9)}, X, y, outer=4, loss="brier", jobs=1)


def test_the_mean_and_the_range_are_those_of_the_folds_and_not_of_pooled_rows(two):
    got = summary_of(two, "k-nn")["ranking"]
    table = two.predictions().query("method == 'k-nn'")
    folds = [(part["truth"] == "well", part["p_well"]) for _, part in table.groupby("fold")]

    assert (got["of"], got["folds"]) == ("well", 4)
    for name, curve in (("roc", sklearn_roc), ("precision", sklearn_precision)):
        curves = np.array([curve(truth, score) for truth, score in folds])
        assert got[name]["mean"] == pytest.approx(curves.mean(axis=0), abs=1e-6)
        assert got[name]["low"] == pytest.approx(curves.min(axis=0), abs=1e-6)
        assert got[name]["high"] == pytest.approx(curves.max(axis=0), abs=1e-6)


def test_several_classes_are_each_against_the_rest():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 2))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.7 * rng.normal(size=150), [-0.5, 0.5])]
    result = fw.compare({"linear": LogisticRegression()}, X, y, outer=3, loss="log", jobs=1)
    got = summary_of(result, "linear")["ranking"]
    table = result.predictions().query("method == 'linear'")

    expected = [
        np.mean([sklearn_roc(part["truth"] == name, part[f"p_{name}"]) for _, part in table.groupby("fold")], axis=0)
        for name in "abc"
    ]
    assert got["of"] is None
    assert got["classes"] == ["a", "b", "c"]
    assert np.array(got["roc"]["lines"]) == pytest.approx(np.array(expected), abs=1e-6)
    assert got["roc"]["mean"] == pytest.approx(np.mean(expected, axis=0), abs=1e-6)


def test_there_is_no_curve_where_a_fold_has_hardly_any_row_of_a_class_or_no_scores(two):
    folds = [method.out_of_fold(0) for method in two.methods[:1]]

    assert ranking(folds, ("ill", "well")) is not None
    assert ranking([], ("ill", "well")) is None
    few = fw.compare({"k-nn": KNeighborsClassifier(3)}, np.arange(40.0)[:, None], ["a", "b"] * 20, outer="loo", jobs=1)
    assert summary_of(few, "k-nn")["ranking"] is None
