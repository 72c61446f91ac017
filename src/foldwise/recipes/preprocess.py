"""What built-in learners do to a table before they learn: fitted on training rows only, like the learner itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from foldwise.arrays import AnyArray, FloatArray

Container = Literal["array", "frame", "sparse"]
MISSING = "missing"
MOST_CATEGORIES = 50  # rarer ones share a column, so that a column of names cannot fill the memory


def table_preparer(
    kinds: Sequence[str],
    names: Sequence[str],
    *,
    scale: bool,
    impute: bool = True,
    fill_empty: bool = False,
    dense: bool = False,
    container: Container,
) -> Any:
    """A scikit-learn transformer from this kind of table to numbers, or None when nothing is to be done.

    The steps follow from the kinds of the columns alone, never from the rows at hand,
    so that every fold has the same ones. `fill_empty` fills only columns that have no
    value at all in the training rows, for learners that deal with other gaps themselves.

    >>> table_preparer(["number"], ["x"], scale=True, container="array")
    Pipeline(steps=[('impute', SimpleImputer(keep_empty_features=True, strategy='median')),
                    ('scale', StandardScaler())])
    >>> table_preparer(["number"], ["x"], scale=False, impute=False, container="array") is None
    True
    """
    if container == "sparse":
        steps = [_dense_step()] if dense else []
        return _chain([*steps, *_number_steps(scale=scale, impute=impute, fill_empty=fill_empty, sparse=not dense)])
    number_steps = _number_steps(scale=scale, impute=impute, fill_empty=fill_empty)
    if container == "array" or all(kind == "number" for kind in kinds):
        return _chain(number_steps)
    return _by_column(kinds, names, number_steps)


def booleans_as_numbers(X: Any) -> FloatArray:
    """False, True and missing as 0, 1 and NaN.

    >>> import pandas as pd
    >>> booleans_as_numbers(pd.DataFrame({"a": [True, None]})).tolist()
    [[1.0], [nan]]
    """
    return X.astype("float64").to_numpy(dtype="float64", na_value=float("nan"))  # type: ignore[no-any-return]


def dates_as_seconds(X: Any) -> FloatArray:
    """Moments as seconds since 1970, missing ones as NaN."""
    import numpy as np
    import pandas as pd

    columns = [pd.to_datetime(X.iloc[:, j], utc=True) for j in range(X.shape[1])]
    start = pd.Timestamp(0, tz="UTC")
    return np.column_stack([((column - start) / pd.Timedelta(seconds=1)).to_numpy("float64") for column in columns])


def text_without_gaps(X: Any) -> AnyArray:
    """Text and categories as text, with a word of its own for what is missing."""
    return X.astype(object).where(X.notna(), MISSING).map(str).to_numpy(dtype=object)  # type: ignore[no-any-return]


def as_dense(X: Any) -> FloatArray:
    """A sparse table with its zeros written out, for learners that need them."""
    return X.toarray() if hasattr(X, "toarray") else X  # type: ignore[no-any-return]


def _number_steps(*, scale: bool, impute: bool, fill_empty: bool, sparse: bool = False) -> list[tuple[str, Any]]:
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import StandardScaler

    steps: list[tuple[str, Any]] = []
    if impute:
        # a column that is empty in one fold must stay, or folds would have different columns
        steps.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
    elif fill_empty and not sparse:
        steps.append(("fill", _filler()))
    if scale:
        steps.append(("scale", StandardScaler(with_mean=not sparse)))
    return steps


def _filler() -> Any:
    from foldwise.recipes.empty_columns import EmptyColumnFiller

    return EmptyColumnFiller()


def _by_column(kinds: Sequence[str], names: Sequence[str], number_steps: list[tuple[str, Any]]) -> Any:
    from sklearn.base import clone

    from foldwise.recipes.table_columns import TableColumns

    def steps() -> list[tuple[str, Any]]:
        return [(name, clone(step)) for name, step in number_steps]

    parts = {
        "numbers": (_chain(steps()), ("number",)),
        "booleans": (_chain([_function_step(booleans_as_numbers), *steps()]), ("boolean",)),
        "dates": (_chain([_function_step(dates_as_seconds), *steps()]), ("date",)),
        "categories": (_chain(_category_steps()), ("text", "category")),
    }
    transformers = []
    for part, (preparer, wanted) in parts.items():
        columns = [name for name, kind in zip(names, kinds, strict=True) if kind in wanted]
        if columns:
            transformers.append((part, "passthrough" if preparer is None else preparer, columns))
    return TableColumns(transformers, sparse_threshold=0.0)


def _category_steps() -> list[tuple[str, Any]]:
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False)
    return [_function_step(text_without_gaps), ("encode", encoder)]


def _function_step(function: Any) -> tuple[str, Any]:
    from sklearn.preprocessing import FunctionTransformer

    return "convert", FunctionTransformer(function, feature_names_out="one-to-one")


def _dense_step() -> tuple[str, Any]:
    from sklearn.preprocessing import FunctionTransformer

    return "dense", FunctionTransformer(as_dense, accept_sparse=True, feature_names_out="one-to-one")


def _chain(steps: list[tuple[str, Any]]) -> Any:
    from sklearn.pipeline import Pipeline

    return Pipeline(steps) if steps else None
