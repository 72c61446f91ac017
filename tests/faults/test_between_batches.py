"""A run that ends between two batches goes on to the same bytes, though solvers answer other fits together then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import foldwise as fw
from foldwise.records.sqlite import SqliteStore
from foldwise.solvers import finding

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 4))
NUMBERS = X[:, 0] + np.sin(2 * X[:, 1]) + 0.4 * RNG.normal(size=90)
CLASSES = np.where(NUMBERS > 0, "a", "b")
TIMES = ("seconds", "fits_made")
CASES = [
    *((name, NUMBERS) for name in ("ridge", "lasso", "k-nn", "kernel-ridge", "tree", "svm")),
    *((name, CLASSES) for name in ("logistic", "k-nn", "lda", "tree")),
]


class Killed(BaseException):
    """Stands in for a kill."""


def answer(name: str, y: Any, inner: Any, store: Any) -> Any:
    result = fw.compare([name], X, y, outer=3, inner=inner, budget=12, store=store, jobs=1, progress=False)
    return without_times(result.to_dict())


def without_times(told: Any) -> Any:
    if isinstance(told, dict):
        return {key: without_times(part) for key, part in told.items() if key not in TIMES}
    return [without_times(part) for part in told] if isinstance(told, list) else told


@pytest.mark.parametrize("inner", [3, pytest.param("pairs", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "y"), CASES, ids=[f"{name}-{y.dtype.kind}" for name, y in CASES])
def test_what_is_left_of_a_study_has_the_same_bits_in_other_company(name, y, inner, tmp_path, monkeypatch):
    add, left = SqliteStore.add, [10**9]

    def add_or_die(self, records):
        if left[0] == 0:
            raise Killed
        add(self, records)
        left[0] -= 1

    monkeypatch.setattr(finding, "PIECE", 1)  # so that a batch may be kept in part
    monkeypatch.setattr(SqliteStore, "add", add_or_die)
    whole = answer(name, y, inner, tmp_path / "whole")
    batches = 10**9 - left[0]
    for at in {1, batches // 2, batches - 1}:
        left[0] = at
        with pytest.raises(Killed):
            answer(name, y, inner, tmp_path / str(at))
        left[0] = 10**9
        assert answer(name, y, inner, tmp_path / str(at)) == whole
