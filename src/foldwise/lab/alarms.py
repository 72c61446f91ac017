"""How often "A is better than B" is said of equal learners, and how often of learners that do differ."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadStudy
from foldwise.formulas.corrected_t import corrected_t
from foldwise.lab.draws import cross_validate, drawn, fold_labels, fold_means
from foldwise.lab.interval_coverage import monte_carlo_error
from foldwise.lab.learners import Centroid, Columns, Ridge
from foldwise.lab.problems import ClassesProblem, LinearProblem, Problem
from foldwise.lab.replications import replicate

BLOCK = 3  # columns that each method sees
TASKS = ("regression", "binary")


def false_alarms(
    methods: int = 2,
    *,
    rows: int = 100,
    folds: int = 10,
    task: str = "regression",
    advantage: float = 0.0,
    replications: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """A data frame: the share of replications in which some method is called better than another.

    Each method sees its own block of columns, and all blocks are alike, so that methods differ in every prediction and
    not at all in risk. With an `advantage` the first block says more than the others by that share: the rate at which
    the first is called better than the second is then the power.
    """
    import pandas as pd

    if methods < 2 or task not in TASKS:
        raise BadStudy(f"cannot compare {methods} methods on {task}", "Use 2 or more methods, regression or binary")
    work = partial(_fold_differences, methods, rows, folds, task, advantage)
    found = replicate(work, replications, key=f"alarms {methods} {rows} {folds} {task}", seed=seed, jobs=jobs)
    tests = {
        "corrected t": _claims(found["means"], 1 / (folds - 1), 1 - level),
        "plain t": _claims(found["means"], 0.0, 1 - level),
    }
    lines = [
        {
            "methods": methods,
            "task": task,
            "rows": rows,
            "folds": folds,
            "advantage": advantage,
            "difference": float(found["difference"].mean()),
            "test": test,
            "claim": claim,
            "rate": float(said.mean()),
            "error": monte_carlo_error(float(said.mean()), replications),
            "replications": replications,
        }
        for test, claims in tests.items()
        for claim, said in claims.items()
        if methods > 2 or claim in ("a pair differs", "the first is better than the second")
    ]
    return pd.DataFrame(lines)


def blocks(methods: int, task: str, advantage: float) -> tuple[Problem, list[Columns]]:
    """A problem whose columns come in equal blocks, and one learner for each block."""
    width = methods * BLOCK
    learners = [
        Columns(Ridge() if task == "regression" else Centroid(), tuple(range(j * BLOCK, (j + 1) * BLOCK)))
        for j in range(methods)
    ]
    sizes = (0.5 * (1 + advantage),) * BLOCK + (0.5,) * (width - BLOCK)
    if task == "regression":
        return LinearProblem("blocks", width, beta=sizes), learners
    return ClassesProblem("blocks", width, shifts=sizes), learners


def _fold_differences(
    methods: int, rows: int, folds: int, task: str, advantage: float, times: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    problem, learners = blocks(methods, task, advantage)
    X, y = drawn(problem, rows, times, rng)
    labels = fold_labels(problem, rows, folds)
    found = [cross_validate(problem, learner, X, y, labels, rng) for learner in learners]
    means = np.stack([fold_means(losses, labels) for losses, _ in found], axis=-1)
    risks = np.stack([risk.mean(-1) for _, risk in found], axis=-1)
    return {"means": means, "difference": risks[:, 0] - risks[:, 1]}


def _claims(means: FloatArray, ratio: float, alpha: float) -> dict[str, Any]:
    """Which claims the paired tests of means[replication, fold, method] would make."""
    methods = means.shape[-1]
    p = {(i, j): paired_p(means[..., i] - means[..., j], ratio) for i, j in combinations(range(methods), 2)}
    order = means.mean(1)
    first = (order[:, 0] < order[:, 1]) & (p[0, 1] < alpha)
    # Holm's first step decides whether anything is claimed at all
    smallest = np.min(list(p.values()), axis=0)
    best = order.argmin(-1)
    against = [
        np.min([p[min(b, j), max(b, j)][row] for j in range(methods) if j != b]) for row, b in enumerate(best.tolist())
    ]
    return {
        "a pair differs": p[0, 1] < alpha,
        "the first is better than the second": first,
        f"any of {len(p)} pairs differs (Holm)": smallest * len(p) < alpha,
        f"the best beats one of the other {methods - 1} (Holm)": np.array(against) * (methods - 1) < alpha,
    }


def paired_p(differences: FloatArray, ratio: float) -> FloatArray:
    """Two-sided p[replication] of the corrected t over differences[replication, fold]; equal methods have p = 1."""
    return np.asarray(corrected_t(differences, test_train_ratio=ratio).p)
