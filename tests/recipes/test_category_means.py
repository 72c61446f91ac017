"""Target means of categories, against scikit-learn's encoder and naive means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import TargetEncoder

from foldwise.recipes.category_means import CategoryMeans


def column(values) -> np.ndarray:
    return np.array(values, dtype=object)[:, None]


@pytest.fixture
def names():
    rng = np.random.default_rng(0)
    return column(rng.choice([f"n{i}" for i in range(12)], 200)), rng.normal(size=200)


def test_new_rows_get_what_scikit_learns_encoder_gives(names):
    X, y = names
    made = CategoryMeans().fit(X, y).transform(column(["n3", "new"]))
    assert_allclose(made, TargetEncoder(target_type="continuous").fit(X, y).transform(column(["n3", "new"])))
    assert made[1, 0] == pytest.approx(y.mean())


def test_two_classes_have_one_column_and_more_have_one_each(names):
    X, y = names
    two, three = np.where(y > 0, "yes", "no"), np.digitize(y, [-0.5, 0.5])
    made = CategoryMeans(is_classification=True).fit(X, two).transform(X)
    assert_allclose(made, TargetEncoder(target_type="binary").fit(X, two).transform(X))
    made = CategoryMeans(is_classification=True).fit(X, three).transform(X)
    assert_allclose(made, TargetEncoder(target_type="multiclass").fit(X, three).transform(X))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 39), st.floats(-1e6, 1e6))
def test_no_training_row_is_told_its_own_target(row, value):
    rng = np.random.default_rng(1)
    X, y = column(rng.choice(list("abcdefgh"), 40)), rng.normal(size=40)
    before = CategoryMeans().fit_transform(X, y)
    y[row] = value
    assert_array_equal(CategoryMeans().fit_transform(X, y)[row], before[row])


def test_values_that_say_nothing_do_not_predict_the_target_they_were_fitted_to():
    """Every value is seen once or twice: plain means would follow the target, cross-fitted ones must not."""
    rng = np.random.default_rng(0)
    X, y = column([f"n{i // 2}" for i in range(400)]), rng.normal(size=400)
    plain = CategoryMeans().fit(X, y).transform(X)[:, 0]
    crossed = CategoryMeans().fit_transform(X, y)[:, 0]
    assert np.corrcoef(plain, y)[0, 1] > 0.4
    assert np.corrcoef(crossed, y)[0, 1] < 0.15


@pytest.mark.parametrize("rows", [1, 2, 3, 6])
def test_tables_of_few_rows_are_encoded_too(rows):
    X, y = column(list("abcabc")[:rows]), np.arange(float(rows))
    assert np.isfinite(CategoryMeans().fit_transform(X, y)).all()
    assert CategoryMeans(is_classification=True).fit_transform(X, np.repeat("a", rows)).shape == (rows, 1)


def test_a_class_of_one_row_is_kept_in_every_part(names):
    X, _ = names
    labels = np.r_[np.tile([0, 1], 99), 2, 1]
    made = CategoryMeans(is_classification=True).fit_transform(X, labels)
    assert made.shape == (200, 3)
    assert CategoryMeans(is_classification=True).fit(X, labels).get_feature_names_out(["a"]).size == 3
