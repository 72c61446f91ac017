"""The featureless baseline, from the targets alone: a table of any size is neither copied nor looked at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Answer, FitRequest
from foldwise.studies.baseline import baseline_answer


class FeaturelessSolver:
    """scikit-learn's dummies as the baseline has them: the mean, or the shares of the classes."""

    name = "baseline"
    batch: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        from sklearn.dummy import DummyClassifier, DummyRegressor

        if type(estimator) is DummyRegressor:
            return estimator.strategy == "mean" and data.task == "regression"
        return type(estimator) is DummyClassifier and estimator.strategy == "prior" and data.task != "regression"

    def shares(self, estimator: Any) -> Hashable:
        return ()

    def pays(self, fits: Sequence[FitRequest], data: Dataset) -> bool:
        return True

    def solve(self, fits: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
        return [_answer(fit, data) for fit in fits]


def _answer(fit: FitRequest, data: Dataset) -> Answer | None:
    found = {name: baseline_answer(data, fit.train, name, len(fit.rows)) for name in fit.responses}
    answer = {name: values for name, values in found.items() if values is not None and name != "decision_function"}
    return answer if len(answer) == len(fit.responses) else None


SOLVERS = (FeaturelessSolver(),)
