"""Where a risk comes from, with the truth known: Bayes risk, approximation and estimation; and Theorem 1, simulated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadLearner, BadStudy, nearest
from foldwise.lab.problems import Problem, find_problem

AT_ONCE = 50  # replications that share one pass of linear algebra
MANY_ROWS = 20_000  # rows at which ridge is as good as the best linear model
NODES = 2_000  # rows over which the parts of a risk are averaged
FRESH_ROWS = 200  # rows over which the risk of a single model is averaged

# X[..., row, column], y[..., row] and new[..., row, column]: predictions[..., row]
Predict = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]


def ridge(X: FloatArray, y: FloatArray, new: FloatArray, *, value: float = 0.0) -> FloatArray:
    """Least squares with a penalty on the slopes, the intercept free; many replications at once."""
    if value == 0 and X.shape[-2] <= X.shape[-1]:
        raise BadLearner(f"least squares cannot fit {X.shape[-1]} columns on {X.shape[-2]} rows", "Give it a penalty")
    centre, level = X.mean(-2, keepdims=True), y.mean(-1, keepdims=True)
    wide = X - centre
    gram = np.swapaxes(wide, -1, -2) @ wide + value * np.eye(X.shape[-1])
    slopes = np.linalg.solve(gram, np.swapaxes(wide, -1, -2) @ (y - level)[..., None])
    return np.asarray(level + ((new - centre) @ slopes)[..., 0])


def nearest_mean(X: FloatArray, y: FloatArray, new: FloatArray, *, value: float = 7) -> FloatArray:
    """k-nearest neighbours: the mean target of the k nearest rows; many replications at once."""
    k = int(value)
    if k >= X.shape[-2]:
        raise BadLearner(f"{k} neighbours need more than {X.shape[-2]} rows", "Use fewer neighbours")
    squares = (X**2).sum(-1)[..., None, :] - 2 * new @ np.swapaxes(X, -1, -2)  # distances but for a constant
    near = np.argpartition(squares, k - 1, axis=-1)[..., :k]
    return np.asarray(np.take_along_axis(np.broadcast_to(y[..., None, :], squares.shape), near, axis=-1).mean(-1))


LEARNERS = {"ridge": ridge, "k-nn": nearest_mean}


def decompose(
    problem: str = "smooth",
    learner: str | None = None,
    *,
    values: Sequence[float] | None = None,
    rows: int = 100,
    replications: int = 500,
    seed: int = 0,
) -> Any:
    """A data frame: risk = Bayes risk + approximation + estimation, one line per value of the learner's parameter.

    For ridge the approximation is that of the best linear model (the same learner on very many rows). For k-NN it is
    that of the mean model over training sets, so that the two parts are squared bias and variance.

    `problem`: a name of `fw.lab.PROBLEMS`.
    `learner`: "ridge" or "k-nn" (None: k-nn for "smooth", else ridge).
    `values`: penalties or numbers of neighbours (None: penalty 0, or 7 neighbours).
    `rows`: training rows.
    `replications`: simulated data sets.
    `seed`: names the random draws; the same seed gives the same answer.

    >>> import foldwise as fw
    >>> fw.lab.decompose("smooth", values=[1, 9, 60], replications=50).drop(columns="error").round(2)
       value  bayes  approximation  estimation  risk
    0      1   0.09           0.00        0.09  0.18
    1      9   0.09           0.00        0.01  0.11
    2     60   0.09           0.13        0.01  0.23
    """
    import pandas as pd

    simulated, name = _simulated(problem, learner)
    rng = np.random.default_rng([seed, rows])
    X = simulated.rows(rng, (NODES,))
    mean = simulated.mean(X)
    bayes = simulated.bayes if simulated.task == "regression" else float(np.minimum(mean, 1 - mean).mean())
    lines = []
    for value in values or [7 if name == "k-nn" else 0.0]:
        predict = partial(LEARNERS[name], value=value)
        draws = (simulated.draw(rows, rng, times=times) for times in _chunks(replications))
        predictions = np.concatenate([predict(*drawn, X) for drawn in draws])
        risks = simulated.risk(X, predictions)
        typical = predict(*simulated.draw(MANY_ROWS, rng), X) if name == "ridge" else predictions.mean(0)
        approximation = float(simulated.risk(X, typical)) - bayes
        if name == "k-nn" and simulated.task == "regression":
            # the mean of R models still carries 1/R of their variance
            approximation -= float(predictions.var(0, ddof=1).mean()) / replications
        risk = float(risks.mean())
        parts = {"bayes": bayes, "approximation": approximation, "estimation": risk - approximation - bayes}
        lines.append({"value": value, **parts, "risk": risk, "error": mean_error(risks)})
    return pd.DataFrame(lines)


def theorem(
    problem: str = "linear",
    learner: str | None = None,
    *,
    rows: int = 40,
    folds: int | None = None,
    replications: int = 2000,
    seed: int = 0,
) -> dict[str, float]:
    """Theorem 1: mean K-fold CV on m + m / (K - 1) rows beside the mean risk at m rows.

    The two means are equal; `z` is their difference in Monte-Carlo standard errors, from separate data sets.

    `problem`, `learner`, `replications`, `seed`: as in `decompose`.
    `rows`: m.
    `folds`: K (None: leave-one-out on m + 1 rows).

    >>> import foldwise as fw
    >>> means = fw.lab.theorem(rows=20, replications=400)
    >>> round(means["cv"], 1), round(means["risk"], 1), abs(means["z"]) < 3
    (1.5, 1.5, True)
    """
    count = folds or rows + 1
    if rows % (count - 1):
        raise BadStudy(f"{rows} training rows are not {count - 1} equal folds", "Use a multiple of folds - 1")
    simulated, name = _simulated(problem, learner)
    rng = np.random.default_rng([seed, rows, count])
    cv = cv_means(simulated, LEARNERS[name], (rows * count // (count - 1), count), replications, rng)
    risks = model_risks(simulated, LEARNERS[name], rows, replications, rng)
    error = float(np.hypot(mean_error(cv), mean_error(risks)))
    means = {"cv": float(cv.mean()), "risk": float(risks.mean())}
    return {**means, "error": error, "z": (means["cv"] - means["risk"]) / error}


def cv_means(
    problem: Problem, predict: Predict, rows_folds: tuple[int, int], replications: int, rng: np.random.Generator
) -> FloatArray:
    """The K-fold estimate of each of many fresh data sets; folds are of equal size."""
    (rows, folds), means = rows_folds, []
    for times in _chunks(replications):
        X, y = problem.draw(rows, rng, times=times)
        losses = np.empty_like(y)
        for k in range(folds):
            test = np.arange(rows) % folds == k
            predictions = predict(X[:, ~test], y[:, ~test], X[:, test])
            is_wrong = y[:, test] != (predictions > 0.5)
            losses[:, test] = (y[:, test] - predictions) ** 2 if problem.task == "regression" else is_wrong
        means.append(losses.mean(-1))
    return np.concatenate(means)


def model_risks(
    problem: Problem, predict: Predict, rows: int, replications: int, rng: np.random.Generator
) -> FloatArray:
    """The true risk of a model of each of many fresh data sets, over rows of its own."""
    risks = []
    for times in _chunks(replications):
        X, y = problem.draw(rows, rng, times=times)
        nodes = problem.rows(rng, (times, FRESH_ROWS))
        risks.append(problem.risk(nodes, predict(X, y, nodes)))
    return np.concatenate(risks)


def mean_error(values: FloatArray) -> float:
    """The standard error of a mean over replications."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _simulated(problem: str, learner: str | None) -> tuple[Problem, str]:
    simulated = find_problem(problem)
    name = learner or ("k-nn" if problem == "smooth" else "ridge")
    if name not in LEARNERS:
        raise BadLearner(f"there is no learner {name!r} here", nearest(name, LEARNERS))
    return simulated, name


def _chunks(replications: int) -> list[int]:
    if replications < 2:
        raise BadStudy(f"{replications} replications show nothing", "Ask for at least 2")
    return [min(AT_ONCE, replications - start) for start in range(0, replications, AT_ONCE)]
