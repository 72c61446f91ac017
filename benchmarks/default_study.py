"""What the default study costs at normal effort, in CPU seconds and beside one forest on the same table.

    python benchmarks/default_study.py [ROWS ...]        150, 300, 1,000 and 5,000 rows of 15 columns unless told

The unit of the ratio is one fit and prediction of scikit-learn's `RandomForestRegressor` (100 trees, one thread), the
smallest of three, in the same process: seconds depend on the machine, the ratio hardly does. One thread, no workers.
"""

from __future__ import annotations

import sys
import time
import warnings

from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestRegressor

import foldwise as fw

ROWS = (150, 300, 1_000, 5_000)
COLUMNS = 15


def cpu(work: object) -> float:
    started = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - started


def main() -> None:
    warnings.simplefilter("ignore")
    print("| rows | one forest (s) | default study (s) | ratio |\n| --- | --- | --- | --- |")
    for rows in map(int, sys.argv[1:] or ROWS):
        X, y = make_friedman1(rows, COLUMNS, noise=1.0, random_state=0)
        forest = min(cpu(lambda: RandomForestRegressor(n_jobs=1).fit(X, y).predict(X)) for _ in range(3))  # noqa: B023
        study = cpu(lambda: str(fw.compare(X, y, jobs=1, isolate=False, progress=False)))  # noqa: B023
        print(f"| {rows:,} | {forest:.3f} | {study:.1f} | {study / forest:.0f} |", flush=True)


if __name__ == "__main__":
    main()
