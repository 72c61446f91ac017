from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.formulas.ranks import friedman, nemenyi, range_cdf

SCORES = np.random.default_rng(2).normal(size=(12, 4)) + np.array([0, 0, 0.5, 2.5])


def test_friedman_is_that_of_scipy():
    found, expected = friedman(SCORES), stats.friedmanchisquare(*SCORES.T)
    assert (found.chi2, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    tied = np.round(SCORES)
    expected = stats.friedmanchisquare(*tied.T)
    assert (friedman(tied).chi2, friedman(tied).p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


def test_methods_without_any_difference_have_p_one():
    found = friedman(np.ones((3, 4)))
    assert (found.chi2, found.p, found.f_p) == (0, 1, 1)


@pytest.mark.parametrize("count", [2, 5, 12])
def test_the_range_of_normals_is_that_of_scipy(count):
    for q in (0.5, 2.0, 4.0):
        assert range_cdf(q, count) == pytest.approx(stats.studentized_range.cdf(q, count, np.inf), abs=1e-7)


def test_nemenyi_tells_apart_what_lies_further_than_the_critical_difference():
    found = nemenyi(SCORES, level=0.95)
    gaps = np.abs(np.subtract.outer(found.ranks, found.ranks))
    assert ((found.p < 0.05) == (gaps > found.critical_difference)).all()
    assert (found.p < 0.05).any()


def test_equal_methods_seldom_differ_in_rank():
    rng, times = np.random.default_rng(0), 800
    found = [friedman(rng.normal(size=(10, 4))).f_p <= 0.05 for _ in range(times)]
    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)


def test_one_data_set_has_no_ranks_to_compare():
    with pytest.raises(BadInterval, match="a rank test needs at least 2 data sets, not 1"):
        friedman([[0.1, 0.2]])
