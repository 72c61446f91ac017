"""A comparison of saboteurs with an honest learner, in a process of its own; prints what came of it as JSON.

python trial.py '{"task": "regression", "saboteurs": {"kill": {"fault": "kill"}}, "words": {"jobs": 2}}'
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from typing import Any

import numpy as np
from saboteur import SaboteurClassifier, SaboteurRegressor

import foldwise as fw
from foldwise.records.sqlite import SqliteStore

ROWS, FOLDS = 60, 3
STRENGTHS = [1.0, 100.0]
ONE_FIT = {"without_rows": (0.0, 1.0), "at_strength": 100.0}  # trained without folds 0 and 1: one of all the fits


def data(task: str) -> tuple[Any, Any]:
    """The first column numbers the rows, the remainder of the number by three is the fold."""
    rng = np.random.default_rng(3)
    X = np.column_stack([np.arange(float(ROWS)), rng.normal(size=(ROWS, 3))])
    y = X[:, 1] + 0.5 * rng.normal(size=ROWS)
    return X, y if task == "regression" else np.where(y > 0.5, "high", np.where(y < -0.5, "low", "mid"))


def learners(task: str, saboteurs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    kind = SaboteurRegressor if task == "regression" else SaboteurClassifier
    found = {"honest": fw.tune(kind(), strength=STRENGTHS)}
    for name, knobs in saboteurs.items():
        found[name] = fw.tune(kind(**_tuples(knobs)), strength=STRENGTHS)
    return found


def _tuples(knobs: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in knobs.items()}


def answer(task: str, saboteurs: dict[str, dict[str, Any]], words: dict[str, Any]) -> dict[str, Any]:
    """Statuses and an error by learner, and the methods of the comparison."""
    folds = np.arange(ROWS) % FOLDS
    with tempfile.TemporaryDirectory() as folder:
        result = fw.compare(
            learners(task, saboteurs), *data(task), outer=folds, inner="pairs", store=f"{folder}/run", **words
        )
        store = SqliteStore(f"{folder}/run", readonly=True)
        records = [store.get(key) for key in sorted(store.keys())]
        store.close()
    statuses: dict[str, Counter[str]] = {}
    errors: dict[str, str] = {}
    for record in records:
        assert record is not None
        statuses.setdefault(record.learner, Counter())[record.status] += 1
        if record.error:
            errors[record.learner] = record.error
    methods = {method["name"]: method for method in result.to_dict()["methods"]}
    return {"statuses": statuses, "errors": errors, "methods": methods, "best": result.best}


if __name__ == "__main__":
    print(json.dumps(answer(**json.loads(sys.argv[1]))))
