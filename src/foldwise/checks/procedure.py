"""What learners bring from outside the training rows, and tuning on too few rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.checks.check import Trap, check
from foldwise.checks.subject import Subject
from foldwise.data.equal_rows import hash_rows
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.plans.fit import Fit
from foldwise.questions.contest import BASELINE
from foldwise.stats.bounds import dev_rows_needed, excess_bound
from foldwise.studies.study import Method, rows_name

Note = TypeVar("Note")
EXCESS = 0.25  # of a loss between 0 and 1: a bound that says little
JUMP = 0.15  # of the risk: what a dev split of these rows jumps about from seed to seed
DELTA = 0.05
WATCHING = ("eval_set", "validation_data", "valid_sets", "eval_X", "eval_y", "X_val", "y_val", "X_valid", "y_valid")
MOST_PARTS = 500
MOST_TRAINING = 400  # rows of the fits that are repeated


@check("FW306", "A dev set too small for the candidates", severity="note")
def small_dev(subject: Subject) -> Iterator[Trap]:
    """A method is tuned on one dev split. For losses between 0 and 1 the bound of `fw.excess_bound` says how much worse
    than the best candidate the chosen one may be, and `fw.dev_rows_needed` how many rows would bring it to 0.1;
    reported from 0.25 on. For other losses it is reported from a jump of 15 % on. The jump is the standard deviation of
    one score over dev splits drawn with other seeds, as a share of it, for the baseline's losses.
    """
    tuned = [(len(method.candidates), method.name, _dev_rows(method)) for method in subject.study.methods]
    candidates, name, rows = max((one for one in tuned if one[-1]), default=(0, "", 0))
    if not rows:
        return
    jump, bound = _jump(subject, rows), excess_bound(rows, candidates, DELTA)
    if not subject.is_regression and subject.study.losses[0].name in ("zero_one", "brier"):
        is_small, needed = bound >= EXCESS, dev_rows_needed(0.1, candidates, DELTA)
        doubt = f"the choice may be up to {bound:.2f} worse than the best of them (it would need {needed} rows for 0.1)"
    else:
        is_small, needed = jump >= JUMP, int(np.ceil(rows * (jump / 0.05) ** 2))
        doubt = f"it would need about {needed} rows to jump by 5%"
    if is_small:
        yield Trap(
            f"{name} chooses among {candidates} candidates on one dev split of {rows} rows: {doubt}, "
            f"and the score of one candidate jumps by about {jump:.0%} from seed to seed",
            figures={"dev_rows": rows, "candidates": candidates, "bound": bound, "needed": needed, "jump": jump},
            advice="Use inner folds instead of one split (inner=5), or fewer candidates",
        )


@check("FW406", "A fitted part inside a learner", severity="warn")
def fitted_parts(subject: Subject) -> Iterator[Trap]:
    """A frozen estimator, `prefit=True`, `cv="prefit"`, or the method of a fitted object
    (`FunctionTransformer(scaler.transform)`) is not fitted again in the folds, and may have been fitted to test rows.
    """
    for name, path, what in _noted_parts(subject, _fitted):
        yield Trap(
            f"{name} has {what} that is fitted already, and its training rows may be those of a test",
            figures={"learner": name, "part": path},
            advice="Give it not fitted, so that every fold fits it to its own training rows",
        )


@check("FW407", "A search that goes on with a study", severity="warn")
def reused_studies(subject: Subject) -> Iterator[Trap]:
    """A learner is given trials (hyperopt), or has a study somewhere among its parameters: candidates were scored on
    rows that are now tested. (The `study` of an Optuna search is refused at once.)
    """
    for name, path, source in _noted_parts(subject, _trials):
        yield Trap(
            f"{name} goes on with a study {source}: its candidates were scored on rows of the test parts",
            figures={"learner": name, "part": path},
            advice="Give it no study, so that every fold begins its own, or tune with fw.tune",
        )


@check("FW408", "Early stopping on rows that are tested", severity="warn")
def watched_rows(subject: Subject) -> Iterator[Trap]:
    """A learner is given rows to watch (`eval_set`, `validation_data`, ...) that are rows of the table, whatever the
    split.
    """
    for name, path, (rows,) in _noted_parts(subject, partial(_watched, subject)):
        source = "rows of its own" if rows is None else f"{rows} rows of this table"
        yield Trap(
            f"{name} is stopped early by {source} ({path}), whatever the split: "
            "it is tested on rows that chose its rounds",
            figures={"learner": name, "rows": rows},
            advice="Leave it out; LightGBM, XGBoost and CatBoost find their rounds on training rows "
            "where early_stopping_rounds is given",
        )


@check("FW510", "Results not reproducible", severity="warn", cost="slow")
def unrepeatable(subject: Subject) -> Iterator[Trap]:
    """A second fit of the learner to the same rows with the same seed predicts otherwise, so that no number of it can
    be checked or resumed. Have it take its random numbers from `random_state` or from NumPy's global generator, which
    is seeded before every fit.
    """
    for at, method in enumerate(subject.study.methods):
        is_other = method.is_hidden or method.defaults_of or method.members or not len(method.candidates)
        if method.name == BASELINE or is_other:
            continue
        first, again = _predictions(subject, at), _predictions(subject, at)
        if first is None or again is None:  # learners that fail are left to the run
            continue
        if not np.array_equal(first, again, equal_nan=first.dtype.kind == "f"):
            share = float(np.mean((first != again).reshape(len(first), -1).any(axis=1)))
            yield Trap(
                f"{method.name}: a second fit to the same rows with the same seed gave other predictions for "
                f"{100 * share:.2g}% of the rows",
                figures={"method": method.name, "share": share},
                advice="Have it take all its random numbers from random_state or NumPy's global generator",
            )


def _dev_rows(method: Method) -> int:
    """The rows on which a method that is tuned on one split chooses; 0 of others."""
    if method.inner is None or method.is_hidden or len(method.candidates) < 2:
        return 0
    if any(len(splits) != 1 for splits in method.inner.splits):
        return 0
    return min(len(splits[0].test) for splits in method.inner.splits)


def _jump(subject: Subject, rows: int) -> float:
    """The standard deviation of the baseline's score on so many rows of the table, as a share of it."""
    target = subject.target
    if subject.is_regression:
        losses = (target - target.mean()) ** 2
    else:
        losses = (target != np.bincount(subject.codes).argmax()).astype(np.float64)
    share, risk = min(1.0, rows / len(losses)), float(losses.mean())
    return float(losses.std()) / risk / np.sqrt(rows) * np.sqrt(1 - share) if risk > 0 else 0.0


def _noted_parts(subject: Subject, note: Callable[[str, Any, Any], Note | None]) -> Iterator[tuple[str, str, Note]]:
    """The first part of each learner of which there is a note: the learner's name, the part's path and the note."""
    for learner in subject.learners:
        parts = [("", None, learner.estimator)]
        with suppress(Exception):  # a class, or an object that only fits
            params = learner.estimator.get_params(deep=True)
            named = list(params.items())[:MOST_PARTS]
            parts += [(path, params.get(path.rpartition("__")[0], learner.estimator), part) for path, part in named]
        notes = ((path, note(path, owner, part)) for path, owner, part in parts)
        yield from islice(((learner.name, path, words) for path, words in notes if words is not None), 1)


def _fitted(path: str, owner: Any, value: Any) -> str | None:
    """What is fitted here, in words."""
    if type(value).__name__ == "FrozenEstimator":
        return f"a frozen {type(getattr(value, 'estimator', value)).__name__}"
    last = path.rpartition("__")[2]
    if (last == "prefit" and value is True) or (last == "cv" and isinstance(value, str) and value == "prefit"):
        return f"a part in {type(owner).__name__} ({path}={value!r})"
    bound = getattr(value, "__self__", None) if callable(value) else None
    if bound is None or not hasattr(bound, "fit"):
        return None
    is_fitted = any(name.endswith("_") and not name.startswith("_") for name in vars(bound))
    return f"the {getattr(value, '__name__', 'method')} of a {type(bound).__name__}" if is_fitted else None


def _trials(path: str, owner: Any, value: Any) -> str | None:
    """Where the trials of a study come from; a study without any may keep them outside this process."""
    if type(value).__name__ not in ("Study", "Trials", "SparkTrials") or not hasattr(value, "trials"):
        return None
    storage = type(getattr(value, "_storage", None)).__name__
    if len(value.trials):
        return f"of {len(value.trials)} trials"
    return None if storage in ("NoneType", "InMemoryStorage") else "in a storage that all fits share"


def _watched(subject: Subject, path: str, owner: Any, value: Any) -> tuple[int | None] | None:
    """How many of the rows to watch are rows of the table; (None,) where that cannot be seen."""
    if path.rpartition("__")[2] not in WATCHING or value is None:
        return None
    table = _table_in(value, subject.data.columns)
    if table is None or not all(column.is_number for column in subject.columns):
        return (None,)
    rows = hash_rows([column.values for column in subject.columns])
    shared = int(np.isin(hash_rows(list(table.T)), rows).sum())
    return (shared,) if shared else None


def _table_in(value: Any, columns: int) -> AnyArray | None:
    """The first table of so many columns in what may be a table, a pair or a list of pairs."""
    if isinstance(value, list | tuple):
        tables = (_table_in(part, columns) for part in value)
        return next((table for table in tables if table is not None), None)
    try:
        table = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return table if table.ndim == 2 and table.shape[1] == columns else None


def _predictions(subject: Subject, at: int) -> AnyArray | None:
    """What a method predicts of the first test rows, at a candidate from the middle of its list; None if it fails."""
    runnable, study = subject.runnable, subject.study
    method, split = study.methods[at], study.outer[0]
    candidate = len(method.candidates) // 2
    response, train = method.response_for(study.losses[0], candidate), np.unique(split.train)
    if len(train) > MOST_TRAINING:
        train = train[np.linspace(0, len(train) - 1, MOST_TRAINING).astype(np.int64)]
    seed = study.fit_seed(runnable.families[at], rows_name(train))
    point = method.proposals.points[candidate] if method.proposals.points else None
    fit = Fit("trial", at, candidate, train, split.test, (response,), seed, point)
    (record,) = Worker(workload_of(runnable)).do((fit,))
    return record.responses[response] if record.is_ok else None
