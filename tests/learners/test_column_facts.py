"""What is known of columns before any split."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from foldwise.data.dataset import make_dataset
from foldwise.learners.preprocessing.column_facts import column_facts, has_far_columns

Y = [1.0, 2.0, 3.0, 4.0]


def test_distinct_values_are_counted_of_text_and_missing_ones_of_numbers_and_dates():
    frame = pd.DataFrame(
        {
            "size": [1.0, np.nan, np.nan, 4.0],
            "day": pd.to_datetime(["2024-01-01", None, "2024-01-03", "2024-01-04"]),
            "town": ["a", "b", "a", None],
            "kind": pd.Categorical(["x", "y", "z", "x"]),
        }
    )
    facts = column_facts(make_dataset(frame, Y))
    assert facts.distinct == (0, 0, 2, 3)
    assert facts.missing == (0.5, 0.25, 0.0, 0.0)


def test_arrays_and_sparse_tables_have_facts_too():
    X = np.array([[1.0, np.nan], [2.0, 0.0], [3.0, 1.0], [4.0, 0.0]])
    assert column_facts(make_dataset(X, Y)).missing == (0.0, 0.25)
    assert column_facts(make_dataset(sparse.csr_matrix(np.eye(4)), Y)).missing == (0.0,) * 4


@pytest.mark.parametrize(("shift", "step"), [(0.0, 1.0), (1e6, 1.0), (1e20, 1e5), (1e15, 0.5)])
def test_a_column_is_far_where_the_scaler_would_leave_it_as_it_is(shift, step):
    X = shift + step * np.arange(4.0)[:, None]
    is_left = StandardScaler().fit(X).scale_[0] == 1.0
    assert has_far_columns(make_dataset(X, Y)) >= is_left
    assert not has_far_columns(make_dataset(np.arange(4.0)[:, None], Y))
    assert has_far_columns(make_dataset(1e20 + 1e5 * np.arange(4.0)[:, None], Y))


def test_a_constant_column_is_not_far():
    assert not has_far_columns(make_dataset(np.full((4, 1), 1e20), Y))
