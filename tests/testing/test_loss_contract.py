"""Built-in losses keep their contract (testing/losses.py); and every sentence of it can be broken."""

from __future__ import annotations

import numpy as np
import pytest

import foldwise as fw
from foldwise.losses.classification import CLASSIFICATION_LOSSES
from foldwise.losses.regression import REGRESSION_LOSSES

SCORERS = ["r2", "neg_root_mean_squared_error", "roc_auc", "f1_macro"]


@pytest.mark.parametrize("name", [*REGRESSION_LOSSES, *CLASSIFICATION_LOSSES, "pinball(0.9)", "squared in [0, 25]"])
def test_built_in_losses_keep_the_contract(name):
    fw.testing.check_loss(name)


@pytest.mark.parametrize("name", SCORERS)
def test_scorers_keep_it_too(name):
    fw.testing.check_loss(name)


def test_losses_of_three_classes_keep_it():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 40)
    for loss in ("zero_one", "log", [[0, 1, 2], [1, 0, 1], [2, 1, 0]]):
        fw.testing.check_loss(loss, rng.normal(size=(40, 2)), y)


def late(y, prediction):
    return np.maximum(y - prediction, 0.0) + 0.1 * np.abs(y - prediction)


def test_functions_keep_it():
    fw.testing.check_loss(late)
    fw.testing.check_loss(fw.loss(lambda y, p: 1 - p.max(axis=1), takes="probabilities"), task="classification")


def in_place(y, prediction):
    prediction -= y
    return np.abs(prediction)


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        (lambda y, p: np.where(p > y.max(), np.nan, np.abs(y - p)), "losses are finite numbers"),
        (lambda y, p: np.abs(y - p) * np.arange(1, len(y) + 1), "the order of the rows does not matter"),
        (lambda y, p: np.abs(np.abs(y - p) - 0.2), "right predictions cost no more than others"),
        (fw.loss(late, bounds=(0.0, 0.01)), "its bounds hold"),
        (in_place, "it leaves what it is given as it was"),
        (["squared", "absolute"], "it is one loss with a name"),
    ],
    ids=["finite", "order", "right", "bounds", "in place", "two"],
)
def test_a_loss_that_breaks_a_sentence_is_told_which(loss, sentence):
    with pytest.raises(AssertionError, match=sentence):
        fw.testing.check_loss(loss)
