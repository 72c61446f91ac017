"""Nested cross-validation by R packages on the splits of a task: glmnet, ranger and FNN (Debian: r-cran-...)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from tasks import Method, Task

PROGRAM = Path(__file__).with_name("nested.R")
R_PACKAGES = ("glmnet", "ranger", "FNN")


@cache
def has_package(name: str) -> bool:
    """Whether R and this package of it are installed."""
    if shutil.which("Rscript") is None:
        return False
    ask = ["Rscript", "-e", f"quit(status = !requireNamespace('{name}', quietly = TRUE))"]
    return subprocess.run(ask, capture_output=True, check=False).returncode == 0


def by_r(task: Task, study: Any, package: str) -> dict[str, Any]:
    """CPU seconds of all nested loops in R, scaled up where the naive side of the task is, and the losses of folds."""
    (name, method), inner = next(iter(task.methods.items())), study.methods[0].inner
    folds = min(task.folds or task.outer, task.outer)
    X, y = task.data()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _write(folder, "x", X)
        _write(folder, "y", np.unique(y, return_inverse=True)[1] if y.dtype.kind in "OU" else y)
        _write(folder, "outer", _labels(study.outer, len(y)))
        levels = [_labels(within, len(y)) for within in [*inner.splits, inner.final]]
        _write(folder, "inner", np.column_stack(levels))
        _write(folder, "values", _values(method))
        told = {"loss": task.loss, "folds": folds, "final": int(folds == task.outer), **_penalty(method)}
        (folder / "task.csv").write_text(",".join(told) + "\n" + ",".join(map(str, told.values())) + "\n")
        surroundings = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run(["Rscript", str(PROGRAM), scratch, package], check=True, capture_output=True, env=surroundings)
        found = json.loads((folder / "answer.json").read_text())
    cpu = found["nested"] * task.outer / folds
    parts = len(inner.final) / len(inner.splits[0])
    cpu += found["final"] if told["final"] else found["nested"] / folds * parts
    return {"cpu": cpu, "losses": {name: found["losses"]}}


def _write(folder: Path, name: str, values: Any) -> None:
    text = np.asarray(values, dtype=float)
    np.savetxt(folder / f"{name}.csv", text.reshape(len(text), -1), delimiter=",", fmt="%.17g")


def _labels(splits: Any, rows: int) -> Any:
    """Which split tests a row; not a number where none does."""
    labels = np.full(rows, np.nan)
    for at, split in enumerate(splits):
        labels[split.test] = at
    return labels


def _values(method: Method) -> Any:
    """The candidates as numbers; no limit of depth is 0, as ranger has it."""
    rows = product(*method.grid.values())
    return np.array([[0.0 if value is None else float(value) for value in row] for row in rows])


def _penalty(method: Method) -> dict[str, Any]:
    """How glmnet is told the penalties: what scikit-learn's number is per, and the share of the absolute part."""
    kind = type(method.estimator).__name__
    if kind == "LogisticRegression":
        return {"penalty": "inverse", "share": method.estimator.l1_ratio or 0.0}
    return {"penalty": "sum" if kind == "Ridge" else "per_row", "share": float(kind == "Lasso")}
