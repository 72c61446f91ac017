"""The saboteur misbehaves in the fits that are meant, and only there."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
import trial
from saboteur import SaboteurClassifier, SaboteurRegressor
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import Ridge

from faults import FAULTS

ANSWERS = [name for name, fault in FAULTS.items() if fault.spoil]
STATUSES = {"ok", "error", "timeout", "out of memory", "crashed", "invalid output"}


@pytest.mark.parametrize("strength", [0.5, 100.0])
def test_an_honest_saboteur_is_ridge_regression(strength):
    X, y = trial.data("regression")
    found = SaboteurRegressor(strength).fit(X, y).predict(X)
    np.testing.assert_allclose(found, Ridge(alpha=strength).fit(X, y).predict(X), rtol=1e-10)
    table = pd.DataFrame(X, columns=list("abcd"))
    np.testing.assert_array_equal(SaboteurRegressor(strength).fit(table, y).predict(table), found)


def test_an_honest_classifier_says_the_class_with_the_largest_probability():
    X, y = trial.data("classification")
    model = SaboteurClassifier().fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])
    assert np.mean(model.predict(X) == y) > 0.6


@pytest.mark.parametrize("kind", [SaboteurRegressor, SaboteurClassifier])
def test_it_is_a_scikit_learn_estimator(kind):
    knobs = {"fault": "sleep", "stage": "predict", "at_strength": 2.0, "with_rows": (1.0,), "seconds": 3.0}
    twin = clone(kind(2.0, **knobs))
    assert {name: twin.get_params()[name] for name in knobs} == knobs
    assert (is_classifier(twin), is_regressor(twin)) == (kind is SaboteurClassifier, kind is SaboteurRegressor)


def fails(**knobs):
    """Does a fit on rows 10 to 19 at strength 1 fail?"""
    X = np.column_stack([np.arange(10.0, 20.0), np.ones(10)])
    try:
        SaboteurRegressor(fault="exception", **knobs).fit(X, np.arange(10.0))
    except ValueError:
        return True
    return False


def test_fits_are_chosen_by_their_rows_and_candidate():
    assert fails()
    assert fails(with_rows=(10, 19), without_rows=(9, 20), at_strength=1.0)
    assert not fails(with_rows=(10, 20))
    assert not fails(without_rows=(9, 10))
    assert not fails(at_strength=2.0)
    assert not fails(stage="predict")


def test_what_happens_in_predict_leaves_the_fit_alone():
    X, y = trial.data("classification")
    model = SaboteurClassifier(fault="exception", stage="predict").fit(X, y)
    for ask in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match="the saboteur was here"):
            ask(X)


@pytest.mark.parametrize("stage", ["fit", "predict"])
@pytest.mark.parametrize("fault", ANSWERS)
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_spoilt_answers_differ_from_honest_ones_where_they_should(fault, stage, task):
    X, y = trial.data(task)
    kind = SaboteurRegressor if task == "regression" else SaboteurClassifier
    honest, spoilt = kind().fit(X, y), kind(fault=fault, stage=stage).fit(X, y)
    for response in ("predict", "predict_proba") if task == "classification" else ("predict",):
        right, found = getattr(honest, response)(X), getattr(spoilt, response)(X)
        is_same = np.shape(found) == right.shape and bool(np.all(np.asarray(found) == right))
        assert is_same == (FAULTS[fault].status == "ok" or response not in FAULTS[fault].responses)


def test_faults_that_act_do_so_before_anything_is_computed():
    """A few that this process survives."""
    X, y = trial.data("regression")
    before = X.copy()
    SaboteurRegressor(fault="written data").fit(X, y)
    assert (X == 0).all()
    assert before.any()
    with pytest.raises(SystemExit):
        SaboteurRegressor(fault="system exit").fit(X, y)
    with pytest.raises(KeyboardInterrupt):
        SaboteurRegressor(fault="keyboard interrupt").fit(X, y)
    with pytest.raises(RuntimeError, match="nobody minded 32 MB"):
        SaboteurRegressor(fault="out of memory", megabytes=32, seconds=0.0).fit(X, y)
    for fault in ("endless loop", "endless loop in C", "sleep", "deadlock"):
        SaboteurRegressor(fault=fault, seconds=0.01).fit(X, y)
    threads = threading.active_count()
    SaboteurRegressor(fault="thread", seconds=0.2).fit(X, y)
    assert threading.active_count() == threads + 1


def test_every_fault_names_a_status_and_what_it_does():
    assert {fault.status for fault in FAULTS.values()} == STATUSES
    for fault in FAULTS.values():
        assert (fault.act is None) != (fault.spoil is None)
        assert fault.limit in {"timeout": ["seconds"], "out of memory": ["gigabytes", ""]}.get(fault.status, [""])
