"""What every loss must do."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.losses.loss import Loss, make_losses, task_hint
from foldwise.testing.contract import keep


class LossContract:
    """`loss` is anything that `loss=` takes, and `data` a table whose predictions it can judge."""

    def test_it_is_one_loss_with_a_name(self, loss: Any, data: Dataset) -> None:
        made = make_losses(loss, data)
        assert len(made) == 1, f"it makes {len(made)} losses"
        assert made[0].name, "its name is empty"

    def test_losses_are_finite_numbers(self, loss: Any, data: Dataset) -> None:
        made, target, prediction = _judged(loss, data)
        found = _losses(made, target, prediction)
        assert np.isfinite(found).all(), f"{found[~np.isfinite(found)][0]} is not finite"

    def test_it_leaves_what_it_is_given_as_it_was(self, loss: Any, data: Dataset) -> None:
        made, target, prediction = _judged(loss, data)
        kept = target.copy(), prediction.copy()
        _losses(made, target, prediction)
        np.testing.assert_array_equal(target, kept[0])
        np.testing.assert_array_equal(prediction, kept[1])

    def test_the_order_of_the_rows_does_not_matter(self, loss: Any, data: Dataset) -> None:
        made, target, prediction = _judged(loss, data)
        order = np.random.default_rng(1).permutation(len(target))
        found, moved = _losses(made, target, prediction), _losses(made, target[order], prediction[order])
        np.testing.assert_allclose(moved, found[order] if made.is_per_row else found, rtol=1e-9, atol=1e-12)

    def test_right_predictions_cost_no_more_than_others(self, loss: Any, data: Dataset) -> None:
        made, target, prediction = _judged(loss, data)
        right = made.fold(target, _right(made, data))
        assert right <= made.fold(target, prediction) + 1e-12, f"right predictions cost {right:g}"

    def test_its_bounds_hold(self, loss: Any, data: Dataset) -> None:
        made, target, prediction = _judged(loss, data)
        low, high = made.bounds or (-np.inf, np.inf)
        found = _losses(made, target, prediction)
        assert low <= found.min() <= found.max() <= high, f"{found.min():g} to {found.max():g} is not in its bounds"


def check_loss(loss: Any, X: Any = None, y: Any = None, *, task: str | None = None) -> None:
    """Raise AssertionError, with a sentence, where a loss is none.

    `loss`: anything `loss=` takes. `X` and `y`: a table to judge predictions of; else a made-up one for the `task`,
    which is that of the loss, or regression.

    `task`: "regression" or "classification".

    >>> check_loss("squared")
    >>> check_loss("log")
    """
    if X is None:
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(40, 2)), np.abs(rng.normal(size=40)).round(2)
        y = np.where(y > 0.7, "yes", "no") if (task or task_hint(loss)) == "classification" else y
    keep(LossContract(), f"loss {loss!r}", loss, make_dataset(X, y))


def _judged(loss: Any, data: Dataset) -> tuple[Loss, AnyArray, AnyArray]:
    """The loss, targets as it meets them, and predictions that are near them but not right."""
    (made,) = make_losses(loss, data)
    target, rng = np.asarray(data.target), np.random.default_rng(2)
    if data.task == "regression":
        return made, target, np.abs(target + 0.1 + 0.3 * rng.random(len(target)))
    if made.needs[0] == "predict":
        return made, target, np.where(rng.random(len(target)) < 0.3, (target + 1) % len(data.classes), target)
    right = _right(made, data)
    return made, target, 0.6 * right + 0.4 * rng.permutation(right)


def _right(made: Loss, data: Dataset) -> AnyArray:
    target = np.asarray(data.target)
    if data.task == "regression" or made.needs[0] == "predict":
        return target
    shares = np.eye(len(data.classes))[target] * 0.98 + 0.02 / len(data.classes)
    is_one = made.needs[0] == "decision_function" and len(data.classes) == 2
    return np.asarray(shares[:, 1] - 0.5 if is_one else shares)


def _losses(made: Loss, target: AnyArray, prediction: AnyArray) -> FloatArray:
    return made.rows(target, prediction) if made.is_per_row else np.array([made.fold(target, prediction)])
