"""Logistic regression at every penalty of a training set, solved to the optimum."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.model import takes_weights
from foldwise.solvers.logistic_loss import Logistic
from foldwise.solvers.logistic_newton import Descent
from foldwise.solvers.logistic_warm_start import WarmStart, minima_along
from foldwise.solvers.scaling import is_between, known_numbers, known_scaling, numbers, scale_columns, scaled
from foldwise.solvers.solver import Answer, Answered, FitRequest, grouped_parts

MOST_DENSE = 800  # coefficients with squared penalties; with more, Hessians cost more than scikit-learn's cheap steps
MOST_DENSE_COLUMNS = 400  # with more, the curvature of all rows tells too little about that of a training set
MOST_SPARSE = 3000  # coefficients with absolute penalties, of which few are in use
MOST_WHOLE = 50  # coefficients up to which every step has a Hessian of its own
MOST_WARM_STARTS = 3  # kept at a time, one per method
SOLVERS_KNOWN = ("lbfgs", "newton-cg", "newton-cholesky", "liblinear", "sag", "saga")


class LogisticSolver:
    """Answers LogisticRegression with squared, absolute or both penalties, also after scaling of the columns."""

    name = "logistic"
    batch: Literal["train"] = "train"
    is_exact = False

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        return (
            known is not None
            and data.task != "regression"
            and _is_known(known[1])
            and not known[0].target
            and _is_cheap(known[1], data)
            and not (known[1].solver == "liblinear" and len(data.classes) > 2)
            and numbers(data) is not None
        )

    def shares(self, estimator: Any) -> Hashable:
        scaling, final = known_scaling(estimator)
        penalises_intercept = final.solver == "liblinear" and final.intercept_scaling
        return scaling, final.fit_intercept, penalises_intercept, final.class_weight, float(_share(final))

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        """Newton's steps cost rows x columns squared, scikit-learn's many more rows x columns."""
        return _is_cheap(known_scaling(requests[0].estimators[0])[1], data)

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        X = known_numbers(data)
        for parts in grouped_parts(requests, self.shares):
            estimator = parts[0].request.estimators[0]
            for number, places, request in parts:
                training_set = _training_set(X, data, request.train, estimator)
                if training_set is None:
                    continue
                finals = [known_scaling(some)[1] for some in request.estimators]
                minima = _minima(training_set, np.array([1.0 / final.C for final in finals]), X, data, estimator)
                # where no column is used, scikit-learn's saga stops before its intercept has settled
                known = [
                    (place, training_set.scores(X[request.rows], minimum))
                    for place, minimum, final in zip(places, minima, finals, strict=True)
                    if minimum is not None and (final.solver != "saga" or minimum[:, : X.shape[1]].any())
                ]
                if known:
                    scores = np.stack([scores for _, scores in known])
                    yield Answered(number, [place for place, _ in known], _respond(scores, request.responses))


@dataclass(frozen=True, eq=False)
class _TrainingSet:
    """A training set as the final sees it, and the way back to raw columns."""

    loss: Logistic
    share: float  # of the penalty that is absolute
    shift: FloatArray
    spread: FloatArray
    centre: FloatArray  # taken off the columns after scaling, which the final does not do
    constant: float | None  # the column that stands for the intercept

    def scores(self, X: FloatArray, coefficients: FloatArray) -> FloatArray:
        """Decision values, rows x classes."""
        width = len(self.shift)
        if len(coefficients) > 1 and not self.share:
            coefficients = coefficients - coefficients.mean(axis=0)  # squares want it so, but weak ones hardly pull
        intercepts = -(coefficients[:, :width] @ self.centre)
        if self.constant is not None:
            intercepts = intercepts + self.constant * coefficients[:, width]
            if intercepts.size > 1 and not self.loss.penalised[width]:
                intercepts -= intercepts.mean()  # a common shift changes nothing; scikit-learn's sum to zero
        slopes = (coefficients[:, :width] / self.spread).T
        scores: FloatArray = X @ slopes + (intercepts - self.shift @ slopes)
        return scores


def _training_set(X: FloatArray, data: Dataset, train: IntArray, estimator: Any) -> _TrainingSet | None:
    scaling, final = known_scaling(estimator)
    codes = data.codes[train]
    weights = np.ones(train.size)
    if data.weights is not None and takes_weights(estimator):
        weights = data.weights[train].astype(np.float64)
    classes = len(data.classes)
    if (np.bincount(codes, weights=weights, minlength=classes) <= 0).any():
        return None
    weights *= _class_weights(final, codes, weights)
    shift, spread = scale_columns(X, train, scaling)
    table, penalised = (X[train] - shift) / spread, np.ones(X.shape[1])
    centre, constant = np.zeros(X.shape[1]), None
    if final.fit_intercept:
        is_penalised = final.solver == "liblinear"
        constant = float(final.intercept_scaling) if is_penalised else 1.0
        if not is_penalised and not scaling.means:
            centre = table.mean(axis=0)  # a free intercept takes up any shift, and Newton's steps need small numbers
            table = table - centre
        table = np.column_stack([table, np.full(train.size, constant)])
        penalised = np.append(penalised, float(is_penalised))
    hot = (codes == np.arange(classes)[:, None] if classes > 2 else codes[None]).astype(np.float64)
    return _TrainingSet(Logistic(table, hot, weights, penalised), float(_share(final)), shift, spread, centre, constant)


def _class_weights(final: Any, codes: IntArray, weights: FloatArray) -> FloatArray:
    if final.class_weight is None:
        return np.ones(codes.size)
    totals = np.bincount(codes, weights=weights)
    balanced: FloatArray = weights.sum() / (totals.size * totals)
    return balanced[codes]


def _minima(
    part: _TrainingSet, rates: FloatArray, X: FloatArray, data: Dataset, estimator: Any
) -> list[FloatArray | None]:
    """The coefficients at each penalty; None where no minimum was certified."""
    if part.share > 0 or _size(data) <= MOST_WHOLE:
        return _path(part, rates)
    falling, places = np.unique(-rates, return_inverse=True)
    found = minima_along(part.loss, _warm_start(X, data, estimator), -falling)
    return [found[place] for place in places]


def _warm_start(X: FloatArray, data: Dataset, estimator: Any) -> WarmStart:
    """The minima of all rows, made once for all training sets."""
    known = _WARM_STARTS.setdefault(data, {})
    key = LogisticSolver().shares(estimator)
    if key not in known:
        if len(known) >= MOST_WARM_STARTS:
            known.clear()
        all_rows = _training_set(X, data, np.arange(data.rows), estimator)
        assert all_rows is not None
        known[key] = WarmStart(all_rows.loss)
    return known[key]


_WARM_STARTS: WeakKeyDictionary[Dataset, dict[Hashable, WarmStart]] = WeakKeyDictionary()


def _path(part: _TrainingSet, rates: FloatArray) -> list[FloatArray | None]:
    descent = Descent(part.loss)
    found: list[FloatArray | None] = [None] * rates.size
    for place in np.argsort(-rates, kind="stable"):  # each minimum is then near the next
        rate = float(rates[place])
        try:
            found[place] = descent.minimum(rate * (1 - part.share), rate * part.share)
        except np.linalg.LinAlgError:
            found[place] = None
    return found


def _respond(scores: FloatArray, responses: Sequence[str]) -> Answer:
    """The responses in the data's order of classes, from scores (estimator x row x class)."""
    from scipy.special import expit, softmax

    is_binary = scores.shape[2] == 1
    answer: Answer = {}
    for name in responses:
        if name == "decision_function":
            answer[name] = scores[:, :, 0] if is_binary else scores
        elif name == "predict":
            answer[name] = ((scores[:, :, 0] > 0) if is_binary else scores.argmax(axis=2)).astype(np.int64)
        elif is_binary:
            chance = expit(scores[:, :, 0])
            answer[name] = np.stack([1 - chance, chance], axis=2)
        else:
            answer[name] = softmax(scores, axis=2)
    return answer


def _size(data: Dataset) -> int:
    classes = len(data.classes)
    return (data.columns + 1) * (classes if classes > 2 else 1)


def _is_cheap(final: Any, data: Dataset) -> bool:
    if _share(final) > 0:
        return _size(data) <= MOST_SPARSE
    return _size(data) <= MOST_DENSE and data.columns <= MOST_DENSE_COLUMNS


def _is_known(final: Any) -> bool:
    from sklearn.linear_model import LogisticRegression

    return (
        type(final) is LogisticRegression
        and is_between(final.C, 1e-12, 1e12)
        and is_between(_share(final), 0, 1)
        and type(final.fit_intercept) is bool
        and is_between(final.intercept_scaling, 1e-6, 1e6)
        and (final.class_weight is None or final.class_weight == "balanced")
        and final.dual is False
        and final.solver in SOLVERS_KNOWN
        # where scikit-learn's solver does not take this penalty, the plain loop gives its error
        and (_share(final) == 0 or final.solver == "saga" or (_share(final) == 1 and final.solver == "liblinear"))
    )


def _share(final: Any) -> Any:
    """The share of the penalty that is absolute; None where the penalty is said in words that are deprecated."""
    return final.l1_ratio if getattr(final, "penalty", "deprecated") == "deprecated" else None


SOLVERS = (LogisticSolver(),)
