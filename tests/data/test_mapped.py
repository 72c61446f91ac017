from __future__ import annotations

import mmap
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from foldwise.data.dataset import Dataset, make_dataset
from foldwise.data.mapped import open_mapped, save
from foldwise.errors import BadData

FIELDS = ("names", "kinds", "task", "classes", "fingerprint", "notes", "group_names")
ARRAYS = ("y", "target", "groups", "time", "weights", "strata")


def assert_same(opened: Dataset, data: Dataset) -> None:
    for name in FIELDS:
        assert getattr(opened, name) == getattr(data, name)
    for name in ARRAYS:
        one, other = getattr(opened, name), getattr(data, name)
        assert (one is None) == (other is None)
        if one is not None:
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    for rows in (np.arange(data.rows), [0, 0, data.rows - 1]):
        assert_same_rows(opened.take(rows), data.take(rows))


def assert_same_rows(one: object, other: object) -> None:
    assert type(one) is type(other)
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
        numbers = one.select_dtypes("number")
        assert numbers.to_numpy().tobytes() == other[numbers.columns].to_numpy().tobytes()
    elif isinstance(one, np.ndarray):
        assert one.flags == other.flags
        assert one.tobytes() == other.tobytes()
    else:
        for part in ("data", "indices", "indptr"):
            assert getattr(one, part).dtype == getattr(other, part).dtype
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))


def is_mapped(array: object) -> bool:
    while array is not None:
        if isinstance(array, mmap.mmap | np.memmap):
            return True
        array = getattr(array, "base", None)
    return False


COLUMNS = {
    "number": st.floats(allow_nan=True, allow_infinity=True),
    "boolean": st.booleans(),
    "text": st.one_of(st.none(), st.text(max_size=4)),
    "category": st.one_of(st.none(), st.sampled_from(["", "b", "a", "é"])),
    "date": st.one_of(st.none(), st.datetimes(pd.Timestamp("1700-01-01"), pd.Timestamp("2200-01-01"))),
}
DTYPES = {"number": "float64", "boolean": "bool", "text": object, "category": "category", "date": "datetime64[us]"}


@st.composite
def mixed_tables(draw):
    rows = draw(st.integers(2, 8))
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=7))
    columns = {
        f"c{j}": pd.Series(draw(st.lists(COLUMNS[kind], min_size=rows, max_size=rows)), dtype=DTYPES[kind])
        for j, kind in enumerate(kinds)
    }
    return pd.DataFrame(columns)


@given(mixed_tables(), st.sampled_from(["regression", "text", "int", "bool"]))
def test_a_saved_dataset_opens_as_it_was(table, target):
    place = np.arange(len(table))
    targets = {
        "regression": place + 0.5,
        "text": np.where(place % 2, "a", "b"),
        "int": place % 2,
        "bool": place % 2 == 1,
    }
    data = make_dataset(table, targets[target], groups=place // 2, time=place, weights=place + 1)
    with tempfile.TemporaryDirectory() as folder:
        save(data, Path(folder))
        assert_same(open_mapped(Path(folder)), data)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, pd.DataFrame], ids=["array", "csr", "frame"])
def test_numbers_stay_in_the_file_until_they_are_used(make, tmp_path):
    data = make_dataset(make(np.arange(40.0).reshape(10, 4) % 7), np.arange(10) + 0.5)
    save(data, tmp_path / "new" / "folder")
    opened = open_mapped(tmp_path / "new" / "folder")
    assert_same(opened, data)
    values = opened.X.data if sparse.issparse(opened.X) else np.asarray(opened.X)
    assert is_mapped(values)
    assert not values.flags.writeable
    taken = opened.take([1, 2])
    assert not is_mapped(taken.data if sparse.issparse(taken) else np.asarray(taken))


@pytest.mark.skipif(pd.__version__ < "3", reason="before pandas 3 a column that is set is a copy")
def test_number_columns_of_mixed_frames_stay_in_the_file_too(tmp_path):
    table = pd.DataFrame({"a": [1.0, 2, 3], "b": [4.0, 5, 6], "t": ["x", None, "y"], "c": [7.0, 8, 9]})
    save(make_dataset(table, [1.5, 2, 3]), tmp_path)
    opened = open_mapped(tmp_path)
    assert all(is_mapped(opened.X[name].to_numpy()) for name in ("a", "b", "c"))


def test_the_positive_class_stays_last(tmp_path):
    data = make_dataset([[1], [2], [3]], [0, 1, 1], positive=0)
    save(data, tmp_path)
    opened = open_mapped(tmp_path)
    assert opened.classes == (1, 0)
    assert opened.codes.tolist() == [1, 0, 0]
    assert opened.y.tolist() == [0, 1, 1]


def test_no_file_of_a_saved_dataset_is_a_pickle(tmp_path):
    save(make_dataset(pd.DataFrame({"t": ["a", "b"]}), ["p", "q"]), tmp_path)
    for path in tmp_path.glob("*.npy"):
        np.load(path, allow_pickle=False)
    assert {path.suffix for path in tmp_path.iterdir()} == {".npy", ".json"}


def test_a_folder_without_a_dataset_is_refused(tmp_path):
    with pytest.raises(BadData, match="holds no saved dataset"):
        open_mapped(tmp_path)
