"""CV+ intervals and cross-conformal sets against the definitions of the papers, written out."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from numpy.testing import assert_allclose

from foldwise.errors import BadInterval
from foldwise.stats.cv_plus import HeldOut, check_level, cross_conformal, cv_plus, proved_coverage

LEVELS = [Fraction(6, 10), Fraction(3, 4), Fraction(8, 10), Fraction(9, 10), Fraction(95, 100)]


def naive_cv_plus(row, residuals, level):
    """Barber et al. (2021), section 3: one new row, exact ranks."""
    pairs = [(mu, residual) for mu, fold in zip(row, residuals, strict=True) for residual in fold]
    n, alpha = len(pairs), 1 - level
    lows, highs = sorted(mu - r for mu, r in pairs), sorted(mu + r for mu, r in pairs)
    return lows[floor(alpha * (n + 1)) - 1], highs[ceil((1 - alpha) * (n + 1)) - 1]


@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize("sizes", [[4, 4, 4, 4, 3], [19], [1] * 24, [33, 33, 34]], ids=str)
def test_cv_plus_is_what_the_paper_defines(sizes, level):
    rng = np.random.default_rng(sum(sizes))
    residuals = [np.abs(rng.normal(size=size)) for size in sizes]
    predictions = rng.normal(size=(30, len(sizes)))
    found = np.column_stack(cv_plus(predictions, HeldOut(residuals, None, sum(sizes)), float(level)))
    assert_allclose(found, [naive_cv_plus(row, residuals, level) for row in predictions], rtol=0, atol=0)


def test_blocks_of_new_rows_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    held = HeldOut([np.abs(rng.normal(size=20)) for _ in range(3)], None, 60)
    predictions = rng.normal(size=(50, 3))
    whole = cv_plus(predictions, held, 0.9)
    monkeypatch.setattr("foldwise.stats.cv_plus.MOST_CELLS", 130)
    assert np.array_equal(cv_plus(predictions, held, 0.9), whole)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_rows_that_are_groups_of_their_own_count_as_rows(level):
    rng = np.random.default_rng(2)
    residuals = [np.abs(rng.normal(size=15)) for _ in range(4)]
    predictions, ones = rng.normal(size=(20, 4)), [np.ones(15)] * 4
    rows = cv_plus(predictions, HeldOut(residuals, None, 60), float(level))
    assert np.array_equal(cv_plus(predictions, HeldOut(residuals, ones, 60, "group"), float(level)), rows)
    scores = rng.random((20, 4, 3))
    plain = cross_conformal(scores, HeldOut(residuals, None, 60), float(level))
    assert np.array_equal(cross_conformal(scores, HeldOut(residuals, ones, 60, "group"), float(level)), plain)


def test_every_group_has_the_same_mass():
    """Lee, Barber and Willett (2023): the smallest value at which 1 / (groups + 1) of each group add to the level."""
    rng = np.random.default_rng(3)
    sizes = [[1, 5, 2, 9], [3, 3, 30, 1], [2, 2, 7, 4]]
    residuals = [[np.abs(rng.normal(size=size)) for size in fold] for fold in sizes]
    held = HeldOut(
        [np.concatenate(fold) for fold in residuals],
        [np.concatenate([np.full(size, 1 / size) for size in fold]) for fold in sizes],
        12,
        "group",
    )
    predictions = rng.normal(size=(25, 3))
    low, high = cv_plus(predictions, held, 0.8)
    for row, lower, upper in zip(predictions, low, high, strict=True):
        values = [
            (sign * row[fold] + residual, Fraction(1, 13 * len(group)))
            for sign in (1,)
            for fold, groups in enumerate(residuals)
            for group in groups
            for residual in group
        ]
        assert upper == _first(values, Fraction(8, 10))
        mirrored = [
            (residual - row[fold], Fraction(1, 13 * len(group)))
            for fold, groups in enumerate(residuals)
            for group in groups
            for residual in group
        ]
        assert lower == -_first(mirrored, Fraction(8, 10))


def _first(values, level):
    total = Fraction(0)
    for value, mass in sorted(values):
        total += mass
        if total >= level:
            return value
    raise AssertionError("the level needs more groups")


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_a_class_is_left_out_where_enough_rows_were_less_strange(level):
    """Romano, Sesia and Candes (2020), equation 8, with ties that speak for the class."""
    rng = np.random.default_rng(4)
    own = [np.round(rng.random(12), 1) for _ in range(3)]
    scores = np.round(rng.random((40, 3, 4)), 1)
    found = cross_conformal(scores, HeldOut(own, None, 36), float(level))
    for row, sets in zip(scores, found, strict=True):
        counts = [sum(s < row[k, c] for k in range(3) for s in own[k]) for c in range(4)]
        assert sets.tolist() == [count < level * 37 for count in counts]


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_coverage_of_a_mean_is_near_the_level_and_above_what_is_proved(level):
    """10-fold CV+ around means of 40 normal rows, 1,000 times: the mean of a fold's training rows is its model."""
    rng = np.random.default_rng(5)
    hits = []
    for _ in range(1000):
        y, new = rng.normal(size=(10, 4)), rng.normal(size=20)
        means = (y.sum() - y.sum(axis=1)) / 36
        held = HeldOut(list(np.abs(y - means[:, None])), None, 40)
        low, high = cv_plus(np.tile(means, (20, 1)), held, level)
        hits.append(((low <= new) & (new <= high)).mean())
    assert np.mean(hits) >= proved_coverage(level, [4] * 10)
    assert abs(np.mean(hits) - level) < 0.025


def test_what_is_proved_is_theorem_4():
    n, folds, alpha = 442, 13, 0.1
    lost = min(2 * (1 - 1 / folds) / (n / folds + 1), (1 - folds / n) / (folds + 1))
    assert proved_coverage(0.9, [34] * 13) == pytest.approx(1 - 2 * alpha - lost)
    assert proved_coverage(0.9, [1] * 50) == pytest.approx(0.8)  # the jackknife+
    assert proved_coverage(0.9, [50]) == 0.9  # split conformal
    assert proved_coverage(0.55, [2, 2]) == 0.0


@pytest.mark.parametrize(
    ("level", "units", "words"),
    [
        (90, 100, "a level lies between 0 and 1, not at 90"),
        (0.0, 100, "a level"),
        (1.0, 100, "a level"),
        (float("nan"), 100, "a level"),
        (0.5, 100, "at a level of 0.5 nothing is promised"),
        ("0.9", 100, "a level is a number between 0.5 and 1, not '0.9'"),
        (True, 100, "a level is a number between 0.5 and 1, not True"),
        (0.95, 18, "a level of 0.95 needs at least 19 groups, and there are 18. Use at most 0.947"),
        (0.9, 1, "needs at least 9 groups, and there are 1. Take a larger table"),
    ],
)
def test_a_level_that_cannot_be_had_is_refused(level, units, words):
    with pytest.raises(BadInterval, match=words):
        check_level(level, units, "group")


def test_the_smallest_number_of_rows_is_enough():
    assert [check_level(level, rows) for level, rows in ((0.8, 4), (0.9, 9), (0.95, 19), (0.99, 99))] == [
        0.8,
        0.9,
        0.95,
        0.99,
    ]
