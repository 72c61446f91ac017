"""Learners that bring something from outside the training rows: fitted parts, studies, rows to watch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.equal_rows import hash_rows
from foldwise.guards.codes.procedure import FITTED, REUSED_STUDY, WATCHED
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

WATCHING = ("eval_set", "validation_data", "valid_sets", "eval_X", "eval_y", "X_val", "y_val", "X_valid", "y_valid")
MOST_PARTS = 500


def fitted_parts(subject: Subject) -> Iterator[Finding]:
    """Parts of a learner that were fitted before, on rows that nobody knows, and are not fitted again."""
    for learner in subject.learners:
        for path, owner, value in _parts(learner.estimator):
            if (what := _fitted(path, owner, value)) is not None:
                yield FITTED.found(
                    f"{learner.name} has {what} that is fitted already, and its training rows may be those of a test",
                    figures={"learner": learner.name, "part": path},
                    advice="Give it not fitted, so that every fold fits it to its own training rows",
                )
                break


def reused_studies(subject: Subject) -> Iterator[Finding]:
    """Searches that go on with a study, whose trials were scored on other rows."""
    for learner in subject.learners:
        for path, _, value in _parts(learner.estimator):
            if _is_study(value) and (trials := _trials(value)) != 0:
                told = f"of {trials} trials" if trials else "in a storage that all fits share"
                yield REUSED_STUDY.found(
                    f"{learner.name} goes on with a study {told}: its candidates were scored on rows of the test parts",
                    figures={"learner": learner.name, "part": path},
                    advice="Give it no study, so that every fold begins its own, or tune with fw.tune",
                )
                break


def watched_rows(subject: Subject) -> Iterator[Finding]:
    """Learners that are stopped early by rows they were given, which are among those they are scored on."""
    for learner in subject.learners:
        for path, _, value in _parts(learner.estimator):
            if path.rpartition("__")[2] in WATCHING and value is not None:
                count = _rows_shared(value, subject)
                if count == 0:
                    continue
                told = f"{count} rows of this table" if count else "rows of its own"
                yield WATCHED.found(
                    f"{learner.name} is stopped early by {told} ({path}), whatever the split: "
                    "it is tested on rows that chose its rounds",
                    figures={"learner": learner.name, "rows": count},
                    advice="Leave it out; LightGBM, XGBoost and CatBoost find their rounds on training rows "
                    "where early_stopping_rounds is given",
                )
                break


def _parts(estimator: Any) -> Iterator[tuple[str, Any, Any]]:
    """Every parameter, with its path and the estimator that has it; the estimator itself first."""
    yield "", None, estimator
    try:
        params = estimator.get_params(deep=True)
    except Exception:  # a class, or an object that only fits
        return
    for path, value in list(params.items())[:MOST_PARTS]:
        owner = params.get(path.rpartition("__")[0], estimator)
        yield path, owner, value


def _fitted(path: str, owner: Any, value: Any) -> str | None:
    """What is fitted here, in words."""
    if type(value).__name__ == "FrozenEstimator":
        return f"a frozen {type(getattr(value, 'estimator', value)).__name__}"
    last = path.rpartition("__")[2]
    if (last == "prefit" and value is True) or (last == "cv" and isinstance(value, str) and value == "prefit"):
        return f"a part in {type(owner).__name__} ({path}={value!r})"
    bound = getattr(value, "__self__", None) if callable(value) else None
    if bound is not None and hasattr(bound, "fit") and _has_fitted(bound):
        return f"the {getattr(value, '__name__', 'method')} of a {type(bound).__name__}"
    return None


def _has_fitted(estimator: Any) -> bool:
    return any(name.endswith("_") and not name.startswith("_") for name in vars(estimator))


def _is_study(value: Any) -> bool:
    return type(value).__name__ in ("Study", "Trials", "SparkTrials") and hasattr(value, "trials")


def _trials(study: Any) -> int | None:
    """How many trials it has; None where it has none yet but keeps them outside this process."""
    count = len(study.trials)
    storage = type(getattr(study, "_storage", None)).__name__
    return None if count == 0 and storage not in ("NoneType", "InMemoryStorage") else count


def _rows_shared(value: Any, subject: Subject) -> int | None:
    """How many of the watched rows are rows of the table; None where that cannot be seen."""
    table = _table_in(value, subject.data.columns)
    if table is None or not all(one.is_number for one in subject.columns):
        return None
    ours = hash_rows([one.values for one in subject.columns])
    return int(np.isin(hash_rows(list(table.T)), ours).sum())


def _table_in(value: Any, columns: int) -> AnyArray | None:
    """The first table of so many columns in what may be a table, a pair or a list of pairs."""
    if isinstance(value, list | tuple):
        return next((found for one in value if (found := _table_in(one, columns)) is not None), None)
    try:
        table = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return table if table.ndim == 2 and table.shape[1] == columns else None
