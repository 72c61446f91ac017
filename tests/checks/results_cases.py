"""Cases of FW5xx."""

from __future__ import annotations

import time

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import foldwise as fw


def waves(rows: int = 120, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    X = rng.uniform(-3, 3, size=(rows, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] / 3 + noise * rng.normal(size=rows)


def lines(rows: int = 150, noise: float = 1.0, columns: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(rows, columns))
    return X, X[:, 0] - X[:, 1] + noise * rng.normal(size=rows)


def plane(noise: float = 0.035) -> tuple[np.ndarray, np.ndarray]:
    """A sum of three columns with so little noise that the risk is almost nothing, and too much for a formula."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 3))
    return X, X @ [1.0, -1.0, 1.0] + noise * rng.normal(size=150)


def found(learners, X, y, **words) -> list[str]:
    return fw.compare(learners, X, y, **{"outer": 5, "inner": 3, "jobs": 1, **words}).findings.codes


def neighbours(values) -> dict:
    return {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=list(values))}


class OneColumn(RegressorMixin, BaseEstimator):
    """Least squares on one column."""

    def __init__(self, column: str = "a") -> None:
        self.column = column

    def fit(self, X, y):
        self.model_ = LinearRegression().fit(X[:, ["abc".index(self.column)]], y)
        return self

    def predict(self, X):
        return self.model_.predict(X[:, ["abc".index(self.column)]])


def regimes(is_changing: bool) -> list[str]:
    """In time, what tells the target is another column in each of three thirds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    third = np.arange(240) // 60 if is_changing else np.zeros(240, int)
    y = X[np.arange(240), third % 3] * (1 + third) + 0.2 * rng.normal(size=240)
    learner = {"one column": fw.tune(OneColumn(), column=["a", "b", "c"])}
    return found(learner, X, y, time=np.arange(240.0), outer=3)


class Lucky(RegressorMixin, BaseEstimator):
    """Predicts at random, by the number of the draw: the best of many on few rows is best there alone."""

    def __init__(self, draw: int = 0) -> None:
        self.draw = draw

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.sin(1e4 * (self.draw + 1) * (np.asarray(X)[:, 0] + 2))


def searched(candidates: int) -> list[str]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(320, 1))
    y = np.sign(rng.normal(size=320))
    learners = {"lucky": fw.tune(Lucky(), draw=range(candidates)), "linear": LinearRegression()}
    return found(learners, X, y, outer=0.9, inner=0.5)


def of_noise(share: float) -> list[str]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(100, 2))
    return found({"1-nn": KNeighborsRegressor(1)}, X, share * X[:, 0] + rng.normal(size=100))


def rare(share: float, shift: float) -> list[str]:
    rng = np.random.default_rng(0)
    y = np.arange(400) < share * 400
    X = rng.normal(size=(400, 2)) + shift * y[:, None]
    return found({"k-nn": KNeighborsClassifier(15)}, X, y.astype(int))


def sure(rows: int) -> list[str]:
    X = np.random.default_rng(0).integers(0, 4, size=(rows, 3)).astype(float)
    return found({"tree": DecisionTreeClassifier(random_state=0)}, X, np.where(X.sum(axis=1) % 2 > 0, "a", "b"))


def with_odd_fold(is_odd: bool) -> list[str]:
    X, y = lines()
    labels = np.arange(150) % 5
    y = y + np.where((labels == 3) & is_odd, 40.0, 0.0)
    return found({"linear": LinearRegression()}, X, y, outer=labels)


def with_odd_errors(is_odd: bool) -> list[str]:
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(200, 2)), np.arange(200) % 5
    y = (X[:, 0] > 0) ^ ((labels == 2) & is_odd) ^ (rng.random(200) < 0.05)
    return found({"k-nn": KNeighborsClassifier(5)}, X, y.astype(int), outer=labels)


class Forgetful(RegressorMixin, BaseEstimator):
    """Takes its random numbers from the clock."""

    def fit(self, X, y):
        self.mean_ = float(np.mean(y)) + np.random.default_rng(time.perf_counter_ns()).normal()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def checked(learner) -> list[str]:
    return fw.check({"own": learner}, *lines(), outer=5).codes


FIRES = {
    "FW501": lambda: found(neighbours([12, 20, 25]), *waves()),
    "FW502": lambda: regimes(is_changing=True),
    "FW503": lambda: searched(400),
    "FW504": lambda: of_noise(0.0),
    "FW505": lambda: rare(0.03, 0.5),
    "FW506": lambda: found({"ridge": Ridge(1e-6)}, *plane()),
    "FW507": lambda: with_odd_fold(is_odd=True),
    "FW508": lambda: found({"tree": DecisionTreeRegressor(random_state=0), "ridge": Ridge()}, *lines(noise=1.0)),
    "FW510": lambda: checked(Forgetful()),
}
SILENT = {
    "FW501": lambda: found(neighbours([1, 3, 5, 12, 20, 25]), *waves()),
    "FW502": lambda: regimes(is_changing=False),
    "FW503": lambda: searched(2),
    "FW504": lambda: of_noise(2.0),
    "FW505": lambda: rare(0.03, 4.0),
    "FW506": lambda: found({"ridge": Ridge(1e-6)}, *lines(noise=0.2)),
    "FW507": lambda: with_odd_fold(is_odd=False),
    "FW508": lambda: found({"k-nn": KNeighborsRegressor(10), "ridge": Ridge()}, *lines(noise=1.0)),
    "FW510": lambda: checked(Ridge()),
}
