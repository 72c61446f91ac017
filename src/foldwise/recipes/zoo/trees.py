"""Trees, and forests of them."""

from __future__ import annotations

from typing import Any

from foldwise.recipes.zoo.entry import Entry, Facts, Size, Written, pick, scaled_target
from foldwise.spaces.parameter import log_range

TREES = 100  # of a forest; more change little, and the search for the rest is what pays
LEAVES = [2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256]


def _make_tree(facts: Facts) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    # pruning is measured in units of the target
    return DecisionTreeClassifier() if facts.is_classification else scaled_target(DecisionTreeRegressor())


def _tree_space(facts: Facts, size: Size) -> Written:
    """Three ways to keep a tree small: a number of leaves, pruning, a depth; each path for several sizes of leaves."""
    free: dict[str, Any] = {"max_leaf_nodes": [None], "ccp_alpha": [0.0], "max_depth": [None]}
    leaves = {"max_leaf_nodes": pick(size, LEAVES[::2], LEAVES, sorted([*LEAVES, 5, 10, 20, 48, 96, 192, 384, 512]))}
    pruning = {"ccp_alpha": log_range(3e-4, 0.1, pick(size, 6, 7, 24))}
    depth = {"max_depth": pick(size, [2, 4], [3, 5, 8], [*range(1, 11), 14, 20])}
    # large leaves do what the paths cannot: steady probabilities and means at any number of them
    rows = {"min_samples_leaf": pick(size, [5], [1, 4, 12, 36], [1, 2, 4, 8, 16, 36, 72])}
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
    """Features per split first, then the size of the leaves: the two that matter most (Probst et al., 2019)."""
    few = facts.root_share
    features = pick(size, [few, 1.0], [few, 0.5, 1.0], [few, 0.25, 0.4, 0.6, 0.8, 1.0])
    space: dict[str, Any] = {
        "max_features": sorted(set(features)),
        "min_samples_leaf": pick(size, [1], [1, 5], [1, 3, 10]),
    }
    if size == "large":
        space |= {"max_depth": [4, 8, None], "max_leaf_nodes": [32, 256, None], "n_estimators": [TREES, 300]}
    return space


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
