"""Trees, and forests of them."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import Entry, Facts, Size, Written, pick, scaled_target
from foldwise.spaces.parameter import log_range

TREES = 100  # of a forest; more change little, and the search for the rest is what pays
LEAVES = [3, 4, 6, 8, 12, 16, 32, 64]
DEPTHS = [2, 3, 4, 5, 6, 8, 11]


def _make_tree(facts: Facts) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    # pruning is measured in units of the target
    return DecisionTreeClassifier() if facts.is_classification else scaled_target(DecisionTreeRegressor())


def _tree_space(facts: Facts, size: Size) -> Written:
    """Three ways to keep a tree small: a number of leaves, pruning, a depth; each path for several sizes of leaves."""
    free: dict[str, Any] = {"max_leaf_nodes": [None], "ccp_alpha": [0.0], "max_depth": [None]}
    many = sorted([2, *LEAVES, 5, 10, 20, 24, 48, 96, 128, 192, 256, 384, 512])
    leaves = {"max_leaf_nodes": pick(size, LEAVES[::2], LEAVES, many)}
    pruning = {
        "ccp_alpha": pick(size, log_range(3e-4, 0.1, 6), [1e-5, 1e-4, 1e-3, 4e-3, 0.016], log_range(1e-5, 0.1, 24))
    }
    depth = {"max_depth": pick(size, [2, 4], DEPTHS, [*range(1, 12), 14, 20])}
    # large leaves do what the paths cannot: steady probabilities and means at any number of them
    rows = {"min_samples_leaf": pick(size, [5], [1, 2, 5, 12, 36], [1, 2, 3, 5, 8, 12, 20, 36, 72])}
    return [{**free, **way, **rows} for way in (leaves, pruning, depth)]


def _make_forest(facts: Facts) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    make = RandomForestClassifier if facts.is_classification else RandomForestRegressor
    return make(n_estimators=TREES, n_jobs=1)


def _make_extra_trees(facts: Facts) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    make = ExtraTreesClassifier if facts.is_classification else ExtraTreesRegressor
    return make(n_estimators=TREES, n_jobs=1)


def _forest_space(facts: Facts, size: Size) -> Written:
    """Features per split first, then the size of the leaves: the two that matter most (Probst et al., 2019).

    Few features, all of them, or some with larger leaves: of twelve combinations these three choose as well.
    """
    shares = _distinct([facts.root_share, 0.6, 1.0], facts.columns)
    ends = {"max_features": sorted({shares[0], shares[-1]}), "min_samples_leaf": [1]}
    if size == "small":
        return ends
    if size == "default":
        return [ends, {"max_features": [shares[len(shares) // 2]], "min_samples_leaf": [4]}]
    return {
        "max_features": _distinct([facts.root_share, 0.25, 0.4, 0.6, 0.8, 1.0], facts.columns),
        "min_samples_leaf": [1, 3, 8, 20],
        "max_depth": [4, 8, None],
        "max_leaf_nodes": [32, 256, None],
        "n_estimators": [TREES, 300],
    }


def _distinct(shares: list[float], columns: int) -> list[float]:
    """Shares of the columns that are different numbers of them, few first.

    >>> _distinct([0.316, 0.33, 0.6, 1.0], 10)
    [0.316, 0.6, 1.0]
    """
    first = {max(1, int(share * columns)): share for share in reversed(shares)}
    return sorted(first.values())


_SIMPLER_FOREST = {
    "max_features": "low",
    "min_samples_leaf": "high",
    "max_depth": "low",
    "max_leaf_nodes": "low",
    "n_estimators": "low",
}

ENTRIES = (
    Entry(
        "tree",
        "one decision tree",
        _make_tree,
        _tree_space,
        {"max_leaf_nodes": "low", "ccp_alpha": "high", "max_depth": "low", "min_samples_leaf": "high"},
        solver="all numbers of leaves and prunings from one grown tree",
    ),
    Entry(
        "forest",
        f"a random forest of {TREES} trees",
        _make_forest,
        _forest_space,
        _SIMPLER_FOREST,
        solver="all numbers of trees from the largest forest",
    ),
    Entry(
        "extra-trees",
        f"a forest of {TREES} trees that split at random places",
        _make_extra_trees,
        _forest_space,
        _SIMPLER_FOREST,
        solver="all numbers of trees from the largest forest",
    ),
)
