"""Two learners with the parameters they have from scikit-learn 1.8 on, for earlier versions of it.

Logistic regression says by `l1_ratio` alone what it penalises, and the quadratic discriminant can shrink its
covariances. Where scikit-learn has these itself, its own classes are used.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn import discriminant_analysis, linear_model
from sklearn.covariance import empirical_covariance, shrunk_covariance
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from foldwise.arrays import AnyArray, FloatArray


def _defaults(kind: type) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in signature(kind).parameters.items()}


HAS_SHARES = _defaults(linear_model.LogisticRegression).get("penalty", "deprecated") == "deprecated"
BALANCES_WEIGHTS = "sample_weight" in signature(compute_class_weight).parameters  # not rows alone, from 1.7 on
HAS_SHRINKAGE = "shrinkage" in _defaults(discriminant_analysis.QuadraticDiscriminantAnalysis)


def logistic_regression(**parameters: Any) -> Any:
    """Logistic regression with the penalty that `l1_ratio` asks for, whatever the version of scikit-learn.

    >>> logistic_regression(C=2.0).l1_ratio
    0.0
    """
    return (linear_model.LogisticRegression if HAS_SHARES else LogisticRegression)(**parameters)


def quadratic_discriminant(**parameters: Any) -> Any:
    """A quadratic discriminant that takes `solver` and `shrinkage`, whatever the version of scikit-learn.

    >>> quadratic_discriminant(solver="eigen", shrinkage=0.1).shrinkage
    0.1
    """
    own = discriminant_analysis.QuadraticDiscriminantAnalysis
    return (own if HAS_SHRINKAGE else QuadraticDiscriminantAnalysis)(**parameters)


def absolute_share(logistic: Any) -> Any:
    """The share of a penalty that is absolute; None where there is no penalty, or one of the words now deprecated."""
    penalty = getattr(logistic, "penalty", "deprecated")
    if isinstance(logistic, LogisticRegression) or penalty == "deprecated":
        return logistic.l1_ratio
    return None if HAS_SHARES else {"l2": 0.0, "l1": 1.0, "elasticnet": logistic.l1_ratio}.get(penalty)


class LogisticRegression(linear_model.LogisticRegression):  # type: ignore[misc]
    """Logistic regression whose `l1_ratio` is 0 for squared penalties, 1 for absolute ones, and both between."""

    l1_ratio: Any
    penalty: str

    def __init__(
        self,
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        own = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        super().__init__(**own)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """The model of these rows, fitted under the name its penalty had."""
        share = self.l1_ratio
        self.penalty = {0: "l2", 1: "l1"}.get(share, "elasticnet")
        self.l1_ratio = share if self.penalty == "elasticnet" else None  # beside another penalty it is warned of
        try:
            super().fit(X, y, sample_weight)
        finally:
            self.l1_ratio = share
        return self


class QuadraticDiscriminantAnalysis(discriminant_analysis.QuadraticDiscriminantAnalysis):  # type: ignore[misc]
    """A quadratic discriminant whose covariances may be drawn towards a ball."""

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1.0e-4,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    def fit(self, X: Any, y: Any) -> QuadraticDiscriminantAnalysis:
        """Means and covariances of the classes, which must be of full rank."""
        _check_words(self)
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        if len(counts) < 2 or counts.min() < 2:
            raise ValueError("there must be two classes or more, each of two rows or more")
        self.priors_ = counts / len(y) if self.priors is None else np.array(self.priors)
        parts = [X[codes == at] for at in range(len(counts))]
        self.means_ = np.array([part.mean(axis=0) for part in parts])
        found = [_decomposed(self, part) for part in parts]
        self.scalings_, self.rotations_ = [scaling for scaling, _ in found], [rotation for _, rotation in found]
        for label, scaling in zip(self.classes_, self.scalings_, strict=True):
            if (scaling > self.tol).sum() < X.shape[1]:
                raise np.linalg.LinAlgError(f"The covariance matrix of class {label} is not full rank")
        if self.store_covariance:
            self.covariance_ = [rotation * scaling @ rotation.T for scaling, rotation in found]
        return self


def _check_words(model: QuadraticDiscriminantAnalysis) -> None:
    if model.solver not in ("svd", "eigen"):
        raise ValueError(f"The 'solver' parameter must be 'svd' or 'eigen'. Got {model.solver!r} instead.")
    if model.covariance_estimator is not None:
        raise NotImplementedError("covariance_estimator needs scikit-learn 1.8.")
    if model.solver == "svd" and model.shrinkage is not None:
        raise NotImplementedError("shrinkage not supported with 'svd' solver.")
    if isinstance(model.shrinkage, str):
        raise NotImplementedError("shrinkage in words needs scikit-learn 1.8.")


def _decomposed(model: QuadraticDiscriminantAnalysis, part: AnyArray) -> tuple[FloatArray, FloatArray]:
    """The variances of one class along its own axes, as the parameters change them, and the axes."""
    from scipy.linalg import eigh

    if model.solver == "eigen":
        covariance = shrunk_covariance(empirical_covariance(part), model.shrinkage or 0.0)
        scaling, rotation = eigh(covariance)
        order = np.argsort(scaling)[::-1]
        return scaling[order], rotation[:, order]
    _, values, axes = np.linalg.svd(part - part.mean(axis=0), full_matrices=False)
    variances = values**2 / len(part)
    return (1 - model.reg_param) * variances + model.reg_param, axes.T
