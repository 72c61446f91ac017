"""A small study in a store, finished or cut short, and the tools of these tests within reach of their imports."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.records.sqlite import SqliteStore

sys.path.insert(0, str(Path(__file__).parent))

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


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The folder of a finished study, and its result."""
    folder = tmp_path_factory.mktemp("live") / "whole"
    result = fw.compare(learners(), *rows(), outer=4, inner=3, jobs=1, store=folder)
    return folder, result


@pytest.fixture
def finished(whole, tmp_path):
    return Path(shutil.copytree(whole[0], tmp_path / "run"))


def cut(folder, keys):
    """Take records out of a store, as if they were still to be made."""
    store = SqliteStore(folder)
    store.discard(keys)
    store.close()
