"""What the checks cost: beside the study they belong to, and on a large table.

    python benchmarks/checks.py

CPU seconds of the checks that `fw.compare` makes before its fits (docs/checks.md has a run of it). The first rows are
beside the CPU seconds of the whole study, by default learners where none is named; the last is the table of the goal.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import foldwise as fw
from foldwise.api.request import request
from foldwise.checks.checking import find

SIZES = ((100, 5), (500, 10), (2000, 20))
LARGE = (100_000, 50)
LEARNERS = ["ridge", "k-nn", "tree"]


def table(rows: int, columns: int, *, is_mixed: bool = False) -> tuple[Any, Any]:
    """Numbers, a third of them rounded, or with text and whole numbers among them; and a target with noise."""
    import pandas as pd

    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    X[:, ::3] = np.round(X[:, ::3], 1)
    y = X @ rng.normal(size=columns) + 3 * rng.normal(size=rows)
    if not is_mixed:
        return X, y
    frame = pd.DataFrame(X).rename(columns="x{}".format)
    frame["x1"] = rng.integers(0, 3000, rows).astype(str)
    frame["x2"] = rng.integers(0, rows // 5, rows)
    return frame, np.where(y > 0, "a", "b")


def checking(X: Any, y: Any, learners: Any) -> float:
    """CPU seconds of the checks."""
    asked = request(learners, X, y, outer=5)
    study = asked.study()
    start = time.process_time()
    find(study, asked.checking)
    return time.process_time() - start


def main() -> None:
    """Print the table."""
    checking(*table(50, 3), ["ridge"])  # imports
    print(f"{'table':<28}{'checks, s':>12}{'study, s':>12}{'share':>9}")
    for rows, columns in SIZES:
        X, y = table(rows, columns)
        seconds = min(checking(X, y, LEARNERS) for _ in range(3))
        start = time.process_time()
        fw.compare(LEARNERS, X, y, outer=5, jobs=1, guards=False, progress=False)
        whole = time.process_time() - start
        print(f"{f'{rows:,} x {columns}':<28}{seconds:>12.3f}{whole:>12.2f}{seconds / whole:>9.1%}")
    for is_mixed in (False, True):
        seconds = checking(*table(*LARGE, is_mixed=is_mixed), ["ridge"] if not is_mixed else ["logistic"])
        print(f"{f'{LARGE[0]:,} x {LARGE[1]}' + (', mixed' if is_mixed else ''):<28}{seconds:>12.3f}")


if __name__ == "__main__":
    main()
