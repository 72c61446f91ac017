"""Where a grown tree is cut back: for a penalty on its leaves, and for a number of leaves."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray

DOUBT = 1e-11  # gains this small, in units of the root's impurity, may be rounding


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
