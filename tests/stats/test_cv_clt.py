"""The central limit interval of cross-validation along leading axes; its numbers are in tests/intervals."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.stats.cross_validated import VARIANCES, cv_clt

RNG = np.random.default_rng(5)
LOSSES = RNG.beta(1, 4, (2, 3, 22))
LOSSES[0, 1] = 0.1  # no spread
FOLDS = RNG.permutation(np.arange(22) % 5)


@pytest.mark.parametrize("variance", VARIANCES)
def test_data_sets_along_leading_axes_are_judged_one_by_one(variance, check_leading_axes):
    check_leading_axes(lambda losses: cv_clt(losses, FOLDS, variance=variance, level=0.9), LOSSES)


def test_the_within_fold_variance_is_the_mean_of_those_inside_folds():
    expected = sum(LOSSES[0, 0, k == FOLDS].var(ddof=1) * (k == FOLDS).mean() for k in range(5))
    assert cv_clt(LOSSES[0, 0], FOLDS, variance="within-fold").details["variance"] == pytest.approx(expected)
