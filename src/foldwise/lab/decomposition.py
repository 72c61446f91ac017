"""Where a risk comes from, with the truth known: Bayes risk, approximation and estimation; and Theorem 1, simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadLearner
from foldwise.lab.draws import cv_draws
from foldwise.lab.learners import Nearest, Ridge, RidgeRule, default_learner, find_learner
from foldwise.lab.models import Constant, Linear, LinearRule
from foldwise.lab.problems import Problem, find_problem
from foldwise.lab.replications import Found, mean_error, replicate_all

MANY_ROWS = 20_000  # rows at which a learner of few numbers is as good as the best of its class
NODES = 10_000  # rows over which the parts of a risk are averaged

BEST = "best of the class"
TYPICAL = "mean over training sets"


def decompose(
    problem: str = "smooth",
    learner: str | None = None,
    *,
    values: Sequence[float] | None = None,
    rows: int = 100,
    replications: int = 500,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """A data frame: risk = estimation + approximation + Bayes risk, one line per value of the learner's one number.

    h* is the best of the class where the learner's class is that of linear rules (the same learner at very many rows);
    elsewhere (k-NN, trees) it is the mean of the models over training sets, so that the two parts are variance and
    squared bias. `values` are numbers of neighbours or penalties.

    `problem`: a name of `fw.lab.PROBLEMS`.
    `learner`: a name of `fw.lab.LEARNERS` (None: that of the problem).
    `rows`: training rows.
    `replications`: simulated data sets.
    `seed`: names the random draws; the same seed gives the same answer.
    `jobs`: worker processes (None: one per core).

    `values`: to be tried (None: a few).

    >>> import foldwise as fw
    >>> found = fw.lab.decompose("smooth", values=[1, 9, 60], replications=50, jobs=1)
    >>> found[["value", "risk", "bayes", "approximation", "estimation"]].round(2)
       value  risk  bayes  approximation  estimation
    0      1  0.18   0.09           0.00        0.09
    1      9  0.11   0.09           0.00        0.01
    2     60  0.23   0.09           0.13        0.01
    """
    import pandas as pd

    truth = find_problem(problem)
    name = learner or default_learner(problem)
    made = find_learner(name, truth.task)
    candidates = {None: made} if values is None else {value: _with(made, name, value) for value in values}
    rng = np.random.default_rng([seed, 1])
    X = truth.nodes(rng, NODES)
    works = {
        f"decompose {problem} {name} {value} {rows}": partial(_predictions, truth, one, rows, X)
        for value, one in candidates.items()
    }
    found = replicate_all(works, replications, seed=seed, jobs=jobs)
    lines = []
    for (value, one), predictions in zip(candidates.items(), found.values(), strict=True):
        parts = _parts(truth, predictions, _best(truth, one, X, rng), truth.mean(X))
        lines.append({"problem": problem, "learner": name, "value": value, "rows": rows, **parts})
    return pd.DataFrame(lines)


def theorem_one(
    problem: str = "linear",
    learner: str | None = None,
    *,
    rows: int = 40,
    folds: int | None = None,
    replications: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
) -> dict[str, float]:
    """Mean K-fold CV on m + m / (K - 1) rows beside the mean risk at m rows; without `folds`, leave-one-out on m + 1.

    The two means are equal; `z` is their difference in Monte-Carlo standard errors, from separate data sets.

    `problem`: a name of `fw.lab.PROBLEMS`.
    `learner`: a name of `fw.lab.LEARNERS` (None: that of the problem).
    `rows`: m.
    `folds`: K.
    `replications`: simulated data sets.
    `seed`: names the random draws; the same seed gives the same answer.
    `jobs`: worker processes (None: one per core).

    >>> import foldwise as fw
    >>> found = fw.lab.theorem_one(rows=20, replications=200, jobs=1)
    >>> {name: round(value, 2) for name, value in found.items()}
    {'cv': 1.5, 'risk': 1.51, 'error': 0.05, 'z': -0.09}
    """
    count = folds or rows + 1
    if rows % (count - 1):
        raise BadLearner(f"{rows} training rows are not {count - 1} equal folds", "Use a multiple of folds - 1")
    truth = find_problem(problem)
    made = find_learner(learner or default_learner(problem), truth.task)
    works = {
        "theorem cv": partial(cv_means, truth, made, rows * count // (count - 1), count),
        "theorem risk": partial(risks, truth, made, rows),
    }
    found = replicate_all(works, replications, seed=seed, jobs=jobs)
    cv, risk = found["theorem cv"]["value"], found["theorem risk"]["value"]
    error = float(np.hypot(mean_error(cv), mean_error(risk)))
    means = float(cv.mean()), float(risk.mean())
    return {"cv": means[0], "risk": means[1], "error": error, "z": (means[0] - means[1]) / error}


def _predictions(
    problem: Problem, learner: Any, rows: int, X: FloatArray, times: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    at = learner.fit(*problem.draw(rows, rng, times=times)).predict(X)
    # sums over replications are enough for mean and variance at each node, and much less to keep
    return {"risk": _risk_of(problem, at, problem.mean(X)), "sum": at.sum(0)[None], "squares": (at**2).sum(0)[None]}


def _parts(problem: Problem, predictions: Found, best: FloatArray | None, mean: FloatArray) -> dict[str, Any]:
    """The parts of the mean risk of many models, from their predictions at the nodes."""
    count, risk, bayes = len(predictions["risk"]), float(predictions["risk"].mean()), _bayes(problem, mean)
    typical = predictions["sum"].sum(0) / count
    if best is None and problem.task == "regression":
        # the mean of R models still carries 1/R of their variance
        spread = (predictions["squares"].sum(0) - count * typical**2) / max(count - 1, 1)
        approximation = float(((typical - mean) ** 2 - spread / count).mean())
    else:
        approximation = float(_risk_of(problem, typical if best is None else best, mean)) - bayes
    return {
        "bayes": bayes,
        "approximation": approximation,
        "estimation": risk - approximation - bayes,
        "risk": risk,
        "error": mean_error(predictions["risk"]),
        "reference": TYPICAL if best is None else BEST,
        "replications": count,
    }


def _risk_of(problem: Problem, at: FloatArray, mean: FloatArray) -> FloatArray:
    if problem.task == "regression":
        return np.asarray(problem.bayes + ((at - mean) ** 2).mean(-1))
    return np.asarray(np.where(at > 0.5, 1 - mean, mean).mean(-1))


def _bayes(problem: Problem, mean: FloatArray) -> float:
    """The Bayes risk over the same rows as the other parts, so that they add up."""
    return problem.bayes if problem.task == "regression" else float(np.minimum(mean, 1 - mean).mean())


def _best(problem: Problem, learner: Any, X: FloatArray, rng: np.random.Generator) -> FloatArray | None:
    if isinstance(learner, Nearest):
        return None
    trial = learner.fit(*problem.draw(200, rng, times=1))
    if not isinstance(trial, Linear | LinearRule | Constant):
        return None
    model = learner.fit(*problem.draw(MANY_ROWS, rng, times=1))
    return np.asarray(model.predict(X)[0])


def _with(learner: Any, name: str, value: float) -> Any:
    if isinstance(learner, Nearest):
        return replace(learner, k=int(value))
    if isinstance(learner, Ridge | RidgeRule):
        return replace(learner, penalty=float(value))
    raise BadLearner(f"the lab's learner {name!r} has no number to vary", "Use k-nn or ridge, or leave the values out")


def cv_means(
    problem: Problem, learner: Any, rows: int, folds: int, times: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Mean K-fold estimates of fresh data sets, one per replication."""
    # fold sizes are equal, so the mean over rows is the mean of fold means
    draws = cv_draws(problem, learner, rows=rows, folds=folds, times=times, rng=rng, ignored="classes")
    return {"value": draws.losses.mean(-1)}


def risks(problem: Problem, learner: Any, rows: int, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """True risks of models of fresh data sets, one per replication."""
    return {"value": problem.risk(learner.fit(*problem.draw(rows, rng, times=times)), rng)}
