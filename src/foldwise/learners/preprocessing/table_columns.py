"""Column transformers for any table; loads scikit-learn, so import it only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer

from foldwise.arrays import AnyArray
from foldwise.data.tables import finish, open_table


class TableColumns(ColumnTransformer):  # type: ignore[misc]
    """Finds the columns it was fitted on in a pandas, polars or Arrow table, by the names Foldwise gives them.

    >>> import pandas as pd
    >>> columns = TableColumns([("all", "passthrough", ["x1", "x0"])]).fit(pd.DataFrame({"x0": ["a"], "x1": [1.0]}))
    >>> columns.transform(pd.DataFrame({0: ["b"], 1: [2.0]})).tolist()
    [[2.0, 'b']]
    """

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        return super().fit_transform(as_frame(X), y, **params)

    def transform(self, X: Any, **params: Any) -> Any:
        return super().transform(as_frame(X) if hasattr(X, "columns") else self._named(as_frame(X)), **params)

    def _named(self, frame: Any) -> Any:
        """Documents by the name that those had which it was fitted on."""
        known = getattr(self, "feature_names_in_", ())
        is_one = len(known) == len(frame.columns) == 1
        return frame.set_axis(list(known), axis=1) if is_one else frame


class NativeColumns(TableColumns):
    """A frame for learners that know categories: numbers x0, x1, ... and then categories k0, k1, ...

    The part named "categories" gives codes, NaN where a value is missing or new, or text.
    """

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        return self._framed(super().fit_transform(X, y, **params))

    def transform(self, X: Any, **params: Any) -> Any:
        return self._framed(super().transform(X, **params))

    def _framed(self, matrix: AnyArray) -> Any:
        import pandas as pd

        part = self.named_transformers_["categories"]
        width = len(next(columns for name, _, columns in self.transformers if name == "categories"))
        numbers, known = np.split(matrix, [matrix.shape[1] - width], axis=1)
        frame = pd.DataFrame(numbers.astype(np.float64), columns=[f"x{j}" for j in range(numbers.shape[1])])
        encoder = dict(part.steps).get("codes")
        columns = known.T if encoder is None else map(_category, known.T, encoder.categories_)
        kept = {f"k{j}": column for j, column in enumerate(columns)}
        return pd.concat([frame, pd.DataFrame(kept, index=frame.index)], axis=1)


def as_frame(X: Any) -> Any:
    """Any table as a pandas frame whose columns have text for names; of such a frame only spans of time are read."""
    import pandas as pd

    if hasattr(X, "columns") and hasattr(X, "iloc") and all(isinstance(name, str) for name in X.columns):
        spans = X.columns[[str(kind).startswith(("period", "timedelta")) for kind in X.dtypes]]
        return X.assign(**{name: _read(X[[name]]) for name in spans}) if len(spans) else X

    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype == np.float64:
        return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    table = open_table(X)
    made = finish(table)[0]
    return made if hasattr(made, "iloc") else pd.DataFrame(made, columns=list(table.names))


def _read(column: Any) -> AnyArray:
    """A frame of one column as the values Foldwise reads: a date for a period, seconds for a span."""
    return np.asarray(finish(open_table(column))[0])[:, 0]


def _category(codes: AnyArray, values: AnyArray) -> Any:
    """A column of category type; one without any training value is one category, as learners refuse empty ones."""
    import pandas as pd

    known = [value for value in values if value == value]
    places = np.where(np.isnan(codes), -1, codes).astype(np.int64) if known else np.zeros(len(codes), np.int64)
    return pd.Categorical.from_codes(places, categories=pd.Index(range(max(len(known), 1))))
