"""The featureless baseline, from the targets alone: a table of any size is neither copied nor looked at."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Answered, FitRequest
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

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        return True

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        for number, request in enumerate(requests):
            count = len(request.estimators)
            responses = {}
            for name in request.responses:
                values = baseline_answer(data, request.train, name, len(request.rows))
                if values is not None and name != "decision_function":
                    responses[name] = np.stack([values] * count)
            if len(responses) == len(request.responses):
                yield Answered(number, range(count), responses)


SOLVERS = (FeaturelessSolver(),)
