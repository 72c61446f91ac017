"""One pass of drawing, splitting and fitting for many replications: held-out losses beside the true risks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadSplits
from foldwise.lab.learners import balanced_folds
from foldwise.lab.problems import Problem


@dataclass(frozen=True, eq=False)
class CvDraws:
    """Out-of-fold losses[replication, row], the true risks[replication, fold] of their models, and of the full fit.

    With repeats, `losses` are those of the first run, `scores[replication, split]` the fold means of all runs, and
    `row_means` each row's mean loss over the runs.
    """

    losses: FloatArray
    scores: FloatArray
    row_means: FloatArray
    folds: IntArray
    fold_risks: FloatArray
    full_risks: FloatArray
    X: FloatArray
    y: FloatArray
    problem: Problem
    learner: Any
    rng: np.random.Generator  # for what an interval still has to draw

    @property
    def ratio(self) -> float:
        """Test rows / training rows of a fold."""
        return 1 / (int(self.folds.max()))

    @property
    def units(self) -> FloatArray:
        """What each independent unit adds to the mean loss beyond its share: term[replication, row or group]."""
        terms = (self.row_means - self.row_means.mean(-1, keepdims=True)) / self.row_means.shape[-1]
        groups = self.problem.groups(terms.shape[-1])
        return terms if groups is None else np.add.reduceat(terms, np.unique(groups, return_index=True)[1], axis=-1)


@dataclass(frozen=True, eq=False)
class HoldoutDraws:
    """Test losses[replication, row] of one model per replication, and its true risk."""

    losses: FloatArray
    risks: FloatArray
    problem: Problem


def cv_draws(
    problem: Problem,
    learner: Any,
    *,
    rows: int,
    folds: int | tuple[int, int],
    times: int,
    rng: np.random.Generator,
    ignored: Literal["classes", "groups"] | None = None,
) -> CvDraws:
    """K-fold cross-validation of fresh data sets, stratified and with whole groups in a fold unless that is ignored.

    `folds` is K, or K and how often it is repeated.
    """
    folds, repeats = folds if isinstance(folds, tuple) else (folds, 1)
    X, y = drawn(problem, rows, times, rng, stratify=ignored != "classes")
    labels = fold_labels(problem, rows, folds, by_rows=ignored == "groups")
    runs = repeated(problem, [learner], (X, y), labels, rng, repeats=repeats, is_stratified=ignored != "classes")
    full = problem.risk(learner.fit(X, y), rng)
    return CvDraws(
        losses=runs.losses[0, 0],
        scores=runs.scores[0],
        row_means=runs.losses[0].mean(0),
        folds=labels,
        fold_risks=runs.risks[0],
        full_risks=full,
        X=X,
        y=y,
        problem=problem,
        learner=learner,
        rng=rng,
    )


@dataclass(frozen=True, eq=False)
class Runs:
    """losses[learner, run, replication, row], and scores and true risks[learner, replication, split]."""

    losses: FloatArray
    scores: FloatArray
    risks: FloatArray


def repeated(
    problem: Problem,
    learners: Sequence[Any],
    data: tuple[FloatArray, FloatArray],
    labels: IntArray,
    rng: np.random.Generator,
    *,
    repeats: int,
    is_stratified: bool = True,
) -> Runs:
    """Cross-validation of some learners on the same folds, run again on rows in another order."""
    X, y = data
    losses = np.empty((len(learners), repeats, *y.shape))
    scores, risks = [], []
    for run in range(repeats):
        order = np.broadcast_to(np.arange(y.shape[-1]), y.shape)
        if run:
            order = _other_order(
                problem, y if is_stratified and problem.task != "regression" else np.zeros_like(y), rng
            )
        rows, targets = np.take_along_axis(X, order[..., None], axis=-2), np.take_along_axis(y, order, axis=-1)
        found = [cross_validate(problem, learner, rows, targets, labels, rng) for learner in learners]
        for at, (out, _) in enumerate(found):
            np.put_along_axis(losses[at, run], order, out, axis=-1)
        scores.append([fold_means(out, labels) for out, _ in found])
        risks.append([risk for _, risk in found])
    return Runs(losses, np.concatenate(scores, axis=-1), np.concatenate(risks, axis=-1))


def _other_order(problem: Problem, strata: FloatArray, rng: np.random.Generator) -> IntArray:
    """Rows in a random order within their stratum, whole groups one after the other."""
    groups = problem.groups(strata.shape[-1])
    if groups is None:
        return np.argsort(strata + rng.random(strata.shape), axis=-1)
    sizes = np.bincount(groups)
    if np.ptp(sizes):
        raise BadSplits("groups of unequal size cannot be repeated in another order", "Use a multiple of their size")
    keys = rng.random((*strata.shape[:-1], len(sizes)))[..., groups]
    return np.argsort(keys, axis=-1, kind="stable")


def cross_validate(
    problem: Problem, learner: Any, X: FloatArray, y: FloatArray, labels: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Out-of-fold losses[replication, row] and the true risks[replication, fold] of the models that made them."""
    losses, risks = np.empty_like(y), np.empty((len(y), int(labels.max()) + 1))
    for k, model in enumerate(models_without(learner, X, y, labels, [(k,) for k in range(risks.shape[-1])])):
        test = labels == k
        losses[:, test] = problem.losses(y[:, test], model.predict(X[:, test]))
        risks[:, k] = problem.risk(model, rng)
    return losses, risks


def models_without(learner: Any, X: FloatArray, y: FloatArray, labels: IntArray, left_out: Sequence[Any]) -> Any:
    """The models fitted without each set of folds: by the learner's own short cut if it has one."""
    if hasattr(learner, "fit_without"):
        return learner.fit_without(X, y, labels, left_out)
    kept = (~np.isin(labels, out) for out in left_out)
    return (learner.fit(X[:, rows], y[:, rows]) for rows in kept)


def fold_means(losses: FloatArray, folds: IntArray) -> FloatArray:
    """mean[replication, fold] of losses[replication, row]."""
    counts = np.bincount(folds)
    member = (folds[:, None] == np.arange(len(counts))) / counts
    return np.asarray(losses @ member)


def holdout_draws(
    problem: Problem, learner: Any, *, rows: int, test_rows: int, times: int, rng: np.random.Generator
) -> HoldoutDraws:
    """A model fitted on fresh rows and judged on others."""
    model = learner.fit(*problem.draw(rows, rng, times=times))
    X, y = problem.draw(test_rows, rng, times=times)
    return HoldoutDraws(problem.losses(y, model.predict(X)), problem.risk(model, rng), problem)


def drawn(
    problem: Problem, rows: int, times: int, rng: np.random.Generator, *, stratify: bool = True
) -> tuple[FloatArray, FloatArray]:
    """Replications of a problem; classes are put in order, so that every K-th row makes a stratified fold."""
    X, y = problem.draw(rows, rng, times=times)
    if problem.task == "regression" or not stratify:
        return X, y
    order = np.argsort(y, axis=-1, kind="stable")
    return np.take_along_axis(X, order[..., None], axis=-2), np.take_along_axis(y, order, axis=-1)


def fold_labels(problem: Problem, rows: int, folds: int, *, by_rows: bool = False) -> IntArray:
    """fold[row]: every K-th row, or every K-th group; groups are consecutive, so `by_rows` splits them across folds."""
    groups = None if by_rows else problem.groups(rows)
    if folds < 2 or folds > (rows if groups is None else groups[-1] + 1):
        what = f"{rows} rows" if groups is None else f"{groups[-1] + 1} groups"
        raise BadSplits(f"cannot make {folds} folds of {what}", "Use fewer folds, but at least 2")
    return balanced_folds(rows, folds) if groups is None else np.asarray(groups % folds, np.int64)


def random_folds(rows: int, folds: int, runs: int, rng: np.random.Generator) -> IntArray:
    """fold[run, row] of random balanced partitions."""
    return rng.permuted(np.broadcast_to(balanced_folds(rows, folds), (runs, rows)), axis=-1)


def out_of_fold(problem: Problem, learner: Any, X: FloatArray, y: FloatArray, labels: IntArray) -> FloatArray:
    """losses[replication, run, row] of cross-validation under labels[run, row]."""
    losses = np.empty((len(y), *labels.shape))
    for run, partition in enumerate(labels):
        folds = range(int(partition.max()) + 1)
        for k, model in zip(folds, models_without(learner, X, y, partition, [(k,) for k in folds]), strict=True):
            test = partition == k
            losses[:, run, test] = problem.losses(y[:, test], model.predict(X[:, test]))
    return losses


def leave_two_out(problem: Problem, learner: Any, X: FloatArray, y: FloatArray, labels: IntArray) -> FloatArray:
    """losses[replication, run, k, row] of models trained without fold k and the row's own fold; NaN on fold k.

    A pair of folds is left out once and serves both ways round.
    """
    width = int(labels.max()) + 1
    losses = np.full((len(y), len(labels), width, y.shape[-1]), np.nan)
    for run, partition in enumerate(labels):
        pairs = list(combinations(range(width), 2))
        for (i, j), model in zip(pairs, models_without(learner, X, y, partition, pairs), strict=True):
            for out, own in ((i, partition == j), (j, partition == i)):
                losses[:, run, out, own] = problem.losses(y[:, own], model.predict(X[:, own]))
    return losses
