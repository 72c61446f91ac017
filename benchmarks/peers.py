"""One measurement of one peer on one task, in a process of its own; prints a line of JSON.

    python benchmarks/peers.py SIZE TASK PEER

The naive side makes what our call makes: for every outer fold a grid search on its inner splits, a refit and the
loss of the fold, then a grid search on all rows. The inner splits are ours, so that the numbers must agree.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import least, limit_seconds, peak_megabytes, timed
from r_peers import R_PACKAGES, by_r
from tasks import Method, Task, fold_labels, tasks

import foldwise as fw

Report = dict[str, Any]
Search = Callable[[Method, Any, Any, list[Any]], tuple[dict[str, Any], list[list[float]]]]


def words_of(task: Task, rows: int) -> dict[str, Any]:
    return {"outer": fold_labels(rows, task.outer), "inner": task.inner, "loss": task.loss, "seed": 0}


def learners_of(task: Task) -> dict[str, Any]:
    return {name: fw.tune(method.estimator, space=method.grid) for name, method in task.methods.items()}


def ours(task: Task, jobs: int = 1, solvers: Any = None) -> Report:
    """The whole call and the risks; what the rest of the answer (intervals, comparisons) takes is told apart."""
    X, y = task.data()
    words = {**words_of(task, len(y)), "solvers": task.solvers if solvers is None else solvers}
    _warm_up(task, X, y, words)

    def call() -> Any:
        result = fw.compare(learners_of(task), X, y, jobs=jobs, **words)
        assert all(method.risk is not None for method in result.methods)
        return result

    result, cpu, wall = least(call)
    _, answering, _ = timed(result.to_dict)
    reading, report = result.reading, {"cpu": cpu, "wall": wall, "answering": answering, "fits": result.fits}
    chosen = [method for method in result.study.methods if method.name in task.methods]
    return report | {
        "losses": {method.name: reading.outer_losses(method).tolist() for method in chosen},
        "scores": {method.name: reading.choice(method, 0).scores.T.tolist() for method in chosen},
        "choices": {
            method.name: [reading.choice(method, at).candidate for at in range(task.outer)] for method in chosen
        },
    }


def _warm_up(task: Task, X: Any, y: Any, words: dict[str, Any]) -> None:
    """Imports are not part of it: the first candidates on some rows."""
    rows = np.random.default_rng(0).permutation(len(y))[:150]
    few = {
        name: fw.tune(method.estimator, space={key: values[:2] for key, values in method.grid.items()})
        for name, method in task.methods.items()
    }
    fw.compare(few, X[rows], y[rows], **{**words, "outer": 3, "inner": 2}, jobs=1).to_dict()


def one(task: Task) -> Report:
    """One fit and one prediction of all rows, of the middle candidate of every method."""
    X, y = task.data()

    def call() -> None:
        for method in task.methods.values():
            middle = {key: values[len(values) // 2] for key, values in method.grid.items()}
            _clone(method.estimator, middle).fit(X, y).predict(X)

    call()
    _, cpu, wall = least(call)
    return {"cpu": cpu, "wall": wall}


def nested_loops(task: Task) -> Report:
    """The naive side, and what one fit costs."""
    return {"one": one(task)["cpu"], **naive(task)}


def naive(task: Task, search: Search | None = None, jobs: int = 1) -> Report:
    """Nested loops around a search; where a share is measured, its seconds are scaled up."""
    search = search or grid_search(task, jobs)
    X, y = task.data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = _outline(task, X, y)
        parts = ("losses", "scores", "choices", "tight")
        total: dict[str, Any] = {"cpu": 0.0, "wall": 0.0, **{part: {} for part in parts}}
        for name, method in task.methods.items():
            inner = next(one.inner for one in study.methods if one.name == name)
            found = _nested(task, method, search, study.outer, inner, X, y)
            total["cpu"] += found["cpu"]
            total["wall"] += found["wall"]
            for part in parts:
                total[part][name] = found[part]
    return total


def _nested(task: Task, method: Method, search: Search, outer: Any, inner: Any, X: Any, y: Any) -> Report:
    searching, refitting, losses, scores, choices, tight = np.zeros(2), np.zeros(2), [], [], [], []
    folds, inners = task.folds or task.outer, task.inners or len(inner.splits[0])
    for split, within in list(zip(outer, inner.splits, strict=True))[:folds]:
        pairs = [_within(split.train, part) for part in list(within)[:inners]]
        rows, target = X[split.train], y[split.train]
        (best, found), *spent = timed(lambda rows=rows, target=target, pairs=pairs: search(method, rows, target, pairs))
        searching += spent
        loss, *spent = timed(lambda split=split, best=best: _refit_loss(task, method, best, split, X, y))
        refitting += spent
        losses.append(loss)
        choices.append(_candidates(method).index(best) if best in _candidates(method) else None)
        if found and not scores:
            scores, tight = found, _tight_loss(task, method, best, next(iter(within)), X, y)
    per_inner = searching / (folds * inners)  # of a grid on one inner split
    if task.is_scaled:
        final = per_inner * len(inner.final)  # its training parts are larger: not to our favour
    else:
        _, *spent = timed(lambda: search(method, X, y, [(part.train, part.test) for part in inner.final]))
        final = np.array(spent)
    cpu, wall = task.outer * (per_inner * len(inner.splits[0]) + refitting / folds) + final
    losses = losses if inners == len(inner.splits[0]) else []  # else another candidate may be chosen
    return {"cpu": cpu, "wall": wall, "losses": losses, "scores": scores, "choices": choices, "tight": tight}


def _tight_loss(task: Task, method: Method, best: dict[str, Any], split: Any, X: Any, y: Any) -> list[float]:
    """Place and loss of the chosen candidate on an inner split, solved to the optimum."""
    if not task.tight:
        return []
    learner = Method(_clone(method.estimator, task.tight), method.grid)
    return [_candidates(method).index(best), _refit_loss(task, learner, best, split, X, y)]


def _within(train: Any, part: Any) -> tuple[Any, Any]:
    """Row numbers of an inner split, counted within the training rows."""
    return np.searchsorted(train, part.train), np.searchsorted(train, part.test)


def _refit_loss(task: Task, method: Method, best: dict[str, Any], split: Any, X: Any, y: Any) -> float:
    from sklearn.metrics import get_scorer

    model = _clone(method.estimator, best).fit(X[split.train], y[split.train])
    score = float(get_scorer(task.scoring)(model, X[split.test], y[split.test]))
    return 1 - score if task.scoring == "accuracy" else -score


def _outline(task: Task, X: Any, y: Any) -> Any:
    """Our splits of both levels, without a fit."""
    from foldwise.api.request import make_comparison

    return make_comparison(learners_of(task), X, y, **words_of(task, len(y))).study


def _clone(estimator: Any, parameters: dict[str, Any]) -> Any:
    from sklearn.base import clone

    return clone(estimator).set_params(**parameters)


def grid_search(task: Task, jobs: int = 1) -> Search:
    def search(method: Method, X: Any, y: Any, pairs: list[Any]) -> tuple[dict[str, Any], list[list[float]]]:
        from sklearn.model_selection import GridSearchCV

        found = GridSearchCV(
            method.estimator, method.grid, cv=pairs, scoring=task.scoring, n_jobs=jobs, refit=False
        ).fit(X, y)
        return found.best_params_, _loss_rows(task, method, found.cv_results_, len(pairs))

    return search


def _end_workers() -> None:
    """Their seconds count once they have ended."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)


def _loss_rows(task: Task, method: Method, table: dict[str, Any], splits: int) -> list[list[float]]:
    """Losses[split][candidate] in the order of our candidates."""
    places = [table["params"].index(candidate) for candidate in _candidates(method)]
    rows = [np.asarray(table[f"split{at}_test_score"])[places] for at in range(splits)]
    return [(1 - row if task.scoring == "accuracy" else -row).tolist() for row in rows]


def _candidates(method: Method) -> list[dict[str, Any]]:
    """In our order: the last parameter goes round first."""
    from itertools import product

    return [dict(zip(method.grid, values, strict=True)) for values in product(*method.grid.values())]


def two_jobs(task: Task) -> Report:
    """The whole of the nested loops with two workers, their start and end included."""

    def call() -> Report:
        found = naive(task, jobs=2)
        _end_workers()
        return found

    assert not task.is_scaled, "workers tell their seconds when they end"
    found, cpu, wall = timed(call)
    return {**found, "cpu": cpu, "wall": wall}


def shortcut(task: Task) -> Report:
    """Scikit-learn's own path estimators, one for every outer fold and one for all rows."""
    assert task.shortcut is not None
    make = task.shortcut.make

    def search(method: Method, X: Any, y: Any, pairs: list[Any]) -> tuple[dict[str, Any], list[list[float]]]:
        path = make(pairs).fit(X, y)
        name = next(iter(method.grid))
        best = float(np.ravel(getattr(path, f"{name}_"))[0])
        return {name: best}, []

    return naive(_with_all_inners(task), search)


def optuna(task: Task) -> Report:
    """Optuna goes through the same grid."""
    import optuna as library
    from sklearn.model_selection import cross_val_score

    library.logging.set_verbosity(library.logging.ERROR)

    def search(method: Method, X: Any, y: Any, pairs: list[Any]) -> tuple[dict[str, Any], list[list[float]]]:
        def objective(trial: Any) -> float:
            spec = {name: trial.suggest_categorical(name, values) for name, values in method.grid.items()}
            learner = _clone(method.estimator, spec)
            return float(cross_val_score(learner, X, y, cv=pairs, scoring=task.scoring).mean())

        study = library.create_study(direction="maximize", sampler=library.samplers.GridSampler(method.grid))
        study.optimize(objective, n_trials=method.candidates)
        return study.best_params, []

    return naive(task, search)


def dask_ml(task: Task) -> Report:
    """Dask-ML's grid search on Dask's scheduler of one thread."""
    import dask
    from dask_ml.model_selection import GridSearchCV

    def search(method: Method, X: Any, y: Any, pairs: list[Any]) -> tuple[dict[str, Any], list[list[float]]]:
        made = GridSearchCV(method.estimator, method.grid, cv=pairs, scoring=task.scoring, refit=False)
        with dask.config.set(scheduler="synchronous"):
            table = made.fit(X, y).cv_results_
        return table["params"][int(np.argmax(table["mean_test_score"]))], _loss_rows(task, method, table, len(pairs))

    return naive(task, search)


def intelex(task: Task) -> Report:
    """The same nested loops with the estimators of scikit-learn-intelex."""
    import logging

    from sklearnex import patch_sklearn

    logging.disable(logging.CRITICAL)
    patch_sklearn(verbose=False)
    from importlib import import_module

    def patched(method: Method) -> Method:
        kind = type(method.estimator)
        package = import_module(kind.__module__.rpartition(".")[0])
        return Method(getattr(package, kind.__name__)(**method.estimator.get_params()), method.grid)

    plain = grid_search(task)
    return naive(task, lambda method, X, y, pairs: plain(patched(method), X, y, pairs))


def in_r(task: Task, package: str) -> Report:
    """The nested loops in R, by a package that answers a whole path at once."""
    return by_r(task, _outline(task, *task.data()), package)


def _with_all_inners(task: Task) -> Task:
    """A path estimator takes all inner splits at once."""
    from dataclasses import replace

    return replace(task, inners=None, folds=task.folds or task.outer)


PEERS: dict[str, Callable[[Task], Report]] = {
    "ours": ours,
    "ours, two jobs": lambda task: ours(task, jobs=2),
    "ours, no solver": lambda task: ours(task, solvers=False),
    "naive": nested_loops,
    "naive, two jobs": two_jobs,
    "shortcut": shortcut,
    "optuna": optuna,
    "dask-ml": dask_ml,
    "intelex": intelex,
    **{package: lambda task, package=package: in_r(task, package) for package in R_PACKAGES},
}


def main() -> None:
    size, name, peer = sys.argv[1:4]
    limit_seconds()
    report = PEERS[peer](tasks(size)[name])  # type: ignore[arg-type]
    print(json.dumps({**report, "megabytes": peak_megabytes()}))


if __name__ == "__main__":
    main()
