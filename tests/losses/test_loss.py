from __future__ import annotations

import json
import math
import pickle
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from foldwise.errors import BadLoss
from foldwise.losses.loss import Loss, make_losses, task_hint
from foldwise.losses.regression import pinball, squared


def names(losses):
    return [loss.name for loss in losses]


def test_no_loss_named_means_squared_for_numbers_and_zero_one_for_classes(numbers, classes):
    assert names(make_losses(None, numbers([1.0, 2.5]))) == ["squared"]
    assert names(make_losses(None, classes("ab"))) == ["zero_one"]


def test_several_losses_keep_their_order(numbers):
    losses = make_losses(["absolute", "squared", pinball(0.25), "r2"], numbers([1.0, 2.5]))
    assert names(losses) == ["absolute", "squared", "pinball(0.25)", "r2"]
    assert [loss.is_per_row for loss in losses] == [True, True, True, False]


@pytest.mark.parametrize("written", ["zero-one", "Zero_One", " zero_one "])
def test_a_name_may_be_written_with_dashes_and_capitals(written, classes):
    assert names(make_losses(written, classes("ab"))) == ["zero_one"]


def test_a_nested_list_of_numbers_is_one_cost_matrix_and_not_two_losses(classes):
    assert names(make_losses([[0, 1], [5, 0]], classes("ab"))) == ["cost"]
    assert names(make_losses(["zero_one", [[0, 1], [5, 0]]], classes("ab"))) == ["zero_one", "cost"]
    assert names(make_losses([[[0, 1], [5, 0]]], classes("ab"))) == ["cost"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("quantile", "'quantile' is not known. Did you mean 'pinball"),
        ("rmsee", "Did you mean 'rmse'?"),
        ("sqared", "Did you mean 'squared'?"),
        ("qqqq", "Known are: squared, absolute, poisson, mape, squared_log, rmse, rmsle, zero_one"),
        ("pinball", "needs its quantile. Write 'pinball"),
        ("pinball(2)", "between 0 and 1, not at 2"),
        ("pinball(x)", "'x' is not a quantile"),
        ("zero_one", "'zero_one' is for classification, and the task is regression. Use squared"),
        ("squared in [a, b]", "is not two numbers"),
        ("squared in [2, 1]", r"low < high, not \(2.0, 1.0\)"),
        (["squared", "squared"], "two losses are called 'squared'"),
        ([], "list of losses is empty"),
        (3, "cannot be made of 3"),
        ([[0, 1], [1, 0]], "'cost' is for classification"),
    ],
)
def test_what_cannot_be_a_loss_is_refused_in_words(spec, words, numbers):
    with pytest.raises(BadLoss, match=words):
        make_losses(spec, numbers([1.0, 2.5]))


def test_a_loss_of_numbers_is_refused_for_classes_with_the_way_out(classes):
    with pytest.raises(BadLoss, match="'squared'"):
        make_losses("squared", classes("ab"))
    with pytest.raises(BadLoss, match="or task='regression'"):
        make_losses(squared, classes([1, 2, 3]))
    with pytest.raises(BadLoss) as refused:
        make_losses("squared", classes("ab"))
    assert "task=" not in str(refused.value)  # text cannot be regressed on


def test_the_fold_loss_is_the_mean_or_the_weighted_mean_of_the_rows(numbers):
    rng = np.random.default_rng(0)
    y, prediction, weights = rng.normal(size=(3, 40))
    weights = np.abs(weights)
    loss = make_losses("squared", numbers(y))[0]
    rows = loss.rows(y, prediction)
    assert loss.fold(y, prediction) == pytest.approx(np.mean(rows), rel=1e-14)
    assert loss.fold(y, prediction, weights) == pytest.approx(np.average(rows, weights=weights), rel=1e-14)
    assert math.isnan(loss.fold(y, prediction, np.zeros(40)))


def test_a_prediction_of_one_column_is_refused_and_not_broadcast():
    with pytest.raises(BadLoss, match=r"losses of shape \(3, 3\) for targets of shape \(3,\)"):
        squared.fold(np.zeros(3), np.ones((3, 1)))


def test_a_stated_range_travels_with_the_name(numbers):
    loss = squared.with_bounds(0, 25)
    assert squared.bounds is None
    assert loss.bounds == (0.0, 25.0)
    again = make_losses(loss.spec, numbers([1.0, 2.5]))[0]
    assert (again.name, again.bounds) == ("squared", (0.0, 25.0))
    assert loss.with_bounds(0, 4).spec == "squared in [0.0, 4.0]"


@pytest.mark.parametrize("spec", ["zero_one", "balanced_zero_one", "log", "brier", "f1", [[0, 1], [5, -1]]])
def test_what_a_loss_is_written_down_as_gives_it_back(spec, classes):
    data = classes("abbb")
    loss = make_losses(spec, data)[0]
    again = make_losses(json.loads(json.dumps(loss.spec)), data)[0]
    assert (again.name, again.needs, again.bounds) == (loss.name, loss.needs, loss.bounds)
    answer = np.array([[0.3, 0.7]] * 4) if loss.needs == ("predict_proba",) else np.array([1, 1, 0, 1])
    assert again.fold(data.target, answer) == loss.fold(data.target, answer)
    assert pickle.loads(pickle.dumps(loss)).fold(data.target, answer) == loss.fold(data.target, answer)


def test_a_loss_made_before_is_taken_as_it_is(numbers):
    loss = pinball(0.9)
    assert make_losses(loss, numbers([1.0, 2.5])) == (loss,)
    assert loss.quantile == 0.9
    assert repr(loss) == "Loss('pinball(0.9)')"
    assert isinstance(loss, Loss)


@pytest.mark.parametrize(
    ("spec", "task"),
    [
        ("squared", "regression"),
        ("pinball(0.1)", "regression"),
        ("squared in [0, 1]", "regression"),
        ("zero-one", "classification"),
        ("r2", "regression"),
        ("roc_auc", "classification"),
        ([[0, 1], [1, 0]], "classification"),
        (np.eye(2), "classification"),
        (["log", "roc_auc"], "classification"),
        (squared, "regression"),
        (None, None),
        (max, None),
        ("nonsense", None),
        ([], None),
    ],
)
def test_a_loss_hints_at_the_task(spec, task):
    assert task_hint(spec) == task


def test_losses_of_small_folds_cost_microseconds(classes):
    """They are called once per fit and loss: at a hundred thousand fits even 50 microseconds would be seen."""
    loss = make_losses("zero_one", classes("ab"))[0]
    target, prediction = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(500):
            loss.fold(target, prediction)
        best = min(best, (time.perf_counter() - start) / 500)
    assert best < 50e-6


def test_rows_of_a_fold_level_measure_are_refused(classes):
    with pytest.raises(BadLoss, match="'f1'"):
        make_losses("f1", classes("ab"))[0].rows(np.array([0, 1]), np.array([0, 1]))


def test_losses_per_row_are_floats_in_row_order(classes):
    rows = make_losses("zero_one", classes("ab"))[0].rows(np.array([0, 1, 1]), np.array([1, 1, 0]))
    assert rows.dtype == np.float64
    assert_array_equal(rows, [1, 0, 1])
    assert_allclose(rows.mean(), 2 / 3)
