from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from foldwise import comparisons
from foldwise.errors import BadInterval
from foldwise.stats.ranks import range_cdf

# Demsar (2006), table 6: AUC of C4.5 with and without two tuned parameters on 14 data sets
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def naive_holm(p):
    order = sorted(range(len(p)), key=lambda i: p[i])
    found, largest = [0.0] * len(p), 0.0
    for step, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - step) * p[i]))
        found[i] = largest
    return found


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_the_plain_loop(p):
    assert comparisons.holm(p).tolist() == pytest.approx(naive_holm(p))


def test_holm_of_one_is_itself():
    assert comparisons.holm([0.03]).tolist() == [0.03]
    assert comparisons.holm([]).tolist() == []


@given(arrays(np.int64, (7, 4), elements=st.integers(0, 20)))
def test_friedman_is_that_of_scipy(scores):
    ranks = stats.rankdata(scores, axis=1)
    found = comparisons.friedman(scores)
    assert found.ranks == pytest.approx(ranks.mean(axis=0))
    if (np.ptp(scores, axis=1) > 0).any():
        expected = stats.friedmanchisquare(*scores.T)
        assert (found.chi2, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9, abs=1e-12)
    else:
        assert (found.chi2, found.p) == (0, 1)


def test_friedman_agrees_on_all_data_sets():
    found = comparisons.friedman(np.tile([0.1, 0.2, 0.3], (6, 1)))
    assert (found.f, found.f_p) == (np.inf, 0)
    assert found.chi2 == pytest.approx(12)


def test_iman_davenport_and_nemenyi_of_a_published_example():
    """Demsar (2006) ranks the largest first; his chi squared of 9.28 has no correction for ties, ours has."""
    found = comparisons.friedman(-DEMSAR)
    assert found.ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    plain = 12 * 14 / (4 * 5) * ((found.ranks**2).sum() - 4 * 25 / 4)
    assert plain == pytest.approx(9.28, abs=5e-3)
    assert found.chi2 == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic, rel=1e-12)
    assert found.f == pytest.approx(13 * found.chi2 / (14 * 3 - found.chi2), rel=1e-12)
    assert comparisons.nemenyi(-DEMSAR, 0.95).critical_difference == pytest.approx(2.569 * np.sqrt(20 / 84), abs=1e-3)
    assert comparisons.nemenyi(-DEMSAR, 0.90).critical_difference == pytest.approx(2.291 * np.sqrt(20 / 84), abs=1e-3)


@pytest.mark.parametrize("count", [2, 5, 12])
def test_the_range_of_normals_is_that_of_scipy(count):
    for q in (0.5, 2.0, 4.0):
        assert range_cdf(q, count) == pytest.approx(stats.studentized_range.cdf(q, count, np.inf), abs=1e-8)


def test_nemenyi_p_agrees_with_the_critical_difference():
    found = comparisons.nemenyi(-DEMSAR, 0.9)
    gaps = abs(found.ranks[:, None] - found.ranks)
    assert ((gaps > found.critical_difference) == (found.p < 0.1)).all()
    assert (found.p == found.p.T).all()
    assert (np.diag(found.p) == 1).all()


def test_all_pairs_are_judged_together():
    rng = np.random.default_rng(0)
    losses = rng.normal([[0.2], [0.23], [0.6]], 0.03, (3, 10))
    family = comparisons.compare_all(losses, 1 / 9, names=["ridge", "lasso", "tree"])
    raw = [comparisons.paired(losses[i] - losses[j], 1 / 9).p for i, j in ((0, 1), (0, 2), (1, 2))]
    assert family.best == "ridge"
    assert family.not_told_apart == ("ridge", "lasso")
    assert family.p[0, 2] == pytest.approx(comparisons.holm(raw)[1])
    strict = comparisons.paired(losses[2] - losses[0], 1 / 9, 1 - 0.05 / 3)
    assert (family.differences["tree"].low, family.differences["tree"].high) == (strict.low, strict.high)
    assert family.differences["tree"].interval == "corrected t, simultaneous over 3 pairs"


@given(arrays(np.float64, (4, 6), elements=st.floats(0, 1)), st.permutations(range(4)))
def test_the_order_of_methods_does_not_matter(losses, order):
    if len({tuple(row) for row in losses.tolist()}) < 4 or len(set(losses.sum(axis=1).round(9))) < 4:
        return
    names = ["a", "b", "c", "d"]
    one = comparisons.compare_all(losses, 0.2, names=names)
    other = comparisons.compare_all(losses[order], 0.2, names=[names[i] for i in order])
    assert one.best == other.best
    assert set(one.not_told_apart) == set(other.not_told_apart)
    assert one.best in one.not_told_apart


def test_equal_methods_are_all_kept_and_the_first_is_picked():
    family = comparisons.compare_all(np.tile([0.1, 0.2, 0.3], (3, 1)), 0.5)
    assert (family.best, family.not_told_apart) == ("0", ("0", "1", "2"))
    assert (family.differences["1"].low, family.differences["1"].high, family.differences["1"].p) == (0, 0, 1)


def test_a_constant_difference_rules_nothing_out():
    base = np.array([0.25, 0.5, 0.75])
    family = comparisons.compare_all([base, base + 0.25], 0.5)
    assert family.not_told_apart == ("0", "1")
    assert (family.differences["1"].low, family.differences["1"].p) == (None, 1)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_a_difference_that_is_constant_but_for_rounding_rules_nothing_out(shift):
    losses = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]) + shift
    assert np.ptp(losses[1] - losses[0]) > 0
    family = comparisons.compare_all(losses, 0.5)
    assert family.not_told_apart == ("0", "1")
    found = family.differences["1"]
    assert (found.low, found.high, found.interval, found.p) == (None, None, None, 1)
    assert found.value == pytest.approx(0.1, abs=1e-9)


def test_one_method_is_best_alone():
    family = comparisons.compare_all([[0.1, 0.2]], 1.0, names=["ridge"])
    assert (family.best, family.not_told_apart, family.differences) == ("ridge", ("ridge",), {})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: comparisons.holm([0.1, 1.2]), "between 0 and 1"),
        (lambda: comparisons.friedman([[0.1, 0.2]]), "at least 2 data sets, not 1"),
        (lambda: comparisons.nemenyi([[0.1], [0.2]]), "at least 2 methods, not 1"),
        (lambda: comparisons.compare_all([0.1, 0.2], 0.1), "methods x splits"),
        (lambda: comparisons.compare_all([[0.1, 0.2]] * 2, 0.1, names=["a", "a"]), "as many different names"),
        (lambda: comparisons.compare_all([[0.1, np.nan], [0.1, 0.2]], 0.1, names=["a", "b"]), "method a lacks"),
    ],
)
def test_families_that_cannot_be_judged_are_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
