"""Nearest neighbours."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import Entry, Facts, Size, Written, pick
from foldwise.spaces.parameter import int_range


def _make_k_nn(facts: Facts) -> Any:
    from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor

    return NearestClassifier() if facts.is_classification else NearestRegressor()


def _k_nn_space(facts: Facts, size: Size) -> Written:
    # the smallest default study trains on a third of the rows, and k rows must be there
    most = min(pick(size, 30, 60, 200), max(facts.rows // 3, 1))
    space: dict[str, Any] = {"n_neighbors": int_range(1, most, pick(size, 10, 26, 60), log=True)}
    # absolute differences bear columns of no use and outliers better, which no k can make up for
    return space if size == "small" else {**space, "weights": ["uniform", "distance"], "p": [2, 1]}


ENTRIES = (
    Entry(
        "k-nn",
        "the k nearest rows",
        _make_k_nn,
        _k_nn_space,
        {"n_neighbors": "high", "weights": ["uniform", "distance"], "p": "high"},
        solver="all k of all folds from one search",
        scale=True,
        takes_weights=False,
    ),
)
