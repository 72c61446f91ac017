"""A splitter: whatever has scikit-learn's `split`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class Blocks:
    """Test sets of rows that stand together, for tables whose neighbouring rows are alike."""

    def __init__(self, k: int = 5) -> None:
        self.k = k

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        rows = np.arange(len(X))
        for test in np.array_split(rows, self.k):
            yield np.setdiff1d(rows, test), test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.k
