"""The intervals of an AUC cover about as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from designs.auc import _true_auc, auc_coverage
from scipy.stats import norm


@pytest.mark.slow
def test_delong_and_the_corrected_t_cover_an_auc():
    found = auc_coverage((100,), replications=200).set_index("interval")
    assert found.loc["DeLong", "coverage"] > 0.88
    assert found.loc["corrected t", "coverage"] > 0.93
    assert found.loc["AUC influence curve", "width"] < found.loc["corrected t", "width"]


def test_the_true_auc_of_a_rule_is_that_of_many_rows():
    rng = np.random.default_rng(0)
    rule = np.array([1.0, 0.5, 0.0, -0.2, 0.3])
    positive = (rng.normal(size=(200_000, 5)) + 0.4) @ rule
    negative = rng.normal(size=(200_000, 5)) @ rule
    assert abs(_true_auc(rule) - (positive > negative).mean()) < 0.005
    along = 0.4 * rule.sum() / np.linalg.norm(rule)
    assert abs(_true_auc(rule) - norm.cdf(along / np.sqrt(2))) < 1e-12
