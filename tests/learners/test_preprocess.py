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
from sklearn.preprocessing import StandardScaler

from foldwise.data.dataset import make_dataset
from foldwise.learners.preprocessing.preprocess import (
    Columns,
    booleans_as_numbers,
    category_columns,
    gaps_as_numbers,
    prepare,
    table_preparer,
    text_with_gaps,
    text_without_gaps,
)

NAMES = ("size", "is_new", "shop", "grade", "day")
KINDS = ("number", "boolean", "text", "category", "date")
START, DAY = 1704067200, 24 * 3600  # 2024-01-01, a Monday, in seconds since 1970


def mixed_table(times: int = 3) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "size": [1.0, np.nan, 3.0, 5.0],
            "is_new": [True, False, True, True],
            "shop": pd.Series(["a", None, "b", "a"], dtype=object),
            "grade": pd.Categorical(["x", "y", None, "x"]),
            "day": pd.to_datetime(["2024-01-01", None, "2024-01-02", "2024-01-03"]),
        }
    )
    return pd.concat([table] * times, ignore_index=True)


def preparer(**options):
    return table_preparer(Columns(KINDS, NAMES, "frame"), **{"scale": False, **options})


def prepared(table, y=None, **options):
    data = make_dataset(table, np.arange(float(len(table))) if y is None else y)
    return prepare(data, **options), data


def test_numbers_are_imputed_by_the_median_and_scaled_to_unit_variance():
    X = np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0], [8.0, 5.0]])
    made = table_preparer(Columns(("number", "number"), ("a", "b"), "array"), scale=True).fit_transform(X)

    column = np.array([1.0, 3.0, 3.0, 8.0])
    assert_allclose(made[:, 0], (column - column.mean()) / column.std())
    assert_array_equal(made[:, 1], 0.0)


def test_a_mixed_table_becomes_numbers_column_by_column():
    made = preparer().fit_transform(mixed_table())[:4]

    assert_array_equal(made[:, 0], [1, 3, 3, 5])
    assert_array_equal(made[:, 1], [1, 0, 1, 1])
    assert_array_equal(made[:, 2], [START, START + DAY, START + DAY, START + 2 * DAY])
    assert_array_equal(made[:, 3], [0, 1, 1, 2])  # days of the week; year, month and hour do not vary
    assert_array_equal(made[:, 4:7], [[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]])  # a, b, missing
    assert_array_equal(made[:, 7:], [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]])  # missing, x, y


def test_an_unseen_category_is_silent_and_all_zero():
    made = preparer().fit(mixed_table())
    table = mixed_table(1)
    table["shop"] = ["new", "a", "a", "a"]
    assert_array_equal(made.transform(table)[0, 4:7], 0.0)


def test_rare_and_unseen_categories_share_a_column():
    table = pd.DataFrame({"who": ["often"] * 5 + ["also"] * 3 + ["seldom"] * 2 + ["once"]})
    made = table_preparer(Columns(("text",), ("who",), "frame"), scale=False).fit(table)
    new = pd.DataFrame({"who": ["often", "also", "seldom", "once", "never"]})
    assert_array_equal(made.transform(new), [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])


def test_columns_with_many_values_are_encoded_by_target_means():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"few": rng.choice(list("abc"), 300), "many": rng.choice([f"n{i}" for i in range(60)], 300)})
    regression, data = prepared(table, rng.normal(size=300))
    classes, labelled = prepared(table, np.tile(["x", "y", "z"], 100))
    assert regression.fit_transform(data.X, data.y).shape == (300, 1 + 3)
    assert classes.fit_transform(labelled.X, labelled.y).shape == (300, 3 + 3)


def test_which_columns_have_many_values_is_told_by_the_whole_table_not_by_the_training_rows():
    table = pd.DataFrame({"name": [f"n{i}" for i in range(45)] * 4})
    made, data = prepared(table)
    few = made.fit(data.X.iloc[:20], data.y[:20])
    assert few.transform(data.X).shape == (180, 1)


@pytest.mark.parametrize("scale", [True, False])
def test_columns_that_are_empty_or_constant_in_the_training_rows_keep_their_place(scale):
    table = mixed_table()
    table["size"] = np.nan
    table["shop"] = pd.Series([None] * 12, dtype=object)
    table["day"] = pd.NaT
    made = preparer(scale=scale).fit(table)
    full = made.transform(mixed_table())
    assert np.isfinite(full).all()
    assert full.shape == (12, 7)  # size, is_new, day, one column of shop, three of grade


def test_columns_with_many_gaps_say_where_they_are():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("abc"))
    table.loc[:4, "a"] = np.nan  # 5 %
    table.loc[:3, "b"] = np.nan  # 4 %
    table["day"] = pd.to_datetime("2024-01-01")
    table.loc[50:, "day"] = pd.NaT
    for given, names in ((table, ["a", "day"]), (table[["a", "b", "c"]], ["a"]), (table[["a"]].to_numpy(), ["x0"])):
        made, data = prepared(given, scale=True)
        out = made.fit_transform(data.X)
        frame = pd.DataFrame(given)
        marks = frame.isna().iloc[:, [0] if len(names) == 1 else [0, 3]].to_numpy()
        assert [name for name, _, _ in made.transformers].count("gaps") == 1
        assert_array_equal(out[:, -len(names) :], marks)
        assert np.isfinite(out).all()
    kept, data = prepared(table, impute=False)
    assert "gaps" not in [name for name, _, _ in kept.transformers]


def test_a_table_without_gaps_is_only_imputed_and_scaled():
    made, _ = prepared(np.arange(12.0).reshape(6, 2), scale=True)
    assert [name for name, _ in made.steps] == ["impute", "scale"]


def test_nothing_is_learnt_from_the_rows_that_are_transformed():
    made = preparer(scale=True).fit(mixed_table().iloc[:11])
    alone = made.transform(mixed_table().iloc[11:])
    assert_array_equal(made.transform(mixed_table())[11:], alone)


def test_columns_are_found_by_name_so_extra_ones_do_no_harm():
    made = preparer().fit(mixed_table())
    wide = mixed_table().assign(extra=1.0)[["extra", *reversed(NAMES)]]
    assert_array_equal(made.transform(wide), made.transform(mixed_table()))


def test_sparse_tables_stay_sparse_unless_the_learner_needs_them_dense():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.normal(size=(20, 5)) * (rng.random(size=(20, 5)) < 0.3))
    kinds, names = ("number",) * 5, tuple("abcde")
    scaled = table_preparer(Columns(kinds, names, "sparse"), scale=True).fit_transform(X)
    dense = table_preparer(Columns(kinds, names, "sparse"), scale=False, impute=False, dense=True).fit_transform(X)

    assert sp.issparse(scaled)
    spread = X.toarray().std(axis=0)
    assert_allclose(scaled.toarray(), X.toarray() / np.where(spread > 0, spread, 1))
    assert_array_equal(dense, X.toarray())
    assert sp.issparse(prepared(sp.csr_matrix(X), np.arange(20.0), scale=True)[0].fit_transform(X))


def test_nothing_to_do_is_no_preparer():
    assert table_preparer(Columns(("number",), ("a",), "frame"), scale=False, impute=False) is None
    assert table_preparer(Columns(("number",), ("a",), "sparse"), scale=False, impute=False) is None


@pytest.mark.parametrize("categories", ["encode", "native", "text"])
def test_a_fitted_preparer_survives_pickle_and_skops(categories):
    table = mixed_table().assign(name=[f"n{i}" for i in range(12)])
    distinct, missing = (0, 0, 2, 2, 0, 1000), (0.25, 0, 0, 0, 0.25, 0)
    columns = Columns((*KINDS, "text"), (*NAMES, "name"), "frame", distinct, missing)
    made = table_preparer(columns, scale=True, categories=categories).fit(table, np.arange(12.0))
    expected = pd.DataFrame(made.transform(table))

    pd.testing.assert_frame_equal(pd.DataFrame(pickle.loads(pickle.dumps(made)).transform(table)), expected)
    written = skops.io.dumps(made)
    trusted = skops.io.get_untrusted_types(data=written)
    assert all(name.startswith(("foldwise.learners.", "numpy.", "sklearn.")) for name in trusted)
    pd.testing.assert_frame_equal(pd.DataFrame(skops.io.loads(written, trusted=trusted).transform(table)), expected)
    assert made.get_feature_names_out()[0] == "numbers__size"
    assert clone(made).fit(table, np.arange(12.0)) is not made


def test_learners_that_know_categories_get_a_frame_of_codes():
    made, data = prepared(mixed_table(), impute=False, categories="native")
    out = made.fit(data.X.iloc[:8]).transform(mixed_table(1).assign(shop=["a", "new", "b", None]))

    assert list(out.columns) == ["x0", "x1", "x2", "x3", "k0", "k1"]
    assert_array_equal(out["x0"], [1, np.nan, 3, 5])  # gaps stay
    assert_array_equal(out["k0"].cat.codes, [0, -1, 1, -1])  # unseen and missing alike
    assert_array_equal(out["k1"].cat.codes, [0, 1, -1, 0])
    assert out["k0"].dtype == pd.CategoricalDtype(range(2))


def test_identifiers_are_no_categories():
    """A learner would learn their codes by heart and send every new row to one arbitrary side."""
    table = pd.DataFrame({"id": [f"i{i}" for i in range(12)], "shop": ["a", "b", "c", "d"] * 3})
    data = make_dataset(table, np.arange(12.0))
    out = prepare(data, impute=False, categories="native").fit(data.X, data.y).transform(data.X.assign(id="new"))
    assert_array_equal(out["x0"], 0)
    assert_array_equal(out["k0"].cat.codes, [0, 1, 2, 3] * 3)


def test_a_category_column_that_is_empty_in_training_is_one_category():
    made, data = prepared(mixed_table(), impute=False, categories="native")
    empty = data.X.assign(shop=pd.Series([None] * 12, dtype="str"))
    out = made.fit(empty).transform(data.X)
    assert_array_equal(out["k0"].cat.codes, 0)


def test_categories_as_text_have_a_word_for_gaps_and_known_names():
    made, data = prepared(mixed_table(), impute=False, categories="text")
    out = made.fit(data.X).transform(mixed_table(1).assign(shop=["a", "new", "b", None]))
    assert out[category_columns(data)].to_numpy().tolist() == [
        ["a", "x"],
        ["new", "y"],
        ["b", "missing"],
        ["missing", "x"],
    ]
    assert out.drop(columns=category_columns(data)).dtypes.eq("float64").all()


def test_the_functions_handle_what_is_missing():
    booleans = pd.DataFrame({"a": pd.Series([True, None, False], dtype=object), "b": pd.array([True, None, False])})
    assert_array_equal(booleans_as_numbers(booleans), [[1, 1], [np.nan, np.nan], [0, 0]])
    words = pd.DataFrame(
        {"a": pd.Series(["x", None, np.nan], dtype=object), "b": pd.Series(["x", None, "y"], dtype="str")}
    )
    assert_array_equal(text_without_gaps(words), [["x", "x"], ["missing", "missing"], ["missing", "y"]])
    assert text_with_gaps(words).tolist() == [["x", "x"], [pytest.approx(np.nan, nan_ok=True)] * 2, [
        pytest.approx(np.nan, nan_ok=True), "y"]]  # fmt: skip
    assert_array_equal(gaps_as_numbers(words), [[0, 0], [1, 1], [1, 0]])


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
    data = make_dataset(table, np.arange(12.0))
    made = table_preparer(Columns(data.kinds, data.names, "frame"), scale=False).fit(data.X)
    assert_array_equal(made.transform(table), preparer().fit_transform(mixed_table()))


@pytest.mark.parametrize("is_frame", [True, False])
def test_numbers_far_from_zero_are_scaled_like_any_other(is_frame):
    """scikit-learn's scaler alone takes their spread for rounding, and hands on numbers a hundred thousand wide."""
    rng = np.random.default_rng(0)
    near = rng.integers(-9, 10, size=(40, 2)) * 2.0**17
    table = near + np.array([2.0**67, 0.0])
    assert StandardScaler().fit(table).scale_[0] == 1.0
    X = pd.DataFrame({"far": table[:, 0], "town": ["a", "b"] * 20}) if is_frame else table
    made = prepare(make_dataset(X, near[:, 0]), scale=True).fit_transform(X)[:, 0]
    assert_allclose(made, (near[:, 0] - near[:, 0].mean()) / near[:, 0].std(), atol=1e-12)


def test_numbers_near_zero_and_constants_need_no_centre():
    X = np.column_stack([np.arange(9.0), np.full(9, 1e20), np.full(9, np.nan)])
    assert "centre" not in str(prepare(make_dataset(X, np.arange(9.0)), scale=True).get_params())
