"""Paired losses of several predictors whose true risks are known, made without a fit: a test set, or forecasts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.losses.loss import Loss
from foldwise.stats.evidence import Evidence

SHARED = 0.6  # of the variance, which all predictors have in common
GROUP = 5  # rows of a group
POSITIVE = 0.3  # share of the positive class
BURN = 100  # times before a series starts
KINDS = ("squared", "groups", "zero_one", "brier", "roc_auc", "forecasts")
BOUNDS = {"zero_one": (0.0, 1.0), "brier": (0.0, 1.0)}


@dataclass(frozen=True)
class PairedLosses:
    """Some predictors judged on the same rows, or forecasters at the same times.

    The risk of each is drawn anew for every replication: log-normally about the same value, with the standard deviation
    `spread`. Forecast errors are autoregressions with the coefficient `together`.
    """

    kind: str
    methods: int
    rows: int
    spread: float
    together: float = 0.0

    def __str__(self) -> str:
        what = f"{self.kind}, autoregression {self.together:g}" if self.kind == "forecasts" else self.kind
        return f"{what}, spread {self.spread:g}, {self.methods} methods, {self.rows} rows"

    def draw(self, rng: np.random.Generator) -> tuple[list[Evidence], FloatArray]:
        """The evidence for each predictor, and the true risks."""
        scales = np.exp(self.spread * rng.standard_normal(self.methods))
        if self.kind == "roc_auc":
            return self._ranked(rng, scales)
        if self.kind in BOUNDS:
            risks = np.clip((0.2 if self.kind == "zero_one" else 0.1) * scales, 0.01, 0.8)
            noise = self._noise(rng)
            losses = noise < _normal(risks) if self.kind == "zero_one" else _beta(noise, risks)
        else:
            risks = scales
            losses = scales[:, None] * np.square(self._noise(rng))
        return [self._evidence(one) for one in losses.astype(np.float64)], risks

    def baseline(self, risks: FloatArray) -> float:
        """A risk that a featureless answer could have, for the margin."""
        return {"zero_one": 0.5, "brier": 0.25, "roc_auc": 0.5}.get(self.kind, 2.0 * float(risks.mean()))

    def _noise(self, rng: np.random.Generator) -> FloatArray:
        """Standard normal noise[method, row], a part of it shared; by group, or in the order of time."""
        if self.kind == "forecasts":
            shape = (self.methods + 1, self.rows + BURN)
            each = _autoregressive(rng.standard_normal(shape), self.together)
        else:
            each = rng.standard_normal((self.methods + 1, self.rows))
        if self.kind == "groups":
            ours = rng.standard_normal((self.methods + 1, self.rows // GROUP)).repeat(GROUP, axis=-1)
            each = (each + ours) / math.sqrt(2)
        return np.asarray(math.sqrt(SHARED) * each[:1] + math.sqrt(1 - SHARED) * each[1:])

    def _ranked(self, rng: np.random.Generator, scales: FloatArray) -> tuple[list[Evidence], FloatArray]:
        """Scores whose AUC is known: normal in both classes, of the same variance."""
        from scipy import special

        risks = np.clip(0.15 * scales, 0.005, 0.6)
        is_positive = (np.arange(self.rows) < round(POSITIVE * self.rows)).astype(np.int64)
        scores = self._noise(rng) - math.sqrt(2) * special.ndtri(risks)[:, None] * is_positive
        ranks = scores.argsort(-1).argsort(-1) + 1.0
        ones = int(is_positive.sum())
        above = (ranks @ is_positive - ones * (ones + 1) / 2) / (ones * (self.rows - ones))
        found = [
            self._evidence(np.array([1 - area]), truth=is_positive, scores=(one,))
            for area, one in zip(above, scores, strict=True)
        ]
        return found, risks

    def _evidence(
        self, losses: FloatArray, *, truth: AnyArray | None = None, scores: tuple[FloatArray, ...] | None = None
    ) -> Evidence:
        is_timed, is_ranked = self.kind == "forecasts", scores is not None
        rows = np.arange(self.rows)
        return Evidence(
            fold_losses=np.array([losses.mean()]),
            row_losses=None if is_ranked else (losses,),
            test_rows=(rows,),
            train_counts=(4 * self.rows,),
            kind="time_holdout" if is_timed else "holdout",
            is_partition=False,
            repeats=1,
            folds=1,
            loss=Loss(
                "squared" if is_timed or self.kind == "groups" else self.kind, np.subtract, bounds=BOUNDS.get(self.kind)
            ),
            rows=self.rows,
            groups=rows // GROUP if self.kind == "groups" else None,
            truth=truth,
            scores=scores,
        )


def usual_pairs() -> list[PairedLosses]:
    """The mix that decisions on one test set and in the order of time are judged over."""
    spreads, methods = (0.0, 0.05, 0.2, 0.5), (2, 4, 8)
    return [
        PairedLosses(kind, count, rows, spread, together)
        for kind in KINDS
        for number, count in enumerate(methods)
        for at, spread in enumerate(spreads)
        for rows in [(100, 300, 1000)[(at + number) % 3]]
        for together in ((0.0, 0.5, 0.8) if kind == "forecasts" else (0.0,))
    ]


def _autoregressive(noise: FloatArray, coefficient: float) -> FloatArray:
    """Standard normal series x[t] = coefficient x[t - 1] + noise[t], after their start."""
    found = noise * math.sqrt(1 - coefficient**2)
    for at in range(1, noise.shape[-1]):
        found[:, at] += coefficient * found[:, at - 1]
    return found[:, BURN:]


def _normal(shares: FloatArray) -> FloatArray:
    from scipy import special

    return np.asarray(special.ndtri(shares))[:, None]


def _beta(noise: FloatArray, means: FloatArray) -> FloatArray:
    """Losses between 0 and 1 of these means, most of them near 0."""
    from scipy import special

    return np.asarray(special.betaincinv(2 * means[:, None], 2 * (1 - means[:, None]), special.ndtr(noise)))
