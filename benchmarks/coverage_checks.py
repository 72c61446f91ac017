"""The coverage check on real tables: does it finish in a few minutes, and does it find a naive interval that fails?

python benchmarks/coverage_checks.py --write docs/coverage-check.md    about 10 minutes
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from sklearn import datasets

import foldwise as fw

HEAD = "<!-- measured -->"
STUDIES: dict[str, tuple[Any, dict[str, Any]]] = {
    "diabetes (442 rows, regression)": (
        datasets.load_diabetes,
        {"learners": ["ridge"], "outer": 5, "inner": 3, "repeats": 4},
    ),
    "breast cancer (569 rows, 2 classes)": (
        datasets.load_breast_cancer,
        {"learners": ["lda"], "outer": 5, "inner": 3, "repeats": 4},
    ),
    "wine (178 rows, 3 classes)": (
        datasets.load_wine,
        {"learners": ["lda"], "outer": 5, "inner": 3, "repeats": 4},
    ),
}
INTERVALS = ("own", "naive z", "fold t")


def rows(limit: float, jobs: int | None) -> list[str]:
    """One line of the page for each table, method and interval."""
    found = []
    for name, (load, words) in STUDIES.items():
        X, y = load(return_X_y=True, as_frame=True)
        result = fw.compare(X=X, y=y, jobs=jobs, progress=False, **words)
        check = result.coverage_check(intervals=INTERVALS, time_limit=limit, jobs=jobs, progress=True)
        print(f"{name}\n{check}\n", flush=True)
        facts = f"{check.replications} | {check.seconds:.0f}"
        found += [
            f"| {name} | {line.method} | {line.interval} | {line.coverage:.3f} ({line.error:.3f}) | {facts} |"
            for line in check.intervals.itertuples()
        ]
        found.append(
            f"| {name} | all | false claims | {check.false_alarms:.3f} ({check.false_alarms_error:.3f}) | {facts} |"
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=180, help="for each table")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--write", type=Path, help="the page whose table is made again")
    asked = parser.parse_args()
    lines = [
        "## Measured",
        f"{time.strftime('%d %B %Y')}, `python benchmarks/coverage_checks.py`: 4 x 5 folds, {asked.seconds:g} s for "
        "each table on two cores; the Monte-Carlo error is in brackets.",
        "",
        "| table | method | interval | coverage at 95 % | tables | seconds |",
        "| --- | --- | --- | ---: | ---: | ---: |",
        *rows(asked.seconds, asked.jobs),
    ]
    text = "\n".join(lines)
    if asked.write is None:
        print(text)
        return
    before, _, _ = asked.write.read_text().partition(HEAD)
    asked.write.write_text(f"{before}{HEAD}\n{text}\n")


if __name__ == "__main__":
    main()
