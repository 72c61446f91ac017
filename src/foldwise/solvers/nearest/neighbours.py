"""k-nearest neighbours: one search answers every k, both weightings and every training set."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.learners.estimators.distances import power
from foldwise.solvers.batches import by_estimator, solve_in_blocks
from foldwise.solvers.fitted_steps import numbers
from foldwise.solvers.nearest.neighbour_batch import NeighbourBatch
from foldwise.solvers.solver import Answer, BlockAnswer, FitRequest, RequestBlock
from foldwise.solvers.steps import scaled

ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree")


class NeighboursSolver:
    """Answers KNeighborsRegressor and KNeighborsClassifier, and their twins that break ties by the order of rows."""

    name = "k-nn"
    batch: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        if known is None or known[0].target or not _is_ours(known[1], data) or numbers(data) is None:
            return False
        final = known[1]
        is_count = isinstance(final.n_neighbors, int | np.integer) and bool(final.n_neighbors >= 1)
        is_weighted = isinstance(final.weights, str) and final.weights in ("uniform", "distance")
        return is_count and is_weighted and power(final) is not None and final.algorithm in ALGORITHMS

    def shares(self, estimator: Any) -> Hashable:
        known = scaled(estimator)
        assert known is not None
        scaling, final = known
        return type(final).__name__, scaling, final.algorithm, final.leaf_size, power(final)

    def pays(self, fits: Sequence[FitRequest], data: Dataset) -> bool:
        """Even one fit is answered sooner: its search asks no estimator, and lists of earlier fits serve it."""
        return True

    def solve(self, fits: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
        return solve_in_blocks(self.solve_blocks, fits, data)

    def solve_blocks(self, blocks: Sequence[RequestBlock], data: Dataset) -> Iterator[BlockAnswer]:
        """Answers of all candidates of a training set in one array, one training set after the other."""
        for parts in by_estimator(self, blocks):
            yield from NeighbourBatch(parts[0].block.estimators[0], data).solve(parts)


SOLVERS = (NeighboursSolver(),)


def _is_ours(final: Any, data: Dataset) -> bool:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor

    is_regression = data.task == "regression"
    kinds = (KNeighborsRegressor, NearestRegressor) if is_regression else (KNeighborsClassifier, NearestClassifier)
    return type(final) in kinds
