"""Studies whose records are made up: any pattern of failed and missing fits, and no fit is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.linear_model import Lasso, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.api.request import make_comparison
from foldwise.api.result import Result
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.studies.reading import Reading
from foldwise.studies.study import Study

ROWS = 18
STATUSES = ("error", "timeout", "out of memory", "crashed", "invalid output")
Fit = tuple[str, int, tuple[int, ...]]  # method, candidate, training rows


@cache
def study(kind: str) -> Study:
    """Tuned methods, an untuned one and the baseline, in 4 folds with 3 inner ones, or in 5 folds with pairs."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, 2))
    if kind == "numbers":
        tuned = {"knn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 2, 3]), "lasso": fw.tune(Lasso(), alpha=[1, 2])}
        learners = {**tuned, "ridge": Ridge()}
        return make_comparison(learners, X, X[:, 0] + rng.normal(size=ROWS), outer=4, inner=3).study
    learners = {"knn": fw.tune(KNeighborsClassifier(), n_neighbors=[1, 2, 3]), "bayes": GaussianNB()}
    y, weights = np.array(list("abc" * 6)), rng.uniform(0.5, 2, ROWS)
    return make_comparison(learners, X, y, loss="log", weights=weights, outer=5, inner="pairs").study


@dataclass
class World:
    """An outline, what every fit of it came to (None: not done; a text: its failure), and the result."""

    study: Study
    outcomes: dict[Fit, Any]
    result: Result

    def outcome(self, method: str, candidate: int, split: Any) -> Any:
        return self.outcomes[method, candidate, tuple(split.train.tolist())]


def make_world(kind: str, policy: str, seed: int, *, failing: float = 0.0, missing: float = 0.0) -> World:
    """Every fit the study may need, with random answers, failures and gaps."""
    asked, rng = replace(study(kind), on_failure=policy), np.random.default_rng(seed)
    store, outcomes = MemoryStore(), dict[Fit, Any]()
    for method in asked.methods:
        inner = [] if method.inner is None else [s for part in method.inner.splits for s in part]
        final = [] if method.inner is None else list(method.inner.final or ())
        splits = {asked.rows_name(split): split for split in [*asked.outer, *inner, *final]}
        for split in splits.values():
            for candidate in range(len(method.candidates)):
                outcome = _outcome(asked, rng, failing, missing)
                outcomes[method.name, candidate, tuple(split.train.tolist())] = outcome
                if outcome is not None:
                    store.add([_record(asked.key(method, candidate, split), outcome, method.name)])
    return World(asked, outcomes, Result(Reading(asked, store), made={}, seconds=0.0, versions={"none": "0"}))


def _outcome(asked: Study, rng: Any, failing: float, missing: float) -> Any:
    if rng.random() < missing:
        return None
    if rng.random() < failing:
        return str(rng.choice(STATUSES))
    return rng.normal(size=ROWS) if asked.task == "regression" else rng.dirichlet(np.ones(3), ROWS)


def _record(key: str, outcome: Any, name: str) -> Record:
    rows = np.arange(ROWS)
    if isinstance(outcome, str):
        error = "killed by SIGSEGV" if outcome == "crashed" else f"{outcome} happened"
        return Record(key, outcome, rows, error=error, learner=name)  # type: ignore[arg-type]
    if outcome.ndim == 1:
        return Record(key, "ok", rows, {"predict": outcome}, learner=name)
    answers = {"predict_proba": outcome, "predict": outcome.argmax(axis=1)}
    return Record(key, "ok", rows, answers, learner=name)
