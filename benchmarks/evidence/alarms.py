"""How often "A is better than B" is said of equal learners, and how often of learners that do differ."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadStudy
from foldwise.lab.draws import drawn, fold_labels, repeated
from foldwise.lab.interval_coverage import monte_carlo_error
from foldwise.lab.learners import Centroid, Columns, Logistic, Ridge
from foldwise.lab.problems import ClassesProblem, LinearProblem, Problem
from foldwise.lab.replications import replicate
from foldwise.stats.cross_validated import RUNS_OF_DIFFERENCE, corrected_t, independent_se

BLOCK = 3  # columns that each method sees
TASKS = ("regression", "binary", "imbalanced")
SHARE = 0.13  # of the smaller of two imbalanced classes


def false_alarms(
    methods: int = 2,
    *,
    rows: int = 100,
    folds: int = 10,
    repeats: int = 1,
    task: str = "regression",
    advantage: float = 0.0,
    replications: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """The share of simulated studies in which some method is called better than another, by test and claim.

    Each method sees its own block of columns and all blocks are equally informative, so methods differ in every
    prediction and not at all in risk. With an `advantage` the first block is more informative by that share, and the
    rate at which the first is called better than the second is the power.
    """
    import pandas as pd

    if methods < 2 or task not in TASKS:
        raise BadStudy(
            f"cannot compare {methods} methods on {task}", f"Use 2 or more methods, and {' or '.join(TASKS)}"
        )
    work = partial(_tests, methods, (rows, folds, repeats), task, advantage)
    key = f"alarms {methods} {rows} {folds} {task}" + (f" x {repeats}" if repeats > 1 else "")
    found = replicate(work, replications, key=key, seed=seed, jobs=jobs)
    lines = [
        {
            "methods": methods,
            "task": task,
            "rows": rows,
            "folds": folds,
            "repeats": repeats,
            "advantage": advantage,
            "difference": float(found["difference"].mean()),
            "test": test,
            "claim": claim,
            "rate": float(said.mean()),
            "error": monte_carlo_error(float(said.mean()), replications),
            "replications": replications,
        }
        for test in ("corrected t", "plain t")
        for claim, said in _claims(found[test], found["risks"], 1 - level).items()
        if methods > 2 or claim in ("a pair differs", "the first is better than the second")
    ]
    return pd.DataFrame(lines)


def blocks(methods: int, task: str, advantage: float) -> tuple[Problem, list[Columns]]:
    """A problem whose columns come in equal blocks, and one learner for each block."""
    width = methods * BLOCK
    fit = {"regression": Ridge(), "binary": Centroid(), "imbalanced": Logistic()}[task]
    learners = [Columns(fit, tuple(range(j * BLOCK, (j + 1) * BLOCK))) for j in range(methods)]
    sizes = (0.5 * (1 + advantage),) * BLOCK + (0.5,) * (width - BLOCK)
    if task == "regression":
        return LinearProblem("blocks", width, beta=sizes), learners
    return ClassesProblem("blocks", width, shifts=sizes, share=0.5 if task == "binary" else SHARE), learners


def _tests(
    methods: int, shape: tuple[int, int, int], task: str, advantage: float, times: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """p[replication, pair] of every pair by both tests, and the estimated risks."""
    rows, folds, repeats = shape
    problem, learners = blocks(methods, task, advantage)
    X, y = drawn(problem, rows, times, rng)
    runs = repeated(problem, learners, (X, y), fold_labels(problem, rows, folds), rng, repeats=repeats)
    by_row, ratio = runs.losses.mean(1), 1 / (folds - 1)
    pairs = list(combinations(range(methods), 2))
    risks = runs.risks.mean(-1)
    return {
        "corrected t": np.stack(
            [paired_p(runs.scores[i] - runs.scores[j], ratio, by_row[i] - by_row[j]) for i, j in pairs], axis=-1
        ),
        "plain t": np.stack([paired_p(runs.scores[i] - runs.scores[j], 0.0) for i, j in pairs], axis=-1),
        "risks": runs.scores.mean(-1).T,
        "difference": risks[0] - risks[1],
    }


def _claims(p: FloatArray, risks: FloatArray, alpha: float) -> dict[str, Any]:
    """Which claims the paired tests would make, from p[replication, pair] and risk[replication, method]."""
    methods = risks.shape[-1]
    of_pair = {pair: p[:, at] for at, pair in enumerate(combinations(range(methods), 2))}
    first = (risks[:, 0] < risks[:, 1]) & (of_pair[0, 1] < alpha)
    # Holm's first step decides whether anything is claimed at all
    best = risks.argmin(-1)
    against = [
        np.min([of_pair[min(b, j), max(b, j)][row] for j in range(methods) if j != b])
        for row, b in enumerate(best.tolist())
    ]
    return {
        "a pair differs": of_pair[0, 1] < alpha,
        "the first is better than the second": first,
        f"any of {len(of_pair)} pairs differs (Holm)": p.min(-1) * len(of_pair) < alpha,
        f"the best beats one of the other {methods - 1} (Holm)": np.array(against) * (methods - 1) < alpha,
    }


def paired_p(differences: FloatArray, ratio: float, by_row: FloatArray | None = None) -> FloatArray:
    """Two-sided p[replication] over differences[replication, split]; equal methods have p = 1.

    With the mean difference of every row, no surer than as many independent rows.
    """
    least: Any = 0.0
    if by_row is not None:
        least = independent_se((by_row - by_row.mean(-1, keepdims=True)) / by_row.shape[-1])
    found = corrected_t(differences, test_train_ratio=ratio, most_runs=RUNS_OF_DIFFERENCE, least_se=least)
    return np.asarray(found.p)
