"""The AUC by counting pairs; the public functions are tested in tests/intervals and tests/comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadInterval
from foldwise.stats.auc import cv_auc, delong, delong_auc, placements


def pairs_won(one, others):
    """The share of the others that a score lies above; ties count half."""
    return np.mean([(one > other) + 0.5 * (one == other) for other in others])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=4, max_size=20))
def test_placements_count_pairs(rows):
    target, score = (np.array(column) for column in zip(*rows, strict=True))
    if target.all() or not target.any():
        return
    expected = [
        pairs_won(one, score[~target]) if is_one else 1 - pairs_won(one, score[target])
        for is_one, one in zip(target, score, strict=True)
    ]
    np.testing.assert_allclose(placements(target, score.astype(float)), expected)


def test_the_auc_of_folds_is_the_mean_of_each_alone():
    rng = np.random.default_rng(0)
    target, folds = np.arange(40) % 2, np.arange(40) // 10
    score = rng.normal(size=40) + target
    alone = [delong_auc(target[folds == k], score[folds == k]).value for k in range(4)]
    assert cv_auc(target, score, folds=folds).value == pytest.approx(np.mean(alone))
    assert cv_auc(target, score, folds=folds).details["fold_auc"] == pytest.approx(alone)


def test_a_difference_has_the_variance_of_paired_placements():
    rng = np.random.default_rng(1)
    target = np.arange(60) % 2
    one, other = rng.normal(size=60) + target, rng.normal(size=60) + 0.5 * target
    found = delong(target, one, other)
    gaps = placements(target == 1, one) - placements(target == 1, other)
    variance = sum(gaps[target == label].var(ddof=1) / 30 for label in (0, 1))
    assert found.se == pytest.approx(np.sqrt(variance))
    assert found.value == pytest.approx(found.details["auc_a"] - found.details["auc_b"])


@pytest.mark.parametrize(
    ("target", "folds", "words"),
    [
        ([0, 0, 0, 0], None, "needs two classes, and the target has 1"),
        ([0, 0, 1, 1], [0, 0, 1, 1], "needs both classes in every fold, and fold 0 has one"),
        ([0, 1], None, "one score per row: there are 2 targets and 4 scores"),
    ],
)
def test_rows_without_an_auc_are_refused(target, folds, words):
    with pytest.raises(BadInterval, match=words):
        cv_auc(target, [0.1, 0.2, 0.3, 0.4], folds=folds)
