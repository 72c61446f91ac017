"""Light data sets that have just what splits look at."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest


def _table(rows, *, y=None, classes=(), groups=None, time=None, strata=None):
    """A data set of `rows` rows; with `classes`, `y` holds class codes and is stratified on."""
    X = np.arange(rows, dtype=float)[:, None]
    codes = None if y is None or not classes else np.asarray(y)
    return SimpleNamespace(
        rows=rows,
        X=X,
        y=np.arange(rows, dtype=float) if y is None else np.asarray(classes)[codes] if classes else np.asarray(y),
        task="multiclass" if classes else "regression",
        classes=tuple(classes),
        codes=codes,
        groups=None if groups is None else np.asarray(groups),
        group_names=() if groups is None else tuple(f"g{code}" for code in range(max(groups) + 1)),
        time=None if time is None else np.asarray(time, dtype=float),
        strata=codes if strata is None else None if strata is False else np.asarray(strata),
        take=lambda at: X[at].copy(),
    )


@pytest.fixture(scope="session")
def table():
    return _table


@pytest.fixture(scope="session")
def is_partition_of():
    """Whether the splits test every row once per repeat, and train on all the others."""

    def check(splits, rows):
        rows = set(map(int, rows))
        for repeat in range(splits.repeats):
            tests = [set(map(int, s.test)) for s in splits if s.repeat == repeat]
            trains = [set(map(int, s.train)) for s in splits if s.repeat == repeat]
            assert sum(map(len, tests)) == len(rows)
            assert set().union(*tests) == rows
            assert all(train == rows - test for train, test in zip(trains, tests, strict=True))
            assert all(tests)
            assert all(trains)
        return True

    return check
