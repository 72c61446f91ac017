"""Evidence knows the kind of its splits and lays losses out by row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from foldwise.losses.loss import Loss
from foldwise.stats.cross_validated import independent_se
from foldwise.stats.evidence import Evidence

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


def weighted_means(tests, losses, weights):
    return [
        sum(weights[i] * loss for i, loss in zip(t, part, strict=True)) / sum(weights[i] for i in t)
        for t, part in zip(tests, losses, strict=True)
    ]


@pytest.mark.parametrize("groups", [None, np.array([0, 0, 1, 1, 2, 3])])
@pytest.mark.parametrize("weights", [None, np.array([1.0, 2, 3, 1, 1, 4])])
def test_units_take_the_risk_apart(weights, groups):
    """Each unit's term is how fast the risk moves with that unit's weight: checked by moving it."""
    tests = [[0, 5, 1], [4, 2], [3], [5, 4], [0, 1, 2, 3]]
    losses = [np.array(part, float) for part in ([1, 5, 2], [0, 3], [8], [2, 2], [1, 0, 0, 4])]
    given = np.ones(6) if weights is None else weights
    found = replace(make("monte_carlo", tests, is_partition=False, losses=losses), weights=weights, groups=groups)
    found = replace(found, fold_losses=np.array(weighted_means(tests, losses, given)))
    units = np.arange(6) if groups is None else groups
    assert found.unit_weights.sum() == pytest.approx(1)
    assert found.unit_deviations.sum() == pytest.approx(0)
    for unit in np.unique(units):
        expected = np.mean(
            [
                sum(
                    given[i] * (loss - found.fold_losses.mean())
                    for i, loss in zip(t, part, strict=True)
                    if units[i] == unit
                )
                / given[t].sum()
                for t, part in zip(tests, losses, strict=True)
            ]
        )
        assert found.unit_deviations[unit] == pytest.approx(expected)


def test_with_equal_weights_the_units_give_the_standard_error_of_independent_rows():
    found = make("folds", THREE, losses=[[0, 5], [1, 4], [2, 4]])
    rows = np.array([0, 1, 2, 4, 4, 5.0])
    assert independent_se(found.unit_deviations) == pytest.approx(rows.std(ddof=1) / np.sqrt(6))


def test_rows_that_are_never_tested_are_no_units():
    assert len(make("monte_carlo", [[0, 5], [1, 5]], is_partition=False).unit_weights) == 3
