"""Names that other libraries have for losses give what their functions give; losses/loss.py has the table."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

import foldwise as fw
from foldwise.errors import BadLoss
from foldwise.losses.loss import ALIASES, make_losses, task_hint

TRUTH = np.array([1.5, 3.0, 4.5, 0.5, 2.0])
GUESS = np.array([1.0, 3.5, 4.0, 1.5, 2.0])
CLASS = np.array([0, 1, 1, 0, 1])
SAID = np.array([0, 1, 0, 1, 1])
CHANCE = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7], [0.4, 0.6]])


@pytest.mark.parametrize(
    ("name", "kept", "per_row", "metric"),
    [
        ("mse", "squared", True, metrics.mean_squared_error),
        ("rmse", "rmse", False, metrics.root_mean_squared_error),
        ("mae", "absolute", True, metrics.mean_absolute_error),
        ("mape", "mape", True, metrics.mean_absolute_percentage_error),
        ("msle", "squared_log", True, metrics.mean_squared_log_error),
        ("rmsle", "rmsle", False, metrics.root_mean_squared_log_error),
        ("r2", "r2", False, lambda y, p, **w: 1 - metrics.r2_score(y, p, **w)),
        ("median_absolute_error", "neg_median_absolute_error", False, metrics.median_absolute_error),
    ],
)
def test_names_for_numbers_give_the_numbers_of_scikit_learn(name, kept, per_row, metric, numbers):
    loss = make_losses(name, numbers(TRUTH))[0]
    weights = np.array([1.0, 2.0, 0.5, 0.0, 3.0])

    assert (loss.name, loss.is_per_row, task_hint(name)) == (kept, per_row, "regression")
    assert loss.fold(TRUTH, GUESS) == pytest.approx(metric(TRUTH, GUESS), rel=1e-12)
    assert loss.fold(TRUTH, GUESS, weights) == pytest.approx(metric(TRUTH, GUESS, sample_weight=weights), rel=1e-12)
    assert loss.fold(TRUTH, TRUTH) < loss.fold(TRUTH, TRUTH[::-1])  # lower is better


@pytest.mark.parametrize(
    ("name", "kept", "per_row", "expected"),
    [
        ("accuracy", "zero_one", True, 1 - metrics.accuracy_score(CLASS, SAID)),
        ("error", "zero_one", True, metrics.zero_one_loss(CLASS, SAID)),
        ("balanced_accuracy", "balanced_accuracy", False, 1 - metrics.balanced_accuracy_score(CLASS, SAID)),
        ("f1", "f1", False, 1 - metrics.f1_score(CLASS, SAID)),
        ("mcc", "matthews_corrcoef", False, 1 - metrics.matthews_corrcoef(CLASS, SAID)),
        ("auc", "roc_auc", False, 1 - metrics.roc_auc_score(CLASS, CHANCE[:, 1])),
        ("roc_auc", "roc_auc", False, 1 - metrics.roc_auc_score(CLASS, CHANCE[:, 1])),
        ("average_precision", "average_precision", False, 1 - metrics.average_precision_score(CLASS, CHANCE[:, 1])),
        ("logloss", "log", True, metrics.log_loss(CLASS, CHANCE)),
        ("brier", "brier", True, metrics.brier_score_loss(CLASS, CHANCE[:, 1])),
    ],
)
def test_names_for_classes_give_the_numbers_of_scikit_learn(name, kept, per_row, expected, classes):
    loss = make_losses(name, classes(CLASS))[0]

    assert (loss.name, loss.is_per_row, task_hint(name)) == (kept, per_row, "classification")
    answer = SAID if loss.needs == ("predict",) else CHANCE
    assert loss.fold(CLASS, answer) == pytest.approx(expected, rel=1e-12)


def test_accuracy_is_the_zero_one_loss_told_as_a_score():
    """The same fits, risk and interval; what is said of it is the accuracy."""
    X = np.linspace(0, 1, 60)[:, None]
    y = np.where(np.arange(60) % 7 == 0, "b", np.where(X[:, 0] > 0.5, "b", "a"))
    words = {"learners": ["logistic"], "outer": 4, "inner": 2, "budget": 2, "jobs": 1}

    asked, plain = fw.compare(X, y, loss="accuracy", **words), fw.compare(X, y, loss="zero_one", **words)

    for name in ("risk", "low", "high", "interval"):
        assert asked.to_dict()["methods"][0][name] == plain.to_dict()["methods"][0][name]
    assert (asked.to_dict()["loss"], asked.to_dict()["score"]) == ("zero_one", "accuracy")
    assert "its accuracy on new rows is" in " ".join(str(asked).split())
    assert "accuracy" not in str(plain).partition("\n")[0]


def test_every_alias_stands_for_a_loss_that_is_there(numbers, classes):
    for name in ALIASES:
        data = numbers(TRUTH) if task_hint(name) == "regression" else classes(CLASS)
        assert make_losses(name, data)[0].is_per_row in (True, False)


@pytest.mark.parametrize(
    ("name", "target", "words"),
    [
        ("mape", [1.0, 0.0, 3.0], r"'mape' needs targets other than 0, by which it divides, and 1 row is 0"),
        ("rmsle", [1.0, -1.0, -2.5], r"'rmsle' needs targets above -1, and 2 rows are -1 or less \(row 1 is -1\)"),
        ("msle", [1.0, -1.0, 2.5], r"'squared_log' needs targets above -1"),
    ],
)
def test_targets_without_a_value_are_refused_before_any_fit(name, target, words, numbers):
    with pytest.raises(BadLoss, match=words):
        make_losses(name, numbers(target))


def test_a_prediction_without_a_logarithm_costs_infinitely_much(numbers):
    loss = make_losses("squared_log", numbers(TRUTH))[0]
    assert loss.rows(np.array([1.0, 1.0]), np.array([-1.0, 1.0])).tolist() == [np.inf, 0.0]


@pytest.mark.few(1)
@pytest.mark.parametrize(("asked", "meant"), [("auc", "roc_auc_ovr"), ("f1", "f1_macro")])
def test_scores_of_two_classes_have_a_form_for_more(asked, meant):
    words = {"learners": [fw.learner("logistic", C=[1.0])], "outer": 3, "inner": 2, "jobs": 1}
    found, plain = (fw.compare("iris", loss=loss, **words).to_dict()["methods"][0]["risk"] for loss in (asked, meant))
    assert found == plain
