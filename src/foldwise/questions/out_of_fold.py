"""What the models of the outer splits answered for the rows that they had not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.losses.loss import RESPONSES, label_array
from foldwise.splits.split import Split
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Study

if TYPE_CHECKING:
    import pandas as pd

    from foldwise.questions.method import MethodAnswer

_COLUMNS = ["method", "repeat", "fold", "row", "row_label", "truth", "prediction", "own"]


@dataclass(frozen=True, eq=False)
class FoldAnswers:
    """The rows held out of one outer split: their targets, their weights, and the responses that were kept."""

    split: Split
    target: AnyArray
    weights: FloatArray | None
    responses: Mapping[str, AnyArray]

    def first(self, needs: Sequence[str]) -> AnyArray | None:
        """The first of these responses that is there."""
        return next((self.responses[need] for need in needs if need in self.responses), None)


def fold_answers(reading: Reading, method: Method, at: int) -> FoldAnswers:
    """The responses of the model that one outer split is judged by; none where it failed or was not made."""
    study, split = reading.study, reading.study.outer[at]
    candidate = reading.outer_candidate(method, at)
    offered = () if candidate is None else [name for name in RESPONSES if name in method.responses[candidate]]
    found = {name: reading.answer(method, candidate or 0, split, name, split.test) for name in offered}
    weights = None if study.weights is None else study.weights[split.test]
    there = {name: answer for name, answer in found.items() if answer is not None}
    return FoldAnswers(split, study.target[split.test], weights, there)


def class_labels(study: Study, values: AnyArray) -> AnyArray:
    """Class codes as the classes they stand for, in an array of the classes' own type; numbers as they are."""
    return values if study.task == "regression" else label_array(study.classes)[values]


def prediction_table(study: Study, methods: Sequence[MethodAnswer], labels: Any = None) -> pd.DataFrame:
    """Every method's out-of-fold predictions, with the probability of every class where it gives them.

    `labels`: those of the user's rows; without them rows are known by their positions.
    """
    import pandas as pd

    names = np.arange(study.rows) if labels is None else labels
    parts = [
        pd.DataFrame(part)
        for method in methods
        for at in range(len(study.outer))
        if (part := _fold_rows(method, at, names)) is not None
    ]
    classes = [f"p_{label}" for label in study.classes]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=_COLUMNS)
    return found.reindex(columns=[*_COLUMNS, *(["weight"] if study.weights is not None else []), *classes])


def _fold_rows(answer: MethodAnswer, at: int, labels: Any) -> dict[str, Any] | None:
    fold, study = answer.out_of_fold(at), answer.study
    prediction = fold.responses.get("predict")
    if prediction is None:
        return None
    columns: dict[str, Any] = {
        "method": answer.method.name,
        "repeat": fold.split.repeat,
        "fold": fold.split.fold,
        "row": fold.split.test,
        "row_label": labels[fold.split.test],
        "truth": class_labels(study, fold.target),
        "prediction": class_labels(study, prediction),
        "own": answer.states[at] == "own",
    }
    shares = fold.responses.get("predict_proba")
    for code, label in enumerate(study.classes):
        columns[f"p_{label}"] = np.nan if shares is None else shares[:, code]
    return columns if fold.weights is None else columns | {"weight": fold.weights}
