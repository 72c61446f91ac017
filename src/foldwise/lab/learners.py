"""Learners that fit many replications at once: X[replication, row, column], y[replication, row] in, a model out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadLearner, nearest
from foldwise.lab.models import Centres, Constant, Each, Linear, LinearRule, Model, Neighbours, Vote


class LabLearner(Protocol):
    """Rows of one or many replications in, their models out."""

    @property
    def is_tuned(self) -> bool: ...

    def fit(self, X: FloatArray, y: FloatArray) -> Model: ...


@dataclass(frozen=True)
class Untuned:
    """What learners without tuning share."""

    @property
    def is_tuned(self) -> bool:
        return False


@dataclass(frozen=True)
class Ridge(Untuned):
    """Least squares with a penalty on the slopes, the intercept free; penalty 0 is ordinary least squares."""

    penalty: float = 0.0

    def fit(self, X: FloatArray, y: FloatArray) -> Linear:
        intercept, slopes = ridge_path(X, y, (self.penalty,))
        return Linear(intercept[..., 0], slopes[..., 0, :])

    def fit_without(self, X: FloatArray, y: FloatArray, labels: IntArray, left_out: Sequence[Any]) -> Iterator[Linear]:
        """The models without some folds: one Gram matrix per fold serves them all."""
        for beta in ridge_without(X, y, labels, left_out, self.penalty):
            yield Linear(beta[..., 0], beta[..., 1:])


@dataclass(frozen=True)
class RidgeRule(Untuned):
    """Least squares on the classes, cut at one half: the linear rule of Fisher's discriminant."""

    penalty: float = 0.0

    def fit(self, X: FloatArray, y: FloatArray) -> LinearRule:
        intercept, slopes = ridge_path(X, y, (self.penalty,))
        return LinearRule(intercept[..., 0] - 0.5, slopes[..., 0, :])

    def fit_without(
        self, X: FloatArray, y: FloatArray, labels: IntArray, left_out: Sequence[Any]
    ) -> Iterator[LinearRule]:
        """The rules without some folds, as for Ridge."""
        for beta in ridge_without(X, y, labels, left_out, self.penalty):
            yield LinearRule(beta[..., 0] - 0.5, beta[..., 1:])


@dataclass(frozen=True)
class TunedRidge:
    """Ridge with its penalty chosen by inner folds (row number modulo folds), then fitted on all rows."""

    penalties: tuple[float, ...] = tuple(np.geomspace(0.5, 500, 12))
    folds: int = 5

    @property
    def is_tuned(self) -> bool:
        return True

    def fit(self, X: FloatArray, y: FloatArray) -> Linear:
        choice = self.inner_scores(X, y).argmin(-1)[..., None]
        intercept, slopes = ridge_path(X, y, self.penalties)
        chosen = np.take_along_axis(slopes, choice[..., None], axis=-2)
        return Linear(np.take_along_axis(intercept, choice, axis=-1)[..., 0], chosen[..., 0, :])

    def inner_scores(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """score[replication, penalty]: the mean over inner folds of the held-out error."""
        fold = np.arange(X.shape[-2]) % self.folds
        return np.asarray(np.mean([self._fold_score(X, y, fold == k) for k in range(self.folds)], axis=0))

    def _fold_score(self, X: FloatArray, y: FloatArray, out: Any) -> FloatArray:
        intercept, slopes = ridge_path(X[..., ~out, :], y[..., ~out], self.penalties)
        found = intercept[..., None, :] + X[..., out, :] @ np.swapaxes(slopes, -1, -2)
        return np.asarray(((y[..., out, None] - found) ** 2).mean(-2))


@dataclass(frozen=True)
class Columns(Untuned):
    """Another linear learner that sees some of the columns only."""

    learner: Any
    columns: tuple[int, ...]

    def fit(self, X: FloatArray, y: FloatArray) -> Linear | LinearRule:
        model: Linear | LinearRule = self.learner.fit(X[..., list(self.columns)], y)
        slopes = np.zeros((*model.slopes.shape[:-1], X.shape[-1]))
        slopes[..., list(self.columns)] = model.slopes
        return type(model)(model.intercept, slopes)


@dataclass(frozen=True)
class Nearest(Untuned):
    """k-nearest neighbours: the mean target of the k nearest rows."""

    k: int = 5

    def fit(self, X: FloatArray, y: FloatArray) -> Neighbours:
        if self.k >= X.shape[-2]:
            raise BadLearner(f"{self.k} neighbours need more than {X.shape[-2]} rows", "Use fewer neighbours")
        return Neighbours(X, y, self.k)


@dataclass(frozen=True)
class NearestVote(Untuned):
    """k-nearest neighbours of two classes: the one most of them have."""

    k: int = 5

    def fit(self, X: FloatArray, y: FloatArray) -> Vote:
        return Vote(Nearest(self.k).fit(X, y))


@dataclass(frozen=True)
class ClassCentres(Untuned):
    """Class means and shares, and a normal density of variance 1 around each mean; a class without rows is not said."""

    classes: int = 10

    def fit(self, X: FloatArray, y: FloatArray) -> Centres:
        member = (y[..., None, :] == np.arange(self.classes)[:, None]).astype(np.float64)
        counts = member.sum(-1)
        with np.errstate(divide="ignore"):
            logs = np.log(counts / y.shape[-1])
        return Centres(member @ X / np.maximum(counts, 1)[..., None], logs)


@dataclass(frozen=True)
class Commonest(Untuned):
    """The class most rows have, of any number of classes."""

    classes: int = 10

    def fit(self, X: FloatArray, y: FloatArray) -> Constant:
        counts = (y[..., None, :] == np.arange(self.classes)[:, None]).sum(-1)
        return Constant(np.asarray(counts.argmax(-1), np.float64))


@dataclass(frozen=True)
class Centroid(Untuned):
    """The class whose mean row is nearer: a linear rule."""

    def fit(self, X: FloatArray, y: FloatArray) -> LinearRule:
        ones = y / np.maximum(y.sum(-1, keepdims=True), 1)
        zeros = (1 - y) / np.maximum((1 - y).sum(-1, keepdims=True), 1)
        one, zero = _moments(X, ones), _moments(X, zeros)
        return LinearRule(((zero**2).sum(-1) - (one**2).sum(-1)) / 2, one - zero)


@dataclass(frozen=True)
class Logistic(Untuned):
    """Unpenalised logistic regression by Newton steps; where the classes part, the steps stop at a steep rule."""

    steps: int = 15
    floor: float = 1e-6

    def fit(self, X: FloatArray, y: FloatArray) -> LinearRule:
        wide = np.concatenate([np.ones((*X.shape[:-1], 1)), X], axis=-1)
        turned = np.swapaxes(wide, -1, -2)
        beta = np.zeros((*X.shape[:-2], wide.shape[-1]))
        ridge = self.floor * np.eye(wide.shape[-1])
        for _ in range(self.steps):
            chance = 1 / (1 + np.exp(-np.clip((wide @ beta[..., None])[..., 0], -30, 30)))
            curve = (turned * np.maximum(chance * (1 - chance), 1e-9)[..., None, :]) @ wide + ridge
            slope = (turned @ (y - chance)[..., None]) - self.floor * beta[..., None]
            step = np.linalg.solve(curve, slope)[..., 0]
            beta += step
            if np.abs(step).max() < 1e-8:
                break
        return LinearRule(beta[..., 0], beta[..., 1:])


@dataclass(frozen=True)
class Majority(Untuned):
    """The class most rows have; 0 on a tie."""

    def fit(self, X: FloatArray, y: FloatArray) -> Constant:
        return Constant(np.asarray(y.mean(-1) > 0.5, np.float64))


@dataclass(frozen=True)
class Mean(Untuned):
    """The mean target: no columns are used."""

    def fit(self, X: FloatArray, y: FloatArray) -> Constant:
        return Constant(np.asarray(y.mean(-1)))


@dataclass(frozen=True)
class Threshold(Untuned):
    """Class 1 above the cut of the first column that errs least on the training rows: a rule of one number."""

    def fit(self, X: FloatArray, y: FloatArray) -> LinearRule:
        order = np.argsort(X[..., 0], axis=-1)
        x = np.take_along_axis(X[..., 0], order, axis=-1)
        ordered = np.take_along_axis(y, order, axis=-1)
        # errors of a cut before row i: ones below it and zeros from it on
        ones = np.concatenate([np.zeros((*x.shape[:-1], 1)), np.cumsum(ordered, axis=-1)], axis=-1)
        places = np.arange(ones.shape[-1])
        errors = ones + (x.shape[-1] - places) - (ones[..., -1:] - ones)
        edges = np.concatenate([x[..., :1] - 1, (x[..., 1:] + x[..., :-1]) / 2, x[..., -1:] + 1], axis=-1)
        cut = np.take_along_axis(edges, errors.argmin(-1)[..., None], axis=-1)[..., 0]
        slopes = np.zeros((*cut.shape, X.shape[-1]))
        slopes[..., 0] = 1.0
        return LinearRule(-cut, slopes)


@dataclass(frozen=True)
class Estimator(Untuned):
    """Any scikit-learn estimator, made afresh for each replication: the slow path."""

    make: Callable[[], Any]

    def fit(self, X: FloatArray, y: FloatArray) -> Each:
        return Each(tuple(self.make().fit(rows, target) for rows, target in zip(X, y, strict=True)))


def ridge_path(X: FloatArray, y: FloatArray, penalties: tuple[float, ...]) -> tuple[FloatArray, FloatArray]:
    """intercept[replication, penalty] and slopes[replication, penalty, column], one Gram matrix for all penalties."""
    _check_rows(X.shape[-2], X.shape[-1], min(penalties))
    centre, level = X.mean(-2, keepdims=True), y.mean(-1, keepdims=True)
    wide, target = X - centre, y - level
    gram = np.swapaxes(wide, -1, -2) @ wide
    turned = gram[..., None, :, :] + np.multiply.outer(penalties, np.eye(X.shape[-1]))
    moments = np.broadcast_to(_moments(wide, target)[..., None, :], turned.shape[:-1])
    slopes = np.linalg.solve(turned, moments[..., None])[..., 0]
    return np.asarray(level - (slopes * centre).sum(-1)), slopes


def ridge_without(
    X: FloatArray, y: FloatArray, labels: IntArray, left_out: Sequence[Any], penalty: float
) -> Iterator[FloatArray]:
    """beta[replication, 1 + column] without the rows of each set of folds: Gram matrices of folds are taken off."""
    wide = np.concatenate([np.ones((*X.shape[:-1], 1)), X], axis=-1)
    folds = [wide[..., labels == k, :] for k in range(int(labels.max()) + 1)]
    grams = np.stack([np.swapaxes(part, -1, -2) @ part for part in folds])
    moments = np.stack([_moments(part, y[..., labels == k]) for k, part in enumerate(folds)])
    free = penalty * np.diag([0.0, *np.ones(X.shape[-1])])
    for out in left_out:
        kept = [k for k in range(len(folds)) if k not in out]
        _check_rows(sum(folds[k].shape[-2] for k in kept), X.shape[-1], penalty)
        yield np.linalg.solve(grams[kept].sum(0) + free, moments[kept].sum(0)[..., None])[..., 0]


def _check_rows(rows: int, columns: int, penalty: float) -> None:
    if penalty == 0 and rows <= columns:
        raise BadLearner(f"least squares cannot fit {columns} columns on {rows} rows", "Use ridge")


def _moments(X: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray((y[..., None, :] @ X)[..., 0, :])


def _tree() -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(min_samples_leaf=7, random_state=0)


def _tree_rule() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=7, random_state=0)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(50, max_features=1 / 3, min_samples_leaf=5, random_state=0)


def _forest_rule() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(50, random_state=0)


# name -> learner by task
LEARNERS: Mapping[str, Mapping[str, Any]] = {
    "least squares": {"regression": Ridge(), "binary": RidgeRule()},
    "ridge": {"regression": Ridge(10.0), "binary": RidgeRule(10.0)},
    "tuned ridge": {"regression": TunedRidge()},
    "k-nn": {"regression": Nearest(7), "binary": NearestVote(7)},
    "mean": {"regression": Mean()},
    "centroid": {"binary": Centroid(), "multiclass": ClassCentres()},
    "logistic": {"binary": Logistic()},
    "threshold": {"binary": Threshold()},
    "majority": {"binary": Majority(), "multiclass": Commonest()},
    "tree": {"regression": Estimator(_tree), "binary": Estimator(_tree_rule), "multiclass": Estimator(_tree_rule)},
    "forest": {
        "regression": Estimator(_forest),
        "binary": Estimator(_forest_rule),
        "multiclass": Estimator(_forest_rule),
    },
}

USUAL = {
    "smooth": "k-nn",
    "sparse": "ridge",
    "ridge": "tuned ridge",
    "two classes": "centroid",
    "bounded": "mean",
    "three classes": "centroid",
    "five classes": "centroid",
}


def find_learner(name: str, task: str) -> Any:
    """The lab's learner of that name for the task."""
    if name not in LEARNERS:
        raise BadLearner(f"the lab has no learner {name!r}", nearest(name, LEARNERS))
    found = LEARNERS[name].get(task)
    if found is None:
        raise BadLearner(f"the lab's learner {name!r} is not for {task}", f"Known are: {', '.join(_for(task))}")
    return found


def default_learner(problem: str) -> str:
    """The learner a problem is usually seen with."""
    return USUAL.get(problem, "least squares")


def _for(task: str) -> list[str]:
    return sorted(name for name, tasks in LEARNERS.items() if task in tasks)


def balanced_folds(rows: int, folds: int) -> IntArray:
    """fold[row] with sizes that differ by at most one; rows are exchangeable, so any fixed pattern is a random one."""
    return np.arange(rows, dtype=np.int64) % folds
