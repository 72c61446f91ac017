"""Designs on the intervals of cross-validation: D1 (least squares on noise) and D7 (near-twins).

Expected values are those of the project's survey of the statistics, each with the number of runs behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from designs.batched import Simulated, balanced_folds, fold_means, leave_two_out, linear_model, out_of_fold, replicate
from designs.exact import ols_risk
from designs.results import Result, coverage_results
from foldwise.arrays import FloatArray, IntArray
from foldwise.lab.decomposition import Predict, ridge
from foldwise.lab.problems import LinearProblem, find_problem
from foldwise.stats.array_checks import normal_quantile
from foldwise.stats.bates import bates
from foldwise.stats.cross_validated import corrected_t, cv_clt

Ends = tuple[FloatArray, FloatArray]  # low[replication], high[replication]
SURVEY = "survey"
D1_EXPECTED: Mapping[int, tuple[int, Mapping[str, Sequence[float | None]]]] = {
    40: (
        1500,
        {
            "naive z": (0.6727, 0.5867),
            "fold t": (0.7167, 0.62),
            "leave-one-out": (0.7013, 0.604),
            "corrected t": (0.8733, 0.8167),
            "10 x 10 corrected t": (0.778, 0.6673),
            "10 x 10 plain t": (0.2313, 0.1933),
            "Bates, 10 folds": (0.97, 0.94),
        },
    ),
    100: (
        2000,
        {
            "naive z": (0.837, 0.7965),
            "within-fold": (0.8375, 0.799),
            "fold t": (0.8525, 0.8155),
            "leave-one-out": (0.85, 0.808),
            "corrected t": (0.951, 0.925),
            "10 x 10 corrected t": (0.877, 0.836),
            "10 x 10 plain t": (0.3335, 0.3255),
            "Bates, 10 folds": (0.9445, 0.929),
        },
    ),
    200: (
        1000,
        {
            "naive z": (0.867, 0.862),
            "fold t": (0.875, 0.874),
            "leave-one-out": (0.877, 0.861),
            "corrected t": (0.966, 0.96),
            "10 x 10 corrected t": (0.892, 0.897),
            "10 x 10 plain t": (0.345, 0.347),
            "Bates, 10 folds": (0.934, 0.926),
        },
    ),
}


def d1(*, replications: int, seed: int, sizes: Sequence[int] = (40, 100, 200)) -> list[Result]:
    """Least squares on 20 columns of noise, level 90%: T2 at n by its exact formula, T1 by its own."""
    results = []
    for n in sizes:
        runs, expected = D1_EXPECTED[n]
        for work, count in ((_d1_cheap, replications), (_d1_bates, max(replications // 4, 1))):
            drawn = replicate(partial(work, n), count, key=f"D1 {n} {work.__name__}", seed=seed)
            truths = {"T2": ols_risk(n, 20), "T1": drawn["T1"]}
            results += coverage_results(f"n={n}", _pairs(drawn), truths, expected, runs=runs, source=SURVEY)
    return results


def _d1_cheap(rows: int, times: int, rng: np.random.Generator) -> dict[str, Any]:
    X, y = find_problem("noise").draw(rows, rng, times=times)
    labels, level = balanced_folds(rows, 10), 0.9
    losses = out_of_fold(ridge, X, y, labels)
    means = fold_means(losses, labels)
    partitions = [rng.permutation(labels) for _ in range(10)]
    runs = np.concatenate([fold_means(out_of_fold(ridge, X, y, run), run) for run in partitions], axis=-1)
    ends = {
        "naive z": naive_z(losses, level),
        "within-fold": _cv_clt(losses, labels, level, variance="within-fold"),
        "fold t": _corrected_t(means, 0.0, level),
        "leave-one-out": _cv_clt(leave_one_out(X, y), np.arange(rows), level),
        "corrected t": _corrected_t(means, 1 / 9, level),
        "10 x 10 corrected t": _corrected_t(runs, 1 / 9, level),
        "10 x 10 plain t": _corrected_t(runs, 0.0, level),
    }
    return {"T1": _noise_risk(X, y)} | _flat(ends)


def _d1_bates(rows: int, times: int, rng: np.random.Generator) -> dict[str, Any]:
    X, y = find_problem("noise").draw(rows, rng, times=times)
    partitions = np.stack([rng.permutation(balanced_folds(rows, 10)) for _ in range(25)])
    outer = np.stack([out_of_fold(ridge, X, y, labels) for labels in partitions], axis=1)
    pairs = np.stack([leave_two_out(ridge, X, y, labels) for labels in partitions], axis=1)
    ends = []
    for one_outer, one_pairs in zip(outer, pairs.swapaxes(-1, -2), strict=True):
        nested = bates(one_outer, one_pairs, partitions, level=0.9)
        # the bias correction as in the paper, also where it is unstable
        many, cv, folds = (nested.details[name] for name in ("err_ncv", "err_cv", "folds"))
        shift = many - (2 - 2 / folds) * (many - cv) - nested.value
        ends.append((nested.low + shift, nested.high + shift))
    low, high = np.array(ends).T
    return {"T1": _noise_risk(X, y)} | _flat({"Bates, 10 folds": (low, high)})


def _noise_risk(X: FloatArray, y: FloatArray) -> FloatArray:
    """The risk of least squares on all rows where no column matters."""
    intercept, slopes = linear_model(ridge, X, y)
    return np.asarray(1 + intercept**2 + (slopes**2).sum(-1))


def leave_one_out(X: FloatArray, y: FloatArray) -> FloatArray:
    """Squared leave-one-out errors[replication, row] of least squares with intercept, by the hat matrix."""
    wide = np.concatenate([np.ones((*X.shape[:-1], 1)), X], axis=-1)
    thin, _ = np.linalg.qr(wide)
    fitted = (thin @ (np.swapaxes(thin, -1, -2) @ y[..., None]))[..., 0]
    return np.asarray(((y - fitted) / (1 - (thin**2).sum(-1))) ** 2)


D7_EXPECTED = {
    100: {"one learner": (0.90,), "difference, Bayle": (0.828,), "difference, corrected t": (0.966,)},
    1000: {"one learner": (0.946,), "difference, Bayle": (0.82,), "difference, corrected t": (0.962,)},
    10000: {"one learner": (0.96,), "difference, Bayle": (0.845,), "difference, corrected t": (0.975,)},
}
TWINS = LinearProblem("twins", 10, beta=(3.0, 1.0, -5.0, 3.0), variance=100.0)


def d7(*, replications: int, seed: int, sizes: Sequence[int] = (100, 1000, 10000)) -> list[Result]:
    """Near-twins: soft-thresholded least squares at two neighbouring penalties, level 95%, target T3."""
    results = []
    for n in sizes:
        count = replications if n < 10000 else max(replications // 5, 1)
        drawn = replicate(partial(_d7, n), count, key=f"D7 {n}", seed=seed, chunk=25)
        for name, target in (("one learner", "T3"), ("difference, Bayle", "gap"), ("difference, corrected t", "gap")):
            ends = {name: _pairs(drawn)[name]}
            results += coverage_results(f"n={n}", ends, {"T3": drawn[target]}, D7_EXPECTED[n], runs=500, source=SURVEY)
    return results


def soft_threshold(X: FloatArray, y: FloatArray, new: FloatArray, *, more: float = 0.0) -> FloatArray:
    """Least squares without intercept, shrunk to 0 by (sqrt(rows) + more) / rows."""
    slopes = np.linalg.solve(np.swapaxes(X, -1, -2) @ X, np.swapaxes(y[..., None, :] @ X, -1, -2))[..., 0]
    kept = np.maximum(np.abs(slopes) - (np.sqrt(X.shape[-2]) + more) / X.shape[-2], 0)
    return np.asarray((new @ (np.sign(slopes) * kept)[..., None])[..., 0])


def _d7(rows: int, times: int, rng: np.random.Generator) -> dict[str, Any]:
    labels = balanced_folds(rows, 10)
    X, y = TWINS.draw(rows, rng, times=times)
    twins = soft_threshold, partial(soft_threshold, more=1.0)
    one, two = (out_of_fold(twin, X, y, labels) for twin in twins)
    risks, others = (_twin_risks(twin, X, y, labels) for twin in twins)
    ends = {
        "one learner": _cv_clt(one, labels, 0.95),
        "difference, Bayle": _cv_clt(one - two, labels, 0.95),
        "difference, corrected t": _corrected_t(fold_means(one - two, labels), 1 / 9, 0.95),
    }
    return {"T3": risks, "gap": risks - others} | _flat(ends)


def _twin_risks(twin: Predict, X: FloatArray, y: FloatArray, labels: IntArray) -> FloatArray:
    """The mean true risk of the models of the folds."""
    beta = np.concatenate([TWINS.beta, np.zeros(TWINS.columns - len(TWINS.beta))])
    slopes = [linear_model(twin, X[:, labels != k], y[:, labels != k])[1] for k in range(int(labels.max()) + 1)]
    return np.asarray(TWINS.variance + np.mean([((each - beta) ** 2).sum(-1) for each in slopes], axis=0))


def naive_z(losses: FloatArray, level: float) -> Ends:
    """All out-of-fold losses[replication, row] as if they were independent: what other tools print."""
    value, reach = losses.mean(-1), normal_quantile(level) * losses.std(-1, ddof=1) / np.sqrt(losses.shape[-1])
    return value - reach, value + reach


def _corrected_t(scores: FloatArray, ratio: float, level: float) -> Ends:
    return _each(partial(corrected_t, test_train_ratio=ratio, level=level), scores)


def _cv_clt(losses: FloatArray, folds: IntArray, level: float, variance: str = "all-pairs") -> Ends:
    return _each(partial(cv_clt, folds=folds, variance=variance, level=level), losses)


def _each(formula: Callable[[FloatArray], Any], losses: FloatArray) -> Ends:
    """The ends of one replication after the other."""
    low, high = np.array([(interval.low, interval.high) for interval in map(formula, losses)]).T
    return low, high


def _flat(ends: Mapping[str, Ends]) -> dict[str, FloatArray]:
    return {f"{name}|{side}": end for name, pair in ends.items() for side, end in zip("lh", pair, strict=True)}


def _pairs(drawn: Simulated) -> dict[str, Ends]:
    names = [key[:-2] for key in drawn if key.endswith("|l")]
    return {name: (drawn[f"{name}|l"], drawn[f"{name}|h"]) for name in names}
