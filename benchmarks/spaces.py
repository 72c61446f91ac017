"""The default spaces beside a long search: each family at its default budget, and by Optuna's TPE with 100 trials.

    python benchmarks/spaces.py                              the whole run (half an hour of CPU); writes docs/spaces.md
    python benchmarks/spaces.py --families tree --sets pima  some of it again; the rest of the page stays
    python benchmarks/spaces.py --seed 1                     other rows for training and test, beside those measured
    python benchmarks/spaces.py --rows other.json            measured apart; the page stays as it is
    python benchmarks/spaces.py --searches DIR               the long searches are kept there, and taken from there

Both sides tune on the same inner folds of the same training rows, by the same loss, and are judged on the same test
rows. What was measured is kept beside this file after every pair, so that a run that is stopped loses nothing. The
long search knows nothing of the default spaces: kept, it serves to measure them again in a fraction of the time.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import optuna
import sets
from experts import CLASSES_ONLY, FAMILIES, NUMBERS_ONLY
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from spaces_page import INNER, MOST_ROWS, MOST_TRAIN, SETS, TRIALS, Pair, Row, page

import foldwise as fw
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.learners.catalogue import builtin

ROWS = Path(__file__).with_name("spaces.json")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "spaces.md"


class Rows(NamedTuple):
    """Row numbers of both sides: the outer split, and the inner ones of its training rows."""

    train: Any
    test: Any
    inner: list[tuple[Any, Any]]


def split(table: sets.Table, seed: int) -> Rows:
    """At most `MOST_TRAIN` rows to train on, or a half; all others to test on."""
    rows, strata = np.arange(len(table.y)), None if table.is_number else table.y
    size = min(MOST_TRAIN, len(rows) // 2)
    train, test = (
        np.sort(part) for part in train_test_split(rows, train_size=size, random_state=seed, stratify=strata)
    )
    folds = (KFold if table.is_number else StratifiedKFold)(INNER, shuffle=True, random_state=seed)
    return Rows(train, test, [(train[fit], train[rest]) for fit, rest in folds.split(train, table.y[train])])


def task_of(table: sets.Table) -> str | None:
    return "regression" if table.is_number else None


def loss_of(family: str, table: sets.Table) -> str:
    """Probabilities are judged by the Brier loss; support vectors have none."""
    return "squared" if table.is_number else "zero_one" if family == "svm" else "brier"


class Part(NamedTuple):
    """A prepared training part and test part."""

    X: Any
    y: Any
    test_X: Any
    test_y: Any


def prepared(family: str, data: Dataset, train: Any, test: Any) -> Part:
    """What the built-in learner of the family would be given."""
    preparer = dict(builtin(family, data).estimator.steps).get("prepare")
    y, test_y = data.target[train], data.target[test]
    if preparer is None:
        return Part(data.take(train), y, data.take(test), test_y)
    ready = clone(preparer).fit(data.take(train), data.y[train])
    return Part(ready.transform(data.take(train)), y, ready.transform(data.take(test)), test_y)


def row_losses(learner: Any, part: Part, loss: str) -> Any:
    """Loss of each test row after a fit on the training part."""
    if loss == "squared":
        mean, spread = part.y.mean(), part.y.std() or 1.0
        return (part.test_y - mean - spread * learner.fit(part.X, (part.y - mean) / spread).predict(part.test_X)) ** 2
    learner.fit(part.X, part.y)
    if loss == "zero_one":
        return (learner.predict(part.test_X) != part.test_y).astype(float)
    found = learner.predict_proba(part.test_X)
    if found.shape[1] == 2:
        return (found[:, 1] - part.test_y) ** 2
    return ((found - np.eye(found.shape[1])[part.test_y]) ** 2).sum(axis=1)


class Search(NamedTuple):
    """Losses on the test rows of what TPE found, what that is, and the seconds it took."""

    losses: Any
    choice: str
    seconds: float


def searched(name: str, family: str, table: sets.Table, seed: int, kept_in: Path | None) -> Search:
    """The long search of one family on one data set, or what was kept of it."""
    path = kept_in / f"{family}-{name.replace(' ', '-')}-{seed}.npz" if kept_in else None
    if path and path.exists():
        with np.load(path) as found:
            return Search(found["losses"], str(found["choice"]), float(found["seconds"]))
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        losses, choice = search(family, table, seed)
    found = Search(losses, choice, time.process_time() - begun)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **found._asdict())
    return found


def search(family: str, table: sets.Table, seed: int) -> tuple[Any, str]:
    """Losses on the test rows of what TPE finds, and what that is."""
    rows, loss = split(table, seed), loss_of(family, table)
    data = make_dataset(table.X, table.y, task=task_of(table))
    parts = [prepared(family, data, fit, rest) for fit, rest in rows.inner]
    shape = {"classes": table.classes, "rows": min(len(part.y) for part in parts), "columns": parts[0].X.shape[1]}

    def inner_risk(trial: Any) -> float:
        return float(np.mean([row_losses(FAMILIES[family](trial, **shape), part, loss).mean() for part in parts]))

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(inner_risk, n_trials=TRIALS)
    chosen = FAMILIES[family](optuna.trial.FixedTrial(study.best_params), **shape)
    whole = prepared(family, data, rows.train, rows.test)
    return row_losses(chosen, whole, loss), _words(study.best_params)


def defaults(family: str, table: sets.Table, rows: Rows, loss: str, seed: int) -> tuple[Any, int, str]:
    """Losses on the same test rows of the tuned built-in learner, its fits, and what was chosen."""
    result = fw.compare(
        [family],
        table.X,
        table.y,
        loss=loss,
        task=task_of(table),
        outer=[(rows.train, rows.test)],
        inner=[rows.inner],
        seed=seed,
        jobs=1,
        isolate=False,
        progress=False,
    )
    own = result.losses()
    own = own[own["method"] == family].sort_values("row")
    chosen = next(method for method in result.to_dict()["methods"] if method["name"] == family)
    return own["loss"].to_numpy(), chosen["fits"], _words(chosen["folds"][0]["candidate"] or {})


def _words(candidate: dict[str, Any]) -> str:
    short = {name: f"{value:.3g}" if isinstance(value, float) else value for name, value in candidate.items()}
    return ", ".join(f"{name} {value}" for name, value in short.items())


def measure(name: str, family: str, table: sets.Table, seed: int, kept_in: Path | None) -> Row:
    """Both sides of one family on one data set."""
    rows, loss = split(table, seed), loss_of(family, table)
    begun = time.process_time()
    ours, fits, own_choice = defaults(family, table, rows, loss, seed)
    seconds = time.process_time() - begun
    theirs = searched(name, family, table, seed, kept_in)
    space = builtin(family, make_dataset(table.X, table.y, task=task_of(table))).space
    return Row(
        name,
        family,
        loss,
        seed,
        len(rows.train),
        len(rows.test),
        candidates=len(space.grid()) if space is not None else 1,
        fits=fits,
        seconds=seconds,
        risk=float(ours.mean()),
        tpe_seconds=theirs.seconds,
        tpe_risk=float(theirs.losses.mean()),
        noise=float((ours - theirs.losses).std(ddof=1) / np.sqrt(len(ours))),
        own_choice=own_choice,
        tpe_choice=theirs.choice,
    )


def pairs(names: list[str], families: list[str]) -> Iterator[tuple[str, str, sets.Table]]:
    """Each family with each data set that it is for."""
    for family in families:
        for name in names:
            try:
                table = sets.load(name, most=MOST_ROWS)
            except sets.NotThere as error:
                print(f"{name} is left out: the package {error} is not installed", flush=True)
                continue
            if family not in (CLASSES_ONLY if table.is_number else NUMBERS_ONLY):
                yield name, family, table


def run(names: list[str], families: list[str], seed: int, rows_path: Path, kept_in: Path | None) -> list[Row]:
    """Measure what is asked for, and keep the rest as it was."""
    rows = {(row.data, row.family, row.seed): row for row in kept(rows_path)}
    for name, family, table in pairs(names, families):
        row = rows[name, family, seed] = measure(name, family, table, seed, kept_in)
        print(Pair((row,)).line(), row.own_choice, "/", row.tpe_choice, flush=True)
        rows_path.write_text(json.dumps([asdict(one) for one in rows.values()], indent=1) + "\n")
    return list(rows.values())


def kept(path: Path) -> list[Row]:
    return [Row(**row) for row in json.loads(path.read_text())] if path.exists() else []


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=Path, default=ROWS, help="where the rows are kept")
    parser.add_argument("--searches", type=Path, help="a folder for the long searches")
    parser.add_argument("--search-only", action="store_true", help="the long searches alone, for the folder")
    parser.add_argument("--page", action="store_true", help="write the page from what was measured before")
    asked = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    wanted = asked.sets.split(","), asked.families.split(",")
    if asked.search_only:
        for name, family, table in pairs(*wanted):
            found = searched(name, family, table, asked.seed, asked.searches)
            print(family, name, f"{found.losses.mean():.4g} in {found.seconds:.1f} s", flush=True)
    else:
        rows = kept(asked.rows) if asked.page else run(*wanted, asked.seed, asked.rows, asked.searches)
        if asked.rows == ROWS:
            PAGE.write_text(page(rows))
