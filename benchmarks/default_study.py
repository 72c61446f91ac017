"""What the default study costs at normal effort, in CPU seconds and beside one forest on the same table.

    python benchmarks/default_study.py [ROWS ...]        150, 300, 1,000 and 5,000 rows of 15 columns unless told
    python benchmarks/default_study.py --page            the table again from what was measured

The unit of the ratio is one fit and prediction of scikit-learn's `RandomForestRegressor` (100 trees, one thread), the
smallest of six, three before the study and three after it, in the same process: seconds depend on the machine and on
what else it does, the ratio hardly does. One thread, no workers. What was measured is kept beside this file with its
date and the machine's load, and `benchmarks/effort.py --page` puts the table into docs/effort.md.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MEASURED = Path(__file__).with_name("default_study.json")
COLUMNS = 15
# rows -> what is aimed at, and the seconds of one forest on a quiet core of the machine that the aims are for
GOALS = {150: ("15 s", 0.116), 300: ("80 times", 0.184), 1_000: ("25 s", 0.614), 5_000: ("100 s", 3.909)}


def cpu(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(rows: int) -> dict[str, Any]:
    """One default study of so many rows, and one forest before and after it."""
    from sklearn.datasets import make_friedman1
    from sklearn.ensemble import RandomForestRegressor

    import foldwise as fw

    X, y = make_friedman1(rows, COLUMNS, noise=1.0, random_state=0)

    def forest() -> float:
        return min(cpu(lambda: RandomForestRegressor(n_jobs=1).fit(X, y).predict(X)) for _ in range(3))

    before = forest()
    study = cpu(lambda: str(fw.compare(X, y, jobs=1, isolate=False, progress=False)))
    return {
        "rows": rows,
        "forest": min(before, forest()),
        "study": study,
        "load": os.getloadavg()[0],
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
    }


def kept() -> dict[int, dict[str, Any]]:
    found = json.loads(MEASURED.read_text()) if MEASURED.exists() else []
    return {row["rows"]: row for row in found}


def table() -> str:
    """What was measured, beside what is aimed at."""
    head = (
        "rows",
        "one forest (s)",
        "default study (s)",
        "ratio",
        "where the goals were set (s)",
        "goal",
        "load",
        "measured",
    )
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for rows, row in sorted(kept().items()):
        ratio = row["study"] / row["forest"]
        goal, quiet = GOALS.get(rows, ("", None))
        cells = [f"{rows:,}", f"{row['forest']:.3f}", f"{row['study']:.1f}", f"{ratio:.0f}"]
        cells += ["" if quiet is None else f"{ratio * quiet:.1f}", goal, _load(row["load"]), row["date"]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _load(load: float | None) -> str:
    return "quiet" if load is None else f"{load:.0f}"


def main() -> None:
    warnings.simplefilter("ignore")
    for rows in () if "--page" in sys.argv else map(int, sys.argv[1:] or GOALS):
        found = {**kept(), rows: measure(rows)}
        lines = [json.dumps(found[key]) for key in sorted(found)]
        MEASURED.write_text("[\n" + ",\n".join(lines) + "\n]\n")
        print(f"{rows:,} rows: {found[rows]['study'] / found[rows]['forest']:.0f} forests", file=sys.stderr, flush=True)
    print(table())


if __name__ == "__main__":
    main()
