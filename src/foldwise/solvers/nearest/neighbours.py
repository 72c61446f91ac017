"""k-nearest neighbours: one search answers every k, both weightings and every training part."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.learners.estimators.distances import power
from foldwise.solvers.batches import any_of, by_rows, by_settings
from foldwise.solvers.nearest.neighbour_batch import Pass
from foldwise.solvers.pipeline import numbers, scaled
from foldwise.solvers.solver import Answer, Job

ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree")


class NeighboursSolver:
    """Answers KNeighborsRegressor and KNeighborsClassifier, and their twins that break ties by the order of rows."""

    name = "k-nn"
    unit: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        if known is None or known[0].target or not _is_ours(known[1], data) or numbers(data) is None:
            return False
        core = known[1]
        is_count = isinstance(core.n_neighbors, int | np.integer) and bool(core.n_neighbors >= 1)
        is_weighted = isinstance(core.weights, str) and core.weights in ("uniform", "distance")
        return is_count and is_weighted and power(core) is not None and core.algorithm in ALGORITHMS

    def shares(self, estimator: Any) -> Hashable:
        known = scaled(estimator)
        assert known is not None
        scaling, core = known
        return type(core).__name__, scaling, core.algorithm, core.leaf_size, power(core)

    def pays(self, jobs: Sequence[Job], data: Dataset) -> bool:
        """One search of the rows asked, against one per job with a fit before it; in rows searched."""
        plain = sum(job.rows.size + job.train.size / 50 + 20 for job in jobs)
        groups = by_rows(jobs, range(len(jobs)))
        asked = any_of([group.rows for group in groups]).size
        ours = 1.5 * asked + data.rows / 50 + sum(0.2 * group.rows.size + 20 for group in groups)
        return ours < plain

    def solve(self, jobs: Sequence[Job], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(jobs)
        for estimator, places in by_settings(self, jobs):
            for at, answer in Pass(estimator, data, jobs).solve(places):
                answers[at] = answer
        return answers


SOLVERS = (NeighboursSolver(),)


def _is_ours(core: Any, data: Dataset) -> bool:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor

    is_regression = data.task == "regression"
    kinds = (KNeighborsRegressor, NearestRegressor) if is_regression else (KNeighborsClassifier, NearestClassifier)
    return type(core) in kinds
