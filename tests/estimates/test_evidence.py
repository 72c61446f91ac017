"""Evidence knows the kind of its splits and lays losses out by row."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.estimates.evidence import Evidence
from foldwise.losses.loss import Loss

SQUARED = Loss("squared", lambda y, p: (y - p) ** 2)


def make(kind: str, tests: list[list[int]], *, is_partition: bool = True, repeats: int = 1, losses=None) -> Evidence:
    losses = losses or [np.arange(len(test), dtype=float) for test in tests]
    return Evidence(
        fold_losses=np.array([np.mean(part) for part in losses]),
        row_losses=tuple(np.asarray(part, dtype=float) for part in losses),
        test_rows=tuple(np.array(test) for test in tests),
        train_counts=tuple(6 - len(test) for test in tests),
        kind=kind,
        is_partition=is_partition,
        repeats=repeats,
        folds=len(tests) // repeats,
        loss=SQUARED,
        rows=6,
    )


THREE = [[0, 5], [1, 4], [2, 3]]


@pytest.mark.parametrize(
    ("kind", "tests", "is_partition", "scheme"),
    [
        ("folds", THREE, True, "folds"),
        ("grouped", THREE, True, "folds"),
        ("labels", THREE, True, "folds"),
        ("pairs", THREE, False, "given splits"),
        ("loo", [[row] for row in range(6)], True, "leave-one-out"),
        ("time", THREE, False, "time-ordered"),
        ("bootstrap", THREE, False, "bootstrap"),
        ("monte_carlo", THREE, False, "random splits"),
        ("holdout", [[0, 5]], False, "one test set"),
        ("pairs", [[0, 5]], False, "one test set"),
        ("time_holdout", [[4, 5]], False, "one test set in time"),
        ("time", [[4, 5]], False, "one test set in time"),
    ],
)
def test_splits_go_by_the_name_the_rules_know(kind, tests, is_partition, scheme):
    assert make(kind, tests, is_partition=is_partition).scheme == scheme


def test_losses_are_laid_out_by_repeat_and_row():
    again = [[0, 1], [2, 3], [4, 5]]
    found = make("folds", THREE + again, repeats=2, losses=[[0, 5], [1, 4], [2, 3], [10, 11], [12, 13], [14, 15]])
    np.testing.assert_array_equal(found.by_row, [[0, 1, 2, 3, 4, 5], [10, 11, 12, 13, 14, 15]])
    np.testing.assert_array_equal(found.fold_of_row, [[0, 1, 2, 2, 1, 0], [0, 0, 1, 1, 2, 2]])


def test_rows_that_are_never_tested_have_no_loss():
    found = make("pairs", [[0, 5], [1, 4]], is_partition=False)
    assert np.isnan(found.by_row[0, [2, 3]]).all()
    assert (found.fold_of_row[0, [2, 3]] == -1).all()


def test_the_ratio_is_that_of_mean_test_and_training_rows():
    found = make("folds", [[0], [1, 2], [3, 4, 5]])
    assert found.mean_train_rows == pytest.approx(4)
    assert found.test_train_ratio == pytest.approx(2 / 4)
