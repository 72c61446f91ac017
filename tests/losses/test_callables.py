from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn import metrics

import foldwise as fw
from foldwise.errors import BadLoss
from foldwise.losses.loss import make_losses


def quartic(y, prediction):
    return (y - prediction) ** 4


def differs(y, prediction):
    return y != prediction


def worst(y, prediction):
    return np.abs(y - prediction).max()


def test_a_function_that_answers_per_row_is_a_per_row_loss(numbers):
    loss = make_losses(quartic, numbers([1.0, 2.0, 4.0]))[0]
    assert (loss.name, loss.is_per_row, loss.spec, loss.bounds) == ("quartic", True, None, None)
    assert loss.rows(np.array([1.0, 2.0]), np.array([3.0, 2.0])).tolist() == [16.0, 0.0]
    assert loss.fold(np.array([1.0, 2.0]), np.array([3.0, 2.0]), np.array([3.0, 1.0])) == 12.0


def test_a_function_that_answers_with_one_number_is_a_fold_level_measure(numbers):
    loss = make_losses(worst, numbers([1.0, 2.0, 4.0]))[0]
    assert not loss.is_per_row
    assert loss.fold(np.array([1.0, 2.0]), np.array([3.0, 2.0])) == 2.0


def test_a_function_sees_labels_and_not_codes(classes):
    seen = []

    def watching(y, prediction):
        seen.append((y.tolist(), prediction.tolist()))
        return y != prediction

    loss = make_losses(watching, classes("xyx"))[0]
    rows = loss.rows(np.array([0, 1, 0]), np.array([0, 0, 0]))
    assert rows.tolist() == [0, 1, 0]
    assert rows.dtype == np.float64
    assert seen[-1] == (["x", "y", "x"], ["x", "x", "x"])


def test_a_function_may_say_what_it_needs_and_its_range(classes):
    def sure(y, shares):
        return 1 - np.where(y == "b", shares[:, 1], shares[:, 0])

    sure.needs = "predict_proba"
    sure.bounds = (0, 1)
    loss = make_losses(sure, classes("ab"))[0]
    assert (loss.needs, loss.bounds) == (("predict_proba",), (0.0, 1.0))
    assert loss.rows(np.array([1, 0]), np.array([[0.25, 0.75], [1.0, 0.0]])).tolist() == [0.25, 0.0]


def test_weights_reach_a_fold_level_function_that_takes_them(numbers):
    y, prediction, weights = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0]), np.array([1.0, 2.0, 3.0])
    loss = make_losses(metrics.mean_squared_error, numbers(y))[0]
    assert loss.fold(y, prediction, weights) == metrics.mean_squared_error(y, prediction, sample_weight=weights)
    assert make_losses(worst, numbers(y))[0].fold(y, prediction, weights) == 2.0


def test_a_partial_function_takes_the_name_of_its_function(numbers):
    loss = make_losses(functools.partial(metrics.mean_pinball_loss, alpha=0.2), numbers([1.0, 2.0]))[0]
    assert loss.name == "mean_pinball_loss"


def fails(y, prediction):
    raise KeyError("no such thing")


def wide(y, prediction):
    return np.zeros((2, 2))


def text(y, prediction):
    return "good"


def model_first(estimator, X, y):
    return 0.0


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (fails, "'fails' fails on two rows: KeyError"),
        (wide, r"'wide' gave an array of shape \(2, 2\) for two rows. Return one number per row"),
        (text, "'text' gave 'good' for two rows"),
        (model_first, r"asks for estimator, X, y. Write it as a function of \(y, prediction\)"),
        (lambda y, p: metrics.r2_score(y, p), "is larger for right predictions .1. than for wrong ones .-3."),
    ],
)
def test_a_function_that_is_no_loss_is_refused_before_any_fit(function, words, numbers):
    with pytest.raises(BadLoss, match=words):
        make_losses(function, numbers([1.0, 2.0]))


@pytest.mark.parametrize("given", [metrics.make_scorer(metrics.fbeta_score, beta=2), "squared"], ids=["scorer", "name"])
def test_what_is_no_function_needs_no_wrapping(given):
    with pytest.raises(BadLoss, match=r"takes a function of \(y, prediction\), not .*Give it to loss= as it is"):
        fw.loss(given, bounds=(0, 1))


def test_an_unknown_need_is_refused(numbers):
    def odd(y, prediction):
        return y - prediction

    odd.needs = "predict_log_proba"
    with pytest.raises(BadLoss, match=r"needs .*Known are: predict, predict_proba, decision_function"):
        make_losses(odd, numbers([1.0, 2.0]))


def test_two_functions_of_one_name_are_refused(numbers):
    with pytest.raises(BadLoss, match=r"two losses are called '<lambda>'.*give functions different names"):
        make_losses([lambda y, p: (y - p) ** 2, lambda y, p: abs(y - p)], numbers([1.0, 2.0]))


def test_the_probe_rows_differ_even_if_the_first_rows_agree(classes):
    assert make_losses(differs, classes("aaab"))[0].is_per_row
    with pytest.raises(BadLoss, match="larger for right predictions"):
        make_losses(lambda y, p: metrics.accuracy_score(y, p), classes("aaab"))


@pytest.mark.parametrize("make", [lambda y, p: "1.5", lambda y, p: ["1.5"] * len(y)])
def test_text_is_not_read_as_a_number_after_the_probe(make, numbers):
    calls = []

    def measure(y, prediction):
        calls.append(1)
        good = np.zeros(len(y)) if isinstance(make(y, prediction), list) else 0.0
        return good if len(calls) < 3 else make(y, prediction)

    loss = make_losses(measure, numbers([1.0, 2.0, 4.0]))[0]
    while len(calls) < 2:
        measure(np.zeros(2), np.zeros(2))
    with pytest.raises(TypeError, match="number"):
        loss.fold(np.zeros(3), np.zeros(3), None)
