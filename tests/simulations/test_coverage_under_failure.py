"""Why a risk that is partly the baseline's has no interval, and why one whose folds are all own keeps it.

Least squares in 10 folds, of which each fails with probability 0.05. The corrected t over own and stand-in losses
would have to cover the risk of the mixture: it does where the baseline is not much worse, and fails where it is.
"""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.stats.intervals import corrected_t

FOLDS, ROWS, COLUMNS, FAILING, STUDIES = 10, 100, 3, 0.05, 300


def study(rng, noise):
    """Fold losses of least squares and of the mean, on one drawn table."""
    X = rng.normal(size=(ROWS, COLUMNS))
    y = X.sum(axis=1) + noise * rng.normal(size=ROWS)
    A, fold = np.c_[np.ones(ROWS), X], np.arange(ROWS) % FOLDS
    own, featureless = [], []
    for k in range(FOLDS):
        test = fold == k
        weights = np.linalg.lstsq(A[~test], y[~test], rcond=None)[0]
        own.append(np.mean((y[test] - A[test] @ weights) ** 2))
        featureless.append(np.mean((y[test] - y[~test].mean()) ** 2))
    return np.array(own), np.array(featureless)


@pytest.fixture(scope="module", params=[0.3, 1.0], ids=["far from the baseline", "nearer"])
def coverage(request):
    rng = np.random.default_rng(1)
    pairs = np.array([study(rng, request.param) for _ in range(STUDIES)])  # [study, own or featureless, fold]
    own, featureless = pairs.mean(axis=(0, 2))  # unbiased for the risks at these training rows
    failed = rng.random((STUDIES, FOLDS)) < FAILING
    mixture, whole = [], []
    for (mine, theirs), is_failed in zip(pairs, failed, strict=True):
        found = corrected_t(np.where(is_failed, theirs, mine), 1 / (FOLDS - 1))
        mixture.append(found.low <= own + FAILING * (featureless - own) <= found.high)
        if not is_failed.any():
            whole.append(found.low <= own <= found.high)
    return request.param, np.mean(mixture), np.mean(whole)


def test_no_interval_of_a_mixture_could_be_trusted(coverage):
    noise, mixture, _ = coverage
    assert mixture < 0.6 if noise == 0.3 else mixture > 0.9


def test_folds_that_are_all_own_cover_the_learners_own_risk(coverage):
    assert coverage[2] >= 0.93
