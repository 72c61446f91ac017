"""Designs on the intervals of cross-validation: D1 (least squares), D2 and D3 (logistic), D4, D7 (twins), D8 (tuned).

Expected values are those of the project's survey of the statistics, each with the number of runs behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from designs.exact import ols_risk
from designs.lasso import LassoLogistic
from designs.results import Result, coverage_results, mean_result
from designs.subsamples import held_out, subsample_means
from foldwise.arrays import FloatArray, IntArray
from foldwise.lab.draws import (
    cross_validate,
    cv_draws,
    drawn,
    fold_means,
    leave_two_out,
    out_of_fold,
    random_folds,
)
from foldwise.lab.interval_coverage import Ends, monte_carlo_error, naive_z
from foldwise.lab.learners import Logistic, Ridge, TunedRidge, Untuned, balanced_folds, find_learner
from foldwise.lab.models import Linear
from foldwise.lab.problems import Problem, find_problem
from foldwise.lab.replications import Found, replicate_all
from foldwise.stats.array_checks import normal_quantile
from foldwise.stats.bates import bates
from foldwise.stats.cross_validated import corrected_t, cv_clt
from foldwise.stats.held_out import holdout_t
from foldwise.stats.interval_method import Ends as Numbers

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
            "25 subsamples": (0.792, 0.7227),
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
            "25 subsamples": (0.8735, 0.8425),
            "Bates, 10 folds": (0.9445, 0.929),
            "Bates, 5 folds": (0.979, 0.973),
            "holdout, then refit": (0.851, 0.843),
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
            "25 subsamples": (0.884, 0.87),
            "Bates, 10 folds": (0.934, 0.926),
        },
    ),
}
SURVEY = "survey"
Data = tuple[Problem, Any, FloatArray, FloatArray]


def d1(*, replications: int, seed: int, jobs: int | None, sizes: Sequence[int] = (40, 100, 200)) -> list[Result]:
    """Least squares on 20 columns of noise, level 90%: T2 at n by its exact formula, T1 by its own."""
    few = max(replications // 4, 1)
    cheap = replicate_all({f"D1 {n}": partial(_d1_cheap, n) for n in sizes}, replications, seed=seed, jobs=jobs)
    costly = replicate_all({f"D1 dear {n}": partial(_d1_costly, n) for n in sizes}, few, seed=seed, jobs=jobs)
    results = []
    for n in sizes:
        runs, expected = D1_EXPECTED.get(n, (1, {}))
        for found in (cheap[f"D1 {n}"], costly[f"D1 dear {n}"]):
            truths = {"T2": ols_risk(n, 20), "T1": found["T1"]}
            results += coverage_results(f"n={n}", _pairs(found), truths, expected, runs=runs, source=SURVEY)
    return results


def _d1_cheap(rows: int, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    problem, learner, level = find_problem("noise"), Ridge(), 0.9
    draws = cv_draws(problem, learner, rows=rows, folds=10, times=times, rng=rng)
    data = (problem, learner, draws.X, draws.y)
    means = fold_means(draws.losses, draws.folds)
    labels = random_folds(rows, 10, 10, rng)
    repeated = out_of_fold(*data, labels)
    runs = np.concatenate([fold_means(repeated[:, run], labels[run]) for run in range(10)], axis=-1)
    draws_25 = subsample_means(*data, splits=25, test_rows=rows // 10, rng=rng)
    fifth = np.arange(rows // 5)
    tested = held_out(*data, np.arange(rows // 5, rows), fifth)
    alone = leave_one_out(draws.X, draws.y)
    ends = {
        "naive z": naive_z(draws.losses, level),
        "within-fold": _cv_clt(draws.losses, draws.folds, level, variance="within-fold"),
        "fold t": _corrected_t(means, 0.0, level),
        "leave-one-out": _cv_clt(alone, np.arange(rows), level),
        "corrected t": _corrected_t(means, draws.ratio, level),
        "10 x 10 corrected t": _corrected_t(runs, 1 / 9, level),
        "10 x 10 plain t": _corrected_t(runs, 0.0, level),
        "25 subsamples": _corrected_t(draws_25, 1 / 9, level),
        "holdout, then refit": _ends(holdout_t(tested, level=level)),
    }
    return {"T1": draws.full_risks} | _flat(ends)


def _d1_costly(rows: int, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    problem, learner, level = find_problem("noise"), Ridge(), 0.9
    X, y = drawn(problem, rows, times, rng)
    data = (problem, learner, X, y)
    ends = {"Bates, 10 folds": _bates(data, 10, 25, level, rng)}
    # five folds leave 24 of 40 rows for 21 coefficients
    if rows >= 100:
        ends["Bates, 5 folds"] = _bates(data, 5, 25, level, rng)
    return {"T1": problem.risk(learner.fit(X, y), rng)} | _flat(ends)


def leave_one_out(X: FloatArray, y: FloatArray) -> FloatArray:
    """Squared leave-one-out errors[replication, row] of least squares with intercept, by the hat matrix."""
    wide = np.concatenate([np.ones((*X.shape[:-1], 1)), X], axis=-1)
    thin, _ = np.linalg.qr(wide)
    fitted = (thin @ (np.swapaxes(thin, -1, -2) @ y[..., None]))[..., 0]
    return np.asarray(((y - fitted) / (1 - (thin**2).sum(-1))) ** 2)


D2_EXPECTED = {
    1.0: (400, (0.1025, 0.08), (0.04, 0.045), (0.9275, 0.9263)),
    2.0: (300, (0.08, 0.0533), (0.0333, 0.04), (0.9663, 0.95)),
}


def d2(*, replications: int, seed: int, jobs: int | None, sizes: Sequence[float] = (1.0, 2.0)) -> list[Result]:
    """Logistic regression, n = 100, 20 columns, one of them used, level 90% on the arcsine scale, target T1."""
    cheap = replicate_all({f"D2 {s}": partial(_d2_cheap, s) for s in sizes}, replications, seed=seed, jobs=jobs)
    few = max(replications // 10, 1)
    costly = replicate_all({f"D2 dear {s}": partial(_d2_costly, s) for s in sizes}, few, seed=seed, jobs=jobs)
    results = []
    for s in sizes:
        runs, naive, bates, corrected = D2_EXPECTED[s]
        found, slow = cheap[f"D2 {s}"], costly[f"D2 dear {s}"]
        case = f"slope {s:g}"
        results += _misses(case, "cross-validation", found, "cv", naive, runs)
        results += _misses(case, "Bates", slow, "Bates", bates, runs)
        truths = {"T2": found["T1"].mean(), "T1": found["T1"]}
        ends = {"corrected t": _pairs(found)["corrected t"]}
        results += coverage_results(case, ends, truths, {"corrected t": corrected}, runs=800, source=SURVEY)
    return results


def _d2_cheap(slope: float, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    problem = find_problem("bates logistic", beta=(slope,))
    return _classes(problem, Logistic(), 100, times, rng)


def _d2_costly(slope: float, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    return _classes_bates(find_problem("bates logistic", beta=(slope,)), Logistic(), 100, times, rng)


def d3(*, replications: int, seed: int, jobs: int | None) -> list[Result]:
    """Sparse logistic regression, n = 90 with 1000 columns, one fixed penalty, level 90%, target T1."""
    cheap = replicate_all({"D3": _d3_cheap, "D3 n=200": _d3_more}, replications, seed=seed, jobs=jobs)
    results: list[Result] = []
    for key, case, expected, runs in (
        ("D3", "n=90", (0.19, 0.1227), 1500),
        ("D3 n=200", "n=200", (0.133, 0.078), 1000),
    ):
        results += _misses(case, "cross-validation", cheap[key], "cv", expected, runs)
    found = cheap["D3"]
    truths = {"T2": found["T1"].mean(), "T1": found["T1"]}
    ends = {"corrected t": _pairs(found)["corrected t"]}
    results += coverage_results("n=90", ends, truths, {"corrected t": (0.824, 0.858)}, runs=500, source=SURVEY)
    results.append(mean_result("n=90", "T2", found["T1"], 0.3725, source=SURVEY, expected_error=0.0013))
    if replications >= 500:
        # 25 runs of 45 + 10 fits each: a twentieth of the replications takes long enough
        costly = replicate_all({"D3 dear": _d3_costly}, replications // 20, seed=seed, jobs=jobs, chunk=5)["D3 dear"]
        results += _misses("n=90", "Bates", costly, "Bates", (0.10, 0.08), 200)
    return results


def _d3_cheap(times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    return _classes(find_problem("sparse logistic"), LassoLogistic(0.10), 90, times, rng)


def _d3_more(times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    return _classes(find_problem("sparse logistic"), LassoLogistic(0.08), 200, times, rng)


def _d3_costly(times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    return _classes_bates(find_problem("sparse logistic"), LassoLogistic(0.10), 90, times, rng)


def _classes(problem: Any, learner: Any, rows: int, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    # the designs' own folds are random, not stratified
    draws = cv_draws(problem, learner, rows=rows, folds=10, times=times, rng=rng, ignored="classes")
    value = draws.losses.mean(-1)
    means = fold_means(draws.losses, draws.folds)
    ends = {
        "cv": _arcsine(value, rows, 0.9),
        "corrected t": _corrected_t(means, draws.ratio, 0.9),
        "Bayle": _cv_clt(draws.losses, draws.folds, 0.9),
    }
    return {"T1": draws.full_risks} | _flat(ends)


def _classes_bates(
    problem: Any, learner: Any, rows: int, times: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    X, y = problem.draw(rows, rng, times=times)
    labels = random_folds(rows, 10, 25, rng)
    data = (problem, learner, X, y)
    found = bates(out_of_fold(*data, labels), leave_two_out(*data, labels), labels, level=0.9)
    value = np.clip(_debiased(found), 0, 1)
    ends = {"Bates": _arcsine(value, rows, 0.9, inflation=found.details["inflation"])}
    return {"T1": problem.risk(learner.fit(X, y), rng), "inflation": found.details["inflation"]} | _flat(ends)


D4_LEARNERS = {
    "least squares": (0.81, 0.74, 0.87),
    "tree": (0.85, 0.87, 0.92),
    "forest": (0.90, 0.90, 0.93),
    "ridge": (0.88, 0.88, 0.92),
}
D4_PROBLEMS = (
    "bates regression 20",
    "bates regression 100",
    "bates classes 20",
    "bates classes 100",
    "friedman",
    "latent",
)


def d4(*, replications: int, seed: int, jobs: int | None) -> list[Result]:
    """Six regenerated problems at n = 100, level 95%, T2 at n; published averages are over more problems than these."""
    results = []
    for name, expected in D4_LEARNERS.items():
        is_slow = name in ("tree", "forest")
        count = max(replications // (100 if name == "forest" else 20 if is_slow else 1), 2)
        problems = [p for p in D4_PROBLEMS if name != "least squares" or find_problem(p).columns < 80]
        works = {f"D4 {name} {p}": partial(_d4, p, name) for p in problems}
        found = replicate_all(works, count, seed=seed, jobs=jobs, chunk=5 if is_slow else 50)
        for place, interval in enumerate(("10-fold z", "5-fold z", "corrected t, 10 subsamples")):
            shares = [_share(one, interval) for one in found.values()]
            error = monte_carlo_error(float(np.mean(shares)), count * len(shares))
            case = f"{name}, mean of {len(shares)} problems"
            # values read off a graph, over 19 problems of which these are six
            results.append(Result(case, interval, float(np.mean(shares)), error, expected[place], 0.02, "published"))
    return results


def _d4(problem_name: str, learner_name: str, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    problem = find_problem(problem_name)
    learner = find_learner(learner_name, problem.task)
    X, y = problem.draw(100, rng, times=times)
    data = (problem, learner, X, y)
    ends = {f"{k}-fold z": naive_z(out_of_fold(*data, random_folds(100, k, 1, rng))[:, 0], 0.95) for k in (10, 5)}
    subsamples = subsample_means(*data, splits=10, test_rows=10, rng=rng)
    ends["corrected t, 10 subsamples"] = _corrected_t(subsamples, 1 / 9, 0.95)
    return {"T1": problem.risk(learner.fit(X, y), rng)} | _flat(ends)


def _share(found: Found, name: str) -> float:
    truth = found["T1"].mean()
    low, high = _pairs(found)[name]
    return float(np.mean((low <= truth) & (truth <= high)))


D7_EXPECTED = {
    100: {"one learner": (0.90,), "difference, Bayle": (0.828,), "difference, corrected t": (0.966,)},
    1000: {"one learner": (0.946,), "difference, Bayle": (0.82,), "difference, corrected t": (0.962,)},
    10000: {"one learner": (0.96,), "difference, Bayle": (0.845,), "difference, corrected t": (0.975,)},
}


def d7(*, replications: int, seed: int, jobs: int | None, sizes: Sequence[int] = (100, 1000, 10000)) -> list[Result]:
    """Near-twins: soft-thresholded least squares at two neighbouring penalties, level 95%, target T3."""
    results = []
    for n in sizes:
        count = replications if n < 10000 else max(replications // 5, 1)
        found = replicate_all({f"D7 {n}": partial(_d7, n)}, count, seed=seed, jobs=jobs, chunk=25)[f"D7 {n}"]
        ends = _pairs(found)
        for name, target in (("one learner", "T3"), ("difference, Bayle", "gap"), ("difference, corrected t", "gap")):
            results += coverage_results(
                f"n={n}", {name: ends[name]}, {"T3": found[target]}, D7_EXPECTED[n], runs=500, source=SURVEY
            )
    return results


@dataclass(frozen=True)
class SoftThreshold(Untuned):
    """Least squares without intercept, shrunk to 0 by (sqrt(rows) + more) / rows."""

    more: float = 0.0

    def fit(self, X: FloatArray, y: FloatArray) -> Linear:
        slopes = np.linalg.solve(np.swapaxes(X, -1, -2) @ X, np.swapaxes(y[..., None, :] @ X, -1, -2))[..., 0]
        rows = X.shape[-2]
        kept = np.maximum(np.abs(slopes) - (np.sqrt(rows) + self.more) / rows, 0)
        return Linear(np.zeros(slopes.shape[:-1]), np.sign(slopes) * kept)


def _d7(rows: int, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    problem, folds = find_problem("twins"), balanced_folds(rows, 10)
    X, y = problem.draw(rows, rng, times=times)
    one, risks = cross_validate(problem, SoftThreshold(0.0), X, y, folds, rng)
    two, others = cross_validate(problem, SoftThreshold(1.0), X, y, folds, rng)
    difference = one - two
    ends = {
        "one learner": _cv_clt(one, folds, 0.95),
        "difference, Bayle": _cv_clt(difference, folds, 0.95),
        "difference, corrected t": _corrected_t(fold_means(difference, folds), 1 / 9, 0.95),
    }
    return {"T3": risks.mean(-1), "gap": (risks - others).mean(-1)} | _flat(ends)


D8_EXPECTED = {
    "Bayle": (0.88, 0.8367),
    "fold t": (0.9167, 0.8767),
    "corrected t": (0.96, 0.95),
    "25 subsamples": (0.9167, 0.8933),
    "Bates, 5 folds": (0.97, 0.95),
}


def d8(*, replications: int, seed: int, jobs: int | None) -> list[Result]:
    """Tuned ridge, n = 100, 50 columns, 12 penalties, 5 inner folds, level 95%: T4 at n, and T1."""
    cheap = replicate_all({"D8": _d8_cheap}, replications, seed=seed, jobs=jobs, chunk=25)["D8"]
    few = max(replications // 10, 1)
    costly = replicate_all({"D8 dear": _d8_costly}, few, seed=seed, jobs=jobs, chunk=10)["D8 dear"]
    results = []
    for found in (cheap, costly):
        truths = {"T4": cheap["T1"].mean(), "T1": found["T1"]}
        results += coverage_results("tuned ridge", _pairs(found), truths, D8_EXPECTED, runs=300, source=SURVEY)
    known: dict[str, Any] = {"expected_error": 0.012, "source": SURVEY}
    results.append(mean_result("tuned ridge", "mean T1", cheap["T1"], 1.452, **known))
    results.append(mean_result("tuned ridge", "mean outer CV", cheap["value"], 1.474, **known))
    return results


def _d8_cheap(times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    problem, learner, level = find_problem("ridge"), TunedRidge(), 0.95
    draws = cv_draws(problem, learner, rows=100, folds=10, times=times, rng=rng)
    means = fold_means(draws.losses, draws.folds)
    ends = {
        "Bayle": _cv_clt(draws.losses, draws.folds, level),
        "fold t": _corrected_t(means, 0.0, level),
        "corrected t": _corrected_t(means, draws.ratio, level),
    }
    return {"T1": draws.full_risks, "value": means.mean(-1)} | _flat(ends)


def _d8_costly(times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    problem, learner, level = find_problem("ridge"), TunedRidge(), 0.95
    X, y = problem.draw(100, rng, times=times)
    data = (problem, learner, X, y)
    means = subsample_means(*data, splits=25, test_rows=10, rng=rng)
    ends = {
        "25 subsamples": _corrected_t(means, 1 / 9, level),
        "Bates, 5 folds": _bates(data, 5, 10, level, rng),
    }
    return {"T1": problem.risk(learner.fit(X, y), rng)} | _flat(ends)


def _bates(data: Data, folds: int, runs: int, level: float, rng: np.random.Generator) -> Ends:
    labels = random_folds(data[3].shape[-1], folds, runs, rng)
    found = bates(out_of_fold(*data, labels), leave_two_out(*data, labels), labels, level=level)
    shift = _debiased(found) - found.value
    return found.low + shift, found.high + shift


def _debiased(found: Numbers) -> FloatArray:
    """The bias correction as in the paper, also where it is unstable."""
    many, one = found.details["err_ncv"], found.details["err_cv"]
    return np.asarray(many - (2 - 2 / found.details["folds"]) * (many - one))


def _corrected_t(scores: FloatArray, ratio: float, level: float) -> Ends:
    return _ends(corrected_t(scores, test_train_ratio=ratio, level=level))


def _cv_clt(losses: FloatArray, folds: IntArray, level: float, variance: str = "all-pairs") -> Ends:
    return _ends(cv_clt(losses, folds, variance=variance, level=level))


def _arcsine(error: FloatArray, rows: int, level: float, *, inflation: FloatArray | float = 1.0) -> Ends:
    """The interval of a share on the arcsine scale, where its variance is 1 / 4n whatever the share."""
    middle, reach = np.arcsin(np.sqrt(error)), normal_quantile(level) * inflation / np.sqrt(4 * rows)
    low, high = (np.sin(np.clip(angle, 0.0, np.pi / 2)) ** 2 for angle in (middle - reach, middle + reach))
    return low, high


def _ends(found: Any) -> Ends:
    return found.low, found.high


def _misses(case: str, words: str, found: Found, name: str, expected: Sequence[float], runs: int) -> list[Result]:
    """The shares of replications in which the estimate was too high and too low, for T1."""
    low, high = _pairs(found)[name]
    shares = float(np.mean(found["T1"] < low)), float(np.mean(found["T1"] > high))
    count = len(low)
    return [
        Result(
            case,
            f"{words}, {side}",
            share,
            float(np.sqrt(max(share, 1 / count) * (1 - share) / count)),
            wanted,
            float(np.sqrt(wanted * (1 - wanted) / runs)),
            SURVEY,
        )
        for side, share, wanted in zip(("too high", "too low"), shares, expected, strict=True)
    ]


def _flat(ends: Mapping[str, Ends]) -> dict[str, FloatArray]:
    return {f"{name}|{side}": end for name, pair in ends.items() for side, end in zip("lh", pair, strict=True)}


def _pairs(found: Found) -> dict[str, tuple[FloatArray, FloatArray]]:
    names = [key[:-2] for key in found if key.endswith("|l")]
    return {name: (found[f"{name}|l"], found[f"{name}|h"]) for name in names}
