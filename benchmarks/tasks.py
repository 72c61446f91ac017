"""The tasks of the speed benchmark: data, learners with their grids, the scheme, the goal, and what peers there are.

`tasks("full")` has the sizes that the goals are for, `tasks("quick")` the same tasks in small, `tasks("tiny")` one
that ends at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Lasso, LassoCV, LogisticRegression, LogisticRegressionCV, Ridge, RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

Size = Literal["full", "quick", "tiny"]
Table = tuple[Any, Any]
SCORINGS = {"squared": "neg_mean_squared_error", "log": "neg_log_loss", "zero_one": "accuracy"}


@dataclass(frozen=True, eq=False)
class Method:
    """A learner and the values of its parameters."""

    estimator: Any
    grid: dict[str, list[Any]]

    @property
    def candidates(self) -> int:
        return int(np.prod([len(values) for values in self.grid.values()]))


@dataclass(frozen=True, eq=False)
class Shortcut:
    """What scikit-learn itself offers in the place of the grid search: splits of the training rows -> estimator."""

    name: str
    make: Callable[[list[Any]], Any]
    is_same: bool  # are its inner scores those of the grid search?


@dataclass(frozen=True, eq=False)
class Task:
    """One row of the table."""

    name: str
    title: str
    data: Callable[[], Table]
    methods: dict[str, Method]
    outer: int
    inner: int | str
    goal: float | None = None  # naive / ours, in CPU seconds
    most_ones: float | None = None  # ours / one fit and prediction
    loss: str = "squared"
    solvers: Literal["auto", "all"] = "auto"
    tolerance: float = 1e-6  # of the losses, relative; scikit-learn's default tolerances stop short of the optimum
    tight: dict[str, Any] = field(default_factory=dict)  # parameters by which an iterative learner comes to it
    folds: int | None = None  # outer folds the naive side does; None: all of them, and the final tuning
    inners: int | None = None  # inner splits it does of them
    peers: tuple[str, ...] = ()  # further ones, by the names in peers.py
    shortcut: Shortcut | None = None
    remark: str = ""
    is_scaled: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_scaled", self.folds is not None or self.inners is not None)

    @property
    def scoring(self) -> str:
        return SCORINGS[self.loss]

    @property
    def share(self) -> str:
        """Which part of the naive side is measured, in words."""
        if not self.is_scaled:
            return ""
        words = f"{self.folds or self.outer} of {self.outer} outer folds"
        return words if self.inners is None else f"{self.inners} inner split of {words}"


def tasks(size: Size) -> dict[str, Task]:
    """The tasks of this size by name; those whose library is not installed are left out."""
    made = {"tiny": lambda: [tiny()], "quick": _quick, "full": _full}[size]()
    return {task.name: task for task in made}


def tiny() -> Task:
    return k_nn("k-nn-tiny", 120, 3, ks=5, outer=3, inner=2)


def _full() -> list[Task]:
    ready = [
        k_nn("k-nn-1000", 1_000, 5, goal=60, peers=("two jobs", "optuna", "dask-ml", "intelex", "FNN")),
        k_nn("k-nn-20000-5", 20_000, 5, goal=70, most_ones=3, folds=1, peers=("FNN",)),
        k_nn("k-nn-20000-20", 20_000, 20, goal=100, most_ones=2, folds=1, inners=1),
        ridge("ridge-tall", 2_000, 200, goal=150, folds=1, peers=("intelex", "glmnet")),
        ridge("ridge-wide", 500, 2_000, goal=55, folds=1),
        lasso("lasso", 1_000, 500, goal=12, folds=1, peers=("glmnet",)),
        logistic("logistic-l2-cancer", "cancer", goal=7, peers=("two jobs", "glmnet")),
        logistic("logistic-l2-digits", "digits", goal=4, folds=1, peers=("glmnet",)),
        logistic("logistic-l1-cancer", "cancer", goal=5, share=1.0, peers=("glmnet",)),
        logistic("logistic-l1-digits", "digits", goal=5, share=1.0, folds=1, inners=1),
        boosting("boosting", 20_000, goal=3.3, folds=1, inners=1),
        boosting("boosting-pairs", 2_000, outer=10, inner="pairs", goal=5, folds=1, inners=1),
        boosting("boosting-lines", 2_000, outer=13, inner="lines", goal=12, folds=1, inners=1),
        forest("forest", 5_000, goal=1.7, folds=1, inners=1, peers=("ranger",)),
        forest("forest-pairs", 500, outer=10, inner="pairs", goal=2.7, folds=1, inners=1),
        forest("forest-lines", 500, outer=13, inner="lines", goal=6, folds=1, inners=1),
        svm("svm", 2_000, goal=1.7, folds=1, inners=1),
        svm("svm-pairs", 1_000, outer=10, inner="pairs", goal=2.7, folds=1, inners=1),
        svm("svm-lines", 1_000, outer=13, inner="lines", goal=6, folds=1, inners=1),
        tree("tree", 5_000, goal=35, folds=1),
        five("five-methods", outer=10, inner=5, goal=4, folds=1),
        any_learner("any-pairs", 5_000, outer=10, inner="pairs", goal=1.65, folds=1),
        any_learner("any-lines", 5_000, outer=13, inner="lines", goal=4, folds=1),
    ]
    if find_spec("lightgbm"):
        ready[13:13] = [
            lightgbm("lightgbm", 20_000, goal=3, folds=1, inners=1),
            lightgbm("lightgbm-pairs", 2_000, outer=10, inner="pairs", goal=4.5, folds=1, inners=1),
            lightgbm("lightgbm-lines", 2_000, outer=13, inner="lines", goal=10, folds=1, inners=1),
        ]
    at = next(place for place, task in enumerate(ready) if task.name == "forest")
    installed = [name for name in ("xgboost", "catboost") if find_spec(name)]
    ready[at:at] = [own_boosting(name, 20_000, folds=1, inners=1) for name in installed]
    return ready


def _quick() -> list[Task]:
    few = (10, 20, 30, 40, 50)
    return [
        k_nn("k-nn-1000", 1_000, 5, folds=2),
        k_nn("k-nn-20000-5", 4_000, 5, folds=1, inners=1),
        k_nn("k-nn-20000-20", 2_000, 20, folds=1, inners=1),
        ridge("ridge-tall", 600, 60, penalties=50, folds=1),
        ridge("ridge-wide", 150, 400, penalties=50, folds=1),
        lasso("lasso", 300, 100, penalties=50, folds=2),
        logistic("logistic-l2-cancer", "cancer", values=15, folds=1),
        logistic("logistic-l1-cancer", "cancer", values=15, share=1.0, folds=1),
        boosting("boosting", 1_000, trees=few, outer=3, inner=3, folds=1),
        boosting("boosting-lines", 700, trees=few, outer=7, inner="lines", folds=1),
        forest("forest", 300, trees=(5, 10, 20), outer=3, inner=3, folds=1),
        svm("svm", 400, folds=1, inners=1),
        tree("tree", 1_000, folds=1),
        five("five-methods", outer=5, inner=3, folds=1, inners=1),
        any_learner("any-pairs", 2_000, outer=5, inner="pairs", folds=1),
        any_learner("any-lines", 2_000, outer=7, inner="lines", folds=1),
    ]


def k_nn(name: str, rows: int, columns: int, *, ks: int = 30, outer: int = 8, inner: int = 5, **words: Any) -> Task:
    return Task(
        name,
        f"k-NN {outer} x {inner}, k = 1..{ks}, n = {rows:,}, d = {columns}",
        partial(smooth_rows, rows, columns),
        {"k-nn": Method(KNeighborsRegressor(), {"n_neighbors": list(range(1, ks + 1))})},
        outer,
        inner,
        **words,
    )


def ridge(name: str, rows: int, columns: int, *, penalties: int = 100, **words: Any) -> Task:
    alphas = [float(alpha) for alpha in np.logspace(-3, 5, penalties)]
    return Task(
        name,
        f"ridge 10 x 10, {penalties} penalties, n = {rows:,}, d = {columns:,}",
        partial(linear_rows, rows, columns),
        {"ridge": Method(Ridge(), {"alpha": alphas})},
        10,
        10,
        shortcut=Shortcut("RidgeCV (leave-one-out inside)", lambda pairs: RidgeCV(alphas), is_same=False),
        **words,
    )


def lasso(name: str, rows: int, columns: int, *, penalties: int = 100, **words: Any) -> Task:
    alphas = [float(alpha) for alpha in np.logspace(0.5, -2.5, penalties)]
    return Task(
        name,
        f"lasso 10 x 5, {penalties} penalties, n = {rows:,}, d = {columns}",
        partial(linear_rows, rows, columns, used=20),
        {"lasso": Method(Lasso(), {"alpha": alphas})},
        10,
        5,
        solvers="all",
        tolerance=1e-3,
        tight={"tol": 1e-12, "max_iter": 100_000},
        shortcut=Shortcut("LassoCV", lambda pairs: LassoCV(alphas=alphas, cv=pairs), is_same=True),
        **words,
    )


def logistic(name: str, source: str, *, values: int = 30, share: float = 0.0, **words: Any) -> Task:
    is_wide = source == "digits"
    inverses = [float(value) for value in np.logspace(-4, 1 if is_wide else 3, values)]
    way: dict[str, Any] = {"max_iter": 1000}
    if share:
        way |= {"l1_ratio": share, "solver": "saga" if is_wide else "liblinear", "random_state": 0}
    if share and is_wide:
        way |= {"max_iter": 100}

    def path(pairs: list[Any]) -> Any:
        known = {name: value for name, value in way.items() if name != "l1_ratio"}
        return LogisticRegressionCV(
            Cs=inverses, cv=pairs, l1_ratios=(share,), scoring="neg_log_loss", use_legacy_attributes=False, **known
        )

    return Task(
        name,
        f"logistic {'l1' if share else 'l2'} 5 x 5, {values} values, {source}",
        load_source(source),
        {"logistic": Method(LogisticRegression(**way), {"C": inverses})},
        5,
        5,
        loss="log",
        solvers="all",
        tolerance=1e-2,
        tight={} if share and is_wide else {"tol": 1e-10, "max_iter": 100_000},
        shortcut=Shortcut("LogisticRegressionCV", path, is_same=False),
        **words,
    )


def boosting(
    name: str,
    rows: int,
    *,
    trees: tuple[int, ...] = (50, 125, 200, 275, 350, 425, 500),
    outer: int = 5,
    inner: int | str = 5,
    **words: Any,
) -> Task:
    grid = {"learning_rate": [0.05, 0.1], "max_iter": list(trees)}
    learner = HistGradientBoostingRegressor(early_stopping=False, random_state=0)
    title = f"histogram boosting {scheme(outer, inner)}, rate x trees up to {trees[-1]}, n = {rows:,}"
    return Task(name, title, partial(smooth_rows, rows, 10), {"boosting": Method(learner, grid)}, outer, inner, **words)


def lightgbm(name: str, rows: int, *, outer: int = 5, inner: int | str = 5, **words: Any) -> Task:
    from lightgbm import LGBMRegressor

    grid = {"learning_rate": [0.05, 0.1], "n_estimators": [50, 125, 200, 275, 350, 425, 500]}
    learner = LGBMRegressor(n_jobs=1, verbose=-1, random_state=0)
    title = f"LightGBM {scheme(outer, inner)}, rate x trees up to 500, n = {rows:,}"
    return Task(name, title, partial(smooth_rows, rows, 10), {"lightgbm": Method(learner, grid)}, outer, inner, **words)


def own_boosting(name: str, rows: int, *, outer: int = 5, inner: int | str = 5, **words: Any) -> Task:
    """A user's own XGBoost or CatBoost."""
    if name == "xgboost":
        from xgboost import XGBRegressor

        title, trees, learner = "XGBoost", "n_estimators", XGBRegressor(n_jobs=1, random_state=0)
    else:
        from catboost import CatBoostRegressor

        title, trees = "CatBoost", "iterations"
        learner = CatBoostRegressor(thread_count=1, random_state=0, verbose=False, allow_writing_files=False)
    grid = {"learning_rate": [0.05, 0.1], trees: [50, 125, 200, 275, 350, 425, 500]}
    title = f"{title} {scheme(outer, inner)}, rate x trees up to 500, n = {rows:,}"
    return Task(name, title, partial(smooth_rows, rows, 10), {name: Method(learner, grid)}, outer, inner, **words)


def forest(
    name: str,
    rows: int,
    *,
    trees: tuple[int, ...] = (25, 50, 100),
    outer: int = 5,
    inner: int | str = 5,
    **words: Any,
) -> Task:
    grid = {"max_depth": [5, None], "max_features": [0.3, 1.0], "n_estimators": list(trees)}
    learner = RandomForestRegressor(random_state=0)
    title = f"forest {scheme(outer, inner)}, features x depth x trees, n = {rows:,}"
    return Task(name, title, partial(smooth_rows, rows, 10), {"forest": Method(learner, grid)}, outer, inner, **words)


def svm(name: str, rows: int, *, outer: int = 5, inner: int | str = 5, **words: Any) -> Task:
    grid = {
        "C": [float(value) for value in np.logspace(-1, 3, 6)],
        "gamma": [float(value) for value in np.logspace(-3, 0, 6)],
    }
    return Task(
        name,
        f"RBF SVM {scheme(outer, inner)}, 6 x 6, n = {rows:,}",
        partial(two_classes, rows, 20),
        {"svm": Method(SVC(), grid)},
        outer,
        inner,
        loss="zero_one",
        **words,
    )


def tree(name: str, rows: int, **words: Any) -> Task:
    grid = {"ccp_alpha": [0.0, *(float(value) for value in np.logspace(-6, -1, 29))]}
    learner = DecisionTreeRegressor(random_state=0)
    title = f"tree 10 x 5, 30 pruning values, n = {rows:,}"
    return Task(name, title, partial(smooth_rows, rows, 10), {"tree": Method(learner, grid)}, 10, 5, **words)


def five(name: str, *, outer: int, inner: int, **words: Any) -> Task:
    """Learners on scaled columns, as people write them."""
    scaler, numbers = StandardScaler(), [float(value) for value in np.logspace(-3, 3, 50)]
    some = [float(value) for value in np.logspace(-1, 3, 6)]
    methods = {
        "ridge": Method(make_pipeline(scaler, Ridge()), {"ridge__alpha": numbers}),
        "lasso": Method(make_pipeline(scaler, Lasso(max_iter=10_000)), {"lasso__alpha": numbers[15:]}),
        "k-nn": Method(
            make_pipeline(scaler, KNeighborsRegressor()), {"kneighborsregressor__n_neighbors": list(range(1, 31))}
        ),
        "tree": Method(
            DecisionTreeRegressor(random_state=0), {"ccp_alpha": [float(value) for value in np.logspace(-1, 3, 30)]}
        ),
        "svr": Method(
            make_pipeline(scaler, SVR()),
            {"svr__C": some, "svr__gamma": [float(value) for value in np.logspace(-3, 0, 6)]},
        ),
    }
    title = f"five methods at once, diabetes {outer} x {inner}"
    return Task(name, title, load_source("diabetes"), methods, outer, inner, solvers="all", tolerance=1e-3, **words)


def any_learner(name: str, rows: int, *, outer: int, inner: str, **words: Any) -> Task:
    """No solver knows leaf sizes, so that only the scheme saves fits."""
    learner = Method(DecisionTreeRegressor(random_state=0), {"min_samples_leaf": [1, 2, 4, 8]})
    title = f"any learner {scheme(outer, inner)} (tree, 4 candidates), n = {rows:,}"
    return Task(name, title, partial(smooth_rows, rows, 10), {"tree": learner}, outer, inner, **words)


def scheme(outer: int, inner: int | str) -> str:
    """The scheme in words.

    >>> scheme(13, "lines")
    '13 x 4 on lines'
    """
    if isinstance(inner, int):
        return f"{outer} x {inner}"
    folds = outer - 1 if inner == "pairs" else {7: 3, 13: 4, 21: 5, 31: 6}[outer]
    return f"{outer} x {folds} on {inner}"


def fold_labels(rows: int, folds: int) -> Any:
    """The outer folds of both sides."""
    return np.random.default_rng(99).permutation(np.arange(rows) % folds)


def smooth_rows(rows: int, columns: int) -> Table:
    rng = np.random.default_rng(rows + columns)
    X = rng.uniform(size=(rows, columns))
    wave = np.sin(4 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, columns // 2] ** 2
    return X, wave + 0.3 * rng.standard_normal(rows)


def linear_rows(rows: int, columns: int, used: int | None = None) -> Table:
    rng = np.random.default_rng(rows + columns)
    X = rng.standard_normal((rows, columns))
    weights = rng.standard_normal(columns)
    weights[columns if used is None else used :] = 0
    return X, X @ weights + np.sqrt(columns if used is None else used) * rng.standard_normal(rows)


def two_classes(rows: int, columns: int) -> Table:
    rng = np.random.default_rng(rows + columns)
    X = rng.standard_normal((rows, columns))
    edge = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.standard_normal(rows)
    return X, np.where(edge > 0, "yes", "no")


def load_source(name: str) -> Callable[[], Table]:
    """Embedded data; what is scaled here is scaled for both sides."""

    def load() -> Table:
        if name == "diabetes":
            X, y = load_diabetes(return_X_y=True)
            return X, y
        X, y = (load_digits if name == "digits" else load_breast_cancer)(return_X_y=True)
        return (X / 16.0 if name == "digits" else (X - X.mean(axis=0)) / X.std(axis=0)), y

    return load
