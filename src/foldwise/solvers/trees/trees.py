"""Decision trees: one grown tree holds every pruning value, and best-first growth every number of leaves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswer, answer_of_probabilities
from foldwise.solvers.steps import copy_of, is_kind, params_key_without
from foldwise.solvers.trees.cost_complexity import cut, read_tree

FREE = ("ccp_alpha", "max_leaf_nodes")
KNOWN = {
    *FREE,
    "criterion",
    "splitter",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "random_state",
    "min_impurity_decrease",
    "class_weight",
    "monotonic_cst",
}
CELLS = 4_000_000  # nodes x candidates looked at together


@dataclass(frozen=True)
class Trees:
    """A tree is grown once; each candidate cuts it back at its own nodes."""

    name: str = "trees"
    is_exact: bool = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        is_tree = is_kind(estimator, "DecisionTreeClassifier", "DecisionTreeRegressor")
        if not is_tree or not set(vars(estimator)) <= KNOWN:
            return False
        leaves, penalty = estimator.max_leaf_nodes, estimator.ccp_alpha
        is_count = leaves is None or (isinstance(leaves, int | np.integer) and int(leaves) >= 2)
        return is_count and isinstance(penalty, Real) and 0 <= float(penalty) < np.inf

    def shares(self, estimator: Any) -> Hashable:
        # with a number of leaves the best split comes first, without one the depth does: two ways to grow
        return params_key_without(estimator, *FREE), estimator.max_leaf_nodes is None

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        whole = copy_of(estimators[0])
        whole.ccp_alpha = 0.0
        if whole.max_leaf_nodes is not None:
            whole.set_params(max_leaf_nodes=max(estimator.max_leaf_nodes for estimator in estimators))
        table = _as_trees_see_it(X)
        if table is None or whole.criterion == "poisson":  # whose targets are checked with the table
            return whole.fit(X, y, **extra)
        return whole.fit(np.asfortranarray(table), y, check_input=False, **extra)

    def answers(
        self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]
    ) -> list[ModelAnswer | None]:
        table = _as_trees_see_it(X)
        found = fitted.apply(X) if table is None else fitted.apply(table, check_input=False)
        reached = np.asarray(found, dtype=np.int64)
        values = fitted.tree_.value[:, 0, :]
        if all(one.ccp_alpha == 0 and one.max_leaf_nodes == fitted.max_leaf_nodes for one in estimators):
            return [_given(fitted, values[reached], responses) for _ in estimators]
        tree, given = read_tree(fitted.tree_), list[ModelAnswer | None]()
        for block in _blocks(estimators, tree.nodes):
            penalties = np.array([float(estimator.ccp_alpha) for estimator in block])
            leaves = np.array([estimator.max_leaf_nodes or tree.nodes for estimator in block], dtype=np.int64)
            ends = np.ascontiguousarray(cut(tree, penalties, leaves)[reached].T)
            given += [_given(fitted, values[end], responses) for end in ends]
        return given


def _as_trees_see_it(X: Any) -> AnyArray | None:
    """Single-precision numbers, which need no more checks; None where there is more to see to."""
    if hasattr(X, "tocsr"):
        return None
    with np.errstate(over="ignore"):
        table = np.ascontiguousarray(np.asarray(X), dtype=np.float32)
    return table if np.isfinite(table).all() else None


def _given(fitted: Any, values: AnyArray, responses: Sequence[str]) -> ModelAnswer:
    if is_kind(fitted, "DecisionTreeClassifier"):
        return answer_of_probabilities(fitted.classes_, values, responses)
    return ModelAnswer(None, {"predict": values[:, 0]})


def _blocks(estimators: Sequence[Any], nodes: int) -> list[Sequence[Any]]:
    step = max(1, CELLS // nodes)
    return [estimators[at : at + step] for at in range(0, len(estimators), step)]


SOLVERS = (FamilySolver(Trees(), is_light=True, is_same_alone=True),)
