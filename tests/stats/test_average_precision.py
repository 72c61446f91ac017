from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from foldwise.stats.average_precision import average_precision


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
