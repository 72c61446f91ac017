"""Wide spaces as an expert would write them for Optuna, one family each: a trial in, a learner out.

Columns are prepared as for the built-in learner of the family and a numeric target has variance 1, so that only the
spaces and the searches differ. `rows` are those that the smallest inner part trains on.
"""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

MOST_STEPS = 20_000  # of a support vector machine: a few penalties of the wide space would go on for minutes


def ridge(trial: Any, *, classes: int, rows: int, columns: int) -> Any:
    return Ridge(alpha=trial.suggest_float("alpha", 1e-6, 1e6, log=True))


def lasso(trial: Any, *, classes: int, rows: int, columns: int) -> Any:
    return Lasso(alpha=trial.suggest_float("alpha", 1e-6, 10.0, log=True), max_iter=5_000)


def logistic(trial: Any, *, classes: int, rows: int, columns: int) -> Any:
    inverse = trial.suggest_float("C", 1e-5, 1e4, log=True)
    share = trial.suggest_categorical("l1_ratio", [0.0, 1.0]) if classes == 2 else 0.0
    solver = "liblinear" if share else "lbfgs"
    # liblinear goes on for minutes where there is next to no penalty
    steps = 100 if share else 1_000
    return LogisticRegression(C=inverse, l1_ratio=share, solver=solver, max_iter=steps, random_state=0)


def k_nn(trial: Any, *, classes: int, rows: int, columns: int) -> Any:
    words = {
        "n_neighbors": trial.suggest_int("n_neighbors", 1, min(200, rows - 1), log=True),
        "weights": trial.suggest_categorical("weights", ["uniform", "distance"]),
        "p": trial.suggest_categorical("p", [1, 2]),
    }
    return KNeighborsClassifier(**words) if classes > 1 else KNeighborsRegressor(**words)


def tree(trial: Any, *, classes: int, rows: int, columns: int) -> Any:
    words = {
        "max_depth": trial.suggest_int("max_depth", 1, 30, log=True),
        "max_leaf_nodes": trial.suggest_int("max_leaf_nodes", 2, 512, log=True),
        "min_samples_leaf": trial.suggest_int("min_samples_leaf", 1, 100, log=True),
        "ccp_alpha": trial.suggest_float("ccp_alpha", 1e-6, 0.3, log=True),
        "random_state": 0,
    }
    return DecisionTreeClassifier(**words) if classes > 1 else DecisionTreeRegressor(**words)


def forest(trial: Any, *, classes: int, rows: int, columns: int) -> Any:
    words = {
        "max_features": trial.suggest_float("max_features", 1 / columns, 1.0),
        "min_samples_leaf": trial.suggest_int("min_samples_leaf", 1, 50, log=True),
        "max_depth": trial.suggest_int("max_depth", 2, 40, log=True),
        "max_samples": trial.suggest_float("max_samples", 0.3, 1.0),
        "n_estimators": 100,
        "random_state": 0,
    }
    return RandomForestClassifier(**words) if classes > 1 else RandomForestRegressor(**words)


def boosting(trial: Any, *, classes: int, rows: int, columns: int) -> Any:
    words = {
        "max_iter": trial.suggest_int("max_iter", 10, 300 if classes < 3 else 150, log=True),
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.5, log=True),
        "max_leaf_nodes": trial.suggest_int("max_leaf_nodes", 2, 64, log=True),
        "min_samples_leaf": trial.suggest_int("min_samples_leaf", 2, 60, log=True),
        "l2_regularization": trial.suggest_float("l2_regularization", 1e-4, 100.0, log=True),
        "max_features": trial.suggest_float("max_features", 0.3, 1.0),
        "early_stopping": False,
        "random_state": 0,
    }
    return HistGradientBoostingClassifier(**words) if classes > 1 else HistGradientBoostingRegressor(**words)


def svm(trial: Any, *, classes: int, rows: int, columns: int) -> Any:
    kernel = trial.suggest_categorical("kernel", ["linear", "poly", "rbf"])
    words: dict[str, Any] = {"kernel": kernel, "C": trial.suggest_float("C", 1e-3, 1e3, log=True)}
    if kernel != "linear":
        words["gamma"] = trial.suggest_float("gamma", 1e-3 / columns, 30 / columns, log=True)
    if kernel == "poly":
        words |= {"degree": trial.suggest_int("degree", 2, 4), "coef0": trial.suggest_float("coef0", 0.0, 2.0)}
    if classes > 1:
        return SVC(max_iter=MOST_STEPS, **words)
    return SVR(max_iter=MOST_STEPS, epsilon=trial.suggest_float("epsilon", 1e-3, 1.0, log=True), **words)


FAMILIES = {
    "ridge": ridge,
    "lasso": lasso,
    "logistic": logistic,
    "k-nn": k_nn,
    "tree": tree,
    "forest": forest,
    "boosting": boosting,
    "svm": svm,
}
NUMBERS_ONLY = ("ridge", "lasso")
CLASSES_ONLY = ("logistic",)
