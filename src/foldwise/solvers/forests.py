"""Forests: the first T trees of a forest are the forest of T trees with the same seed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from numbers import Integral
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswer, ModelAnswers, answer_of_probabilities, quiet
from foldwise.solvers.steps import is_kind, params_key_without

MOST = int(np.iinfo(np.int32).max)  # scikit-learn draws seeds below it, and takes it for a depth without limit

Grower = Callable[[FloatArray | None, Any], Any]  # row weights and random numbers -> a compiled tree
CLASSIFIERS = ("RandomForestClassifier", "ExtraTreesClassifier")
REGRESSORS = ("RandomForestRegressor", "ExtraTreesRegressor")


@dataclass(frozen=True, eq=False)
class Grown:
    """All trees of a forest, and the forest as far as scikit-learn fitted it."""

    forest: Any
    trees: list[Any]  # compiled: `predict` gives values[row, class], for numbers values[row, 0]


def grow(forest: Any, size: int, X: Any, y: AnyArray, extra: dict[str, Any]) -> Grown:
    """The trees that `fit(X, y, **extra)` grows for a forest of this size; the forest given is left as it was.

    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = np.arange(8.0).reshape(-1, 1), np.arange(8.0) ** 2
    >>> forest = RandomForestRegressor(random_state=0)
    >>> trees = grow(forest, 3, X, y, {}).trees
    >>> [tree.node_count for tree in trees] == [tree.tree_.node_count for tree in forest.fit(X, y)[:3]]
    True
    """
    grown = _grow(forest, size, X, y, extra) if _is_covered(forest, y) and is_trusted() else None
    return grown or _fit(forest, size, X, y, extra)


@cache
def is_trusted() -> bool:
    """Do the private parts of this scikit-learn grow what its public fit grows, on a few made-up rows?"""
    are_twins = False
    with quiet():
        are_twins = all(_is_twin(*case) for case in _cases())
    return are_twins


def _is_covered(forest: Any, y: AnyArray) -> bool:
    """Is it grown in one thread, in silence, by a criterion with a name, from a seed that can be used again?"""
    is_plain = forest.n_jobs in (None, 1) and not forest.verbose and isinstance(forest.criterion, str)
    return is_plain and isinstance(forest.random_state, Integral) and y.ndim == 1


def _fit(forest: Any, size: int, X: Any, y: AnyArray, extra: dict[str, Any]) -> Grown:
    from sklearn.base import clone

    fitted = clone(forest).set_params(n_estimators=size).fit(X, y, **extra)
    return Grown(fitted, [tree.tree_ for tree in fitted.estimators_])


def _grow(forest: Any, size: int, X: Any, y: AnyArray, extra: dict[str, Any]) -> Grown | None:
    """scikit-learn grows the first tree, with all of its checks; the others are made from what that tree was given."""
    from sklearn.base import clone

    small = clone(forest).set_params(n_estimators=1)
    kind: Any = type(small.estimator)
    small.estimator = _noting(kind)()
    first = small.fit(X, y, **extra).estimators_[0]
    is_weighted = bool(extra) or getattr(small, "class_weight", None) is not None
    if is_weighted and not hasattr(small, "_sample_weight"):  # earlier versions use weights in another way
        return None
    grower = _grower(first)
    return Grown(small, [first.tree_, *(grower(*drawn) for drawn in _draws(small, size, first.noted[1]))])


@cache
def _noting(kind: Any) -> Any:
    """The same tree, which notes what the forest gives it: a table, targets, and which columns have missing values."""

    class Noting(kind):  # type: ignore[misc]
        def _fit(self, X: Any, y: Any, *, missing_values_in_feature_mask: Any, **rest: Any) -> Any:
            self.noted = X, y, missing_values_in_feature_mask
            return super()._fit(X, y, missing_values_in_feature_mask=missing_values_in_feature_mask, **rest)

    return Noting


def _draws(forest: Any, size: int, y: FloatArray) -> Iterator[tuple[FloatArray | None, Any]]:
    """Row weights and random numbers of every tree but the first.

    One generator is seeded again and again: making another takes as long as growing a small tree.
    """
    weights, rows = getattr(forest, "_sample_weight", None), len(y)
    shares = None if weights is None else weights / np.sum(weights)
    random = np.random.RandomState(forest.random_state)
    for seed in random.randint(MOST, size=size)[1:].tolist():
        drawn = weights
        if forest.bootstrap:
            random.seed(seed)
            some = forest._n_samples_bootstrap
            at = random.randint(0, rows, some) if shares is None else random.choice(rows, some, p=shares)
            drawn = np.bincount(at, minlength=rows) * _balance(forest, y, at)
        random.seed(seed)
        yield None if drawn is None else np.asarray(drawn, dtype=np.float64), random


def _balance(forest: Any, y: FloatArray, at: AnyArray) -> Any:
    """What rows weigh where the classes of the rows drawn shall weigh the same."""
    if getattr(forest, "class_weight", None) != "balanced_subsample":
        return 1.0
    from sklearn.utils.class_weight import compute_sample_weight

    return compute_sample_weight("balanced", y, indices=at)


def _grower(tree: Any) -> Grower:
    """Grows trees like this one, as its fit does after all checks."""
    from sklearn.tree._tree import BestFirstTreeBuilder, DepthFirstTreeBuilder, Tree, _build_pruned_tree_ccp

    X, y, missing = tree.noted
    criterion, splitter, signs = _criterion(tree), _splitter(tree), _signs(tree)
    leaf = _rows_in(tree.min_samples_leaf, len(y))
    split = max(2, _rows_in(tree.min_samples_split, len(y)), 2 * leaf)
    depth = MOST if tree.max_depth is None else tree.max_depth
    ends = (depth,) if tree.max_leaf_nodes is None else (depth, tree.max_leaf_nodes)
    builder = DepthFirstTreeBuilder if tree.max_leaf_nodes is None else BestFirstTreeBuilder

    def grow_one(weights: FloatArray | None, random: Any) -> Any:
        least = tree.min_weight_fraction_leaf * (len(y) if weights is None else np.sum(weights))
        splits = splitter(criterion(), tree.max_features_, leaf, least, random, signs)
        grown = Tree(X.shape[1], _classes(tree), 1)
        builder(splits, split, leaf, least, *ends, tree.min_impurity_decrease).build(grown, X, y, weights, missing)
        if tree.ccp_alpha == 0.0:
            return grown
        pruned = Tree(X.shape[1], _classes(tree), 1)
        _build_pruned_tree_ccp(pruned, grown, tree.ccp_alpha)
        return pruned

    return grow_one


def _classes(tree: Any) -> AnyArray:
    """How many classes there are; one for numbers."""
    return np.array([getattr(tree, "n_classes_", 1)], dtype=np.intp)


def _criterion(tree: Any) -> Callable[[], Any]:
    from sklearn.tree._classes import CRITERIA_CLF, CRITERIA_REG

    if hasattr(tree, "classes_"):
        return lambda: CRITERIA_CLF[tree.criterion](1, _classes(tree))
    return lambda: CRITERIA_REG[tree.criterion](1, len(tree.noted[1]))


def _splitter(tree: Any) -> Any:
    from sklearn.tree._classes import DENSE_SPLITTERS, SPARSE_SPLITTERS

    return (SPARSE_SPLITTERS if hasattr(tree.noted[0], "tocsc") else DENSE_SPLITTERS)[tree.splitter]


def _signs(tree: Any) -> AnyArray | None:
    """Directions of columns; scikit-learn takes those of classes for the first class, and is told of the second."""
    if tree.monotonic_cst is None:
        return None
    signs = np.asarray(tree.monotonic_cst).astype(np.int8)
    return -signs if hasattr(tree, "classes_") else signs


def _rows_in(share: Any, rows: int) -> int:
    """A number of rows, or a share of them."""
    return int(share) if isinstance(share, Integral) else ceil(share * rows)


def _is_twin(forest: Any, X: Any, y: AnyArray, extra: dict[str, Any]) -> bool:
    """Are the trees node for node those of the public fit? What is left to it cannot differ."""
    ours, theirs = _grow(forest, 3, X, y, extra), _fit(forest, 3, X, y, extra)
    return ours is None or all(
        one.node_count == other.node_count
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("feature", "threshold", "value"))
        for one, other in zip(ours.trees, theirs.trees, strict=True)
    )


def _cases() -> Iterator[tuple[Any, Any, AnyArray, dict[str, Any]]]:
    """Forests of every kind with rows that take their time to split."""
    from scipy.sparse import csc_matrix
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )

    X = np.cos(np.arange(96.0) ** 2).reshape(24, 4)
    y, codes, weighted = X.sum(axis=1), np.arange(24) % 3, {"sample_weight": 1 + np.arange(24.0) % 5}
    gaps = np.where(X < -0.9, np.nan, X)
    yield RandomForestRegressor(max_features=0.5, random_state=1), gaps, y, {}
    yield RandomForestRegressor(max_samples=0.6, random_state=2, max_leaf_nodes=6), X, y, weighted
    yield ExtraTreesRegressor(ccp_alpha=0.01, min_samples_leaf=0.1, random_state=3), X, y, weighted
    yield RandomForestClassifier(class_weight="balanced_subsample", random_state=4), X, codes, {}
    yield ExtraTreesClassifier(max_depth=3, random_state=5), csc_matrix(np.where(X < 0, 0, X)), codes, {}


@dataclass(frozen=True)
class Forests:
    """The largest forest is grown; its trees are added up in order, as scikit-learn does."""

    name: str = "forests"
    is_exact: bool = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        if not is_kind(estimator, *CLASSIFIERS, *REGRESSORS) or estimator.warm_start or estimator.oob_score:
            return False
        trees = estimator.n_estimators
        return isinstance(trees, int | np.integer) and not isinstance(trees, bool) and int(trees) >= 1

    def shares(self, estimator: Any) -> Hashable:
        return params_key_without(estimator, "n_estimators")

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        return grow(estimators[0], max(int(estimator.n_estimators) for estimator in estimators), X, y, extra)

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        wanted = {int(estimator.n_estimators) for estimator in estimators}
        table, found = _as_trees_see_it(X), dict[int, ModelAnswer]()
        fitted.forest.estimators_[0].apply(table)  # looks for what trees refuse, on behalf of all
        for trees, total in _running_totals(fitted.trees, table):
            if trees in wanted:
                found[trees] = _mean_given(fitted.forest, total / trees, responses)
        return [found[int(estimator.n_estimators)] for estimator in estimators]


def _mean_given(forest: Any, mean: FloatArray, responses: Sequence[str]) -> ModelAnswer:
    if is_kind(forest, *CLASSIFIERS):
        return answer_of_probabilities(forest.classes_, mean, responses)
    return ModelAnswer(None, {"predict": mean[:, 0]})


def _running_totals(trees: Sequence[Any], table: Any) -> Iterator[tuple[int, FloatArray]]:
    total: Any = 0.0
    for count, tree in enumerate(trees, start=1):
        total = total + tree.predict(table)
        yield count, total


def _as_trees_see_it(X: Any) -> Any:
    """Single-precision numbers, converted once for all trees."""
    if hasattr(X, "tocsr"):
        return X.tocsr().astype(np.float32)
    return np.ascontiguousarray(np.asarray(X), dtype=np.float32)


SOLVERS = (FamilySolver(Forests(), is_light=True),)
