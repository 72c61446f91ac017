"""Columns that are empty in the training rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from foldwise.learners.preprocessing.empty_columns import EmptyColumnFiller


@parametrize_with_checks([EmptyColumnFiller()])
def test_the_filler_is_a_scikit_learn_transformer(estimator, check):
    check(estimator)


@pytest.mark.parametrize("new", [np.nan, 7.0])
def test_an_empty_column_stays_zero_whatever_comes_later_and_other_gaps_stay(new):
    filler = EmptyColumnFiller().fit(np.array([[np.nan, 1.0], [np.nan, np.nan]]))
    table = np.array([[new, np.nan]])

    assert_array_equal(filler.transform(table), [[0.0, np.nan]])
    assert_array_equal(table, [[new, np.nan]])
