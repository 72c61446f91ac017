"""Decision trees: one grown tree holds every pruning value, and best-first growth every number of leaves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from numbers import Real
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswer, ModelAnswers, answer_of_probabilities
from foldwise.solvers.steps import copy_of, is_kind, params_key_without

DOUBT = 1e-11  # gains this small, in units of the root's impurity, may be rounding
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


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A grown tree, and its parents and their children level by level from the root down."""

    impurity: FloatArray  # [node], weighted by the node's share of the rows
    left: IntArray
    right: IntArray
    levels: tuple[IntArray, ...]

    @property
    def nodes(self) -> int:
        return self.impurity.size


def read_tree(tree: Any) -> GrownTree:
    """The parts of scikit-learn's tree that pruning looks at."""
    left, right = tree.children_left.astype(np.int64), tree.children_right.astype(np.int64)
    weights = tree.weighted_n_node_samples
    levels, nodes = [], np.zeros(1, dtype=np.int64)
    while (nodes := nodes[left[nodes] >= 0]).size:
        levels.append(nodes)
        nodes = np.concatenate([left[nodes], right[nodes]])
    return GrownTree(weights * tree.impurity / weights[0], left, right, tuple(levels))


def cut(tree: GrownTree, penalties: FloatArray, leaves: IntArray) -> IntArray:
    """For each node and candidate, the node at which rows that came to it now end.

    Best-first growth numbers nodes as they come, so that L leaves are the first 2 L - 1 nodes.
    """
    is_closed, is_doubtful = _cheapest(tree, penalties, leaves)
    for count in np.unique(leaves[is_doubtful]):
        branches = _Branches(tree, int(count))
        places = np.flatnonzero(is_doubtful & (leaves == count))
        for at in places[np.argsort(penalties[places])]:
            branches.close_up_to(float(penalties[at]))
            is_closed[:, at] = branches.is_closed
    ends = np.repeat(np.arange(tree.nodes), penalties.size).reshape(-1, penalties.size)
    for nodes in tree.levels:
        above = ends[nodes]
        is_cut = is_closed[nodes] | (above != nodes[:, None])
        for children in (tree.left[nodes], tree.right[nodes]):
            ends[children] = np.where(is_cut, above, children[:, None])
    return ends


def _cheapest(tree: GrownTree, penalties: FloatArray, leaves: IntArray) -> tuple[AnyArray, AnyArray]:
    """Branches to close [node, candidate], and the candidates for which rounding may decide one.

    The smallest tree of least impurity + penalty x leaves, found from the leaves up. It is the one
    scikit-learn finds by closing the weakest branch again and again.
    """
    costs = tree.impurity[:, None] + penalties  # [node, candidate]: as a leaf
    is_closed = np.zeros(costs.shape, dtype=bool)
    is_doubtful, prunes = np.zeros(penalties.size, dtype=bool), penalties > 0
    for nodes in reversed(tree.levels):
        is_beyond = tree.right[nodes][:, None] >= 2 * leaves - 1
        own, below = costs[nodes], costs[tree.left[nodes]] + costs[tree.right[nodes]]
        gain = own - below
        closed = is_beyond | ((gain <= 0) & prunes)
        is_doubtful |= ((np.abs(gain) <= DOUBT * tree.impurity[0]) & ~is_beyond).any(axis=0) & prunes
        is_closed[nodes], costs[nodes] = closed, np.where(closed, own, below)
    return is_closed, is_doubtful


class _Branches:
    """The branches of a tree, closed weakest first in scikit-learn's order and with its rounding."""

    def __init__(self, tree: GrownTree, leaves: int) -> None:
        self.tree = tree
        self.is_closed = (tree.left >= 0) & (tree.right >= 2 * leaves - 1)
        self.is_gone = np.arange(tree.nodes) >= 2 * leaves - 1
        self.own = tree.impurity.tolist()
        self.below = np.zeros(tree.nodes).tolist()
        self.leaves = [0] * tree.nodes
        self.parent = [-1] * tree.nodes
        inner = np.flatnonzero((tree.left >= 0) & ~self.is_closed & ~self.is_gone).tolist()
        for node in inner:
            self.parent[tree.left[node]] = self.parent[tree.right[node]] = node
        for leaf in sorted(set(np.flatnonzero(~self.is_gone).tolist()) - set(inner)):
            self._add(self.parent[leaf], self.own[leaf], 1)
        self.heap = [(self.strength(node), node) for node in inner]
        heapify(self.heap)

    def strength(self, node: int) -> float:
        """Impurity saved per leaf."""
        return (self.own[node] - self.below[node]) / (self.leaves[node] - 1)  # type: ignore[no-any-return]

    def close_up_to(self, penalty: float) -> None:
        while self.heap and self.heap[0][0] <= penalty:
            strength, node = heappop(self.heap)
            is_open = not self.is_closed[node] and not self.is_gone[node]
            if is_open and strength == self.strength(node):  # or else it dates from before another was closed
                self.close(node)

    def close(self, node: int) -> None:
        self._remove_below(node)
        self.is_closed[node] = True
        self._add(self.parent[node], self.own[node] - self.below[node], 1 - self.leaves[node])
        while (node := self.parent[node]) >= 0:
            heappush(self.heap, (self.strength(node), node))

    def _add(self, node: int, impurity: float, leaves: int) -> None:
        """To a node and all above it."""
        while node >= 0:
            self.below[node] += impurity
            self.leaves[node] += leaves
            node = self.parent[node]

    def _remove_below(self, node: int) -> None:
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if self.tree.left[node] >= 0 and not self.is_closed[node]:
                children = [int(self.tree.left[node]), int(self.tree.right[node])]
                self.is_gone[children] = True
                waiting += children


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

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        table = _as_trees_see_it(X)
        found = fitted.apply(X) if table is None else fitted.apply(table, check_input=False)
        reached = np.asarray(found, dtype=np.int64)
        values = fitted.tree_.value[:, 0, :]
        if all(one.ccp_alpha == 0 and one.max_leaf_nodes == fitted.max_leaf_nodes for one in estimators):
            return [_given(fitted, values[reached], responses) for _ in estimators]
        tree, given = read_tree(fitted.tree_), ModelAnswers()
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
