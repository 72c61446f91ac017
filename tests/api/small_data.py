"""Fixtures of the tests of studies: small data."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="session")
def numbers() -> tuple[np.ndarray, np.ndarray]:
    """A regression that neither a line nor a single neighbour answers well."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(42, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=len(X))


@pytest.fixture(scope="session")
def classes() -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping classes."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
