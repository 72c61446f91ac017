"""The referee: some sixty small studies of all kinds, whose answers by version 0.2 must not change.

    python benchmarks/reference.py compare [--quick] [--strict] [NAME ...]   run the studies, and compare
    python benchmarks/reference.py make [NAME ...]                           write the answers again
    python benchmarks/reference.py list

The answers stand in reference.json, with every digit. Fields are compared by their path, such as
`result.methods.ridge.folds.0.loss`: whole numbers, names and candidates exactly, other numbers to 1e-9 of their size.
What differs is an error. A field that is no longer there is listed as gone (an error with `--strict`); new fields are
ignored, and so are sentences, seconds and versions. A field with a new name needs a line in RENAMED.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import signal
import sqlite3
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

import foldwise as fw

ANSWERS = Path(__file__).with_name("reference.json")
RELATIVE, ABSOLUTE = 1e-9, 1e-12
SAMPLE = 6  # longer lists are kept as their sums

# Old path -> new path; `*` stands for one part of a path, which the new path may repeat.
RENAMED: dict[str, str] = {}

# Sentences, and what differs from run to run or from machine to machine.
SENTENCES = (
    "text",
    "advice",
    "words",
    "why",
    "reason",
    "remedy",
    "trained_on",
    "target",
    "loss_label",
    "note",
    "title",
)
VOLATILE = ("seconds", "seconds_per_1000", "fits_made", "versions", "fingerprint", "date")
IGNORED = frozenset({*SENTENCES, *VOLATILE, "outer", "inner", "averaged", "failures", "severity"})
# Checks that version 0.3 does without.
GONE_CODES = frozenset({"FW108", "FW304", "FW307", "FW402", "FW409", "FW509", "FW605"})


# --- answers as plain values, and as paths


def plain(value: Any) -> Any:
    """An answer of any kind as dictionaries, lists, numbers and texts, without what is ignored."""
    if isinstance(value, fw.Result):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        kept = {str(key): item for key, item in value.items() if str(key) not in IGNORED}
        return {key: plain_findings(item) if key == "findings" else plain(item) for key, item in kept.items()}
    if hasattr(value, "columns") and hasattr(value, "itertuples"):
        columns = {str(name): plain(value[name].tolist()) for name in value.columns if str(name) not in IGNORED}
        return {"rows": len(value), **columns}
    if hasattr(value, "to_dict") and not isinstance(value, type):
        return plain(value.to_dict())
    if is_dataclass(value) and not isinstance(value, type):
        return plain(vars(value))
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return _plain_list(list(value))
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return type(value).__name__  # an estimator in a candidate


def _plain_list(items: list[Any]) -> Any:
    if not items or not all(isinstance(item, Mapping) for item in items):
        return sums(items) if len(items) > 4 * SAMPLE else [plain(item) for item in items]
    if all("code" in item for item in items):  # notes: their codes alone
        return dict(sorted(Counter(str(item["code"]) for item in items).items()))
    if len({str(item.get("name")) for item in items}) == len(items) and all("name" in item for item in items):
        return {str(item["name"]): plain(item) for item in items}
    if len(items) <= 4 * SAMPLE:
        return [plain(item) for item in items]
    fields = dict.fromkeys(field for item in items for field in item)
    return plain({field: [item.get(field) for item in items] for field in fields})


def plain_findings(findings: Iterable[Any]) -> dict[str, Any]:
    """All codes, in alphabetical order, and what was found by those that stand there once."""
    every = [finding if isinstance(finding, Mapping) else finding.to_dict() for finding in findings]
    kept = [finding for finding in every if finding["code"] not in GONE_CODES]
    codes = sorted(str(finding["code"]) for finding in kept)
    return {"codes": codes, **{f["code"]: plain(f) for f in kept if codes.count(f["code"]) == 1}}


def sums(items: list[Any]) -> dict[str, Any]:
    """A long list: the first items, and sums that see each number and its place."""
    first = [plain(item) for item in items[:SAMPLE]]
    try:
        numbers = np.array(items, dtype=float)
    except (TypeError, ValueError):
        text = json.dumps([plain(item) for item in items], default=str)
        return {"count": len(items), "first": first, "digest": hashlib.sha256(text.encode()).hexdigest()[:16]}
    flat = numbers.ravel()
    weights = np.cos(np.arange(flat.size))
    present = np.isfinite(flat)
    known = np.where(present, flat, 0.0)
    total, size = float(known @ weights), float(np.abs(known).sum())
    more = {"finite": int(present.sum()), "size": size, "places": total + size}
    return {"count": len(items), "first": first, **more}


def paths(value: Any, start: str = "") -> dict[str, Any]:
    """Every number, name and truth in an answer by its path."""
    if isinstance(value, Mapping):
        items: Iterable[tuple[str, Any]] = [(str(name).replace(".", "_"), item) for name, item in value.items()]
    elif isinstance(value, list):
        items = [("length", len(value)), *((str(at), item) for at, item in enumerate(value))]
    else:
        return {start: value}
    return {
        path: leaf for name, item in items for path, leaf in paths(item, f"{start}.{name}" if start else name).items()
    }


def renamed(path: str) -> str:
    for old, new in RENAMED.items():
        pattern = re.escape(old).replace(r"\*", "([^.]+)")
        if match := re.fullmatch(pattern, path):
            for part in match.groups():
                new = new.replace("*", part, 1)
            return new
    return path


def is_equal(expected: Any, found: Any) -> bool:
    """To 1e-9 of its size where both are numbers with a fraction, otherwise exactly."""
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, float) and isinstance(found, int | float):
        return math.isclose(expected, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE) or (expected != expected != found)
    return bool(expected == found and type(expected) is type(found)) or (
        isinstance(expected, int) and isinstance(found, float) and expected == found
    )


@dataclass(frozen=True)
class Differences:
    """Of one study: fields that are gone, and those with another value (path, expected, found)."""

    gone: tuple[str, ...]
    changed: tuple[tuple[str, Any, Any], ...]


def differences(expected: Any, found: Any) -> Differences:
    old, new = paths(expected), paths(found)
    gone, changed = [], []
    for path, value in old.items():
        name = renamed(path)
        if name not in new:
            gone.append(path)
        elif not is_equal(value, new[name]):
            changed.append((path, value, new[name]))
    return Differences(tuple(gone), tuple(changed))


# --- data


def diabetes(rows: int = 160) -> tuple[Any, Any]:
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X.iloc[:rows], y.iloc[:rows]


def cancer(rows: int = 160, columns: int = 8) -> tuple[Any, Any]:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:rows, :columns], y.iloc[:rows]


def iris() -> tuple[Any, Any]:
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def noisy_classes(rows: int = 150, seed: int = 5) -> tuple[Any, Any]:
    """Two classes of words that nobody tells apart for sure."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=rows) > 1.2, "ill", "healthy")


def mixed_table(rows: int = 140) -> Any:
    """Numbers with missing values, categories, texts and dates, and a price."""
    import pandas as pd

    rng = np.random.default_rng(11)
    size, town = rng.gamma(4, 20, rows), rng.choice(["north", "south", "east"], rows)
    words = ["quiet garden", "busy street", "old house", "new roof garden", "quiet street"]
    text = [f"{words[rng.integers(5)]} {words[rng.integers(5)]} no {number}" for number in range(rows)]
    price = 3 * size + 40 * (town == "north") + np.array([20 * ("garden" in line) for line in text])
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(rows) < 0.15, np.nan, size),
            "town": pd.Categorical(town),
            "text": text,
            "built": pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 9000, rows), unit="D"),
            "has_lift": rng.random(rows) < 0.4,
            "price": price + rng.normal(0, 15, rows),
        }
    )
    frame.loc[rng.random(rows) < 0.1, "town"] = None
    return frame


def series(rows: int = 140) -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    steps = np.arange(rows)
    y = 10 + 0.05 * steps + 3 * np.sin(2 * np.pi * steps / 12) + rng.normal(size=rows)
    X = np.column_stack([np.sin(2 * np.pi * steps / 12), np.cos(2 * np.pi * steps / 12), rng.normal(size=rows)])
    return X, y


RIDGE, K_NN, TREE = "ridge:small", "k-nn:small", "tree:small"


# --- learners and losses of the user's own


class FailsWithoutRow(RegressorMixin, BaseEstimator):
    """A ridge that fails on training sets that lack the row whose first column is `row`."""

    def __init__(self, alpha: float = 1.0, row: float = 0.0) -> None:
        self.alpha = alpha
        self.row = row

    def fit(self, X: Any, y: Any) -> FailsWithoutRow:
        if self.row not in np.asarray(X)[:, 0]:
            raise ValueError("that row is needed")
        self.model_ = Ridge(alpha=self.alpha).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)


class Interruptible(RegressorMixin, BaseEstimator):
    """A ridge during whose fits somebody presses Ctrl-C, once `left` fits are made."""

    left: float = math.inf

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def fit(self, X: Any, y: Any) -> Interruptible:
        Interruptible.left -= 1
        if Interruptible.left == 0:
            signal.raise_signal(signal.SIGINT)
        self.model_ = Ridge(alpha=self.alpha).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)


def late(y: Any, prediction: Any) -> Any:
    return np.where(prediction < y, 5 * (y - prediction), prediction - y)


def keys_of(run: Path) -> list[str]:
    """The names of all fits in a store."""
    with closing(sqlite3.connect(run / "records.db")) as database:
        return sorted(key for (key,) in database.execute("SELECT key FROM records"))


# --- the studies

STUDIES: dict[str, Callable[[], Any]] = {}
QUICK: set[str] = set()


def study(*, quick: bool = False) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def register(make: Callable[[], Any]) -> Callable[[], Any]:
        STUDIES[make.__name__] = make
        if quick:
            QUICK.add(make.__name__)
        return make

    return register


def compare(*arguments: Any, **options: Any) -> fw.Result:
    return fw.compare(*arguments, **{"jobs": 1, "progress": False, **options})


def tables(result: fw.Result) -> dict[str, Any]:
    """What a result has beside its answer."""
    return {
        "result": result,
        "table": result.table(),
        "choices": result.choices(),
        "losses": result.losses(),
        "losses_by_fold": result.losses(by="fold"),
        "predictions": result.predictions(),
        "metrics": result.metrics(),
        "splits": result.splits(),
        "selection_bias": result.selection_bias(),
        "decision": result.decision(),
    }


@study(quick=True)
def regression_lines() -> Any:
    """The default scheme, with everything that can be read from a result."""
    result = compare(["ridge", "k-nn", TREE], *diabetes(200), outer=13, inner="lines", seed=3)
    return {
        **tables(result),
        "difference": result.difference("ridge", "k-nn", rope=100.0),
        "decision_of_margin": result.decision(200.0),
        "search_curve": result.search_curve("k-nn"),
        "rows_needed": result.rows_needed("ridge", "k-nn"),
        "candidate_one_se": result.candidate("ridge", rule="one_se"),
    }


@study(quick=True)
def binary_pairs() -> Any:
    return tables(compare(["logistic:small", K_NN, "naive-bayes"], *cancer(), outer=6, inner="pairs", seed=1))


@study(quick=True)
def multiclass_aligned() -> Any:
    return tables(compare(["logistic:small", "lda", K_NN], *iris(), outer=7, inner="aligned", loss="log", seed=2))


@study()
def absolute_nested() -> Any:
    result = compare(["lasso:small", RIDGE], *diabetes(), outer=5, inner=4, loss="absolute", optimism=True, seed=4)
    return {"result": result, "selection_bias": result.selection_bias()}


@study()
def pinball_dev() -> Any:
    return compare([RIDGE, K_NN], *diabetes(), outer=5, inner="dev", loss=fw.pinball(0.9), seed=5)


@study(quick=True)
def test_set_by_validation() -> Any:
    """One test set and one development set: bounded loss, so a guarantee and exact intervals."""
    result = compare(["logistic:small", K_NN, TREE], *noisy_classes(240), outer=0.2, inner=0.25, level=0.9, seed=6)
    return {"result": result, "difference": result.difference(K_NN, TREE)}


@study()
def test_set_by_cross_validation() -> Any:
    return compare([RIDGE, K_NN], *diabetes(200), outer=0.2, inner=5, seed=7)


@study(quick=True)
def leave_one_out() -> Any:
    return compare(["linear", "ridge", K_NN], *diabetes(60), outer="loo", inner=5, seed=8)


@study()
def leave_one_out_untuned() -> Any:
    return compare(["linear"], *diabetes(120), outer="loo", inner=None, seed=8)


@study()
def given_folds() -> Any:
    X, y = diabetes()
    return compare([RIDGE, TREE], X, y, outer=np.arange(len(y)) % 5, inner=3, seed=9)


@study()
def given_pairs() -> Any:
    X, y = diabetes(90)
    rows = np.arange(90)
    pairs = [(rows[rows % 4 != fold], rows[rows % 4 == fold]) for fold in range(3)]
    return compare([RIDGE], X, y, outer=fw.Pairs(pairs), inner=3, seed=9)


@study()
def bootstrap_and_monte_carlo() -> Any:
    X, y = diabetes(120)
    return {
        "bootstrap": compare([RIDGE], X, y, outer=fw.Bootstrap(6), inner=3, seed=10),
        "monte_carlo": compare([RIDGE], X, y, outer=fw.MonteCarlo(6, 0.25), inner=0.25, seed=10),
    }


@study(quick=True)
def repeats() -> Any:
    result = compare([RIDGE, K_NN], *diabetes(140), outer=5, inner="pairs", repeats=3, seed=11)
    return {"result": result, "noise": result.noise(RIDGE, seeds=2), "losses": result.losses()}


@study(quick=True)
def groups() -> Any:
    X, y = diabetes(150)
    result = compare([RIDGE, K_NN], X, y, outer=5, inner=3, groups=np.arange(150) // 5, seed=12)
    return {"result": result, "splits": result.splits()}


@study()
def leave_one_group_out() -> Any:
    X, y = noisy_classes(120)
    wards = np.arange(120) % 6
    return compare(["logistic:small"], X, y, outer=fw.LeaveOneGroupOut(), inner=2, groups=wards, seed=12)


@study(quick=True)
def time_order() -> Any:
    X, y = series()
    seasonal = {"seasonal": fw.learner("seasonal-naive", period=12), "ridge": RIDGE}
    result = compare(seasonal, X, y, outer=fw.TimeOrdered(6, horizon=10), inner=3, time=np.arange(len(y)), seed=13)
    return {"result": result, "difference": result.difference("seasonal", "ridge")}


@study()
def time_default() -> Any:
    X, y = series(120)
    return compare([RIDGE, K_NN], X, y, time=np.arange(120), seed=13)


@study(quick=True)
def weights() -> Any:
    X, y = diabetes()
    given = np.random.default_rng(0).gamma(2, 1, len(y))
    result = compare([RIDGE, TREE, "linear"], X, y, outer=5, inner="pairs", weights=given, seed=14)
    return {"result": result, "metrics": result.metrics()}


@study()
def weights_classes() -> Any:
    X, y = noisy_classes()
    given = np.random.default_rng(1).gamma(2, 1, len(y))
    return compare(["logistic:small", TREE], X, y, outer=5, inner=3, weights=given, loss="brier", seed=14)


@study()
def not_stratified() -> Any:
    return compare([K_NN], *iris(), outer=5, inner=3, stratify=False, seed=15)


@study()
def cost_matrix() -> Any:
    return compare(
        ["logistic:small", K_NN], *noisy_classes(), outer=5, inner=3, loss=[[0, 1], [10, 0]], positive="ill", seed=16
    )


@study()
def balanced() -> Any:
    X, y = noisy_classes(180)
    return compare(["logistic:small", TREE], X, y, outer=5, inner=3, loss="balanced_zero_one", seed=17)


@study(quick=True)
def roc_auc() -> Any:
    X, y = noisy_classes(180)
    return {
        "folds": compare(["logistic:small", "naive-bayes"], X, y, outer=5, inner=3, loss="roc_auc", seed=18),
        "test_set": compare(["logistic:small"], X, y, outer=0.3, inner=3, loss="roc_auc", seed=18),
    }


@study()
def r2() -> Any:
    return compare([RIDGE, K_NN], *diabetes(), outer=5, inner=3, loss="r2", seed=19)


@study()
def f1_and_rmse() -> Any:
    return {
        "f1": compare(["logistic:small", K_NN], *noisy_classes(), outer=5, inner=3, loss="f1", positive="ill", seed=20),
        "f1_macro": compare([K_NN], *iris(), outer=5, inner=3, loss="f1_macro", seed=20),
        "rmse": compare([RIDGE], *diabetes(), outer=5, inner=3, loss="rmse", seed=20),
    }


@study()
def own_loss() -> Any:
    return compare([RIDGE, K_NN], *diabetes(), outer=5, inner=3, loss=late, seed=21)


@study(quick=True)
def several_losses() -> Any:
    result = compare(
        ["logistic:small", K_NN], *noisy_classes(), outer=5, inner=3, loss=["log", "zero_one", "roc_auc"], seed=22
    )
    return {"result": result, "table": result.table(), "by_fold": result.losses(by="fold")}


@study()
def other_row_losses() -> Any:
    X, y = diabetes(120)
    return {
        name: compare([RIDGE], X, y, outer=4, inner=3, loss=name, seed=23)
        for name in ("poisson", "mape", "squared_log")
    }


@study()
def hinge_and_intervals() -> Any:
    X, y = noisy_classes(120)
    return {
        "hinge": compare(["svm:small"], X, y, outer=3, inner=2, loss="hinge", seed=24),
        "bayle": compare(["logistic:small"], X, y, outer=5, inner=3, interval="bayle", seed=24),
        "corrected t": compare(["logistic:small"], X, y, outer=5, inner=3, interval="corrected t", seed=24),
        "betting": compare(["logistic:small"], X, y, outer=0.3, inner=3, interval="betting", seed=24),
    }


def forest_space() -> Any:
    from sklearn.tree import DecisionTreeRegressor

    space = {
        "max_depth": fw.int_range(1, 8),
        "min_samples_leaf": [1, 3, 5, 9],
        "max_features": fw.float_range(0.2, 1.0),
    }
    return fw.tune(DecisionTreeRegressor(random_state=0), space)


@study(quick=True)
def tuner_random() -> Any:
    return compare({"tree": forest_space()}, *diabetes(120), outer=3, inner=3, tuner="random", budget=12, seed=25)


@study()
def tuner_grid_budget() -> Any:
    return compare({"tree": forest_space(), "k-nn": "k-nn"}, *diabetes(120), outer=3, inner=3, budget=10, seed=25)


@study(quick=True)
def tuner_halving() -> Any:
    return compare({"tree": forest_space()}, *diabetes(150), outer=3, inner=3, tuner="halving", budget=16, seed=26)


@study(quick=True)
def tuner_racing() -> Any:
    return compare({"tree": forest_space()}, *diabetes(150), outer=3, inner=5, tuner="racing", budget=16, seed=27)


@study()
def tuner_tpe() -> Any:
    return compare({"tree": forest_space()}, *diabetes(120), outer=2, inner=3, tuner="tpe", budget=20, seed=28)


@study(quick=True)
def one_se() -> Any:
    result = compare(["ridge", "k-nn", TREE], *diabetes(), outer=5, inner=5, rule="one_se", seed=29)
    return {"result": result, "choices": result.choices()}


@study()
def quick_effort() -> Any:
    return compare(*diabetes(100), effort="quick", seed=30)


@study()
def quick_effort_classes() -> Any:
    return compare(*noisy_classes(100), effort="quick", seed=30)


@study(quick=True)
def blend() -> Any:
    members = {
        "ridge": fw.learner("ridge", alpha=[0.1, 1.0, 10.0]),
        "k-nn": fw.learner("k-nn", n_neighbors=[5, 15, 30]),
    }
    X, y = diabetes(180)
    result = compare({**members, "blend": fw.blend(members)}, X, y, outer=7, inner="aligned", seed=31)
    return {
        "result": result,
        "weights": result.candidate("blend"),
        "predictions": result.refit("blend").predict(X.iloc[:20]),
        "inner": result.refit(pick="inner").predict(X.iloc[:20]),
    }


@study()
def blend_classes() -> Any:
    members = {"logistic": "logistic:small", "k-nn": K_NN}
    return compare({**members, "blend": fw.blend(members)}, *iris(), outer=5, inner=3, loss="log", seed=31)


@study(quick=True)
def mixed_columns() -> Any:
    """Missing values, categories, text, dates; the same table by way of polars."""
    import polars as pl

    frame = mixed_table()
    learners = [RIDGE, K_NN, TREE]
    return {
        "pandas": compare(learners, frame, "price", outer=5, inner=3, seed=32),
        "polars": compare([RIDGE], pl.from_pandas(frame), "price", outer=5, inner=3, seed=32),
    }


@study()
def mixed_columns_trees() -> Any:
    learners = [fw.learner("forest", size="small"), fw.learner("boosting", size="small")]
    return compare(learners, mixed_table(100), "price", outer=3, inner=2, seed=32)


@study()
def sparse() -> Any:
    from scipy.sparse import random as sparse_random

    rng = np.random.default_rng(3)
    X = sparse_random(120, 60, density=0.1, random_state=3, format="csr")
    y = X @ rng.normal(size=60) + 0.1 * rng.normal(size=120)
    return {
        "numbers": compare([RIDGE, "lasso:small"], X, y, outer=5, inner=3, seed=33),
        "classes": compare(["logistic:small"], X, np.where(y > 0, "more", "less"), outer=4, inner=3, seed=33),
    }


@study(quick=True)
def own_pipelines() -> Any:
    from sklearn.decomposition import PCA
    from sklearn.feature_selection import SelectKBest, f_regression
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), PCA(random_state=0), KNeighborsRegressor())
    space = {"pca__n_components": [2, 4, 6], "kneighborsregressor__n_neighbors": [3, 9, 15]}
    learners = {
        "pca": fw.tune(pipeline, space),
        "best columns": fw.tune(
            make_pipeline(SelectKBest(f_regression), Ridge()), {"selectkbest__k": [2, 5], "ridge__alpha": [0.1, 1.0]}
        ),
        "search": GridSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1.0]}, cv=3),
        "plain": make_pipeline(StandardScaler(), Ridge(alpha=3.0)),
    }
    result = compare(learners, *diabetes(), outer=5, inner=3, seed=34)
    return {"result": result, "choices": result.choices()}


@study()
def linear_zoo() -> Any:
    return compare(["linear", "ridge", "lasso", "elastic-net:small"], *diabetes(120), outer=5, inner="pairs", seed=35)


@study()
def kernel_zoo() -> Any:
    learners = ["svm:small", "kernel-ridge:small", "gaussian-process:small", "gam:small"]
    return compare(learners, *diabetes(100), outer=3, inner=2, seed=36)


@study()
def class_zoo() -> Any:
    learners = ["logistic", "naive-bayes", "lda", "qda", "svm:small", TREE]
    return compare(learners, *cancer(120, 6), outer=3, inner="pairs", seed=37)


@study()
def tree_zoo() -> Any:
    learners = [
        "tree",
        fw.learner("forest", size="small"),
        fw.learner("extra-trees", size="small"),
        fw.learner("boosting", size="small"),
    ]
    return compare(learners, *diabetes(120), outer=3, inner="pairs", seed=38)


@study(quick=True)
def stand_ins() -> Any:
    X, y = diabetes(100)
    X = np.column_stack([np.arange(100.0), X])
    failing = fw.tune(FailsWithoutRow(), alpha=[0.1, 1.0])
    result = compare({"failing": failing, "ridge": RIDGE}, X, y, outer=5, inner=3, on_failure="baseline", seed=39)
    failed = {method["name"]: len(method["failures"]) for method in result.to_dict()["methods"]}
    return {"result": result, "failures": failed, "predictions": result.predictions()}


@study()
def dropped_candidates() -> Any:
    X, y = diabetes(100)
    X = np.column_stack([np.arange(100.0), X])
    failing = fw.tune(FailsWithoutRow(), alpha=[0.1, 1.0], row=[0.0, 0.0])
    return compare({"failing": failing, "ridge": RIDGE}, X, y, outer=5, inner=3, on_failure="drop_candidate", seed=39)


@study()
def networks_and_packages() -> Any:
    from importlib.util import find_spec

    needs = {"neural-net": "torch", "lightgbm": "lightgbm", "xgboost": "xgboost"}
    learners = [fw.learner(name, size="small") for name, package in needs.items() if find_spec(package)]
    return compare(learners, *diabetes(80), outer=2, inner=0.25, seed=39)


@study(quick=True)
def formulas() -> Any:
    """`fw.intervals` and `fw.comparisons` on given losses."""
    from foldwise import comparisons, intervals

    rng = np.random.default_rng(50)
    losses, folds = rng.beta(2, 5, 60), np.arange(60) % 5
    others = np.clip(losses + rng.normal(0.03, 0.1, 60), 0, 1)
    candidates = rng.beta(2, 5, (60, 4))
    scores, y = rng.normal(size=60), rng.random(60) < 0.4
    several = rng.normal(size=(8, 4)) + np.arange(4) / 3
    wrong, right = losses > 0.4, others > 0.4
    return {
        "hoeffding": intervals.hoeffding(losses),
        "clopper_pearson": intervals.clopper_pearson(7, 60),
        "betting": intervals.betting(losses),
        "empirical_bernstein": intervals.empirical_bernstein(losses),
        "holdout_t": intervals.holdout_t(losses, groups=np.arange(60) // 3),
        "corrected_t": intervals.corrected_t(losses[:10].reshape(2, 5), 0.25),
        "hac": intervals.hac(losses, steps=3),
        "cv_clt": intervals.cv_clt(losses, folds),
        "bbc": intervals.bbc(candidates, repeats=200, seed=1),
        "tibshirani": intervals.tibshirani(candidates[:5]),
        "auc": intervals.auc(y, scores),
        "auc of folds": intervals.auc(y, scores, folds=folds),
        "paired": comparisons.paired(losses[:10] - others[:10], 0.25),
        "mcnemar": comparisons.mcnemar(wrong * 1.0, right * 1.0),
        "delong": comparisons.delong(y, scores, scores + rng.normal(size=60)),
        "diebold_mariano": comparisons.diebold_mariano(losses, others),
        "friedman": comparisons.friedman(several),
        "nemenyi": comparisons.nemenyi(several),
        "compare_all": comparisons.compare_all(candidates[:10].T, 0.25),
        "holm": comparisons.holm([0.01, 0.04, 0.03]),
        "bound": [fw.excess_bound(100, 50), fw.dev_rows_needed(0.1, 50), fw.candidates_allowed(1000, 0.2)],
    }


@study()
def importance() -> Any:
    result = compare([RIDGE, TREE], *diabetes(150), outer=5, inner=3, importance=True, seed=40)
    return {
        "result": result,
        "of tree": result.importance(TREE).to_frame(),
        "of ridge": result.importance(RIDGE).to_frame(),
    }


@study(quick=True)
def permutations() -> Any:
    X, y = noisy_classes(80)
    return fw.permutation_test(
        "logistic:small", X, y, permutations=12, outer=4, inner=3, seed=41, jobs=1, progress=False
    )


@study(quick=True)
def curves() -> Any:
    X, y = diabetes(140)
    more: dict[str, Any] = {"jobs": 1, "progress": False, "seed": 42}
    return {
        "penalty": fw.curve("ridge", X, y, outer=5, alpha=[0.01, 0.1, 1.0, 10.0], **more),
        "rows": fw.learning_curve(RIDGE, X, y, outer=5, inner=3, sizes=[0.3, 0.6, 1.0], **more),
    }


@study(quick=True)
def one_learner() -> Any:
    """risk, test_risk, split and tune."""
    X, y = noisy_classes(200)
    parts = fw.split(X, y, seed=43)
    rows = np.concatenate([parts.train.rows, parts.dev.rows])
    tuned = fw.tune("logistic:small", inner=4, seed=43).fit(X[rows], y[rows])
    development = fw.tune("logistic:small", inner=0.25, seed=43).fit(X[rows], y[rows])
    estimate = fw.test_risk(tuned, parts.test.X, parts.test.y)
    return {
        "split": {"sizes": [len(parts.train.y), len(parts.dev.y), len(parts.test.y)], "first": list(parts.test.y[:10])},
        "best": tuned.best_params_,
        "score": tuned.best_score_,
        "test": estimate,
        "dev": development.best_params_,
        "guarantee": development.guarantee_,
        "risk": fw.risk("logistic:small", X, y, outer=5, inner=3, seed=43, jobs=1),
    }


@study(quick=True)
def refitted() -> Any:
    X, y = diabetes(200)
    result = compare([RIDGE, K_NN], X.iloc[:160], y.iloc[:160], outer=7, inner="aligned", seed=44)
    model = result.refit(intervals=True)
    return {
        "predictions": model.predict(X.iloc[160:]),
        "intervals": model.predict_interval(X.iloc[160:], level=0.9),
        "k-nn": result.refit(K_NN, rule="one_se").predict(X.iloc[160:]),
        "best": result.candidate(),
    }


@study()
def refitted_classes() -> Any:
    X, y = iris()
    result = compare(["logistic:small"], X[::2], y[::2], outer=5, inner=3, seed=44)
    model = result.refit(intervals=True)
    return {"sets": model.predict_set(X[1::2], level=0.9), "probabilities": model.predict_proba(X[1::2])}


@study()
def benchmark() -> Any:
    sets = {"diabetes": diabetes(100), "series": series(100), "mixed": (mixed_table(100), "price")}
    result = fw.benchmark(sets, [RIDGE, K_NN, TREE], outer=5, inner=3, seed=45, jobs=1, progress=False)
    return result


@study(quick=True)
def findings() -> Any:
    """Planted: a copy of the target, doubled rows, groups nobody declared, a constant column."""
    import pandas as pd

    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))
    y = X["a"] + rng.normal(size=120)
    leaky = X.assign(answer=3 * y + 1, constant=1.0)
    doubled = pd.concat([X, X.iloc[:40]], ignore_index=True)
    patients = X.assign(patient=[f"p{number // 4}" for number in range(120)])
    more: dict[str, Any] = {"outer": 5, "inner": 3, "seed": 46}
    checked = {
        "leak": fw.check([RIDGE], leaky, y, **more),
        "doubled": fw.check([RIDGE], doubled, pd.concat([y, y.iloc[:40]], ignore_index=True), **more),
        "groups": fw.check([RIDGE], patients, y + np.repeat(rng.normal(0, 3, 30), 4), **more),
        "clean": fw.check([RIDGE], X, y, **more),
    }
    return {name: plain_findings(found) for name, found in checked.items()}


@study()
def two_workers() -> Any:
    """Jobs 1 and 2 have one answer."""
    learners = [RIDGE, K_NN, fw.learner("forest", size="small")]
    alone, both = (compare(learners, *diabetes(100), outer=3, inner=2, seed=47, jobs=jobs) for jobs in (1, 2))
    return {"result": alone, "equal": _text(alone) == _text(both)}


def _text(result: fw.Result) -> str:
    """The whole answer, sentences too, but for what a run took."""
    answer = result.to_dict()
    for part in (answer, *answer["methods"]):
        for field in ("seconds", "fits_made"):
            part.pop(field, None)
    return json.dumps(answer, sort_keys=True)


@study(quick=True)
def stored_and_resumed() -> Any:
    """A store that was interrupted in the middle gives the answer of one that was not, to the last digit."""
    X, y = diabetes(120)
    tuned = {"mine": fw.tune(Interruptible(), alpha=[0.01, 0.1, 1.0]), "ridge": RIDGE, "tree": TREE}
    options: dict[str, Any] = {"outer": 5, "inner": 3, "seed": 48, "isolate": False}
    with tempfile.TemporaryDirectory() as folder:
        whole, cut = Path(folder, "whole"), Path(folder, "cut")
        undisturbed = compare(tuned, X, y, store=whole, **options)
        Interruptible.left = 17
        stopped = True
        with suppress(KeyboardInterrupt, fw.FoldwiseError):
            stopped = not compare(tuned, X, y, store=cut, **options).is_finished
        Interruptible.left = math.inf
        resumed = compare(tuned, X, y, store=cut, **options)
        loaded = fw.load(whole)
        return {
            "result": undisturbed,
            "stopped": stopped,
            "made_the_rest": 0 < resumed.fits_made < undisturbed.fits_made,
            "resumed_equal": _text(resumed) == _text(undisturbed),
            "loaded_equal": _text(loaded) == _text(undisturbed),
            "other_loss": fw.load(whole, loss="absolute"),
            "same_keys": keys_of(whole) == keys_of(cut),
        }


@study(quick=True)
def keys() -> Any:
    """The names of fits never change: a store would be made again."""
    found = {}
    for name, learners, data in (
        ("regression", [RIDGE, TREE], diabetes(80)),
        ("classes", {"logistic": "logistic:small", "bayes": "naive-bayes"}, noisy_classes(80)),
    ):
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder, "run")
            compare(learners, *data, outer=3, inner=2, seed=49, store=run)
            every = keys_of(run)
            found[name] = {
                "count": len(every),
                "first": every[:3],
                "digest": hashlib.sha256("".join(every).encode()).hexdigest(),
            }
    return found


# --- the command


def run(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return json.loads(json.dumps(plain(STUDIES[name]())))


def read_answers() -> dict[str, Any]:
    answers: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return answers


def write_answers(names: Iterable[str]) -> None:
    answers = read_answers() if ANSWERS.exists() else {}
    for name in names:
        answers[name] = run(name)
        print(name, flush=True)
    lines = [f"{json.dumps(name)}: {json.dumps(answers[name], sort_keys=True)}" for name in STUDIES if name in answers]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def compare_all(names: Iterable[str], *, strict: bool = False) -> int:
    """Run studies and print what differs; the number of fields that do, and of studies that do not run."""
    answers, wrong, gone = read_answers(), 0, Counter[str]()
    started = time.process_time()
    for name in names:
        try:
            found = differences(answers[name], run(name))
        except Exception as error:
            wrong += 1
            print(f"{name}: does not run: {type(error).__name__}: {error}", flush=True)
            continue
        wrong += len(found.changed)
        gone.update(re.sub(r"(?<=\.)\d+(?=\.|$)", "*", f"{name}: {path}") for path in found.gone)
        for path, expected, now in found.changed[:20]:
            print(f"{name}: {path} was {expected!r} and is {now!r}", flush=True)
        if len(found.changed) > 20:
            print(f"{name}: and {len(found.changed) - 20} more fields differ", flush=True)
    for path, count in gone.items():
        print(f"gone: {path}" + (f" ({count} times)" if count > 1 else ""))
    fields = sum(gone.values())
    print(f"{wrong} fields differ, {fields} are gone; {time.process_time() - started:.0f} s of CPU")
    return wrong + (fields if strict else 0)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("compare", "make", "list"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="a third of the studies, of all kinds")
    parser.add_argument("--strict", action="store_true", help="a field that is gone is an error too")
    options = parser.parse_intermixed_args(arguments)
    if unknown := set(options.names) - set(STUDIES):
        parser.error(f"there is no study {sorted(unknown)[0]!r}; `list` names them")
    names = options.names or [name for name in STUDIES if not options.quick or name in QUICK]
    if options.command == "list":
        print(*(f"{name}{' (quick)' if name in QUICK else ''}" for name in names), sep="\n")
        return 0
    if options.command == "make":
        write_answers(names)
        return 0
    return 1 if compare_all(names, strict=options.strict) else 0


if __name__ == "__main__":
    sys.exit(main())
