"""Rows that a model was trained on are known again, whatever holds them (api/judging.py)."""

from __future__ import annotations

import gc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from foldwise.api.judging import _TRAINED_ON, remember_rows, rows_seen
from foldwise.data.dataset import make_dataset

X = np.arange(12.0).reshape(6, 2)
Y = np.arange(6.0)
FRAME = pd.DataFrame({"size": np.arange(6.0), "town": pd.Categorical(list("abcabc"))})


@pytest.mark.parametrize("table", [X, sparse.csr_matrix(X), FRAME], ids=["array", "sparse", "frame"])
def test_rows_that_were_trained_on_are_counted(table):
    model = remember_rows(Ridge(), make_dataset(table, Y))
    part = table.iloc[[1, 4, 5, 0]] if hasattr(table, "iloc") else table[[1, 4, 5, 0]]
    assert rows_seen(model, make_dataset(table, Y)) == 6
    assert rows_seen(model, make_dataset(part, [1.0, 4.0, 5.0, 99.0])) == 3  # the last has another target
    assert rows_seen(Ridge(), make_dataset(table, Y)) == 0


def test_other_columns_are_other_rows():
    model = remember_rows(Ridge(), make_dataset(FRAME, Y))
    assert rows_seen(model, make_dataset(FRAME.rename(columns={"size": "weight"}), Y)) == 0


def test_a_model_that_is_gone_is_forgotten():
    model = remember_rows(Ridge(), make_dataset(X, Y))
    name = id(model)
    assert name in _TRAINED_ON
    del model
    gc.collect()
    assert name not in _TRAINED_ON


def test_what_cannot_be_watched_is_given_back_unnoted():
    assert remember_rows(7, make_dataset(X, Y)) == 7
    assert id(7) not in _TRAINED_ON
