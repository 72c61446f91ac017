"""Models with prediction intervals and sets: what they ask of the models inside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from foldwise.errors import BadInterval, BadLearner, InvalidOutput
from foldwise.learners.conformal import IntervalModel, SetModel, class_scores

X = np.random.default_rng(0).normal(size=(40, 2))
NUMBERS = X @ [1.0, 2.0] + 3
CLASSES = np.array(["a", "b", "c"])[np.digitize(NUMBERS, [2, 4])]


def interval_model():
    return IntervalModel(
        Ridge().fit(X, NUMBERS), [Ridge().fit(X[:20], NUMBERS[:20])] * 2, [np.ones(20)] * 2, None, [20, 20]
    )


def set_model(learner=None, response="predict_proba"):
    model = (learner or LogisticRegression()).fit(X, CLASSES)
    return SetModel(model, [model] * 2, [np.full(20, 0.5)] * 2, None, [20, 20], response=response)


def test_all_but_intervals_is_asked_of_the_model_itself():
    model = interval_model()
    check_is_fitted(model)
    assert is_regressor(model)
    assert not hasattr(model, "predict_proba")
    assert model.n_features_in_ == 2
    assert np.array_equal(model.predict(X), Ridge().fit(X, NUMBERS).predict(X))
    assert model.score(X, NUMBERS) == Ridge().fit(X, NUMBERS).score(X, NUMBERS)
    sets = set_model()
    assert is_classifier(sets)
    assert sets.classes_.tolist() == ["a", "b", "c"]
    assert np.array_equal(sets.predict_proba(X), sets.model.predict_proba(X))
    assert np.array_equal(sets.decision_function(X), sets.model.decision_function(X))


def test_intervals_keep_the_labels_of_the_rows():
    frame = pd.DataFrame(X[:3], index=["x", "y", "z"])
    found = interval_model().predict_interval(frame.to_numpy())
    assert found.index.tolist() == [0, 1, 2]
    names = IntervalModel(
        Ridge().fit(frame, NUMBERS[:3]), [Ridge().fit(frame, NUMBERS[:3])], [np.ones(20)], None, [20]
    ).predict_interval(frame)
    assert names.index.tolist() == ["x", "y", "z"]


def test_a_set_always_has_the_predicted_class():
    """Every row held out was less strange than any class is here, so that nothing else would be in it."""
    model = set_model()
    model.scores = [np.zeros(20)] * 2
    found = model.predict_set(X)
    assert found.columns.tolist() == ["a", "b", "c"]
    assert np.array_equal(found.columns.to_numpy()[found.to_numpy().argmax(axis=1)], model.predict(X))
    assert (found.sum(axis=1) == 1).all()


def test_a_class_that_a_fold_did_not_meet_is_the_strangest():
    known = LogisticRegression().fit(X[CLASSES != "c"], CLASSES[CLASSES != "c"])
    scores = class_scores(known, "predict_proba", X, np.array(["a", "b", "c"]))
    assert np.array_equal(scores[:, :2], 1 - known.predict_proba(X))
    assert (scores[:, 2] == 1).all()
    decisions = class_scores(known, "decision_function", X, np.array(["a", "b", "c"]))
    assert np.array_equal(decisions[:, 1], -known.decision_function(X))
    assert np.array_equal(decisions[:, 0], known.decision_function(X))
    assert np.isposinf(decisions[:, 2]).all()


def test_decision_values_serve_where_there_are_no_probabilities():
    model = set_model(LinearSVC(), "decision_function")
    assert class_scores(model.model, "decision_function", X, model.classes_).shape == (40, 3)
    assert model.predict_set(X, level=0.8).shape == (40, 3)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: interval_model().predict_set(X), BadInterval, "intervals, not sets. Use predict_interval"),
        (lambda: set_model().predict_interval(X), BadInterval, "sets, not intervals. Use predict_set"),
        (lambda: interval_model().fit(X, NUMBERS), BadLearner, "cannot be fitted again"),
        (lambda: interval_model().predict_interval(X, level=0.99), BadInterval, "needs at least 99 rows"),
        (lambda: set_model().predict_set(X, level=0.4), BadInterval, "nothing is promised"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


def test_a_prediction_that_is_no_number_is_refused():
    model = interval_model()
    model.fold_models = [model.fold_models[0], DummyRegressor(strategy="constant", constant=np.inf)]
    model.fold_models[1].constant_, model.fold_models[1].n_outputs_ = np.array([[np.inf]]), 1
    with pytest.raises(InvalidOutput, match="a fold's model predicts inf for row 0"):
        model.predict_interval(X)


def test_it_prints_as_one_model():
    assert repr(interval_model()) == "IntervalModel(Ridge(), folds=2)"
