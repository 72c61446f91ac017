"""Naive Bayes and discriminants: one fit to a training set, smoothed or shrunk by every candidate."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswer, ModelAnswers, answer_of
from foldwise.solvers.steps import is_kind, params_key_without

LEAST_SHRINKAGE = 1e-3  # below, rounding in the covariance shows in the ten digits promised
WELL_CONDITIONED = 1e5  # ratio of a class's variances beyond which rounding shows, too
Smooth = Callable[[Any, Any], None]  # brings a copy of the shared fit to what a candidate would have learnt


@dataclass(frozen=True)
class Smoothed:
    """One fit without smoothing; a candidate's model is that fit smoothed by scikit-learn's formula."""

    name: str
    kind: str
    free: str
    smooth: Smooth
    start: tuple[tuple[str, Any], ...]  # parameters of the shared fit
    least: float = 0.0  # values outside are left to the plain loop
    most: float = np.inf
    fixed: tuple[tuple[str, Any], ...] = ()  # parameters with the only value that is known
    is_exact: bool = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        is_known = all(getattr(estimator, name, None) == value for name, value in self.fixed)
        is_ours = any(is_kind(estimator, self.kind, package=package) for package in ("sklearn", "foldwise"))
        if not is_ours or not is_known:
            return False
        value = getattr(estimator, self.free)
        return isinstance(value, Real) and not isinstance(value, bool) and self.least <= float(value) <= self.most

    def shares(self, estimator: Any) -> Hashable:
        return params_key_without(estimator, self.free)

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        from sklearn import config_context
        from sklearn.base import clone

        with config_context(skip_parameter_validation=True):  # a tolerance that refuses nothing is not allowed
            model = clone(estimators[0]).set_params(**dict(self.start)).fit(X, y, **extra)
        return model, np.var(np.asarray(X), axis=0).max() if self.kind == "GaussianNB" else None

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        return [self._answer(fitted, estimator, X, responses) for estimator in estimators]

    def _answer(self, fitted: Any, estimator: Any, X: Any, responses: Sequence[str]) -> ModelAnswer | None:
        model = copy(fitted[0])
        model.widest_ = fitted[1]
        try:
            self.smooth(model, estimator)
        except np.linalg.LinAlgError:
            return None
        return answer_of(model, X, responses)


def _smooth_gaussian(model: Any, estimator: Any) -> None:
    model.var_ = model.var_ + estimator.var_smoothing * model.widest_


def _smooth_multinomial(model: Any, estimator: Any) -> None:
    counts = model.feature_count_ + estimator.alpha
    model.feature_log_prob_ = np.log(counts) - np.log(counts.sum(axis=1).reshape(-1, 1))


def _smooth_complement(model: Any, estimator: Any) -> None:
    counts = model.feature_all_ + estimator.alpha - model.feature_count_
    logs = np.log(counts / counts.sum(axis=1, keepdims=True))
    model.feature_log_prob_ = logs / logs.sum(axis=1, keepdims=True) if model.norm else -logs


def _smooth_bernoulli(model: Any, estimator: Any) -> None:
    totals = (model.class_count_ + estimator.alpha * 2).reshape(-1, 1)
    model.feature_log_prob_ = np.log(model.feature_count_ + estimator.alpha) - np.log(totals)


def _smooth_quadratic(model: Any, estimator: Any) -> None:
    """The variances along each class's own axes, drawn towards 1."""
    model.scalings_ = [(1 - estimator.reg_param) * scaling + estimator.reg_param for scaling in model.scalings_]
    if any((scaling <= estimator.tol).any() for scaling in model.scalings_):
        raise np.linalg.LinAlgError


def _smooth_linear(model: Any, estimator: Any) -> None:
    """The shared covariance drawn towards a multiple of the identity, and the rule that follows from it."""
    from scipy.linalg import lstsq

    covariance, columns = model.covariance_, model.covariance_.shape[0]
    shrunk = (1 - estimator.shrinkage) * covariance
    shrunk.flat[:: columns + 1] += estimator.shrinkage * np.trace(covariance) / columns
    coef = lstsq(shrunk, model.means_.T)[0].T
    intercept = -0.5 * np.sum(model.means_ * coef, axis=1) + np.log(model.priors_)
    is_binary = len(model.classes_) == 2
    model.coef_ = coef[1:] - coef[:1] if is_binary else coef
    model.intercept_ = intercept[1:] - intercept[:1] if is_binary else intercept


def _shrink_quadratic(model: Any, estimator: Any) -> None:
    """The variances along each class's own axes, drawn towards their mean."""
    shrunk = [(1 - estimator.shrinkage) * scaling + estimator.shrinkage * scaling.mean() for scaling in model.scalings_]
    if any(scaling.min() <= max(estimator.tol, scaling.max() / WELL_CONDITIONED) for scaling in shrunk):
        raise np.linalg.LinAlgError
    model.scalings_ = shrunk


def _counts(kind: str, smooth: Smooth) -> Smoothed:
    # values below 1e-10 are raised or not by another parameter, with a warning
    name = f"{kind.removesuffix('NB').lower()} naive Bayes"
    return Smoothed(name, kind, "alpha", smooth, start=(("alpha", 1.0),), least=1e-10)


FAMILIES = (
    Smoothed("gaussian naive Bayes", "GaussianNB", "var_smoothing", _smooth_gaussian, start=(("var_smoothing", 0.0),)),
    _counts("MultinomialNB", _smooth_multinomial),
    _counts("ComplementNB", _smooth_complement),
    _counts("BernoulliNB", _smooth_bernoulli),
    Smoothed(
        "regularized quadratic discriminant",
        "QuadraticDiscriminantAnalysis",
        "reg_param",
        _smooth_quadratic,
        start=(("reg_param", 0.0), ("tol", -np.inf)),
        most=1.0,
        fixed=(("solver", "svd"), ("shrinkage", None), ("covariance_estimator", None)),
    ),
    Smoothed(
        "quadratic discriminant",
        "QuadraticDiscriminantAnalysis",
        "shrinkage",
        _shrink_quadratic,
        start=(("shrinkage", None), ("tol", -np.inf)),
        least=LEAST_SHRINKAGE,
        most=1.0,
        fixed=(("solver", "eigen"), ("covariance_estimator", None)),
    ),
    Smoothed(
        "linear discriminant",
        "LinearDiscriminantAnalysis",
        "shrinkage",
        _smooth_linear,
        start=(("shrinkage", None),),
        least=LEAST_SHRINKAGE,
        most=1.0,
        fixed=(("solver", "lsqr"), ("covariance_estimator", None)),
    ),
)
SOLVERS = tuple(FamilySolver(family) for family in FAMILIES)
