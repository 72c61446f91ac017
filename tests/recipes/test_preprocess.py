"""What built-in learners do to a table first."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from foldwise.data.dataset import make_dataset
from foldwise.recipes.preprocess import (
    booleans_as_numbers,
    dates_as_seconds,
    table_preparer,
    text_without_gaps,
)

NAMES = ("size", "is_new", "shop", "grade", "day")
KINDS = ("number", "boolean", "text", "category", "date")


def mixed_table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "size": [1.0, np.nan, 3.0, 5.0],
            "is_new": [True, False, True, True],
            "shop": pd.Series(["a", None, "b", "a"], dtype=object),
            "grade": pd.Categorical(["x", "y", None, "x"]),
            "day": pd.to_datetime(["2024-01-01", None, "2024-01-02", "2024-01-03"]),
        }
    )


def preparer(**options):
    return table_preparer(KINDS, NAMES, container="frame", **{"scale": False, **options})


def test_numbers_are_imputed_by_the_median_and_scaled_to_unit_variance():
    X = np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0], [8.0, 5.0]])
    made = table_preparer(("number", "number"), ("a", "b"), scale=True, container="array").fit_transform(X)

    column = np.array([1.0, 3.0, 3.0, 8.0])
    assert_allclose(made[:, 0], (column - column.mean()) / column.std())
    assert_array_equal(made[:, 1], 0.0)


def test_a_mixed_table_becomes_numbers_column_by_column():
    table = mixed_table()
    made = preparer().fit_transform(table)

    assert_array_equal(made[:, 0], [1, 3, 3, 5])
    assert_array_equal(made[:, 1], [1, 0, 1, 1])
    day = 24 * 3600
    start = 1704067200  # 2024-01-01 in seconds since 1970
    assert_array_equal(made[:, 2], [start, start + day, start + day, start + 2 * day])
    assert_array_equal(made[:, 3:6], [[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]])  # a, b, missing
    assert_array_equal(made[:, 6:], [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]])  # missing, x, y


def test_an_unseen_category_is_silent_and_all_zero():
    made = preparer().fit(mixed_table())
    table = mixed_table()
    table["shop"] = ["new", "a", "a", "a"]
    assert_array_equal(made.transform(table)[0, 3:6], 0.0)


def test_rare_categories_share_a_column():
    table = pd.DataFrame({"who": [f"name {i}" for i in range(200)] + ["often"] * 5})
    made = table_preparer(("text",), ("who",), scale=False, container="frame").fit_transform(table)
    assert made.shape == (205, 50)
    assert_array_equal(made.sum(axis=1), 1.0)


@pytest.mark.parametrize("scale", [True, False])
def test_columns_that_are_empty_or_constant_in_the_training_rows_keep_their_place(scale):
    table = mixed_table()
    table["size"] = np.nan
    table["shop"] = pd.Series([None] * 4, dtype=object)
    table["day"] = pd.NaT
    made = preparer(scale=scale).fit(table)
    full = made.transform(mixed_table())
    assert np.isfinite(full).all()
    assert full.shape == (4, 7)  # size, is_new, day, one column of shop, three of grade


def test_nothing_is_learnt_from_the_rows_that_are_transformed():
    made = preparer(scale=True).fit(mixed_table().iloc[:3])
    alone = made.transform(mixed_table().iloc[3:])
    assert_array_equal(made.transform(mixed_table())[3:], alone)


def test_columns_are_found_by_name_so_extra_ones_do_no_harm():
    made = preparer().fit(mixed_table())
    wide = mixed_table().assign(extra=1.0)[["extra", *reversed(NAMES)]]
    assert_array_equal(made.transform(wide), made.transform(mixed_table()))


def test_sparse_tables_stay_sparse_unless_the_learner_needs_them_dense():
    X = sp.random_array((20, 5), density=0.3, format="csr", rng=np.random.default_rng(0))
    kinds, names = ("number",) * 5, tuple("abcde")
    scaled = table_preparer(kinds, names, scale=True, container="sparse").fit_transform(X)
    dense = table_preparer(kinds, names, scale=False, impute=False, dense=True, container="sparse").fit_transform(X)

    assert sp.issparse(scaled)
    spread = X.toarray().std(axis=0)
    assert_allclose(scaled.toarray(), X.toarray() / np.where(spread > 0, spread, 1))
    assert_array_equal(dense, X.toarray())


def test_nothing_to_do_is_no_preparer():
    assert table_preparer(("number",), ("a",), scale=False, impute=False, container="frame") is None
    assert table_preparer(("number",), ("a",), scale=False, impute=False, container="sparse") is None


def test_a_fitted_preparer_survives_pickle_and_skops():
    made = preparer(scale=True).fit(mixed_table())
    expected = made.transform(mixed_table())

    assert_array_equal(pickle.loads(pickle.dumps(made)).transform(mixed_table()), expected)
    written = skops.io.dumps(made)
    trusted = skops.io.get_untrusted_types(data=written)
    assert all(name.startswith(("foldwise.recipes.", "numpy.")) for name in trusted)
    assert_array_equal(skops.io.loads(written, trusted=trusted).transform(mixed_table()), expected)
    assert made.get_feature_names_out()[0] == "numbers__size"
    assert clone(made).fit(mixed_table()) is not made


def test_the_functions_handle_what_is_missing():
    booleans = pd.DataFrame({"a": pd.Series([True, None, False], dtype=object), "b": pd.array([True, None, False])})
    assert_array_equal(booleans_as_numbers(booleans), [[1, 1], [np.nan, np.nan], [0, 0]])
    words = pd.DataFrame(
        {"a": pd.Series(["x", None, np.nan], dtype=object), "b": pd.Series(["x", None, "y"], dtype="str")}
    )
    assert_array_equal(text_without_gaps(words), [["x", "x"], ["missing", "missing"], ["missing", "y"]])
    moments = pd.DataFrame({"a": pd.to_datetime(["1970-01-01 00:01", None]).as_unit("s")})
    assert_array_equal(dates_as_seconds(moments), [[60.0], [np.nan]])


def test_any_table_with_the_same_columns_is_prepared_alike():
    table = mixed_table().astype({"shop": "str"})
    made = preparer().fit(table)
    expected = made.transform(table)
    others = (pl.from_pandas(table), pa.Table.from_pandas(table), table[list(reversed(NAMES))])
    for other in (*others, pl.from_pandas(table[list(reversed(NAMES))])):
        assert_array_equal(made.transform(other), expected)


@pytest.mark.parametrize("numbers", [range(5), [30, 10, 40, 70, 90]])
def test_columns_may_have_numbers_for_names(numbers):
    table = mixed_table().set_axis(list(numbers), axis=1)
    data = make_dataset(table, np.arange(4.0))
    made = table_preparer(data.kinds, data.names, scale=False, container="frame").fit(data.X)
    assert_array_equal(made.transform(table), preparer().fit_transform(mixed_table()))
