"""What a Tuned learner is given to fit, read with the manners scikit-learn's callers expect."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset, make_dataset
from foldwise.data.roles import count_rows
from foldwise.data.tables import finish, open_table
from foldwise.errors import BadData
from foldwise.learners.checks import column_at, task_of


def read_rows(
    estimator: Any, X: Any, y: Any, *, weights: Any = None, groups: Any = None, loss_task: str | None = None
) -> Dataset:
    """The dataset of a call of `fit`; what a plain estimator cannot take is refused before any fit."""
    if y is None:
        raise BadData("Tuned requires y to be passed, but the target y is None", "Give one value per row")
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        _warn_of_column()
    data = make_dataset(X, y, weights=weights, groups=groups, task_hint=task_of(estimator) or loss_task)
    _refuse_unfinished(estimator, data)
    return data


def read_table(X: Any) -> Any:
    """New rows in the form a model met in `fit`, where a table of text, dates or categories is a canonical frame."""
    made = finish(table := open_table(X))[0]
    return made.iloc[:, 0] if table.is_series else made


def _warn_of_column() -> None:
    from sklearn.exceptions import DataConversionWarning

    text = "A column-vector y was passed when a 1d array was expected. Use y.ravel() to say that it is meant"
    warnings.warn(text, DataConversionWarning, stacklevel=5)


def _refuse_unfinished(estimator: Any, data: Dataset) -> None:
    """NaN and infinity, for scikit-learn's own estimators that take neither; composed ones judge for themselves."""
    if not _is_plain(estimator) or _may_be_unfinished(estimator) or _is_finite(data.X):
        return
    for j in [j for j, kind in enumerate(data.kinds) if kind == "number"]:
        bad = ~np.isfinite(column_at(data.X, j))
        if bad.any():
            found = f"column {data.names[j]!r} is NaN or infinite in {count_rows(bad)}"
            remedy = "Put a SimpleImputer before it, or leave these rows out"
            raise BadData(f"{type(estimator).__name__} takes only finite numbers, but {found}", remedy)


def _is_plain(estimator: Any) -> bool:
    parts = estimator.get_params(deep=True).values()
    return type(estimator).__module__.startswith("sklearn.") and not any(hasattr(part, "fit") for part in parts)


def _may_be_unfinished(estimator: Any) -> bool:
    from sklearn.utils import get_tags

    return bool(get_tags(estimator).input_tags.allow_nan)


def _is_finite(X: Any) -> bool:
    # A frame is looked at column by column.
    return not hasattr(X, "iloc") and bool(np.isfinite(X.data if hasattr(X, "tocsc") else X).all())
