"""Target means of categories, against naive loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import OrdinalEncoder, TargetEncoder

from foldwise.learners.preprocessing.category_means import CategoryMeans, _Column


def column(values) -> np.ndarray:
    return np.array(values, dtype=object)[:, None]


@pytest.fixture
def names():
    rng = np.random.default_rng(0)
    return column(rng.choice([f"n{i}" for i in range(12)], 200)), rng.normal(size=200)


def naive_distance(labels: list[str], y: np.ndarray, wanted: str) -> float:
    """The distance of one value's mean from the overall one, drawn by the ratio of variances, with plain loops."""
    groups = {label: [float(t) for one, t in zip(labels, y, strict=True) if one == label] for label in labels}
    total = sum((t - y.mean()) ** 2 for t in y) / len(y)
    squares = sum((t - sum(own) / len(own)) ** 2 for own in groups.values() for t in own)
    within = (squares + 5 * total) / (len(y) - len(groups) + 5)
    drawn = within / (total - within) if total - within > within / 1e4 else 1e4
    own = groups.get(wanted, [])
    return (sum(own) + drawn * y.mean()) / (len(own) + drawn) - y.mean()


def test_new_rows_get_means_that_are_drawn_by_the_noise_within_values(names):
    X, y = names
    y = y + np.array([label[1:] for label in X[:, 0]], dtype=float)
    made = CategoryMeans().fit(X, y).transform(column(["n3", "n11", "new"]))
    wanted = [naive_distance(X[:, 0].tolist(), y, label) for label in ("n3", "n11", "new")]
    assert_allclose(made[:, 0], wanted, atol=1e-10)
    assert made[2, 0] == 0


def test_a_value_of_one_row_is_drawn_the_most():
    """One row is hardly evidence: scikit-learn's own shrinkage would hand over its target as it is."""
    rng = np.random.default_rng(0)
    labels = [f"n{i // 8}" for i in range(400)] + ["once"]
    y = np.r_[np.repeat(rng.normal(size=50), 8) + rng.normal(size=400), 10.0]
    once, often = CategoryMeans().fit(column(labels), y).transform(column(["once", "n0"]))[:, 0]
    assert 0 < once < 0.8 * (10 - y.mean())
    assert abs(often) > 0.8 * abs(y[:8].mean() - y.mean())


@pytest.mark.parametrize("classes", [0, 2, 25])
def test_means_are_those_of_scikit_learn_to_the_last_bit(names, classes):
    """Its encoder, with the same shrinkage, for every column and class one at a time."""
    X, y = np.hstack([names[0], names[0][::-1]]), names[1]
    y = np.arange(len(y)) % classes if classes else y
    made = CategoryMeans(classes > 0).fit(X, y)
    outputs = [y] if not classes else [np.float64(y == one) for one in (range(classes) if classes > 2 else [1])]
    codes = OrdinalEncoder(dtype=np.int64).fit_transform(X)
    wanted = []
    for target in outputs:
        for column_codes in codes.T:
            drawn = _Column(column_codes, int(column_codes.max()) + 1).drawn(target)
            encoder = TargetEncoder(target_type="continuous", smooth=drawn).fit(column_codes[:, None], target)
            wanted.append(encoder.transform(column_codes[:, None])[:, 0] - encoder.target_mean_)
    assert_array_equal(made.transform(X), np.column_stack(wanted))


def test_many_classes_cost_little_more_than_a_look_at_the_rows(monkeypatch):
    """Nothing is sorted for every class: 60,000 rows of 25 classes took two seconds of each fit."""
    rng = np.random.default_rng(0)
    X, y = column([f"n{i}" for i in rng.integers(0, 50, 2_000)]), rng.integers(0, 25, 2_000)
    sorted_arrays = []
    unique = np.unique
    monkeypatch.setattr(
        np, "unique", lambda *args, **words: sorted_arrays.append(len(args[0])) or unique(*args, **words)
    )
    CategoryMeans(is_classification=True).fit_transform(X, y)
    assert len(sorted_arrays) < 10


def test_a_model_of_version_0_1_has_encoders_and_predicts_the_same(names):
    X, y = names
    made = CategoryMeans().fit(X, y)
    codes = made.codes_.transform(X)
    encoder = TargetEncoder(target_type="continuous", smooth=_Column(codes[:, 0], 12).drawn(y)).fit(codes, y)
    old = CategoryMeans()
    old.__setstate__({**vars(made), "means_": [[encoder]]})
    rows = np.vstack([X, column(["new"])])
    assert_array_equal(old.transform(rows), made.transform(rows))


def test_values_that_never_come_again_say_nothing_to_training_rows():
    """Identifiers: a training row must not be able to see which part it is in."""
    y = np.random.default_rng(0).normal(size=60)
    assert_array_equal(CategoryMeans().fit_transform(column([f"id{i}" for i in range(60)]), y), 0)


def test_two_classes_have_one_column_and_more_have_one_each(names):
    X, y = names
    two, three = np.where(y > 0, "yes", "no"), np.digitize(y, [-0.5, 0.5])
    made = CategoryMeans(is_classification=True).fit(X, two).transform(X)
    assert_allclose(made, CategoryMeans().fit(X, two == "yes").transform(X))
    made = CategoryMeans(is_classification=True).fit(X, three).transform(X)
    assert_allclose(made, np.hstack([CategoryMeans().fit(X, three == one).transform(X) for one in range(3)]))


def test_columns_are_drawn_each_by_its_own_noise(names):
    X, y = names
    both = np.hstack([X, column([f"id{i}" for i in range(200)])])
    assert_array_equal(CategoryMeans().fit(both, y).transform(both)[:, [0]], CategoryMeans().fit(X, y).transform(X))
    assert CategoryMeans(is_classification=True).fit(both, y > 0).get_feature_names_out().tolist() == ["x0", "x1"]


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
