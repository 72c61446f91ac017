"""Racing and halving beside the whole grid: fits, seconds, whether the grid's choice was kept, and the risk.

    python benchmarks/tuners.py            the other sets; writes docs/tuners-benchmark.md (about 13 minutes of CPU)
    python benchmarks/tuners.py --design   the sets on which the tuners' defaults were picked; nothing is written
    python benchmarks/tuners.py --quick    two of those, one learner and one split each

`--keep FOLDER` leaves the stores there: with another rule for dropping candidates, only fits that the grid and
the rules before did not make are made.

All tuners of a data set share one store, so that a fit is made once and its seconds are the same for all. The
fits of a tuner are those it asked for: on fewer rows they count as fits too, and `work` weighs them by their rows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from savings import savings
from sets import NotThere, load
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from tuners_page import Row, line, page, tables

import foldwise as fw
from foldwise.api.request import make_comparison
from foldwise.api.running import answer_study
from foldwise.executors.options import RunOptions
from foldwise.questions.method import MethodAnswer

TUNERS = ("racing", "halving")
TRAIN, TEST = 400, 2000  # rows of an outer split, at most; no more than two thirds of a set are trained on
OUTER, INNER = 3, 10
PAGE = Path(__file__).resolve().parents[1] / "docs" / "tuners-benchmark.md"

# Defaults may be picked by what these sets say.
DESIGN = {
    "diabetes": ("svm", "boosting"),
    "breast cancer": ("svm", "forest"),
    "wine": ("extra-trees",),
    "digits": ("svm",),
    "pima": ("boosting",),
    "vehicle": ("svm", "extra-trees"),
    "laser": ("svm", "forest"),
    "compactiv": ("svm", "boosting"),
}
# These only judge them: sets and learners were named before the first look.
OTHERS = {
    "phoneme": ("svm", "forest"),
    "spambase": ("svm", "extra-trees"),
    "satimage": ("svm", "extra-trees"),
    "magic": ("svm", "boosting"),
    "segment": ("svm", "forest"),
    "contraceptive": ("svm", "boosting"),
    "white wine": ("svm", "forest"),
    "airfoil": ("svm", "boosting"),
    "proteins": ("svm", "extra-trees"),
    "skillcraft": ("forest", "boosting"),
}


def rows_of(name: str) -> tuple[Any, Any]:
    """A set's table of numbers without rows that lack one, and its target."""
    table = load(name)
    X = table.X.to_numpy(dtype=float)
    is_whole = ~np.isnan(X).any(axis=1)
    return X[is_whole], table.y[is_whole]


def outer_splits(rows: int, count: int = OUTER) -> list[tuple[Any, Any]]:
    """Few rows to tune and train on, and many others to judge by, drawn again and again."""
    train = min(TRAIN, round(rows * 2 / 3))
    orders = (np.random.default_rng(number).permutation(rows) for number in range(count))
    return [(np.sort(order[:train]), np.sort(order[train : train + TEST])) for order in orders]


def learners(is_number: bool, classes: int) -> dict[str, tuple[Any, dict[str, list[Any]]]]:
    """Estimators that no solver answers for a whole grid at once, with grids of 36 candidates."""
    trees = {"max_features": [0.1, 0.2, 0.35, 0.5, 0.75, 1.0], "min_samples_leaf": [1, 2, 4, 8, 16, 32]}
    boost = {"learning_rate": [0.01, 0.03, 0.1, 0.2, 0.4, 0.8], "max_depth": [1, 2, 4], "subsample": [0.5, 1.0]}
    svm = {"C": np.logspace(-1, 3, 6).tolist(), "gamma": np.logspace(-4, 1, 6).tolist()}
    if is_number:
        return {
            "svm": (make_pipeline(StandardScaler(), SVR()), svm),
            "forest": (RandomForestRegressor(15), trees),
            "extra-trees": (ExtraTreesRegressor(15), trees),
            "boosting": (GradientBoostingRegressor(n_estimators=30), boost),
        }
    return {
        "svm": (make_pipeline(StandardScaler(), SVC()), svm),
        "forest": (RandomForestClassifier(15), trees),
        "extra-trees": (ExtraTreesClassifier(15), trees),
        "boosting": (GradientBoostingClassifier(n_estimators=30), boost),
    }


def run(names: Mapping[str, tuple[str, ...]], folder: str, *, splits: int = OUTER) -> Iterator[Row]:
    """All rows, one by one; sets of packages that are not there are left out with a word."""
    for data, able in names.items():
        try:
            X, y = rows_of(data)
        except NotThere as package:
            print(f"{data} is left out: the package {package} is not installed", file=sys.stderr)
            continue
        made = learners(y.dtype.kind == "f", len(set(y.tolist())))
        for name in able:
            words = {"X": X, "y": y, "outer": outer_splits(len(y), splits), "inner": INNER, "alone": True}
            yield from measure(data, name, made[name], words, f"{folder}/{data} {name}".replace(" ", "-"))


def measure(data: str, name: str, learner: tuple[Any, Any], words: dict[str, Any], store: str) -> list[Row]:
    """The grid, then every tuner on the grid's store."""
    estimator, space = learner
    words["loss"] = "squared" if words["y"].dtype.kind == "f" else "brier" if name != "svm" else "zero_one"
    grid, *others = (
        _answer(store, {name: fw.tune(estimator, tuner=tuner, **space)}, words) for tuner in ("grid", *TUNERS)
    )
    return [_row(data, tuner, found, grid) for tuner, found in zip(TUNERS, others, strict=True)]


def _answer(store: str, learner: dict[str, Any], words: dict[str, Any]) -> MethodAnswer:
    study = make_comparison(learner, **words)
    reading = answer_study(study, RunOptions(jobs=1, isolate=False), store=store, is_kept=False).reading
    return MethodAnswer(reading, study.study.methods[0])


def _row(data: str, tuner: str, found: MethodAnswer, grid: MethodAnswer) -> Row:
    saved = savings(found.reading, found.method)
    assert saved is not None
    return Row(
        data=data,
        learner=found.method.name,
        tuner=tuner,
        fits=saved.fits,
        grid_fits=saved.grid_fits,
        work=saved.work,
        seconds=found.seconds,
        grid_seconds=grid.seconds,
        same=saved.same,
        tunings=saved.compared,
        risk=found.risk,
        grid_risk=grid.risk,
        score=_score(found, grid, saved.compared),
    )


def _score(found: MethodAnswer, grid: MethodAnswer, tunings: int) -> float:
    """By how much the grid's inner score of the chosen candidate is above the smallest, in the mean of the tunings."""
    gaps = []
    for at in range(tunings):
        scores = grid.reading.choice(grid.method, at).scores.mean(axis=1)
        chosen = found.reading.choice(found.method, at).candidate
        gaps.append(scores[chosen] / scores.min() - 1 if scores.min() > 0 else 0.0)
    return float(np.mean(gaps))


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", action="store_true", help="the sets that defaults are picked on")
    parser.add_argument("--quick", action="store_true", help="two of these, one learner and one split each")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the stores there")
    asked = parser.parse_args()
    names: Mapping[str, tuple[str, ...]] = DESIGN if asked.design else OTHERS
    if asked.quick:
        names = {data: DESIGN[data][:1] for data in ("wine", "pima")}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in run(names, asked.keep or folder, splits=1 if asked.quick else OUTER):
            rows.append(row)
            print(line(row), flush=True)
    print(*tables(rows)[0], sep="\n")
    if names is OTHERS:
        facts = {"design": ", ".join(DESIGN), "outer": OUTER, "inner": INNER, "train": TRAIN, "test": f"{TEST:,}"}
        PAGE.write_text(page(rows, facts))


if __name__ == "__main__":
    main()
