"""Every built-in learner through nested `compare` on eight real data sets: risk, seconds, failures, warnings.

    python benchmarks/zoo.py                            the whole run (about 20 minutes of CPU); writes docs/zoo.md
    python benchmarks/zoo.py --sets wine,penguins       some data sets again; the rest of the page stays
    python benchmarks/zoo.py --learners svm,neural-net  some learners again

One call for each learner, all with the same folds, in this process on one thread. What was measured is kept beside
this file after every call, so that a run that is stopped loses nothing.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sets

import foldwise as fw

ROWS = Path(__file__).with_name("zoo.json")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "zoo.md"
MANY = 1_000  # from so many rows on, one inner split and small spaces
LARGE = 5_000  # from so many on, some are made shorter
MOST_ROWS = 12_000
SETS = (
    "diabetes",
    "breast cancer",
    "digits",
    "wine",
    "penguins",
    "hotel rates",
    "police stops",
    "marital status",
)
# Spaces of these are cheap at their default size: a solver has all values of a path, or there are few.
QUICK = ("linear", "ridge", "lasso", "elastic-net", "logistic", "k-nn", "tree", "naive-bayes", "lda", "qda")
# What would take long on a large table: costs that grow with the square of the rows or more, trees, passes.
SHORTER: dict[str, dict[str, Any]] = {
    "svm": {"max_rows": 2_000},
    "kernel-ridge": {"max_rows": 2_000},
    "gaussian-process": {"max_rows": 1_000},
    "forest": {"n_estimators": 30},
    "extra-trees": {"n_estimators": 30},
    "neural-net": {"max_epochs": 20},
}
HEAD = f"""\
Written by `benchmarks/zoo.py`: all built-in learners through nested `fw.compare`, as they come. The last three data
sets have categories, missing values and more than 10,000 rows. Loss: squared for numbers, zero-one for classes. 3 outer
folds; 3 inner folds below {MANY:,} rows, else one inner split (`inner="dev"`); spaces of the named size, at their
default budget. `ratio` is the risk over that of the baseline (the mean, or the most frequent class): below 1 something
was learnt. `seconds` are of one core, the baseline and the final tuning included. `warned` counts warnings.
An empty cell is a learner of the other task."""


@dataclass
class Row:
    """One learner on one data set."""

    data: str
    learner: str
    size: str
    status: str
    risk: float | None = None
    baseline: float | None = None
    low: float | None = None
    high: float | None = None
    fits: int = 0
    seconds: float = 0.0
    warned: int = 0  # fits or calls that warned
    remark: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.risk is None or not self.baseline else self.risk / self.baseline


def able(table: sets.Table) -> list[str]:
    """The learners that serve the task."""
    tasks = ("any", "regression" if table.is_number else "classification")
    known = fw.list_learners()
    return [name for name in known[known["task"].isin(tasks)]["name"] if name != "baseline"]


def measure(data: str, name: str, table: sets.Table) -> Row:
    """One call of `compare`; whatever goes wrong is part of the row."""
    is_large = len(table.y) >= MANY
    size = "default" if name in QUICK and not is_large else "small"
    fixed = SHORTER.get(name, {}) if len(table.y) > LARGE else {}
    row = Row(data, name, size, "failed", remark=", ".join(f"{key} {value:,}" for key, value in fixed.items()))
    started = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            inner: Any = "dev" if is_large else 3
            learner = {name: fw.learner(name, size=size, **fixed)}
            words = {"outer": 3, "inner": inner, "task": "regression" if table.is_number else None, "seed": 1}
            result = fw.compare(learner, table.X, table.y, **words, jobs=1, isolate=False, progress=False)
        except Exception as error:
            row.remark = f"{type(error).__name__}: {error}"
        else:
            _read(row, result.to_dict())
    row.seconds = time.process_time() - started
    row.warned += len(caught)
    row.remark = "; ".join([row.remark, *sorted({str(one.message)[:80] for one in caught})]).strip("; ")
    return row


def _read(row: Row, answer: dict[str, Any]) -> None:
    methods = {method["name"]: method for method in answer["methods"]}
    own = methods[row.learner]
    row.status, row.risk, row.low, row.high = own["status"], own["risk"], own["low"], own["high"]
    row.baseline, row.fits = methods["baseline"]["risk"], own["fits"]
    told = [note["text"] for note in answer["notes"] if note["code"] in ("warning", "failed")]
    row.warned = sum(1 for note in answer["notes"] if note["code"] == "warning")
    row.remark = "; ".join([row.remark, *(text[:160] for text in told)]).strip("; ")


def run(names: list[str], learners: list[str]) -> list[Row]:
    """Measure what is asked for, and keep the rest as it was."""
    rows = {(row.data, row.learner): row for row in kept()}
    for data in names:
        try:
            table = sets.load(data, most=MOST_ROWS)
        except sets.NotThere as error:
            print(f"{data} is left out: the package {error} is not installed", flush=True)
            continue
        for name in able(table):
            if learners and name not in learners:
                continue
            row = rows[data, name] = measure(data, name, table)
            print(line(row), flush=True)
            ROWS.write_text(json.dumps([asdict(one) for one in rows.values()], indent=1) + "\n")
    return list(rows.values())


def kept() -> list[Row]:
    return [Row(**row) for row in json.loads(ROWS.read_text())] if ROWS.exists() else []


def line(row: Row) -> str:
    """One row of the table of a data set."""
    numbers = ["-", "-"] if row.risk is None or row.ratio is None else [f"{row.risk:.4g}", f"{row.ratio:.2f}"]
    interval = "" if row.low is None or row.high is None else f"{row.low:.4g} to {row.high:.4g}"
    cells = [row.learner, row.size, *numbers, interval, str(row.fits), f"{row.seconds:.1f}", row.status]
    return f"| {' | '.join([*cells, str(row.warned), row.remark.replace('|', '/')])} |"


def page(rows: list[Row]) -> str:
    """All tables, the best learner first."""
    parts = [
        "# Every learner on eight data sets",
        "",
        HEAD,
        "",
        *_summary(rows),
        "",
    ]
    for data in [name for name in SETS if any(row.data == name for row in rows)]:
        parts += [f"## {data}", "", _facts(data), "", *_head(), *map(line, _best_first(rows, data)), ""]
    return "\n".join(parts)


def _facts(data: str) -> str:
    table = sets.load(data, most=MOST_ROWS)
    rows = f"{len(table.y):,} rows"
    if len(table.y) < table.drawn_from:
        rows += f" drawn from {table.drawn_from:,}"
    text = sum(1 for name in table.X if table.X[name].dtype.kind not in "biuf")
    kinds = f", {text} of them categories or dates" if text else ""
    missing = f", {table.missing:,} missing cells" if table.missing else ""
    task = "a number to predict" if table.is_number else f"{table.classes} classes"
    return f"{rows}, {table.X.shape[1]} columns{kinds}{missing}; {task}."


def _head() -> list[str]:
    names = ["learner", "space", "risk", "ratio", "95 % interval", "fits", "seconds", "status", "warned", "remark"]
    return [f"| {' | '.join(names)} |", "|" + " --- |" * len(names)]


def _best_first(rows: list[Row], data: str) -> list[Row]:
    own = [row for row in rows if row.data == data]
    return sorted(own, key=lambda row: float("inf") if row.risk is None else row.risk)


def _summary(rows: list[Row]) -> list[str]:
    """The ratios of all learners on all data sets."""
    names = [name for name in SETS if any(row.data == name for row in rows)]
    found = {(row.learner, row.data): row for row in rows}
    known = fw.list_learners()["name"].tolist()
    head = ["ratio", *names, "seconds"]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for learner in [name for name in known if any((name, data) in found for data in names)]:
        own = [found.get((learner, data)) for data in names]
        cells = ["" if row is None else "-" if row.ratio is None else f"{row.ratio:.2f}" for row in own]
        seconds = sum(row.seconds for row in own if row is not None)
        lines.append(f"| {' | '.join([learner, *cells, f'{seconds:.0f}'])} |")
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--learners", default="")
    parser.add_argument("--page", action="store_true", help="write the page from what was measured before")
    asked = parser.parse_args()
    found = kept() if asked.page else run(asked.sets.split(","), [name for name in asked.learners.split(",") if name])
    PAGE.write_text(page(found))
