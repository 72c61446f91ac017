"""Light stand-ins for a dataset: what the losses room reads of one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest


def numbers_like(y, *, weights=None):
    y = np.asarray(y, float)
    return SimpleNamespace(task="regression", classes=(), y=y, target=y, rows=len(y), weights=weights)


def classes_like(y, *, classes=None, weights=None):
    y = np.array(list(y), dtype=object if isinstance(y[0], str) else None)
    classes = tuple(sorted(set(y.tolist()))) if classes is None else classes
    codes = np.array([classes.index(label) for label in y.tolist()])
    task = "binary" if len(classes) == 2 else "multiclass"
    return SimpleNamespace(task=task, classes=classes, y=y, codes=codes, target=codes, rows=len(y), weights=weights)


@pytest.fixture
def numbers():
    return numbers_like


@pytest.fixture
def classes():
    return classes_like
