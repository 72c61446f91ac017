"""Several methods on several data sets, against scipy, loops by hand and a published table."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.stats.across import rank_groups
from foldwise.stats.comparisons import across, holm

NAMES = ["a", "b", "c", "d"]
# Demsar (2006), table 6: AUC of C4.5 alone, with m, with cf, with both, on 14 data sets
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
]  # fmt: skip


def sets(count):
    return [f"set {at}" for at in range(count)]


@pytest.fixture
def table():
    rng = np.random.default_rng(4)
    return rng.normal([1.0, 1.3, 1.5, 1.2], 0.4, size=(9, 4)) ** 2 + 0.1


def test_a_published_example():
    """Demsar's mean ranks; his critical difference of 1.25 joins all four."""
    found = across(1 - np.array(DEMSAR), NAMES, sets(14), baseline=[0.5] * 14)

    ranks = {"d": 1.964, "b": 2.0, "c": 2.893, "a": 3.143}
    assert found.mean_ranks == pytest.approx(ranks, abs=5e-4)
    assert list(found.mean_ranks) == list(ranks)
    assert found.nemenyi.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert found.groups == [["d", "b", "c", "a"]]
    assert found.friedman.chi2 == pytest.approx(stats.friedmanchisquare(*np.array(DEMSAR).T).statistic)


def test_pairs_are_told_apart_by_how_often_each_is_better_with_holm(table):
    baseline = np.linspace(2, 9, 9)
    found = across(table, NAMES, sets(9), baseline=baseline)
    raw = []
    for (i, one), (j, other) in combinations(enumerate(NAMES), 2):
        shares = (table[:, i] - table[:, j]) / baseline
        raw.append(stats.binomtest(int((shares < 0).sum()), 9).pvalue)
        pair = found.pair(one, other)
        assert (pair.p, pair.difference) == pytest.approx((raw[-1], np.median(shares)))
        assert (pair.better, pair.worse) == ((shares < 0).sum(), (shares > 0).sum())

    assert [pair.p_holm for pair in found.pairs] == pytest.approx(holm(raw).tolist())
    assert found.mean_relative("b") == pytest.approx(np.mean(table[:, 1] / baseline))


def test_a_pair_turned_around_says_the_same(table):
    found = across(table, NAMES, sets(9), baseline=[1.0] * 9)
    one, other = found.pair("a", "b"), found.pair("b", "a")

    assert (one.better, one.worse, one.difference) == (other.worse, other.better, -other.difference)
    assert one.p_holm == other.p_holm


def test_a_missing_risk_is_left_out_of_its_pairs_and_never_averaged_over(table):
    table[3, 2] = math.nan
    found = across(table, NAMES, sets(9), baseline=[1.0] * 9)
    rest = np.delete(table, 2, axis=1)

    assert found.ranked == ("a", "b", "d")
    assert found.mean_relative("c") is None
    assert found.pair("c", "a").left_out == ("set 3",)
    better = int((np.delete(table[:, 2] - table[:, 0], 3) < 0).sum())
    assert found.pair("c", "a").p == pytest.approx(stats.binomtest(better, 8).pvalue)
    assert found.pair("a", "b").left_out == ()
    assert [found.mean_ranks[name] for name in "abd"] == pytest.approx(stats.rankdata(rest, axis=1).mean(axis=0))
    assert found.friedman.df == 2


def test_methods_that_share_no_data_set_are_not_compared():
    found = across([[1.0, math.nan], [math.nan, 2.0]], ["a", "b"], sets(2))

    assert found.ranked == ()
    assert found.best is None
    assert found.not_told_apart == []
    assert (found.pair("a", "b").p, found.pair("a", "b").data_sets) == (None, ())


def test_risks_under_different_losses_are_ranked_and_never_averaged(table):
    """A pair whose own data sets have one loss has a median difference all the same."""
    losses = ["squared"] * 7 + ["zero_one"] * 2
    table[7:, 3] = math.nan
    found = across(table, NAMES, sets(9), baseline=[1.0] * 9, losses=losses)

    mixed, alike = found.pair("a", "b"), found.pair("a", "d")
    assert mixed.difference is None
    assert mixed.p == pytest.approx(stats.binomtest(mixed.better, 9).pvalue)
    assert alike.difference == pytest.approx(np.median(table[:7, 0] - table[:7, 3]))
    assert found.mean_relative("a") is None


def test_without_a_risk_of_the_baseline_there_is_nothing_relative(table):
    for baseline in (None, [0.0, *[1.0] * 8], [math.nan, *[1.0] * 8]):
        found = across(table, NAMES, sets(9), baseline=baseline)
        assert {pair.difference for pair in found.pairs} == {None}
        assert found.mean_relative("a") is None


def test_a_control_asks_for_fewer_comparisons(table):
    every = across(table, NAMES, sets(9), baseline=[1.0] * 9)
    found = across(table, NAMES, sets(9), baseline=[1.0] * 9, control="c")
    own = [pair for pair in found.pairs if "c" in pair.names]

    assert [pair.p_holm for pair in own] == pytest.approx(holm([pair.p for pair in own]).tolist())
    assert all(pair.p_holm is None for pair in found.pairs if "c" not in pair.names)
    assert all(pair.p_holm <= every.pair(*pair.names).p_holm for pair in own)
    with pytest.raises(BadInterval, match="no method 'x' to be the control"):
        across(table, NAMES, sets(9), control="x")


@settings(max_examples=15)
@given(st.permutations(range(7)))
def test_the_order_of_data_sets_does_not_matter(order):
    table = np.random.default_rng(0).gamma(2, size=(7, 3))
    one = across(table, NAMES[:3], sets(7), baseline=[2.0] * 7)
    other = across(table[order], NAMES[:3], np.array(sets(7))[order].tolist(), baseline=[2.0] * 7)

    assert one.mean_ranks == pytest.approx(other.mean_ranks)
    assert [pair.p_holm for pair in one.pairs] == pytest.approx([pair.p_holm for pair in other.pairs])


@given(st.lists(st.integers(0, 12), min_size=1, max_size=7), st.integers(0, 6))
def test_groups_are_the_largest_runs_within_reach(ranks, reach):
    means = {f"m{at}": float(rank) for at, rank in enumerate(ranks)}
    groups = rank_groups(means, reach)

    for group in groups:
        assert means[group[-1]] - means[group[0]] <= reach
    joined = {frozenset(pair) for group in groups for pair in combinations(group, 2)}
    close = {frozenset(pair) for pair in combinations(means, 2) if abs(means[pair[0]] - means[pair[1]]) <= reach}
    assert joined == close
    assert not any(set(one) < set(other) for one in groups for other in groups)


@pytest.mark.parametrize(("count", "methods", "p"), [(2, 2, 0.5), (2, 3, 1 / 6), (4, 4, 24**-3.0)])
def test_the_smallest_p_of_friedman_is_that_of_one_order_everywhere(count, methods, p):
    found = across(np.tile(np.arange(methods), (count, 1)), NAMES[:methods], sets(count))
    assert found.friedman.exact_p == pytest.approx(p)
    assert found.smallest_friedman_p == pytest.approx(p)


@pytest.mark.slow
def test_no_method_is_called_worse_in_more_than_five_of_a_hundred_benchmarks_of_equal_ones():
    rng, times = np.random.default_rng(2), 300
    alarms = 0
    for _ in range(times):
        risks = rng.gamma(4, size=(12, 1)) * np.exp(0.2 * rng.normal(size=(12, 4)))
        found = across(risks, NAMES, sets(12), baseline=risks.mean(axis=1) * 2)
        alarms += len(found.not_told_apart) < 4
    assert alarms / times <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / times)


def test_a_method_that_often_beats_the_best_in_rank_is_not_called_worse():
    """Ranks average over all methods: `a` is best in rank, and `b` better than it on most data sets."""
    table = np.array([[2.0, 1.0, 3.0]] * 13 + [[1.0, 3.0, 2.0]] * 7)
    found = across(table, NAMES[:3], sets(20))
    assert found.best == "a"
    assert found.pair("a", "b").worse > found.pair("a", "b").better
    assert "b" in found.not_told_apart


def test_tables_that_do_not_fit_their_names_are_refused():
    with pytest.raises(BadInterval, match="2 data sets and 2 methods need as many risks"):
        across([[1.0], [2.0]], ["a", "b"], sets(2))
    with pytest.raises(BadInterval, match="have the same name"):
        across([[1.0, 2.0]], ["a", "a"], sets(1))
    with pytest.raises(BadInterval, match="2 data sets and 1 risks of the baseline"):
        across([[1.0], [2.0]], ["a"], sets(2), baseline=[1.0])
    with pytest.raises(BadInterval, match="not two of the methods"):
        across([[1.0, 2.0]], ["a", "b"], sets(1)).pair("a", "x")
