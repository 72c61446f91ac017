"""k-nearest neighbours: one search answers every k, both weightings and every training set."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.learners.estimators.distances import power
from foldwise.solvers.fitted_steps import numbers
from foldwise.solvers.nearest.neighbour_batch import NeighbourBatch
from foldwise.solvers.solver import Answered, FitRequest, grouped_parts
from foldwise.solvers.steps import scaled

ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree")


class NeighboursSolver:
    """Answers KNeighborsRegressor and KNeighborsClassifier, and their twins that break ties by the order of rows."""

    name = "k-nn"
    batch: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        is_ours = known is not None and not known[0].target and is_known(known[1], data.task)
        return is_ours and numbers(data) is not None

    def shares(self, estimator: Any) -> Hashable:
        known = scaled(estimator)
        assert known is not None
        scaling, final = known
        return type(final).__name__, scaling, final.algorithm, final.leaf_size, power(final)

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        """Even one fit is answered sooner: its search asks no estimator, and lists of earlier fits serve it."""
        return True

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        """Answers of all candidates of a training set in one array, one training set after the other."""
        for parts in grouped_parts(requests, self.shares):
            yield from NeighbourBatch(parts[0].request.estimators[0], data).solve(parts)


def is_known(final: Any, task: str) -> bool:
    """Is it an estimator of nearest neighbours, with parameters that are answered here?"""
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor

    is_regression = task == "regression"
    kinds = (KNeighborsRegressor, NearestRegressor) if is_regression else (KNeighborsClassifier, NearestClassifier)
    if type(final) not in kinds:
        return False
    is_count = isinstance(final.n_neighbors, int | np.integer) and bool(final.n_neighbors >= 1)
    is_weighted = isinstance(final.weights, str) and final.weights in ("uniform", "distance")
    return is_count and is_weighted and power(final) is not None and final.algorithm in ALGORITHMS


SOLVERS = (NeighboursSolver(),)
