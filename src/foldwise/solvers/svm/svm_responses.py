"""Predictions of support vector machines with the radial kernel: kernel values are worked out once for all penalties.

Libsvm works out the kernel between every new row and every support vector anew for each candidate. Here each number
is made by steps that are the same for one row as for many and for one candidate as for many, so that a prediction
does not depend on what else is asked for. Numbers differ from libsvm's by rounding alone; a class that hangs on
rounding is libsvm's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.solvers.family import grouped
from foldwise.solvers.svm.svm_kernels import Kernel

ROUNDING = 1e-10  # of the terms of a decision: below it the class hangs on rounding
BLOCK = 2_000_000  # kernel values at a time


def has_shared_values(model: Any, responses: Sequence[str]) -> bool:
    """Can `respond` answer for it? Where there are more than two classes, for the class alone."""
    if model.kernel != "rbf" or model._impl not in ("c_svc", "epsilon_svr") or not model.support_.size:
        return False
    several = len(getattr(model, "classes_", ())) > 2
    return not several or (tuple(responses) == ("predict",) and not model.break_ties)


def respond(
    models: Sequence[Any], kernels: Sequence[Kernel], table: FloatArray, X: Any, responses: Sequence[str]
) -> list[dict[str, AnyArray]]:
    """What each model answers for the rows of X; the table has the rows it was fitted to."""
    rows = np.ascontiguousarray(np.asarray(X), dtype=np.float64)
    answers: list[dict[str, AnyArray]] = [{}] * len(models)
    for same in grouped(range(len(models)), lambda at: kernels[at]):
        used = np.unique(np.concatenate([models[at].support_ for at in same]))
        blocks = _kernel_values(kernels[same[0]].gamma, table[used], rows)
        sums = [[_decisions(models[at], values, used) for at in same] for values in blocks]
        for at, parts in zip(same, zip(*sums, strict=True), strict=True):
            answers[at] = _responses(models[at], np.concatenate(parts, axis=1), X, responses)
    return answers


def _kernel_values(gamma: float, support: FloatArray, rows: FloatArray) -> Iterator[FloatArray]:
    """values[support vector, row], in blocks of at least two rows: NumPy adds up a single column in another order."""
    from scipy.spatial.distance import cdist

    twice = np.repeat(rows, 2, axis=0) if len(rows) == 1 else rows
    blocks = max(1, min(len(rows) // 2, -(-len(rows) * len(support) // BLOCK)))
    for part in np.array_split(twice, blocks):
        yield np.exp(-gamma * cdist(support, part, "sqeuclidean"))


def _decisions(model: Any, values: FloatArray, used: IntArray) -> FloatArray:
    """decisions[pair of classes, row], with the public sign: above zero for the second of two classes."""
    own = values[np.searchsorted(used, model.support_)]
    if len(model.dual_coef_) == 1:
        return np.asarray(_weighted_sum(model.dual_coef_[0], own)[None] + model.intercept_[0])
    ends = np.cumsum(model.n_support_)
    of_class = [slice(end - count, end) for end, count in zip(ends, model.n_support_, strict=True)]
    sums = [
        _weighted_sum(model.dual_coef_[two - 1, of_class[one]], own[of_class[one]])
        + _weighted_sum(model.dual_coef_[one, of_class[two]], own[of_class[two]])
        for one, two in combinations(range(len(ends)), 2)
    ]
    return np.asarray(-(np.array(sums) + model.intercept_[:, None]))


def _weighted_sum(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Summed support vector by support vector."""
    return np.asarray(np.add.reduce(weights[:, None] * values, axis=0))


def _responses(model: Any, decisions: FloatArray, X: Any, responses: Sequence[str]) -> dict[str, AnyArray]:
    decisions = decisions[:, : len(X)]
    if not hasattr(model, "classes_"):
        return {"predict": decisions[0]}
    made = {"decision_function": decisions[0], "predict": _classes(model, decisions)}
    size = np.abs(model.dual_coef_).sum() + np.abs(model.intercept_).max()
    doubtful = np.flatnonzero((np.abs(decisions) <= ROUNDING * size).any(axis=0))
    if doubtful.size:
        rows = X.iloc[doubtful] if hasattr(model, "feature_names_in_") else np.asarray(X)[doubtful]
        made["predict"][doubtful] = model.predict(rows)
    return {name: made[name] for name in responses}


def _classes(model: Any, decisions: FloatArray) -> AnyArray:
    """The class that most pairs vote for, the first of equals."""
    votes = np.zeros((len(model.classes_), decisions.shape[1]), dtype=np.int64)
    for (one, two), second in zip(combinations(range(len(votes)), 2), decisions >= 0, strict=True):
        votes[two] += second
        votes[one] += ~second
    return np.asarray(model.classes_.take(votes.argmax(axis=0)))
