"""What a seed means is pinned: outer and inner splits, drawn candidates and the seeds of fits of a dozen studies.

Where one of these fails, old studies give other numbers for their seed: so the changelog must say it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.api.request import make_comparison
from foldwise.studies.study import rows_name

ROWS = 60
DRAWN = {"alpha": fw.log_range(1e-3, 1e3), "tol": fw.float_range(0.0, 1.0)}
STUDIES: dict[str, dict[str, Any]] = {
    "the default": {},
    "another seed": {"seed": 11},
    "folds in folds": {"outer": 5, "inner": 4},
    "lines of a plane": {"outer": 7, "inner": "lines"},
    "pairs": {"outer": 5, "inner": "pairs"},
    "three parts": {"outer": 0.2, "inner": 0.25},
    "a dev split": {"outer": 6, "inner": "dev"},
    "repeats": {"outer": 4, "inner": 3, "repeats": 3},
    "bootstrap": {"outer": fw.Bootstrap(3), "inner": 3},
    "groups": {"outer": 5, "inner": 3, "groups": np.arange(ROWS) // 3},
    "time": {"time": np.arange(ROWS)},
    "classes": {"task": "binary", "outer": 5, "inner": 3},
    "random draws": {"outer": 3, "inner": 3, "tuner": "random", "budget": 7},
}
MEANINGS: dict[str, str] = json.loads((Path(__file__).parent / "seeds.json").read_text())


def table(task: str) -> tuple[Any, Any]:
    """Numbers that depend on no generator."""
    X = np.sin(np.arange(ROWS * 3.0).reshape(ROWS, 3) * 1.7)
    return X, (X[:, 0] > 0.2).astype(int) if task == "binary" else X @ [1.0, 2.0, 3.0]


def meaning(task: str = "regression", **options: Any) -> str:
    """A hash of all that the seed of a study decides."""
    if task == "binary":
        learners: dict[str, Any] = {"logistic": fw.tune(LogisticRegression(), C=[0.1, 1.0])}
    else:
        learners = {
            "k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 2]),
            "ridge": fw.tune(Ridge(), space=DRAWN, budget=9),
        }
    runnable = make_comparison(learners, *table(task), solvers=False, **options)
    study, parts = runnable.study, []
    for at, method in enumerate(study.methods):
        parts.append(json.dumps([method.name, [dict(one) for one in method.candidates]], default=float))
        splits = [*(stage.split for stage in study.stages(method)), *study.tuning_splits(method)]
        for split in splits:
            parts += [rows_name(split.train), rows_name(split.test)]
            parts.append(str(study.fit_seed(runnable.families[at], rows_name(split.train))))
    return hashlib.blake2b("|".join(parts).encode(), digest_size=8).hexdigest()


@pytest.mark.parametrize("name", STUDIES)
def test_a_seed_gives_what_it_always_gave(name: str) -> None:
    assert meaning(**STUDIES[name]) == MEANINGS[name]


def test_studies_differ_by_what_is_pinned() -> None:
    assert len(set(MEANINGS.values())) == len(STUDIES)


if __name__ == "__main__":  # pins what seeds mean now
    found = {name: meaning(**options) for name, options in STUDIES.items()}
    (Path(__file__).parent / "seeds.json").write_text(json.dumps(found, indent=1) + "\n")
