"""The featureless baseline, from the targets alone: a table of any size is neither copied nor looked at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Answer, Job
from foldwise.studies.baseline import baseline_answer


class FeaturelessSolver:
    """scikit-learn's dummies as the baseline has them: the mean, or the shares of the classes."""

    name = "baseline"
    unit: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        from sklearn.dummy import DummyClassifier, DummyRegressor

        if type(estimator) is DummyRegressor:
            return estimator.strategy == "mean" and data.task == "regression"
        return type(estimator) is DummyClassifier and estimator.strategy == "prior" and data.task != "regression"

    def shares(self, estimator: Any) -> Hashable:
        return ()

    def pays(self, jobs: Sequence[Job], data: Dataset) -> bool:
        return True

    def solve(self, jobs: Sequence[Job], data: Dataset) -> list[Answer | None]:
        return [_answer(job, data) for job in jobs]


def _answer(job: Job, data: Dataset) -> Answer | None:
    found = {name: baseline_answer(data, job.train, name, len(job.rows)) for name in job.responses}
    answer = {name: values for name, values in found.items() if values is not None and name != "decision_function"}
    return answer if len(answer) == len(job.responses) else None


SOLVERS = (FeaturelessSolver(),)
