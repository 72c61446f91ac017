"""Data for the exactness tests, and the naive loops within reach of their imports."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def curved() -> tuple[np.ndarray, np.ndarray]:
    """A regression that neither a line nor a single neighbour answers well."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(78, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=len(X))


@pytest.fixture(scope="session")
def classed() -> tuple[np.ndarray, np.ndarray]:
    """Three overlapping classes with text labels, not in the order of the alphabet."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(84, 3))
    codes = np.clip(np.round(X[:, 0] + 0.8 * rng.normal(size=len(X))), -1, 1).astype(int) + 1
    return X, np.array(["mid", "low", "top"], dtype=object)[codes]
