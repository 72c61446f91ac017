"""What choosing the smallest error costs: the minimum, its corrections and nested cross-validation, beside the truth.

D5 (no models), D6 (shrunken centroids on noise), D9 (a pick among twelve rules), and two real data sets with rows
held back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from designs.batched import (
    balanced_classes,
    balanced_folds,
    centroid,
    fold_means,
    mean_error,
    on_columns,
    out_of_fold,
    replicate,
    splits_of,
    squared,
    zero_one,
)
from designs.results import Result, covered, mean_result
from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadData, nearest
from foldwise.lab.decomposition import Predict, ridge

SURVEY = "survey"
BOOTSTRAPS = 300
FEW = 10  # replications of a real set that share their 60 random rules

# the estimators of the risk of "choose by cross-validation, then fit again"
ESTIMATES = ("minimum", "tibshirani", "bbc", "nested")


def corrected_minima(losses: FloatArray, folds: IntArray, rng: np.random.Generator) -> dict[str, FloatArray]:
    """The smallest error of losses[replication, row, candidate], and its two corrections that need no further fit."""
    from foldwise.stats.intervals import bbc

    scores = np.stack([fold_means(losses[..., c], folds) for c in range(losses.shape[-1])], axis=-1)
    means = scores.mean(-2)
    choice = means.argmin(-1)
    smallest = means.min(-1)
    chosen = np.take_along_axis(scores, choice[:, None, None], axis=-1)[..., 0]
    bias = (chosen - scores.min(-1)).mean(-1)
    seeds = rng.integers(0, 2**31, len(losses))
    found = [bbc(one, BOOTSTRAPS, int(seed), 0.95) for one, seed in zip(losses, seeds, strict=True)]
    return {
        "minimum": smallest,
        "tibshirani": smallest + bias,
        "bbc": np.array([one.value for one in found]),
        "bbc low": np.array([one.low for one in found]),
        "bbc high": np.array([one.high for one in found]),
        "choice": choice,
    }


D5_EXPECTED: Mapping[tuple[int, int], tuple[float, float, float, float]] = {
    (20, 50): (0.131046, 0.0480461, -0.0268924, -0.0129539),
    (20, 500): (0.167537, 0.151871, -0.0341563, 0.0062039),
    (60, 500): (0.0651454, -0.00029904, -0.0234405, -0.00618793),
    (100, 50): (0.035536, -0.0669307, -0.0105706, -0.00159732),
    (500, 500): (0.00958951, -0.0247972, -0.00356531, -0.000743824),
}


def d5(*, replications: int, seed: int, sizes: Sequence[tuple[int, int]] = tuple(D5_EXPECTED)) -> list[Result]:
    """Candidates of true accuracy ~ Beta(9, 6), independent hits: how optimistic is each estimate of the best?"""
    results = []
    for n, c in sizes:
        one = replicate(partial(_d5, n, c), replications, key=f"D5 {n} {c}", seed=seed)
        for name, expected in zip(ESTIMATES, D5_EXPECTED[n, c], strict=True):
            # how far the estimate lies below the true error of the pick; 150 runs stand behind the survey's number
            optimism = one["truth"] - one[name]
            known: dict[str, Any] = {"expected_error": optimism.std() / np.sqrt(150), "source": SURVEY}
            results.append(mean_result(f"n={n}, {c} candidates", f"{name}, optimism", optimism, expected, **known))
        held = covered(one["bbc low"], one["bbc high"], one["truth"])
        results.append(Result(f"n={n}, {c} candidates", "bbc, coverage", held["coverage"], held["error"]))
    return results


def _d5(rows: int, candidates: int, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    risks = 1 - rng.beta(9, 6, (times, candidates))
    losses = np.asarray(rng.random((times, rows, candidates)) < risks[:, None, :], np.float64)
    folds = balanced_folds(rows, 10)
    found = corrected_minima(losses, folds, rng)
    nested = np.empty((times, 10))
    for k, (train, test) in enumerate(splits_of(folds)):
        nested[:, k] = _chosen(losses[:, test].mean(-2), losses[:, train].mean(-2).argmin(-1))
    return found | {"nested": nested.mean(-1), "truth": _chosen(risks, found["choice"])}


def _chosen(risks: FloatArray, choice: AnyArray) -> FloatArray:
    return np.take_along_axis(risks, choice[:, None], axis=-1)[:, 0]


def d6(*, replications: int, seed: int) -> list[Result]:
    """Nearest shrunken centroids over 30 thresholds on 1000 columns of noise, 40 rows: the truth is one half."""
    found = replicate(_d6, replications, key="D6", seed=seed)
    expected = {"minimum": (0.384, 0.009), "tibshirani": (0.511, 0.011), "nested": (0.508, 0.009)}
    return [
        mean_result("null", name, found[name], value, expected_error=error, source=SURVEY)
        for name, (value, error) in expected.items()
    ]


def _d6(times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    X, y = balanced_classes(40, (), 1000, times, rng)
    minima = [_shrunken_minima(rows, target) for rows, target in zip(X, y, strict=True)]
    return {name: np.array([one[name] for one in minima]) for name in minima[0]}


def _shrunken_minima(X: FloatArray, y: FloatArray) -> dict[str, float]:
    scores = shrunken_scores(X, y, balanced_folds(len(y), 10))
    means = scores.mean(0)
    pick = int(means.argmin())
    nested = []
    for train, test in splits_of(balanced_folds(len(y), 10)):
        inner = shrunken_scores(X[train], y[train], balanced_folds(len(train), 5)).mean(0)
        wrong = _shrunken_errors(X[train], y[train], X[test], y[test], _thresholds(X[train], y[train]))
        nested.append(wrong[int(inner.argmin())])
    bias = float((scores[:, pick] - scores.min(1)).mean())
    return {"minimum": float(means[pick]), "tibshirani": float(means[pick]) + bias, "nested": float(np.mean(nested))}


def shrunken_scores(X: FloatArray, y: FloatArray, folds: IntArray) -> FloatArray:
    """error[fold, threshold] of nearest shrunken centroids; the thresholds are those of all the rows."""
    cuts = _thresholds(X, y)
    return np.stack([_shrunken_errors(X[train], y[train], X[test], y[test], cuts) for train, test in splits_of(folds)])


def _thresholds(X: FloatArray, y: FloatArray, count: int = 30) -> FloatArray:
    return np.linspace(0, float(np.abs(_contrasts(X, y)[0]).max()), count)


def _contrasts(X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Standardised distances of the class means from the mean of all rows, and what they are measured in."""
    centre, counts = X.mean(0), np.array([(y == c).sum() for c in (0, 1)])
    means = np.stack([X[y == c].mean(0) for c in (0, 1)])
    within = sum(((X[y == c] - means[c]) ** 2).sum(0) for c in (0, 1))
    sd = np.sqrt(within / (len(y) - 2))
    scale = sd + np.median(sd)
    weight = np.sqrt(1 / counts - 1 / len(y))[:, None]
    return (means - centre) / (weight * scale), centre, scale, weight


def _shrunken_errors(X: FloatArray, y: FloatArray, new: FloatArray, target: FloatArray, cuts: FloatArray) -> FloatArray:
    contrasts, centre, scale, weight = _contrasts(X, y)
    kept = np.sign(contrasts) * np.maximum(np.abs(contrasts) - cuts[:, None, None], 0)  # [threshold, class, column]
    shrunken = weight * kept
    rows = (new - centre) / scale
    shares = np.array([(y == c).mean() for c in (0, 1)])
    far = (shrunken**2).sum(-1)[..., None] - 2 * shrunken @ rows.T - 2 * np.log(shares)[:, None]
    return np.asarray(((far[:, 1] < far[:, 0]) != (target == 1)).mean(-1))


def d9(*, replications: int, seed: int) -> list[Result]:
    """A pick among twelve centroid rules on random columns, 5 x 5 nested: minimum, BBC and the pick inside folds."""
    expected = {0.0: (0.386, 0.473, 0.496, 0.5), 0.6: (0.306, 0.383, 0.396, 0.388)}
    results = []
    for shift, values in expected.items():
        # the twelve rules are drawn anew for each chunk, and matter where there is a signal
        one = replicate(partial(_d9, shift), replications, key=f"D9 {shift}", seed=seed, chunk=2)
        for name, value in zip(("minimum", "bbc", "nested", "truth"), values, strict=True):
            words = {"nested": "auto", "truth": "true risk of the pick"}.get(name, name)
            case = "null" if shift == 0 else "signal"
            results.append(mean_result(case, words, one[name], value, expected_error=0.005, source=SURVEY))
    return results


def _d9(shift: float, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    X, y = balanced_classes(60, (shift,) * 5, 60, times, rng)
    rules = [on_columns(centroid, tuple(rng.choice(60, 15, replace=False))) for _ in range(12)]
    found = evaluate_pick(rules, X, y, zero_one, outer=5, inner=5, rng=rng)
    fresh, truth = balanced_classes(4000, (shift,) * 5, 60, 1, rng)
    risks = np.stack([zero_one(truth, rule(X, y, fresh)).mean(-1) for rule in rules], axis=-1)
    return found | {"truth": _chosen(risks, found["choice"])}


def evaluate_pick(
    rules: Sequence[Predict],
    X: FloatArray,
    y: FloatArray,
    loss: Any,
    *,
    outer: int,
    inner: int,
    rng: np.random.Generator,
) -> dict[str, FloatArray]:
    """The estimates of the risk of "choose a rule by cross-validation, then fit it again", from one set of folds."""
    folds = balanced_folds(y.shape[-1], outer)
    losses = np.stack([out_of_fold(rule, X, y, folds, loss) for rule in rules], axis=-1)
    nested = np.empty((len(y), outer))
    for k, (train, test) in enumerate(splits_of(folds)):
        labels = balanced_folds(len(train), inner)
        scores = [
            fold_means(out_of_fold(rule, X[:, train], y[:, train], labels, loss), labels).mean(-1) for rule in rules
        ]
        nested[:, k] = _chosen(losses[:, test].mean(-2), np.argmin(scores, axis=0))
    return corrected_minima(losses, folds, rng) | {"nested": nested.mean(-1)}


@dataclass(frozen=True)
class RealSet:
    """A real data set: 40 rows are drawn to learn from, all others are held back and play the truth."""

    predict: Predict
    loss: Any
    width: int  # columns of each of 60 rules


REAL_SETS: Mapping[str, RealSet] = {
    "breast_cancer": RealSet(centroid, zero_one, 2),
    "diabetes": RealSet(partial(ridge, value=1.0), squared, 4),
}
REAL_ROWS = 40


def selection_bias(name: str = "noise", *, replications: int = 200, seed: int = 0) -> Any:
    """A data frame: for each estimate its mean, its bias against the true risk of the pick, and the error of both.

    `name` is noise (twelve rules on pure noise), breast_cancer or diabetes (held-back rows are the truth).
    """
    import pandas as pd

    if name != "noise" and name not in REAL_SETS:
        raise BadData(f"no selection experiment has the name {name!r}", nearest(name, ["noise", *REAL_SETS]))
    work: Any = partial(_d9, 0.0) if name == "noise" else partial(_real, name)
    found = replicate(work, replications, key=name, seed=seed, chunk=FEW)
    lines = []
    for estimate in ESTIMATES:
        gap = found[estimate] - found["truth"]
        lines.append(
            {
                "data": name,
                "estimate": estimate,
                "mean": float(found[estimate].mean()),
                "truth": float(found["truth"].mean()),
                "bias": float(gap.mean()),
                "error": mean_error(gap),
                "replications": len(gap),
            }
        )
    return pd.DataFrame(lines)


def _real(name: str, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    real, (every, target) = REAL_SETS[name], _load(name)
    orders = np.stack([rng.permutation(len(target)) for _ in range(times)])
    if name == "breast_cancer":  # the rows learnt from come by class, so that folds are stratified
        head = orders[:, :REAL_ROWS]
        orders[:, :REAL_ROWS] = np.take_along_axis(head, np.argsort(target[head], axis=-1, kind="stable"), axis=-1)
    learnt, held = orders[:, :REAL_ROWS], orders[:, REAL_ROWS:]
    X, y = every[learnt], target[learnt]
    rules = [on_columns(real.predict, tuple(rng.choice(every.shape[-1], real.width, replace=False))) for _ in range(60)]
    found = evaluate_pick(rules, X, y, real.loss, outer=10, inner=5, rng=rng)
    risks = [real.loss(target[held], rule(X, y, every[held])).mean(-1) for rule in rules]
    return found | {"truth": _chosen(np.stack(risks, axis=-1), found["choice"])}


def _load(name: str) -> tuple[FloatArray, FloatArray]:
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    # scaled once by constants of the whole table: it favours no candidate, and keeps centroids comparable
    X = (X - X.mean(0)) / X.std(0)
    return X, np.asarray((y - y.mean()) / y.std() if name == "diabetes" else y, np.float64)
