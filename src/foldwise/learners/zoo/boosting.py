"""Boosted trees of four packages."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import Entry, Facts, Size, Written, pick

ROUNDS = [10, 15, 25, 35, 50, 75, 100, 150, 200, 300]
RATES = ([0.1], [0.05, 0.15], [0.02, 0.05, 0.1, 0.2])  # steps of each round; long runs of small ones cost most
LEAVES = {"small": [5, 15], "few": [2, 5, 12], "many": [31], "large": [2, 3, 6, 12, 31, 63]}
DEPTHS = {"small": [2, 4], "few": [1, 2, 4], "many": [6], "large": [1, 2, 4, 6, 9]}
PREFIX = "all numbers of rounds from the longest run"


def _runs(
    facts: Facts, size: Size, rounds: str, shape: str, shapes: dict[str, list[int]], more: dict[str, Any]
) -> Written:
    """Runs of small trees are long and of large trees short; of a long one all shorter ones are known."""
    rates = {"learning_rate": pick(size, *RATES)}
    if size == "small":
        return {rounds: [25, 50, 100], **rates, shape: shapes["small"]}
    if size == "large":
        return {rounds: [*ROUNDS, 400], **rates, shape: shapes["large"], **more}
    most = _most_rounds(facts)
    long = {rounds: _up_to(most), **rates, shape: shapes["few"]}
    return [long, {rounds: _up_to(most // 2), **rates, shape: shapes["many"]}]


def _most_rounds(facts: Facts) -> int:
    """Every class has a tree in every round, and more classes need no more rounds."""
    return max(100, 600 // facts.classes)


def _up_to(most: int) -> list[int]:
    return [count for count in ROUNDS if count <= most]


def _make_boosting(facts: Facts) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    make = HistGradientBoostingClassifier if facts.is_classification else HistGradientBoostingRegressor
    # early stopping would hold rows out by chance and make the fit depend on them
    return make(max_iter=100, early_stopping=False)


def _boosting_space(facts: Facts, size: Size) -> Written:
    """Long runs of very small trees and shorter ones of larger trees: two shapes that are seldom both wrong."""
    if size != "default":
        more = {"l2_regularization": [0.0, 10.0], "min_samples_leaf": [5, 20]}
        return _runs(facts, size, "max_iter", "max_leaf_nodes", LEAVES, more)
    most, both = _most_rounds(facts), {"min_samples_leaf": [5]}
    small = {"max_leaf_nodes": [4], "learning_rate": [0.2], "l2_regularization": [0.0]}
    large = {"max_leaf_nodes": [15], "learning_rate": [0.15], "l2_regularization": [10.0]}
    return [{"max_iter": _up_to(most), **both, **small}, {"max_iter": _up_to(most // 2), **both, **large}]


def _make_lightgbm(facts: Facts) -> Any:
    from lightgbm import LGBMClassifier, LGBMRegressor

    make = LGBMClassifier if facts.is_classification else LGBMRegressor
    return make(n_estimators=100, n_jobs=1, verbosity=-1, deterministic=True, force_col_wise=True)


def _lightgbm_space(facts: Facts, size: Size) -> Written:
    return _runs(
        facts, size, "n_estimators", "num_leaves", LEAVES, {"min_child_samples": [5, 20], "reg_lambda": [0.0, 10.0]}
    )


def _make_xgboost(facts: Facts) -> Any:
    from xgboost import XGBRegressor

    from foldwise.learners.estimators.xgboosted import LabelledXGBClassifier

    make = LabelledXGBClassifier if facts.is_classification else XGBRegressor
    return make(n_estimators=100, n_jobs=1, verbosity=0, tree_method="hist", enable_categorical=True)


def _xgboost_space(facts: Facts, size: Size) -> Written:
    return _runs(
        facts, size, "n_estimators", "max_depth", DEPTHS, {"min_child_weight": [1, 10], "reg_lambda": [1.0, 10.0]}
    )


def _make_catboost(facts: Facts) -> Any:
    from foldwise.learners.estimators.catboosted import CatBoostedClassifier, CatBoostedRegressor

    return CatBoostedClassifier() if facts.is_classification else CatBoostedRegressor()


def _catboost_space(facts: Facts, size: Size) -> Written:
    space: dict[str, Any] = {
        "iterations": pick(size, [25, 50, 100], [25, 50, 75, 100, 150, 200], [*ROUNDS, 400]),
        "learning_rate": pick(size, *RATES),
        "depth": pick(size, [4], [3, 6], [2, 4, 6, 8]),
    }
    return space if size != "large" else {**space, "l2_leaf_reg": [1.0, 3.0, 10.0]}


_SIMPLER = {
    "max_iter": "low",
    "n_estimators": "low",
    "iterations": "low",
    "learning_rate": "low",
    "max_leaf_nodes": "low",
    "num_leaves": "low",
    "max_depth": "low",
    "depth": "low",
    "min_samples_leaf": "high",
    "min_child_samples": "high",
    "min_child_weight": "high",
    "l2_regularization": "high",
    "reg_lambda": "high",
    "l2_leaf_reg": "high",
}


def _entry(name: str, summary: str, make: Any, space: Any, **more: Any) -> Entry:
    options: dict[str, Any] = {"impute": False, "categories": "native", "takes_sparse": False, "solver": PREFIX}
    return Entry(name, summary, make, space, _SIMPLER, **(options | more))


ENTRIES = (
    _entry("boosting", "gradient boosting of trees on histograms", _make_boosting, _boosting_space),
    _entry("lightgbm", "gradient boosting by LightGBM", _make_lightgbm, _lightgbm_space, extra="lightgbm"),
    _entry("xgboost", "gradient boosting by XGBoost", _make_xgboost, _xgboost_space, extra="xgboost"),
    _entry(
        "catboost",
        "gradient boosting by CatBoost",
        _make_catboost,
        _catboost_space,
        extra="catboost",
        categories="text",
    ),
)
