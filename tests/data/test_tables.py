from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from foldwise.data.dataset import make_dataset
from foldwise.data.mapped import open_mapped, save
from foldwise.data.tables import documents
from foldwise.errors import BadData

TEXTS = ["a fine old wine", "too sweet", None, "goes with fish", "never again"]
TARGET = [1.5, 2.5, 3.0, 1.0, 0.5]


@pytest.mark.parametrize(
    "container",
    [list, tuple, pd.Series, lambda texts: np.array(texts, dtype=object), pl.Series],
    ids=["list", "tuple", "pandas", "array", "polars"],
)
def test_documents_in_any_container_are_one_table_of_one_column(container):
    data = make_dataset(container(TEXTS), TARGET)
    frame = make_dataset(pd.DataFrame({"text": TEXTS}), TARGET)
    assert (data.names, data.kinds, data.fingerprint) == (("text",), ("text",), frame.fingerprint)
    assert data.is_series
    assert not frame.is_series


def test_a_series_keeps_its_name_and_learners_are_given_a_series():
    data = make_dataset(pd.Series(TEXTS, name="remark"), TARGET)
    taken = data.take([3, 0])
    assert data.names == ("remark",)
    assert isinstance(taken, pd.Series)
    assert taken.tolist() == ["goes with fish", "a fine old wine"]


def test_workers_are_given_a_series_too(tmp_path):
    save(make_dataset(TEXTS, TARGET), tmp_path)
    assert open_mapped(tmp_path).is_series


@pytest.mark.parametrize(
    "thing", [pd.Series([1.0, 2.0]), [1.0, 2.0], np.arange(3), [["a"], ["b"]], pd.Series(["a"], dtype="category")]
)
def test_what_is_no_list_of_texts_is_none(thing):
    assert documents(thing) is None


def test_a_series_of_numbers_is_still_no_table():
    with pytest.raises(BadData, match=r"X is one series, not a table. Use X.to_frame\(\)"):
        make_dataset(pd.Series([1.0, 2.0]), [1.0, 2.0])
