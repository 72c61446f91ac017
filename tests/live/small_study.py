"""A small study, and how to take parts of it away again."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.records.sqlite import SqliteStore

ROWS = 48


def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, 2))
    return X, X[:, 0] + 0.5 * rng.normal(size=ROWS)


def learners():
    return {
        "ridge": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0]),
        "k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3]),
        "plain": Ridge(alpha=2.0),
    }


def cut(folder, keys):
    """Take records out of a store, as if they were still to be made."""
    store = SqliteStore(folder)
    store.discard(keys)
    store.close()
