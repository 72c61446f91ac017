"""Support vector machines: distances once per training set, one Gram per kernel setting, all penalties on it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswer, ModelAnswers, answer_of, grouped
from foldwise.solvers.steps import copy_of, is_kind, params_key, params_key_without
from foldwise.solvers.svm_kernels import Kernel, Training, make_kernel

KERNELS = ("rbf", "linear", "poly", "sigmoid")
MOST_ROWS = 5_000  # two square tables of this size are 400 MB
FREE = ("kernel", "gamma", "coef0", "degree", "C", "epsilon", "nu", "tol")
SMALL = 300  # up to so many rows a whole kernel costs nothing to speak of
WORTH = 0.7  # candidates of a kernel x share of support vectors, from which on a whole kernel is cheaper
ROUNDING = 1e-10  # of the terms of a decision: below it the class hangs on rounding
BLOCK = 2_000_000  # kernel values at a time


@dataclass(frozen=True, eq=False)
class Machine:
    """A training set, and the models on the kernels made of it."""

    part: Training
    models: dict[Hashable, Any]  # fitted, by the parameters of the estimator


@dataclass(frozen=True)
class SupportVectors:
    """The solver is scikit-learn's own, given its kernel ready made, rounded as it would round it."""

    name: str = "svm"
    is_exact: bool = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        if not is_kind(estimator, "SVC", "SVR", "NuSVC", "NuSVR") or data.rows > MOST_ROWS or hasattr(data.X, "tocsr"):
            return False
        if data.weights is not None and not (data.weights > 0).all():
            return False  # libsvm numbers rows without those of no weight, but not the columns of a ready-made kernel
        is_limited = getattr(estimator, "probability", False) is True or estimator.max_iter != -1
        if estimator.kernel not in KERNELS or is_limited:
            return False
        gamma = estimator.gamma
        return gamma in ("scale", "auto") if isinstance(gamma, str) else isinstance(gamma, Real) and float(gamma) > 0

    def shares(self, estimator: Any) -> Hashable:
        return params_key_without(estimator, *FREE)

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Machine:
        table = _dense(X)
        machine = Machine(Training(table), {})
        kernels = grouped(estimators, lambda estimator: make_kernel(estimator, table))
        probe = kernels[0][0] if len(table) > SMALL else None
        is_worth_it = True
        if probe is not None:  # with few support vectors libsvm would look at little of its kernel
            fitted = copy_of(probe).fit(X, y, **extra)
            machine.models[params_key(probe)] = fitted
            share = fitted.support_.size / len(table)
            is_worth_it = share * len(estimators) > WORTH * len(kernels)
        for same in kernels:
            left = [estimator for estimator in same if estimator is not probe]
            kernel = make_kernel(same[0], table) if is_worth_it else None
            self._fit(machine, left, kernel, X, y, extra)
        return machine

    def _fit(
        self,
        machine: Machine,
        estimators: Sequence[Any],
        kernel: Kernel | None,
        X: Any,
        y: AnyArray,
        extra: dict[str, Any],
    ) -> None:
        """The estimators of one kernel."""
        from sklearn import config_context

        gram = None if kernel is None or not estimators else machine.part.gram(kernel)
        for at, estimator in enumerate(estimators):
            model = copy_of(estimator)
            if gram is None or kernel is None:
                model.fit(X, y, **extra)
            else:
                model.kernel, model.gamma = "precomputed", "scale"
                with config_context(assume_finite=at > 0):  # the first fit has looked
                    model.fit(gram, y, **extra)
                _predict_from_rows(model, estimator, kernel, machine.part.X)
            machine.models[params_key(estimator)] = model

    def answers(self, fitted: Machine, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        models = [fitted.models[params_key(estimator)] for estimator in estimators]
        shared = [at for at, model in enumerate(models) if has_shared_values(model, responses)]
        kernels = [make_kernel(estimators[at], fitted.part.X) for at in shared]
        found = respond([models[at] for at in shared], kernels, fitted.part.X, X, responses)
        values = dict(zip(shared, found, strict=True))
        return [
            ModelAnswer(getattr(model, "classes_", None), values[at])
            if at in values
            else answer_of(model, rows, responses)
            for at, (model, rows) in enumerate(zip(models, _tables(models, X), strict=True))
        ]


def _tables(models: Sequence[Any], X: Any) -> Iterator[Any]:
    """The rows as each model wants them: with names of columns where it was fitted to such."""
    plain = _dense(X)
    for model in models:
        yield X if hasattr(model, "feature_names_in_") else plain


def _predict_from_rows(model: Any, estimator: Any, kernel: Kernel, table: FloatArray) -> None:
    """Have a machine that was fitted on a ready-made kernel predict as one that was fitted on rows.

    Where libsvm answers, it then works out the kernel of new rows itself, so that a prediction is the same to the last
    bit whichever other candidates were fitted beside this one.
    """
    model.kernel, model.gamma = estimator.kernel, estimator.gamma
    model._gamma = kernel.gamma
    model.support_vectors_ = table[model.support_]
    model.shape_fit_ = table.shape
    model.n_features_in_ = table.shape[1]


def _dense(X: Any) -> FloatArray:
    return np.ascontiguousarray(np.asarray(X), dtype=np.float64)


SOLVERS = (FamilySolver(SupportVectors(), is_light=True),)


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
