"""Groups stay together at every level of random plans: the outer splits, the inner ones and the final one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.api.request import make_comparison
from foldwise.data.equal_rows import duplicate_groups
from foldwise.errors import FoldwiseError
from foldwise.learners.early_stopping import watched_rows
from foldwise.splits.split import Splits

OUTERS = (3, 5, 7, 0.3, "logo")
INNERS = (2, 3, 0.25, "aligned", "dev", None)


def random_plan(rng: np.random.Generator) -> tuple[Any, Any, dict[str, Any], np.ndarray]:
    """A table with groups of any sizes in any order, or with copies of rows, and a scheme."""
    rows = int(rng.integers(30, 90))
    X = rng.normal(size=(rows, 2))
    y = np.where(rng.random(rows) < 0.5, "a", "b") if rng.random() < 0.5 else rng.normal(size=rows)
    options = {
        "outer": OUTERS[rng.integers(len(OUTERS))],
        "inner": INNERS[rng.integers(len(INNERS))],
        "seed": int(rng.integers(1000)),
    }
    if options["outer"] in (3, 5, 7):
        options["repeats"] = int(rng.integers(1, 3))
    if rng.random() < 0.3:
        X = X[rng.integers(0, int(0.7 * rows), rows)]
        return X, y, {**options, "groups": "duplicates"}, duplicate_groups(X, ["number"] * 2)
    groups = rng.permutation(np.r_[np.arange(9), (rng.random(rows - 9) ** 2 * 20).astype(int)])
    return X, y, {**options, "groups": groups}, groups


def all_splits(study: Any) -> list[Splits]:
    levels = [study.outer]
    for method in study.methods:
        levels += study.tunings(method)
    return levels


def check_plans(count: int) -> int:
    made, seed = 0, 0
    while made < count:
        seed += 1
        rng = np.random.default_rng(seed)
        X, y, options, groups = random_plan(rng)
        options = {name: value for name, value in options.items() if value is not None}
        neighbours = KNeighborsRegressor() if y.dtype.kind == "f" else KNeighborsClassifier()
        try:
            plan = make_comparison({"k-nn": fw.tune(neighbours, n_neighbors=[1, 3])}, X, y, **options)
        except FoldwiseError:  # no such splits of these rows
            continue
        made += 1
        for splits in all_splits(plan.study):
            for split in splits:
                assert not np.intersect1d(groups[split.train], groups[split.test]).size, (seed, options)
        learn, watch = watched_rows(plan.data, plan.study.outer[0].train, seed)
        assert not np.intersect1d(groups[learn], groups[watch]).size, (seed, options)
    return seed


def test_groups_stay_together_in_random_plans():
    assert check_plans(25) < 80  # most draws can be made


@pytest.mark.slow
def test_groups_stay_together_in_a_thousand_random_plans():
    assert check_plans(1000) < 3000
