"""Naive Bayes: the training parts are counted together, then smoothed by every candidate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers import discriminant, smoothing
from foldwise.solvers.batches import Group, by_rows, by_settings
from foldwise.solvers.class_scores import EPSILON, ClassPass, Scores, rounding
from foldwise.solvers.class_sums import ClassSums, class_means
from foldwise.solvers.fronts import is_kind, settings_without
from foldwise.solvers.pipeline import Scaling, numbers, scaled
from foldwise.solvers.solver import Answer, Job

WHOLE = 2.0**53  # sums of whole numbers below this have no rounding
LOST = 1e-3  # a column of a class that keeps less of its sum of squares than this is summed anew
LEAST = 1e-10  # of smaller amounts added to counts scikit-learn warns


class BayesSolver:
    """Answers a kind of naive Bayes for dense tables of numbers, all training parts of a method in one pass."""

    unit: Literal["method", "train"] = "method"
    is_exact = True

    def __init__(self, kind: str, free: str, make: type[_BayesPass]) -> None:
        self.name = f"{kind.removesuffix('NB').lower()} naive Bayes"
        self.kind, self.free, self._make = kind, free, make

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        if known is None or data.task == "regression" or not is_kind(known[1], self.kind):
            return False
        X, value = numbers(data), getattr(known[1], self.free)
        is_number = isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))
        return X is not None and is_number and self._make.knows(known[1], known[0], X)

    def shares(self, estimator: Any) -> Hashable:
        known = scaled(estimator)
        assert known is not None
        return known[0], settings_without(known[1], self.free)

    def pays(self, jobs: Sequence[Job], data: Dataset) -> bool:
        """One pass over the rows left out, and the scores, against a fit per job; in multiplications."""
        columns = data.columns
        asked = sum(job.rows.size for job in jobs) * columns * len(data.classes)
        plain = sum(3e6 + 4.0 * job.train.size * columns for job in jobs) + asked
        groups = by_rows(jobs, range(len(jobs)))
        sums = sum(min(abs(data.rows - group.train.size), group.train.size) * columns + 5e4 for group in groups)
        return 6e6 + 8 * data.rows * columns + 4 * sums + 4 * asked < plain

    def solve(self, jobs: Sequence[Job], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(jobs)
        for estimator, places in by_settings(self, jobs):
            for at, answer in self._make(estimator, self.free, jobs, data).solve(places):
                answers[at] = answer
        return answers


class _BayesPass(ClassPass):
    """All jobs of one kind of naive Bayes."""

    def __init__(self, estimator: Any, free: str, jobs: Sequence[Job], data: Dataset) -> None:
        known, X = scaled(estimator), numbers(data)
        assert known is not None
        assert X is not None
        super().__init__(jobs, data, X.shape[1])
        self.X, self.free, (self.scaling, self.core) = X, free, known

    @staticmethod
    @abstractmethod
    def knows(core: Any, scaling: Scaling, X: FloatArray) -> bool:
        """Are all other settings known, and can such a table be learnt from?"""

    def setting(self, estimator: Any) -> float:
        known = scaled(estimator)
        assert known is not None
        return float(getattr(known[1], self.free))

    def size(self, rows: int) -> int:
        return (rows + 4) * self.width * (self.classes + 3)

    def asked(self, groups: Sequence[Group]) -> FloatArray:
        return self.X[np.stack([group.rows for group in groups])]


class _GaussianPass(_BayesPass):
    """Means and variances of every class from sums about the class means of all rows."""

    def __init__(self, estimator: Any, free: str, jobs: Sequence[Job], data: Dataset) -> None:
        super().__init__(estimator, free, jobs, data)
        self.middles = class_means(self.X, data.codes, self.classes, data.weights)
        self.about = self.X - self.middles[data.codes]
        self.centred = self.X - self.X.mean(axis=0)
        heavy = np.ones(data.rows) if data.weights is None else data.weights
        squares = self.about**2 * heavy[:, None]
        self.squares = np.stack([squares[data.codes == code].sum(axis=0) for code in range(self.classes)])

    @staticmethod
    def knows(core: Any, scaling: Scaling, X: FloatArray) -> bool:
        return core.priors is None and core.var_smoothing >= 0

    def scores(self, groups: Sequence[Group], settings: Sequence[float]) -> Iterator[Scores]:
        data, wide = self.data, self.width
        trains = [group.train for group in groups]
        sums = ClassSums(data.codes, self.classes, trains, weights=data.weights)
        both = sums.of(np.concatenate([self.about, self.about**2], axis=1))
        weight = sums.weight()[..., None] if data.weights is not None else sums.counts[..., None]
        moved = both[..., :wide] / weight
        means, spreads = self.middles + moved, both[..., wide:] / weight - moved**2
        summed = np.broadcast_to(self.squares / weight, spreads.shape).copy()
        for at, code in np.argwhere((spreads < LOST * summed).any(axis=2) & (sums.counts > 0)).tolist():
            means[at, code], spreads[at, code] = self._own(trains[at], code)
            summed[at, code] = spreads[at, code]
        scale, widest, lost = self._widths(trains)
        prior = np.log(weight[..., 0] / weight[..., 0].sum(axis=1, keepdims=True))
        prior = np.where(sums.counts > 0, prior, np.nan)  # a class without rows is not known to the model
        table = self.asked(groups)
        for value in settings:
            variances = np.maximum(spreads, 0.0) + value * (widest * scale**2)[:, None]
            blur = rounding(data.rows) * (1 + (summed + value * lost[:, None, None]) / variances)
            yield self._likelihoods(table, means, variances, blur, prior)

    def _own(self, train: IntArray, code: int) -> tuple[FloatArray, FloatArray]:
        """Means and variances of one class of a part, where too little is left of the sums of all rows."""
        rows = train[self.data.codes[train] == code]
        if self.data.weights is None:
            return self.X[rows].mean(axis=0), self.X[rows].var(axis=0)
        mean = np.average(self.X[rows], axis=0, weights=self.data.weights[rows])
        return mean, np.average((self.X[rows] - mean) ** 2, axis=0, weights=self.data.weights[rows])

    def _widths(self, trains: Sequence[IntArray]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of every part: what its scaler divides by, its widest variance (after that), and how wrong that may be."""
        wide, rows = self.width, self.data.rows
        sums = ClassSums(np.zeros(rows, np.int64), 1, trains)
        both = sums.of(np.concatenate([self.centred, self.centred**2], axis=1))[:, 0] / sums.counts
        variances = np.maximum(both[:, wide:] - both[:, :wide] ** 2, 0.0)
        total = (self.centred**2).sum(axis=0) / sums.counts
        lost = np.max(total, axis=1)
        if not self.scaling.spreads:
            return np.ones_like(variances), variances.max(axis=1, keepdims=True), lost
        is_flat = variances <= 1e-8 * total  # whether a scaler takes these to be constant hangs on the last digits
        scale = np.where(is_flat, np.where(np.ptp(self.X, axis=0) == 0, 1.0, np.nan), np.sqrt(variances))
        return scale, np.ones((len(trains), 1)), lost

    def _likelihoods(
        self, table: FloatArray, means: FloatArray, variances: FloatArray, blur: FloatArray, prior: FloatArray
    ) -> Scores:
        """Scores of every class, without what they have in common; the far from its mean a row, the more is rounded."""
        values = np.empty((*table.shape[:2], self.classes))
        wrong = np.empty_like(values)
        for code in range(self.classes):
            mean, variance, soft = means[:, None, code], variances[:, None, code], blur[:, None, code]
            away = table - mean
            parts = away**2 / variance
            offset = rounding(self.data.rows) * np.abs(mean) / variance
            logs = np.log(2.0 * np.pi * variances[:, code])
            values[..., code] = prior[:, code, None] - 0.5 * logs.sum(axis=1)[:, None] - 0.5 * parts.sum(axis=2)
            wrong[..., code] = ((parts + 1) * soft + np.abs(away) * offset).sum(axis=2)
            wrong[..., code] += EPSILON * np.abs(logs).sum(axis=1)[:, None]
        return Scores(values, wrong)


@dataclass(frozen=True, eq=False)
class Rule:
    """Scores of the classes as slopes and constants, and how far off the counts may have put them."""

    slopes: FloatArray  # parts x classes x columns
    constants: FloatArray  # parts x classes, beside the shares of the classes
    blur: FloatArray | float
    moved: FloatArray | float = 0.0


class _CountPass(_BayesPass):
    """Counts by class; those of whole numbers have no rounding, so that rows can be taken off."""

    has_prior = True

    def __init__(self, estimator: Any, free: str, jobs: Sequence[Job], data: Dataset) -> None:
        super().__init__(estimator, free, jobs, data)
        self.table = self.X
        threshold = getattr(self.core, "binarize", None)
        if threshold is not None:
            self.table = (threshold < self.X).astype(np.float64)
        is_whole = bool((self.table == np.rint(self.table)).all()) and bool(np.abs(self.table).sum() < WHOLE)
        self.is_whole = is_whole and data.weights is None

    @staticmethod
    def knows(core: Any, scaling: Scaling, X: FloatArray) -> bool:
        is_plain = scaling.is_plain and core.class_prior is None and type(core.fit_prior) is bool
        return is_plain and core.alpha >= LEAST and X.min(initial=0.0) >= 0

    def scores(self, groups: Sequence[Group], settings: Sequence[float]) -> Iterator[Scores]:
        data, trains = self.data, [group.train for group in groups]
        sums = ClassSums(data.codes, self.classes, trains, weights=data.weights, is_less=self.is_whole)
        counts = sums.of(self.table)
        weight = sums.counts if data.weights is None else sums.weight()
        prior = np.log(weight) - np.log(weight.sum(axis=1, keepdims=True))
        if not self.core.fit_prior:
            prior = np.full_like(weight, -np.log(self.classes))
        prior = np.where((sums.counts > 0) & (weight > 0), prior if self.has_prior else 0.0, np.nan)
        # shares of the classes are counted as scikit-learn counts them, so that equal ones stay equal
        blur = 0.0 if self.is_whole else rounding(data.rows) * (1 + np.abs(prior))
        table = self.table[np.stack([group.rows for group in groups])]
        for value in settings:
            rule = self.rule(counts, weight, value)
            values = table @ rule.slopes.transpose(0, 2, 1) + (prior + rule.constants)[:, None]
            soft = table @ (np.abs(rule.slopes) * rounding(self.width) + rule.blur).transpose(0, 2, 1)
            yield Scores(values, soft + (blur + rounding(self.width) * np.abs(rule.constants) + rule.moved)[:, None])

    def blur(self) -> float:
        """How far off, relative to their size, counts may be."""
        return 0.0 if self.is_whole else rounding(self.data.rows)

    @abstractmethod
    def rule(self, counts: FloatArray, weight: FloatArray, value: float) -> Rule:
        """What scikit-learn's formula makes of the counts with so much added to them."""


class _MultinomialPass(_CountPass):
    def rule(self, counts: FloatArray, weight: FloatArray, value: float) -> Rule:
        smooth = counts + value
        return Rule(np.log(smooth) - np.log(smooth.sum(axis=2)[..., None]), np.zeros_like(weight), 2 * self.blur())


class _ComplementPass(_CountPass):
    has_prior = False

    def rule(self, counts: FloatArray, weight: FloatArray, value: float) -> Rule:
        every = counts.sum(axis=1, keepdims=True)
        others = every + value - counts
        logs = np.log(others / others.sum(axis=2, keepdims=True))
        blur = self.blur() * (1 + (every + value) / others)
        if not self.core.norm:
            return Rule(-logs, np.zeros_like(weight), blur)
        summed = logs.sum(axis=2, keepdims=True)
        share = logs / summed
        return Rule(share, np.zeros_like(weight), (blur + share * blur.sum(axis=2, keepdims=True)) / np.abs(summed))


class _BernoulliPass(_CountPass):
    @staticmethod
    def knows(core: Any, scaling: Scaling, X: FloatArray) -> bool:
        is_cut = isinstance(core.binarize, Real) or (core.binarize is None and bool(((X == 0) | (X == 1)).all()))
        return is_cut and _CountPass.knows(core, scaling, np.abs(X))

    def rule(self, counts: FloatArray, weight: FloatArray, value: float) -> Rule:
        logs = np.log(counts + value) - np.log((weight + value * 2)[..., None])
        share = np.exp(logs)
        rest = np.log(1 - share)
        blur = 4 * self.blur() / (1 - share)  # a column that is nearly always there leaves few digits
        return Rule(logs - rest, rest.sum(axis=2), blur, blur.sum(axis=2))


SOLVERS = (
    BayesSolver("GaussianNB", "var_smoothing", _GaussianPass),
    BayesSolver("MultinomialNB", "alpha", _MultinomialPass),
    BayesSolver("ComplementNB", "alpha", _ComplementPass),
    BayesSolver("BernoulliNB", "alpha", _BernoulliPass),
    *discriminant.SOLVERS,
    *smoothing.SOLVERS,  # sparse tables, and steps other than scaling before
)
