"""How often do prediction intervals and sets cover? On simulated problems, and on real tables with rows held out.

python benchmarks/prediction_intervals.py --write docs/prediction-intervals.md    the tables of the page, about an hour
python benchmarks/prediction_intervals.py --sets diabetes --draws 5               one data set, printed

A *draw* takes rows of a table at random to make a study of, and holds the others out (of a simulated problem, fresh
rows are drawn). The study compares five learners; from it come the intervals of each learner, of the one with the
smallest outer risk, and of the one that inner splits prefer. Beside them stands split conformal prediction of equal
data: the same learner on three quarters of the rows, its residuals on the rest.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from conformal_designs import choice_effect, effect_table, group_effect, learner_coverage
from evidence.problems import PROBLEMS, find_problem
from sets import NotThere, load
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import foldwise as fw
from foldwise.stats.cv_plus import proved_coverage

LEVELS = (0.8, 0.9, 0.95)
NUMBERS = ("diabetes", "white wine", "airfoil", "compactiv", "skillcraft", "wages")
CLASSES = ("breast cancer", "german", "vehicle", "contraceptive")
SIMULATED = ("linear", "heteroscedastic", "heavy-tailed", "smooth", "two classes", "three classes")
PLAIN = {
    "numbers": ("linear", "heteroscedastic", "heavy-tailed", "smooth", "friedman", "noise"),
    "classes": ("logistic", "two classes", "noise classes", "13% positive", "three classes", "five classes"),
}
FOLDS, ROWS, SIMULATED_ROWS, MOST_NEW = 10, 200, 100, 1000
HERE = Path(__file__).parent
RECORD = HERE / "prediction_intervals.json"
HEAD, TAIL = "<!-- made by benchmarks/prediction_intervals.py -->", "<!-- end of what is made -->"
CHOICES = ("smallest outer risk", "inner splits prefer")


class Draw(NamedTuple):
    """Rows to make a study of, and new ones to judge it by."""

    X: np.ndarray
    y: np.ndarray
    new_X: np.ndarray
    new_y: np.ndarray
    is_number: bool


def learners(*, is_number: bool) -> dict[str, Any]:
    """Five learners of different kinds, tuned over a few values each."""
    line, near = (Ridge(), KNeighborsRegressor()) if is_number else (LogisticRegression(), KNeighborsClassifier())
    tree, forest, boosting = (
        (DecisionTreeRegressor, RandomForestRegressor, HistGradientBoostingRegressor)
        if is_number
        else (DecisionTreeClassifier, RandomForestClassifier, HistGradientBoostingClassifier)
    )
    penalties: dict[str, Any] = {"alpha": [0.1, 10.0, 1000.0]} if is_number else {"C": [0.01, 1.0, 100.0]}
    return {
        "linear": fw.tune(make_pipeline(StandardScaler(), line), **penalties),
        "k-nn": fw.tune(make_pipeline(StandardScaler(), near), n_neighbors=[3, 10, 30]),
        "tree": fw.tune(tree(random_state=0), max_depth=[3, 6]),
        "forest": fw.tune(forest(20, random_state=0), min_samples_leaf=[1, 5]),
        "boosting": fw.tune(boosting(max_iter=25, min_samples_leaf=10), learning_rate=[0.1, 0.3]),
    }


def draw_real(name: str, seed: int) -> Draw:
    """Rows of a table, half of it at most, and others of it as new rows."""
    table = load(name)
    rng = np.random.default_rng([seed, *name.encode()])
    X = pd.get_dummies(table.X, dtype=float).fillna(table.X.median(numeric_only=True)).fillna(0).to_numpy(float)
    order = rng.permutation(len(X))
    rows = min(ROWS, len(X) // 2)
    own, new = order[:rows], order[rows : rows + MOST_NEW]
    return Draw(X[own], table.y[own], X[new], table.y[new], table.is_number)


def draw_simulated(name: str, seed: int) -> Draw:
    """Fresh rows of a simulated problem."""
    problem, rng = find_problem(name), np.random.default_rng([seed, *name.encode()])
    (X, y), (new_X, new_y) = (problem.draw(rows, rng) for rows in (SIMULATED_ROWS, MOST_NEW))
    is_number = problem.task == "regression"
    return Draw(X, y if is_number else y.astype(int), new_X, new_y if is_number else new_y.astype(int), is_number)


def judged(name: str, seed: int) -> list[dict[str, Any]]:
    """One draw: coverage and width (of classes: their number) of every kind of interval at every level."""
    draw = (draw_simulated if name in PROBLEMS else draw_real)(name, seed)
    asked = learners(is_number=draw.is_number)
    options: dict[str, Any] = {
        "outer": FOLDS,
        "inner": "dev",
        "seed": seed,
        "jobs": 1,
        "guards": False,
        "progress": False,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = fw.compare(asked, draw.X, draw.y, defaults=False, **options)
        models = {name: result.refit(name, intervals=True) for name in asked}
        models[CHOICES[0]] = models[str(result.best)] if result.best in asked else result.refit(intervals=True)
        models[CHOICES[1]] = result.refit(pick="inner", intervals=True)
        halved = fw.compare(asked, draw.X, draw.y, defaults=False, **{**options, "outer": 0.25})
        split = {name: halved.refit(name, intervals=True) for name in asked}
    found = [_judge(name, model, draw, "CV+") for name, model in models.items()]
    found += [_judge(name, model, draw, "split") for name, model in split.items()]
    return [{"data": name, "seed": seed, "is_number": draw.is_number, **one} for each in found for one in each]


def _judge(name: str, model: Any, draw: Draw, kind: str) -> Iterator[dict[str, Any]]:
    for level in LEVELS:
        if draw.is_number:
            ends = model.predict_interval(draw.new_X, level=level).to_numpy()
            is_in, width = (ends[:, 0] <= draw.new_y) & (draw.new_y <= ends[:, 1]), ends[:, 1] - ends[:, 0]
        else:
            sets = model.predict_set(draw.new_X, level=level)
            at = [list(sets.columns).index(label) if label in sets.columns else -1 for label in draw.new_y.tolist()]
            is_in, width = np.array([sets.to_numpy()[row, k] and k >= 0 for row, k in enumerate(at)]), sets.sum(axis=1)
        yield {"method": name, "kind": kind, "level": level, "covered": is_in.mean(), "width": float(np.mean(width))}


def run(names: tuple[str, ...], draws: int, *, jobs: int = 1, seconds: float = math.inf) -> pd.DataFrame:
    """All draws of all data sets, round by round, until the time is up."""
    rows, begun = [], time.monotonic()
    with ProcessPoolExecutor(jobs) as pool:
        for seed in range(draws):
            if time.monotonic() - begun > seconds:
                break
            for found in pool.map(judged, names, [seed] * len(names)):
                rows += found
            print(f"draw {seed + 1}: {time.monotonic() - begun:.0f} s", flush=True)
    return pd.DataFrame(rows)


def summary(found: pd.DataFrame) -> dict[str, Any]:
    """Means over draws with their standard errors, as they are kept."""
    keys = ["data", "is_number", "method", "kind", "level"]
    means = found.groupby(keys, sort=False)[["covered", "width"]].agg(["mean", "count"])
    cells = [
        {
            **dict(zip(keys, name, strict=True)),
            "covered": round(row["covered", "mean"], 4),
            "error": round(_error(name[-1], name[0] in PROBLEMS) / math.sqrt(row["covered", "count"]), 4),
            "width": float(f"{row['width', 'mean']:.4g}"),
            "draws": int(row["covered", "count"]),
        }
        for name, row in means.iterrows()
    ]
    return {"date": date.today().isoformat(), "folds": FOLDS, "cells": cells}


def _error(level: float, is_simulated: bool) -> float:
    """The standard error of one draw's coverage, about: of the rows that give residuals, and of the new ones."""
    return math.sqrt(level * (1 - level) * (1 / (SIMULATED_ROWS if is_simulated else ROWS) + 1 / MOST_NEW))


def designs(draws: int = 150, simple_draws: int = 60) -> dict[str, Any]:
    """The simulations by themselves: two learners on twelve problems, a choice among equal methods, and groups."""
    simple = [
        {
            "data": name,
            "is_number": task == "numbers",
            "method": learner,
            "rows": rows,
            "level": level,
            "covered": share,
        }
        for task, names in PLAIN.items()
        for name in names
        for learner in ("least squares", "k-nn")
        for rows in (50, 200)
        for level, share in zip(LEVELS, learner_coverage(name, learner, rows, draws=simple_draws), strict=True)
    ]
    sizes = [(rows, methods) for rows in (50, 100, 400) for methods in (2, 5, 20)]
    chosen = {f"{rows} rows, {methods} methods": choice_effect(rows, methods, draws=draws) for rows, methods in sizes}
    grouped = {f"{groups} groups": group_effect(groups, draws=draws) for groups in (20, 50, 100)}
    return {"design_draws": draws, "simple_draws": simple_draws, "simple": simple, "choice": chosen, "groups": grouped}


def design_text(record: dict[str, Any]) -> str:
    """The tables of these simulations."""
    shown = {name: {row: list(kinds.values()) for row, kinds in record[name].items()} for name in ("choice", "groups")}
    simple = {
        f"{name}, {rows} rows": [
            [cell["covered"] for cell in record["simple"] if (cell["data"], cell["rows"], cell["method"]) == key]
            for key in ((name, rows, "least squares"), (name, rows, "k-nn"))
        ]
        for names in PLAIN.values()
        for name in names
        for rows in (50, 200)
    }
    return "\n\n".join(
        [
            "### Simulated problems: two learners",
            f"Problems of the `lab`, 10 folds, {record['simple_draws']:,} studies each, so that a standard error"
            " is about 0.7 points at 90%; coverage in % at 80, 90 and 95%. The last six are sets of classes.",
            effect_table("study", ["least squares", "10 nearest neighbours"], simple),
            "### A choice among equal methods",
            "The target is noise, each method is least squares on two columns of its own, and the smallest risk is"
            f" luck: the worst case. {record['design_draws']:,} studies with 10 folds each; coverage in % at 80, 90 and"
            " 95%.",
            effect_table("study", ["a method named beforehand", "the one with the smallest risk"], shown["choice"]),
            "### Rows in groups",
            "Groups of 1 to 15 rows with an effect of their own; coverage for a row of a new group, in % at 80, 90 and"
            f" 95%. {record['design_draws']:,} studies with 5 folds each, of least squares.",
            effect_table("study", ["groups are the units, as here", "rows are, in random folds"], shown["groups"]),
        ]
    )


def ranges(record: dict[str, Any]) -> dict[str, dict[float, tuple[float, float]]]:
    """The smallest and largest coverage over the simulated problems of two learners, by task and level."""
    found: dict[str, dict[float, list[float]]] = {"numbers": defaultdict(list), "classes": defaultdict(list)}
    for cell in record["simple"]:
        found["numbers" if cell["is_number"] else "classes"][cell["level"]].append(round(cell["covered"], 3))
    return {task: {level: (min(all_), max(all_)) for level, all_ in by.items()} for task, by in found.items()}


def table(record: dict[str, Any]) -> str:
    """The part of the page that is made from the record."""
    cells = pd.DataFrame(record["cells"])
    parts = [HEAD, _intro(record, cells)]
    for title, names in (
        ("### Simulated problems: whole studies", SIMULATED),
        ("### Real tables: numbers", NUMBERS),
        ("### Real tables: classes", CLASSES),
    ):
        own = cells[cells["data"].isin(names)]
        if len(own):
            parts += [title, _coverage_table(own), _width_table(own)]
    return "\n\n".join([*parts, design_text(record), TAIL])


def _intro(record: dict[str, Any], cells: pd.DataFrame) -> str:
    draws = (
        f"{cells['draws'].min()} to {cells['draws'].max()}" if cells["draws"].nunique() > 1 else cells["draws"].max()
    )
    proved = ", ".join(f"{proved_coverage(level, [ROWS // FOLDS] * FOLDS):.1%} at {level:.0%}" for level in LEVELS)
    error = f"{100 * cells['error'].max():.0f} points"
    return (
        f"Made on {record['date']} by `python benchmarks/prediction_intervals.py --write docs/prediction-intervals.md`."
        f" Each number is a mean over {draws} draws: studies of {ROWS} rows of a table, {SIMULATED_ROWS} of a simulated"
        f" problem, with {record['folds']} outer folds, judged on up to {MOST_NEW:,} new rows. Cells are coverages in %"
        f" at levels of 80, 90 and 95%; a number's standard error is at most about {error}."
        f" Proved with {ROWS} rows: {proved}."
    )


def _coverage_table(cells: pd.DataFrame) -> str:
    own = cells[cells["kind"] == "CV+"]
    methods = list(dict.fromkeys(own["method"]))
    lines = [f"| data | {' | '.join(methods)} |", "| --- " * (len(methods) + 1) + "|"]
    for data in dict.fromkeys(own["data"]):
        found = [_levels(own[(own["data"] == data) & (own["method"] == method)]) for method in methods]
        lines.append(f"| {data} | {' | '.join(found)} |")
    lines.append(f"| *mean* | {' | '.join(_levels(own[own['method'] == method]) for method in methods)} |")
    return "\n".join(lines)


def _levels(cells: pd.DataFrame) -> str:
    return " ".join(f"{100 * cells[cells['level'] == level]['covered'].mean():.0f}" for level in LEVELS)


def _width_table(cells: pd.DataFrame) -> str:
    """Widths of CV+ over those of split conformal prediction, and the coverage of the latter."""
    what = "Width" if cells["is_number"].all() else "Width (of classes: how many are in a set)"
    lines = [
        f"{what} of CV+ as a share of that of split conformal prediction of equal data, and the latter's coverage:",
        "| level | " + " | ".join(methods := list(dict.fromkeys(cells[cells["kind"] == "split"]["method"]))) + " |",
        "| --- " * (len(methods) + 1) + "|",
    ]
    lines.insert(1, "")
    for level in LEVELS:
        found = []
        for method in methods:
            own = cells[(cells["level"] == level) & (cells["method"] == method)].set_index(["data", "kind"])
            wide = own["width"].unstack("kind")
            ratio = float(np.exp(np.log(wide["CV+"] / wide["split"]).mean()))
            found.append(f"{ratio:.2f} ({100 * own['covered'].unstack('kind')['split'].mean():.0f})")
        lines.append(f"| {level:.0%} | {' | '.join(found)} |")
    return "\n".join(lines)


def write(page: Path, record: dict[str, Any]) -> None:
    """Put the tables between their marks."""
    before, _, rest = page.read_text(encoding="utf-8").partition(HEAD)
    after = rest.partition(TAIL)[2]
    page.write_text(before + table(record) + after, encoding="utf-8")


def main(words: list[str] | None = None) -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--sets", nargs="*", default=[*SIMULATED, *NUMBERS, *CLASSES])
    asked.add_argument("--draws", type=int, default=20)
    asked.add_argument("--jobs", type=int, default=1)
    asked.add_argument("--seconds", type=float, default=math.inf, help="begin no further round of draws after that")
    asked.add_argument("--write", type=Path, help="a page to put the tables into; they are kept as JSON too")
    asked.add_argument("--again", action="store_true", help="write the page from the JSON that is kept")
    given = asked.parse_args(words)
    if given.again:
        record = json.loads(RECORD.read_text())
    else:
        there = []
        for name in given.sets:
            try:
                there += [name] if name in PROBLEMS or load(name) else []
            except NotThere as package:
                print(f"{name} needs the package {package}")
        record = summary(run(tuple(there), given.draws, jobs=given.jobs, seconds=given.seconds)) | designs()
    if given.write:
        if not given.again:
            RECORD.write_text(json.dumps(record, indent=1) + "\n")
        write(given.write, record)
    else:
        print(table(record))
    print(json.dumps({task: {str(k): v for k, v in by.items()} for task, by in ranges(record).items()}))


if __name__ == "__main__":
    main()
