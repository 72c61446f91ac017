from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.stats.ranks import _count_sums, _spreads, friedman, nemenyi, range_cdf

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
    found = [friedman(rng.normal(size=(10, 4))).exact_p <= 0.05 for _ in range(times)]
    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)


def every_table(rows):
    """All orders of the ranks within each row."""
    return [np.array(table) for table in product(*(list(permutations(row)) for row in rows))]


@pytest.mark.parametrize(
    "rows",
    [[[1, 2]] * 5, [[1, 2, 3]] * 4, [[1, 2, 3, 4]] * 3, [[1.5, 1.5, 3], [1, 2, 3], [2, 2, 2], [1, 2.5, 2.5]]],
    ids=["pairs", "three methods", "four methods", "ties"],
)
def test_the_exact_p_is_the_share_of_all_orders_that_are_as_far(rows):
    tables = every_table(rows)
    far = np.array([((table.sum(axis=0) - len(rows) * table.mean()) ** 2).sum() for table in tables])
    wide = np.array([np.ptp(table.sum(axis=0)) for table in tables])
    rng = np.random.default_rng(0)
    for at in rng.integers(len(tables), size=12):
        found = friedman(tables[at])
        assert (found.exact_p, found.exact_by) == (pytest.approx(np.mean(far >= far[at] - 1e-9)), "counting")
        reach = nemenyi(tables[at]).critical_difference
        assert np.mean(wide / len(rows) > reach + 1e-9) <= 0.05


@pytest.mark.parametrize("methods", [2, 3, 4, 5, 6])
def test_equal_methods_differ_in_at_most_five_of_a_hundred_benchmarks(methods):
    """No simulation: all orders of the ranks are counted out. F was below 0.05 in half of all 2 x 2 tables."""
    counts = {2: range(2, 13), 3: range(2, 13), 4: range(2, 13), 5: range(2, 6), 6: (2,)}[methods]
    for sets in counts:
        null = _count_sums(((*range(2, 2 * methods + 1, 2),),) * sets)
        spreads = _spreads(null.sums)
        p = np.array([null.share_as_large(spreads, spread) for spread in spreads])
        assert null.chances.sum() == pytest.approx(1)
        assert null.chances[p <= 0.05].sum() <= 0.05 + 1e-12


def test_where_there_are_too_many_orders_they_are_drawn_and_in_the_end_f_will_do():
    rng = np.random.default_rng(3)
    few, many, most = (friedman(rng.normal(size=shape)) for shape in ((4, 4), (12, 6), (120, 9)))
    assert [found.exact_by for found in (few, many, most)] == ["counting", "permutations", "F"]
    assert many.exact_p == pytest.approx(many.f_p, abs=0.02)
    assert most.exact_p == most.f_p
    again = friedman(np.tile(np.arange(6), (12, 1)))
    assert again.exact_p == 1 / 20_000  # drawn permutations never say 0


def test_two_methods_have_the_sign_test():
    for wins in range(8):
        scores = np.where(np.arange(7) < wins, -1.0, 1.0)
        found = friedman(np.c_[scores, np.zeros(7)])
        assert found.exact_p == pytest.approx(stats.binomtest(wins, 7).pvalue)


def test_one_data_set_has_no_ranks_to_compare():
    with pytest.raises(BadInterval, match="a rank test needs at least 2 data sets, not 1"):
        friedman([[0.1, 0.2]])
