from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_diabetes, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, make_scorer

from foldwise.errors import BadLoss
from foldwise.losses.loss import make_losses

TEXT = np.array(["no", "yes"], dtype=object)


@pytest.fixture(scope="module")
def two_classes():
    """A fitted classifier on 0 and 1, and rows it has not seen."""
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:] - 1
    model = LogisticRegression().fit(X[::2, :2], y[::2])
    return model, X[1::2, :2], y[1::2]


@pytest.fixture(scope="module")
def three_classes():
    X, y = load_iris(return_X_y=True)
    return LinearDiscriminantAnalysis().fit(X[::2, :2], y[::2]), X[1::2, :2], y[1::2]


def response(model, X, needs):
    return getattr(model, needs[0])(X)


@pytest.mark.parametrize(
    "name",
    ["accuracy", "balanced_accuracy", "f1", "precision", "recall", "matthews_corrcoef", "roc_auc", "average_precision"],
)
def test_a_named_scorer_of_two_classes_is_one_minus_what_scikit_learn_says(name, two_classes, classes):
    model, X, y = two_classes
    weights = np.linspace(0.5, 2, len(y))
    for data in (classes(y), classes(TEXT[y])):  # the labels make no difference: 1 is the last class
        loss = make_losses(name, data)[0]
        expected = 1 - get_scorer(name)(model, X, y)
        assert loss.fold(y, response(model, X, loss.needs)) == pytest.approx(expected, rel=1e-12)
        weighted = 1 - get_scorer(name)(model, X, y, sample_weight=weights)
        assert loss.fold(y, response(model, X, loss.needs), weights) == pytest.approx(weighted, rel=1e-12)


@pytest.mark.parametrize("name", ["neg_log_loss", "neg_brier_score"])
def test_a_negated_scorer_is_turned_back(name, two_classes, classes):
    model, X, y = two_classes
    loss = make_losses(name, classes(TEXT[y]))[0]
    assert loss.fold(y, model.predict_proba(X)) == pytest.approx(-get_scorer(name)(model, X, y), rel=1e-12)


@pytest.mark.parametrize(
    "name", ["accuracy", "f1_macro", "roc_auc_ovr", "roc_auc_ovo", "neg_log_loss", "top_k_accuracy"]
)
def test_a_named_scorer_of_three_classes_says_what_scikit_learn_says(name, three_classes, classes):
    model, X, y = three_classes
    loss = make_losses(name, classes(y))[0]
    score = get_scorer(name)(model, X, y)
    expected = -score if name.startswith("neg_") else 1 - score
    assert loss.fold(y, response(model, X, loss.needs)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["r2", "neg_mean_squared_error", "explained_variance", "neg_median_absolute_error"])
def test_a_named_scorer_of_numbers_says_what_scikit_learn_says(name, numbers):
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X[:200], y[:200])
    loss = make_losses(name, numbers(y))[0]
    score = get_scorer(name)(model, X[200:], y[200:])
    expected = -score if name.startswith("neg_") else 1 - score
    assert loss.fold(y[200:], model.predict(X[200:])) == pytest.approx(expected, rel=1e-12)


def test_risks_under_a_negated_scorer_are_not_called_negative(numbers):
    loss = make_losses("neg_max_error", numbers(np.arange(5.0)))[0]
    assert (loss.name, loss.label) == ("neg_max_error", "max_error loss")


def test_a_scorer_can_use_either_of_its_responses(two_classes, classes):
    model, X, y = two_classes
    loss = make_losses("roc_auc", classes(TEXT[y]))[0]
    assert loss.needs == ("decision_function", "predict_proba")
    by_decision = loss.fold(y, model.decision_function(X))
    assert loss.fold(y, model.predict_proba(X)) == pytest.approx(by_decision, rel=1e-12)
    assert by_decision == pytest.approx(1 - metrics.roc_auc_score(y, model.decision_function(X)), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "needs"),
    [("accuracy", ("predict",)), ("neg_log_loss", ("predict_proba",)), ("f1", ("predict",))],
)
def test_what_a_scorer_needs_is_found_by_asking_it(name, needs, classes):
    assert make_losses(name, classes("ab"))[0].needs == needs


def test_the_positive_class_is_the_last_of_the_data_and_is_named(two_classes, classes):
    model, X, y = two_classes
    turned = classes(TEXT[y], classes=("yes", "no"))  # the user called "no" positive
    loss = make_losses("f1", turned)[0]
    prediction = 1 - model.predict(X)
    expected = 1 - metrics.f1_score(TEXT[y], TEXT[model.predict(X)], pos_label="no")
    assert loss.fold(turned.target, prediction) == pytest.approx(expected, rel=1e-12)
    assert loss.words == "1 - f1 of class 'no': lower is better"


@pytest.mark.parametrize("order", [("no", "yes"), ("yes", "no")])
def test_a_scorer_object_sees_the_labels(order, two_classes, classes):
    model, X, y = two_classes
    data = classes(TEXT[y], classes=order)
    codes = model.predict(X) if order == ("no", "yes") else 1 - model.predict(X)
    scorer = make_scorer(metrics.fbeta_score, beta=2, pos_label="no")
    loss = make_losses(scorer, data)[0]
    expected = -metrics.fbeta_score(TEXT[y], TEXT[model.predict(X)], beta=2, pos_label="no")
    assert loss.fold(data.target, codes) == pytest.approx(expected, rel=1e-12)
    assert (loss.name, loss.spec) == ("fbeta_score", None)
    assert loss.words == "minus fbeta_score: lower is better"


def test_a_scorer_object_with_a_turned_positive_class_sees_turned_probabilities(two_classes, classes):
    model, X, y = two_classes
    data = classes(TEXT[y], classes=("yes", "no"))
    scorer = make_scorer(metrics.average_precision_score, response_method="predict_proba", pos_label="no")
    loss = make_losses(scorer, data)[0]
    expected = -metrics.average_precision_score(TEXT[y], model.predict_proba(X)[:, 0], pos_label="no")
    assert loss.fold(data.target, model.predict_proba(X)[:, ::-1]) == pytest.approx(expected, rel=1e-12)


def test_a_scorer_object_that_knows_no_labels_sees_the_codes(two_classes, classes):
    model, X, y = two_classes
    loss = make_losses(make_scorer(metrics.f1_score), classes(TEXT[y]))[0]  # its positive label is 1
    assert loss.fold(y, model.predict(X)) == pytest.approx(-metrics.f1_score(y, model.predict(X)), rel=1e-12)


def test_a_scorer_object_sees_whole_number_labels_also_when_they_come_from_a_store(two_classes, classes):
    model, X, y = two_classes
    data = classes(y + 1)
    data.y = data.y.astype(object)
    loss = make_losses(make_scorer(metrics.f1_score, pos_label=2), data)[0]
    assert loss.fold(y, model.predict(X)) == pytest.approx(-metrics.f1_score(y, model.predict(X)), rel=1e-12)


def test_a_loss_turned_into_a_scorer_keeps_its_direction(numbers):
    scorer = make_scorer(metrics.mean_squared_error, greater_is_better=False)
    loss = make_losses(scorer, numbers([1.0, 2.5]))[0]
    assert loss.fold(np.array([1.0, 2.0]), np.array([2.0, 4.0])) == 2.5


def test_a_fold_where_the_measure_is_not_defined_gives_nan_in_silence(classes, numbers):
    loss = make_losses("roc_auc", classes("ab"))[0]
    assert math.isnan(loss.fold(np.array([1, 1, 1]), np.array([0.1, 0.2, 0.3])))
    assert math.isnan(make_losses("r2", numbers([1.0, 2.5]))[0].fold(np.array([1.0]), np.array([2.0])))
    ovr = make_losses("roc_auc_ovr", classes("abc"))[0]
    assert math.isnan(ovr.fold(np.array([0, 1]), np.full((2, 3), 1 / 3)))


def test_weights_are_left_out_where_the_scorer_takes_none_and_that_is_said(numbers):
    loss = make_losses("neg_max_error", numbers([1.0, 2.5], weights=np.ones(2)))[0]
    assert loss.fold(np.array([1.0, 2.0]), np.array([2.0, 4.0]), np.array([1.0, 3.0])) == 2.0
    assert loss.words == "max_error, without weights: lower is better"


def test_the_predictions_are_left_as_they_are(two_classes, classes):
    model, X, y = two_classes
    shares = model.predict_proba(X)
    before = shares.copy()
    make_losses("neg_log_loss", classes(TEXT[y]))[0].fold(y, shares)
    assert np.array_equal(shares, before)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("jaccard", "'jaccard' cannot judge multiclass classification: Target is multiclass"),
        ("r2", "'r2' judges predicted numbers, and the task is classification"),
        ("adjusted_rand_score", "gives 0 for right predictions and 0 for wrong ones"),
        ("v_measure_score", "gives 0 for right predictions and 0 for wrong ones"),
    ],
)
def test_a_scorer_that_cannot_judge_the_classes_is_refused_before_any_fit(name, words, classes):
    with pytest.raises(BadLoss, match=words):
        make_losses(name, classes("abc"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("roc_auc", "'roc_auc' does not judge predicted numbers, and the task is regression. Use squared"),
        ("accuracy", "the loss 'accuracy' is for classification, and the task is regression"),
        ("rand_score", "does not judge predicted numbers"),
        ("neg_mean_squared_log_error", "cannot judge this target: Mean Squared Logarithmic Error"),
        ("neg_mean_poisson_deviance", "cannot judge this target: .*non-negative y"),
    ],
)
def test_a_scorer_that_cannot_judge_the_numbers_is_refused_before_any_fit(name, words, numbers):
    with pytest.raises(BadLoss, match=words):
        make_losses(name, numbers([1.0, -2.0, 3.5]))


def test_a_scorer_object_turned_the_wrong_way_is_refused(numbers):
    scorer = make_scorer(metrics.mean_squared_error)  # greater_is_better was forgotten
    with pytest.raises(BadLoss, match=r"'mean_squared_error' gives 0 for right predictions and -37.875 for wrong"):
        make_losses(scorer, numbers([1.0, 2.5]))


def test_a_scorer_survives_a_trip_to_another_process(two_classes, classes):
    model, X, y = two_classes
    loss = make_losses("roc_auc", classes(TEXT[y]))[0]
    again = pickle.loads(pickle.dumps(loss))
    assert again.fold(y, model.predict_proba(X)) == loss.fold(y, model.predict_proba(X))


def test_every_scorer_of_scikit_learn_is_taken_or_refused_in_words(classes, numbers):
    """None ends in a traceback, and what is taken prefers right predictions."""
    taken = 0
    for name in metrics.get_scorer_names():
        for data in (classes("ab"), classes("abc"), numbers([1.5, 2.0, 3.5])):
            try:
                loss = make_losses(name, data)[0]
            except BadLoss:
                continue
            taken += 1
            assert set(loss.needs) <= {"predict", "predict_proba", "decision_function"}
            assert loss.words.endswith("lower is better")
    assert taken > 60
