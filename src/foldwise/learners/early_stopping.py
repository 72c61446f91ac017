"""Early stopping of LightGBM, XGBoost and CatBoost: the rounds are found on rows held out of the training rows.

A learner with `early_stopping_rounds` is fitted twice: to four fifths of its training rows, watched on the last fifth,
to find the number of rounds; and then to all training rows with so many rounds and no early stopping.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.splits.holdout import held_out_rows, hold_out
from foldwise.splits.part import make_part

SHARE = 0.2  # of the training rows, on which the rounds are found
PACKAGES = ("lightgbm", "xgboost", "catboost")
PATIENCE = ("early_stopping_rounds", "early_stopping_round", "n_iter_no_change")  # what each may be called
ROUNDS = ("n_estimators", "iterations", "num_boost_round", "num_trees")


def stops_early(estimator: Any) -> bool:
    """Does it, or the last step of its pipeline, ask for early stopping by one of the three packages?

    >>> from sklearn.linear_model import Ridge
    >>> stops_early(Ridge())
    False
    """
    _, last = _last(estimator)
    return _is_boosting(last) and any(last.get_params(deep=False).get(word) for word in PATIENCE)


def may_stop_early(estimator: Any, parameters: Any) -> bool:
    """Does it stop early as it is, or at some candidate with these parameters?"""
    is_tuned = any(str(name).rpartition("__")[2] in PATIENCE for name in parameters)
    return stops_early(estimator) or (is_tuned and _is_boosting(_last(estimator)[1]))


def stops_at_random(estimator: Any) -> bool:
    """Does scikit-learn hold out rows at random to stop it early, whatever groups and time say?"""
    _, last = _last(estimator)
    asked = {"HistGradientBoosting": "early_stopping", "GradientBoosting": "n_iter_no_change"}
    kind = type(last).__name__.removesuffix("Classifier").removesuffix("Regressor")
    return kind in asked and getattr(last, asked[kind], None) not in (None, False, "auto")


def with_rounds_found(estimator: Any, data: Dataset, train: IntArray, seed: int) -> Any:
    """The estimator, not fitted, with the rounds that rows held out of these training rows ask for."""
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    learn, watch = watched_rows(data, train, seed)
    prefix, last = _last(estimator)
    before = Pipeline(estimator.steps[:-1]) if prefix and len(estimator.steps) > 1 else None
    X, held = data.take(learn), data.take(watch)
    if before is not None:
        before = clone(before)
        X, held = before.fit_transform(X, data.y[learn]), before.transform(held)
    weights = None if data.weights is None else (data.weights[learn], data.weights[watch])
    rounds = _rounds_found(clone(last), (X, data.y[learn]), (held, data.y[watch]), weights)
    found: dict[str, Any] = {word: None for word in PATIENCE if last.get_params(deep=False).get(word)}
    found |= {_rounds_word(last): rounds}
    return clone(estimator).set_params(**{f"{prefix}{word}": value for word, value in found.items()})


def watched_rows(data: Dataset, train: IntArray, seed: int) -> tuple[IntArray, IntArray]:
    """Training rows to learn from, and those to watch: the latest in time, whole groups, or classes in proportion.

    A class is never watched that is not learnt from. Copies of a row stay together, and are watched once.
    """
    has_time = data.time is not None and len(np.unique(data.time[train])) > 1
    has_groups = data.groups is not None and len(np.unique(data.groups[train])) > 1 and not has_time
    strata = None if data.task == "regression" else _strata(data.codes, train)
    rows = replace(
        data,
        time=data.time if has_time else None,
        groups=data.groups if has_groups else None,
        strata=strata,
    )
    part = make_part(rows, seed=seed, rows=train)
    watch = hold_out(part, held_out_rows(SHARE, len(part.rows)), part.random("early stopping"))
    if data.task != "regression":
        known = np.unique(data.codes[np.setdiff1d(part.rows, watch)])
        watch = watch[np.isin(data.codes[watch], known)]
    return train[~np.isin(train, watch)], watch


def _strata(codes: IntArray, train: IntArray) -> IntArray:
    """The classes, those of a single row together with the largest."""
    counts = np.bincount(codes[np.unique(train)], minlength=int(codes.max()) + 1)
    return np.where(counts[codes] < 2, np.argmax(counts), codes)


def _rounds_found(
    booster: Any, learn: tuple[Any, Any], watch: tuple[Any, Any], weights: tuple[FloatArray, FloatArray] | None
) -> int:
    package, taken = _package(booster), inspect.signature(booster.fit).parameters
    words: dict[str, Any] = {} if weights is None else {"sample_weight": weights[0]}
    if package == "catboost":
        booster.fit(*learn, eval_set=_pool(booster, watch, weights), **words)
        return int(booster.get_best_iteration()) + 1
    if package == "lightgbm":
        words |= {"eval_X": (watch[0],), "eval_y": (watch[1],)} if "eval_X" in taken else {"eval_set": [watch]}
        words |= {} if weights is None else {"eval_sample_weight": [weights[1]]}
        return int(booster.fit(*learn, **words).best_iteration_)
    words |= {} if weights is None else {"sample_weight_eval_set": [weights[1]]}
    return int(booster.fit(*learn, eval_set=[watch], verbose=False, **words).best_iteration) + 1


def _pool(booster: Any, watch: tuple[Any, Any], weights: tuple[FloatArray, FloatArray] | None) -> Any:
    """CatBoost takes weights of watched rows only with the rows."""
    if weights is None:
        return watch
    from catboost import Pool

    return Pool(*watch, weight=weights[1], cat_features=booster.get_params().get("cat_features"))


def _last(estimator: Any) -> tuple[str, Any]:
    """The last step of a pipeline with the prefix of its parameters; the estimator itself where it is none."""
    steps = getattr(estimator, "steps", None)
    if type(estimator).__name__ == "Pipeline" and isinstance(steps, list) and steps:
        return f"{steps[-1][0]}__", steps[-1][1]
    return "", estimator


def _is_boosting(last: Any) -> bool:
    return hasattr(last, "get_params") and not isinstance(last, type) and bool(_package(last))


def _package(booster: Any) -> str:
    roots = [base.__module__.partition(".")[0] for base in type(booster).__mro__]
    return next((name for name in PACKAGES if name in roots), "")


def _rounds_word(booster: Any) -> str:
    known = booster.get_params(deep=False)
    default = "iterations" if _package(booster) == "catboost" else "n_estimators"
    return next((word for word in ROUNDS if word in known), default)
