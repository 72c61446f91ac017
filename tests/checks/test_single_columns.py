"""How well one column alone gives the target."""

from __future__ import annotations

import numpy as np
import pytest
from looking import subject_of

from foldwise.checks.single_columns import Alone, some_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2000, 3))


def share(column: np.ndarray, y: np.ndarray) -> float:
    subject = subject_of(column[:, None], y)
    return Alone(subject, np.arange(len(y))).share(subject.columns[0])


@pytest.mark.parametrize("noise", [0.5, 1.0, 2.0])
def test_the_share_of_a_line_with_noise_is_its_squared_correlation(noise):
    y = X[:, 0] + noise * X[:, 1]

    assert share(X[:, 0], y) == pytest.approx(1 / (1 + noise**2), abs=0.04)


def test_a_column_that_says_nothing_has_no_share():
    assert share(X[:, 0], X[:, 1]) < 0.01
    assert share(np.arange(2000.0) % 900, X[:, 1]) < 0.01
    assert share(X[:, 0], np.where(X[:, 1] > 0, "a", "b")) < 0.1


def test_a_curve_is_seen_by_its_neighbours_and_a_bent_copy_by_its_ranks():
    assert share(X[:, 0], np.cos(2 * X[:, 0])) > 0.99
    assert share(np.exp(5 * X[:, 0]), X[:, 0]) > 0.99


def test_the_share_of_classes_is_of_the_errors_that_the_commonest_makes():
    flipped = RNG.random(2000) < 0.1
    classes = np.where((X[:, 0] > 0) ^ flipped, "a", "b")

    assert share((X[:, 0] > 0).astype(float), classes) == pytest.approx(1 - 0.1 / 0.5, abs=0.05)


def test_of_a_large_table_some_rows_are_taken():
    assert np.array_equal(some_of(np.arange(10)), np.arange(10))
    assert len(np.unique(some_of(np.arange(10**6)))) == 10_000
