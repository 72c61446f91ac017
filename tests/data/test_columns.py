from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from foldwise.data.columns import canonical, codes_of, digest, number_digest, sparse_digest
from foldwise.errors import BadData


@pytest.mark.parametrize(
    "raw",
    [
        np.array([1, 2, 3], dtype=np.int8),
        np.array([1, 2, 3], dtype=np.uint64),
        np.array([1, 2, 3], dtype=np.float32),
        np.array([1, 2.0, decimal.Decimal(3)], dtype=object),
        np.array([True, 2, 3], dtype=object),
        pd.Series([1, 2, 3], dtype="Int64"),
        pd.Series([1, 2, 3], dtype="float64[pyarrow]"),
        pd.Series([1, 2, 3], dtype=pd.SparseDtype(float)),
    ],
)
def test_every_kind_of_number_is_the_same_column(raw):
    column = canonical("a", raw)
    assert (column.kind, column.values.dtype) == ("number", np.float64)
    assert digest(column) == number_digest(np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    "raw",
    [
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        np.array([1, None], dtype=object),
        np.array([True, None], dtype=object),
        np.array([1, pd.NA], dtype=object),
    ],
)
def test_missing_numbers_and_booleans_are_nan(raw):
    column = canonical("a", raw)
    assert column.kind == "number"
    np.testing.assert_array_equal(column.values, [1, np.nan])
    assert column.missing.tolist() == [False, True]


TEXTS = ["b", None, "a", "b"]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (np.array(TEXTS, dtype=object), "text"),
        (pd.Series(TEXTS, dtype="str"), "text"),
        (pd.Series(TEXTS, dtype="string"), "text"),
        (pd.Series(TEXTS, dtype=object), "text"),
        (pd.Series(TEXTS, dtype="string[pyarrow]"), "text"),
        (pd.Series(TEXTS, dtype="category"), "category"),
        (pd.Series(pd.Categorical(TEXTS, categories=["z", "b", "a"])), "category"),
    ],
)
def test_text_and_categories_of_the_same_words_have_the_same_digest(raw, kind):
    column = canonical("a", raw)
    assert column.kind == kind
    assert column.texts.tolist() == TEXTS
    assert digest(column) == digest(canonical("a", np.array(TEXTS, dtype=object)))
    assert digest(column) != digest(canonical("a", np.array(["a", None, "b", "a"], dtype=object)))


def test_categories_are_sorted_and_only_those_that_occur():
    assert canonical("a", pd.Series(pd.Categorical(["b", "a"], categories=["z", "b", "a"]))).labels == ("a", "b")
    assert canonical("a", pd.Series(pd.Categorical([10, 9]))).labels == (10, 9)


@pytest.mark.parametrize(
    "raw",
    [
        np.array(["2020-01-02", "NaT"], dtype="datetime64[D]"),
        np.array([datetime.date(2020, 1, 2), None], dtype=object),
        np.array([datetime.datetime(2020, 1, 2), None], dtype=object),
        pd.Series(pd.to_datetime(["2020-01-02", None])),
        pd.Series(pd.to_datetime(["2020-01-02 03:00+03:00", None])),
        pd.Series(pd.PeriodIndex(["2020-01-02", None], freq="D")),
    ],
)
def test_dates_are_microseconds_whatever_they_were(raw):
    column = canonical("a", raw)
    assert column.kind == "date"
    assert column.values.dtype == "datetime64[us]"
    assert str(column.values[0]) == "2020-01-02T00:00:00.000000"
    assert column.missing.tolist() == [False, True]


def test_durations_are_seconds():
    assert canonical("a", np.array([90], dtype="timedelta64[m]")).values.tolist() == [5400]
    assert canonical("a", np.array([datetime.timedelta(minutes=1)], dtype=object)).values.tolist() == [60]


def test_a_column_without_any_value_is_a_number_column():
    for raw in (
        np.array([None, None]),
        pd.Series([None, None], dtype="str"),
        pd.Series([None, None], dtype="category"),
    ):
        assert canonical("a", raw).kind == "number"


def test_a_mix_of_words_and_numbers_is_text():
    assert canonical("a", np.array([1, "b", None, 2.5], dtype=object)).texts.tolist() == ["1", "b", None, "2.5"]


def test_there_is_one_nan_and_no_negative_zero():
    other_nan = np.array([0x7FF8_0000_0000_0001], dtype=np.uint64).view(np.float64)[0]
    assert number_digest(np.array([1.0, np.nan, 0.0])) == number_digest(np.array([1.0, other_nan, -0.0]))


@pytest.mark.parametrize("filled", [0, 1, 4, 5, 9])
def test_sparse_and_dense_columns_have_the_same_digest(filled):
    values = np.zeros(9)
    values[:filled] = np.arange(1, filled + 1)
    values = np.roll(values, 2)
    places = np.flatnonzero(values)
    assert sparse_digest(places.astype(np.int32), values[places], 9) == number_digest(values)


def test_zeros_in_other_places_are_another_column():
    assert number_digest(np.array([0, 0, 0, 1.0])) != number_digest(np.array([0, 0, 1.0, 0]))
    assert number_digest(np.zeros(3)) != number_digest(np.zeros(4))


def test_codes_follow_the_sorted_order_of_labels():
    assert codes_of(canonical("a", np.array([10, 9, 10])))[0].tolist() == [1, 0, 1]
    assert codes_of(canonical("a", np.array(["10", "9", "10"])))[0].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (np.array([1j]), "a holds complex numbers"),
        (np.array([1, [2]], dtype=object), "a holds a value of type list in row 1"),
        (np.array([None, {"k": 1}], dtype=object), "a holds a value of type dict in row 1"),
        (np.array([b"x"]), "a holds values of type"),
        (np.array([b"x"], dtype=object), "a holds a value of type bytes in row 0"),
        (np.array([1, 10**400], dtype=object), "too large for a float"),
        (np.array([datetime.date(2020, 1, 1), "x"], dtype=object), "a holds a value of type date in row 0"),
        (np.array([1j, None], dtype=object), "a holds a value of type complex in row 0"),
    ],
)
def test_values_that_are_no_table_cells_are_refused(raw, words):
    with pytest.raises(BadData, match=words):
        canonical("a", raw)
