from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics

from foldwise.errors import BadLoss
from foldwise.losses.classification import brier, log, zero_one
from foldwise.losses.loss import make_losses


def random_problem(seed, k, rows=40):
    rng = np.random.default_rng(seed)
    target = np.concatenate([np.arange(k), rng.integers(k, size=rows - k)])
    return target, rng.integers(k, size=rows), rng.dirichlet(np.ones(k), size=rows)


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_zero_one_log_and_brier_equal_scikit_learn(seed, k):
    target, prediction, shares = random_problem(seed, k)
    weights = np.random.default_rng(seed).uniform(0.5, 2, size=len(target))
    options = {"labels": np.arange(k), "sample_weight": weights}
    assert_allclose(zero_one.fold(target, prediction), metrics.zero_one_loss(target, prediction), rtol=1e-12)
    assert_allclose(log.fold(target, shares, weights), metrics.log_loss(target, shares, **options), rtol=1e-10)
    expected = metrics.brier_score_loss(target, shares, **options)
    assert_allclose(brier.fold(target, shares, weights), expected, rtol=1e-12)


def test_log_loss_clips_at_1e_15():
    rows = log.rows(np.array([0, 1]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert_allclose(rows, [0, -np.log(1e-15)], atol=1e-14)


def test_log_loss_scales_rows_to_sum_to_one():
    assert_allclose(log.rows(np.array([0]), np.array([[0.6, 0.6]])), np.log(2))


@pytest.mark.parametrize("loss", [log, brier], ids=str)
def test_compact_probabilities_are_computed_with_in_full_precision(loss):
    target, _, shares = random_problem(3, 3)
    compact = shares.astype(np.float32)
    assert loss.rows(target, compact).tolist() == loss.rows(target, compact.astype(np.float64)).tolist()


def test_missing_probabilities_are_not_hidden():
    """scikit-learn's two-class scorers read only the last column."""
    assert np.isnan(log.rows(np.array([1]), np.array([[np.nan, 0.5]]))).all()


def test_the_brier_range_depends_on_the_number_of_classes(classes):
    assert make_losses("brier", classes("ab"))[0].bounds == (0, 1)
    assert make_losses("brier", classes("abc"))[0].bounds == (0, 2)
    assert brier.rows(np.array([0]), np.array([[0.0, 1.0]])) == 1
    assert brier.rows(np.array([0]), np.array([[0.0, 1.0, 0.0]])) == 2


@pytest.mark.parametrize("counts", [(12, 4), (12, 4, 8)])
def test_balanced_zero_one_is_one_minus_balanced_accuracy_in_exactly_stratified_folds(counts, classes):
    labels = "".join(label * count for label, count in zip("abc", counts, strict=False))
    data = classes(labels)
    loss = make_losses("balanced_zero_one", data)[0]
    rng = np.random.default_rng(1)
    for fold in range(4):
        rows = np.arange(fold, data.rows, 4)  # every class is a multiple of 4
        prediction = rng.integers(len(counts), size=len(rows))
        expected = 1 - metrics.balanced_accuracy_score(data.target[rows], prediction)
        assert_allclose(loss.fold(data.target[rows], prediction), expected, rtol=1e-12)


def test_balanced_zero_one_is_at_most_the_weight_of_a_row_of_the_rarest_class(classes):
    loss = make_losses("balanced_zero_one", classes("aaab"))[0]
    assert loss.bounds == (0, 2)
    assert loss.rows(np.array([0, 1]), np.array([1, 0])).tolist() == pytest.approx([4 / 6, 2])


COSTS = [[0, 1, 2], [3, 0, 4], [5, 6, -1]]


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.DataFrame, pl.DataFrame])
def test_a_cost_matrix_costs_what_its_cell_says(container, classes):
    given = np.array(COSTS).T.tolist() if container is pl.DataFrame else COSTS  # polars takes lists as columns
    loss = make_losses(container(given), classes("abc"))[0]
    target, prediction = np.array([0, 0, 1, 2, 2]), np.array([0, 2, 0, 1, 2])
    assert loss.rows(target, prediction).tolist() == [0, 2, 3, 6, -1]
    assert (loss.bounds, loss.name, loss.spec) == ((-1, 6), "cost", COSTS)


def test_a_labelled_cost_matrix_may_come_in_any_order(classes):
    frame = pd.DataFrame(COSTS, index=list("abc"), columns=list("abc"))
    shuffled = frame.loc[list("cab"), list("bca")]
    assert make_losses(shuffled, classes("abc"))[0].spec == COSTS


def test_a_cost_matrix_follows_the_order_of_the_classes_and_not_of_the_alphabet(classes):
    frame = pd.DataFrame([[0, 1], [9, 0]], index=["no", "yes"], columns=["no", "yes"])
    data = classes(["no", "yes"], classes=("yes", "no"))
    assert make_losses(frame, data)[0].spec == [[0, 9], [1, 0]]


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0, 1], [1, 0]], "the cost matrix is 2 x 2, and there are 3 classes. Give a 3 x 3 matrix"),
        ([[0, 1, 2], [1, 0]], "not a number, or rows of unequal length"),
        ([[0, 1, 2], [1, 0, float("nan")], [1, 1, 1]], "the cost of saying 'c' for 'b' is nan"),
        (np.zeros(3), "the cost matrix is 3, and"),
        (
            pd.DataFrame(COSTS, index=list("abx"), columns=list("abc")),
            "the rows of the cost matrix are labelled a, b, x",
        ),
        (
            pd.DataFrame(COSTS, index=list("abc"), columns=list("aac")),
            "the columns of the cost matrix are labelled a, a",
        ),
    ],
)
def test_a_cost_matrix_that_does_not_fit_is_refused(matrix, words, classes):
    with pytest.raises(BadLoss, match=words):
        make_losses(matrix, classes("abc"))


def test_what_a_loss_needs_is_known_before_any_fit(classes):
    needs = {
        name: make_losses(name, classes("ab"))[0].needs for name in ("zero_one", "balanced_zero_one", "log", "brier")
    }
    assert needs == {
        "zero_one": ("predict",),
        "balanced_zero_one": ("predict",),
        "log": ("predict_proba",),
        "brier": ("predict_proba",),
    }
