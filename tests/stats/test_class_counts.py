"""Measures from counts of classes, and the average precision, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, matthews_corrcoef, precision_recall_fscore_support

from foldwise.stats.class_counts import average_precision, by_class, class_counts, matthews


def rows(k, *, seed=0, n=120):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    said = np.where(rng.random(n) < 0.6, truth, rng.integers(0, k, n))
    return truth, said, rng.exponential(size=n)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_precision_recall_f1_and_mcc_are_those_of_scikit_learn(k, is_weighted):
    truth, said, weights = rows(k)
    weights = weights if is_weighted else None
    counts = class_counts(truth, said, k, weights)
    found = by_class(counts)

    expected = precision_recall_fscore_support(truth, said, sample_weight=weights)
    for ours, theirs in zip(found[:4], expected, strict=True):
        np.testing.assert_allclose(ours, theirs)
    assert matthews(counts) == pytest.approx(matthews_corrcoef(truth, said, sample_weight=weights))


@pytest.mark.parametrize(("kind", "is_weighted"), [("macro", False), ("weighted", True)])
def test_means_over_classes_are_those_of_scikit_learn(kind, is_weighted):
    truth, said, _ = rows(4)
    truth, said = truth % 3, said % 3  # of five classes two are never seen
    found = by_class(class_counts(truth, said, 5))

    expected = precision_recall_fscore_support(truth, said, average=kind)
    means = [found.mean(values, weighted=is_weighted) for values in (found.precision, found.recall, found.f1)]
    assert means == pytest.approx(expected[:3])


def test_a_class_that_is_never_said_has_a_precision_of_0_and_one_class_alone_no_correlation():
    counts = class_counts(np.array([0, 0, 1]), np.array([0, 0, 0]), 2)
    assert by_class(counts).precision.tolist() == [pytest.approx(2 / 3), 0.0]
    assert matthews(counts) == 0.0


@pytest.mark.parametrize("levels", [4, 1000])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_it_is_that_of_scikit_learn_with_and_without_ties(levels, is_weighted):
    rng = np.random.default_rng(3)
    truth, score = rng.random(90) < 0.3, rng.integers(0, levels, 90) / levels
    weights = rng.integers(0, 3, 90).astype(float) if is_weighted else None

    assert average_precision(truth, score, weights) == pytest.approx(
        average_precision_score(truth, score, sample_weight=weights)
    )


def test_without_a_positive_there_is_none():
    assert np.isnan(average_precision(np.zeros(3, bool), np.arange(3.0)))
