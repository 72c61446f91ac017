"""Dates as numbers; loads scikit-learn, so import it only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from foldwise.arrays import AnyArray, FloatArray

PARTS = ("seconds", "year", "month", "weekday", "hour")


class DateParts(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Seconds since 1970, and year, month, day of the week and hour where they vary in the training rows.

    >>> import pandas as pd
    >>> days = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-02"])})
    >>> DateParts().fit(days).get_feature_names_out().tolist()
    ['day_seconds', 'day_weekday']
    """

    def fit(self, X: Any, y: Any = None) -> DateParts:
        self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        self.n_features_in_ = X.shape[1]
        self.kept_ = np.concatenate([_varies(_parts(X.iloc[:, j])) for j in range(X.shape[1])])
        return self

    def transform(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return np.hstack([_parts(X.iloc[:, j]) for j in range(X.shape[1])])[:, self.kept_]

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        names = [f"{name}_{part}" for name in self.feature_names_in_ for part in PARTS]
        return np.asarray(np.array(names, dtype=object)[self.kept_])


def _parts(column: Any) -> FloatArray:
    """All parts of one column; NaN where the date is missing."""
    import pandas as pd

    # microseconds, since nanoseconds end in 2262 and tables write 9999-12-31 for "never"
    dates = pd.to_datetime(column, utc=True).dt.tz_localize(None).dt.as_unit("us")
    seconds = dates.astype("int64").where(dates.notna()) / 1e6
    parts = [seconds, dates.dt.year, dates.dt.month, dates.dt.day_of_week, dates.dt.hour]
    return np.column_stack([part.to_numpy(dtype=np.float64, na_value=np.nan) for part in parts])


def _varies(parts: FloatArray) -> AnyArray:
    """Which parts have two values; the seconds always stay, so that every fold has the column."""
    known = parts[~np.isnan(parts).any(axis=1)]
    varies = np.ptp(known, axis=0) > 0 if len(known) else np.zeros(parts.shape[1], bool)
    varies[0] = True
    return varies
