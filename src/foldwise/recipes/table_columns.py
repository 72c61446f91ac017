"""A column transformer for any table; loads scikit-learn, so import it only when it is used."""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer

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
        return super().transform(as_frame(X), **params)


def as_frame(X: Any) -> Any:
    """Any table as a pandas frame whose columns have text for names; such a frame is left as it is."""
    if hasattr(X, "iloc") and all(isinstance(name, str) for name in X.columns):
        return X
    import pandas as pd

    table = open_table(X)
    made = finish(table)[0]
    return made if hasattr(made, "iloc") else pd.DataFrame(made, columns=list(table.names))
