"""From the numbers of a linear model to the answers of a regressor or a classifier."""

from __future__ import annotations

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Answer

CLOSE = 1e-11  # scores this close to a tie may come out either way


def score_targets(data: Dataset) -> FloatArray:
    """What a linear model is fitted to, one column each: the numbers, or -1 and 1 for two classes or for each class."""
    if data.task == "regression":
        return np.asarray(data.y, np.float64)[:, None]
    if len(data.classes) == 2:
        return np.where(data.codes == 1, 1.0, -1.0)[:, None]
    return np.where(data.codes[:, None] == np.arange(len(data.classes)), 1.0, -1.0)


def has_every_class(data: Dataset, train: IntArray) -> bool:
    """Are all classes among the training rows? A missing one changes what is fitted."""
    return data.task == "regression" or bool(np.bincount(data.codes[train], minlength=len(data.classes)).all())


def answer_of(scores: FloatArray, data: Dataset, responses: tuple[str, ...]) -> Answer | None:
    """Answers from scores (rows x targets); None where a class hangs on the last digits."""
    if data.task == "regression":
        return {"predict": scores[:, 0]}
    codes = _codes(scores, data)
    if "predict" in responses and codes is None:
        return None
    made: Answer = {}
    if "predict" in responses and codes is not None:
        made["predict"] = codes
    if "decision_function" in responses:
        made["decision_function"] = scores[:, 0] if scores.shape[1] == 1 else scores
    return made


def _codes(scores: FloatArray, data: Dataset) -> IntArray | None:
    if scores.shape[1] == 1:
        is_close = np.abs(scores[:, 0]) <= CLOSE
        return None if is_close.any() else (scores[:, 0] > 0).astype(np.int64)
    ranked = np.sort(scores, axis=1)
    is_close = ranked[:, -1] - ranked[:, -2] <= CLOSE
    return None if is_close.any() else np.argmax(scores, axis=1).astype(np.int64)
