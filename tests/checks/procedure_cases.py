"""Cases of FW4xx, but for FW405."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from looking import quick
from rows_cases import codes, table
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler


class Watched(RegressorMixin, BaseEstimator):
    """A learner that is told which rows to watch."""

    def __init__(self, eval_set: Any = None) -> None:
        self.eval_set = eval_set

    def fit(self, X: Any, y: Any) -> Watched:
        self.mean_ = np.mean(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


class Searching(Watched):
    """A learner that goes on with the trials of a study."""

    def __init__(self, log: Any = None) -> None:
        self.log = log


class Trials:
    """Trials, as hyperopt keeps them."""

    def __init__(self, *trials: float) -> None:
        self.trials = list(trials)

    def __deepcopy__(self, memo: Any) -> Trials:
        return self


def by(learner: Any) -> list[str]:
    return quick({"own": learner}, *table(80), outer=4).codes


def scaled(rows: int) -> list[str]:
    """The first rows of a table that was scaled as a whole."""
    X, y = table(150)
    X = 3 + X * [1.0, 2.0, 3.0, 4.0]
    return codes(StandardScaler().fit_transform(X)[:rows], y[:rows])


def encoded(is_outside: bool) -> list[str]:
    X, y = table(150)
    place = np.random.default_rng(0).integers(0, 8, 150)
    means = pd.Series(y if is_outside else np.random.default_rng(1).normal(size=150)).groupby(place).transform("mean")
    return codes(np.column_stack([X, means]), y)


def selected(is_outside: bool) -> list[str]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 1000)), rng.normal(size=80)
    kept = SelectKBest(f_regression, k=15).fit(X, y).get_support() if is_outside else np.arange(15)
    return codes(X[:, kept], y)


def prepared(is_fitted: bool) -> Any:
    scaler = StandardScaler()
    if is_fitted:
        scaler.fit(table(80)[0])
    return make_pipeline(FunctionTransformer(scaler.transform) if is_fitted else scaler, Ridge())


FIRES = {
    "FW401": lambda: scaled(150),
    "FW403": lambda: encoded(True),
    "FW404": lambda: selected(True),
    "FW406": lambda: by(prepared(is_fitted=True)),
    "FW407": lambda: by(Searching(Trials(0.5, 0.4))),
    "FW408": lambda: by(Watched([(table(80)[0][:20], table(80)[1][:20])])),
}
SILENT = {
    "FW401": lambda: scaled(140),
    "FW403": lambda: encoded(False),
    "FW404": lambda: selected(False),
    "FW406": lambda: by(prepared(is_fitted=False)),
    "FW407": lambda: by(Searching(Trials())),
    "FW408": lambda: by(Watched([(table(20, seed=9)[0], table(20, seed=9)[1])])),
}
