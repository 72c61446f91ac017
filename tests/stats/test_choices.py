"""Probabilities and regrets are those of the joint law, which agrees with the printed interval of every pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from evidence.paired_losses import PairedLosses
from numpy.testing import assert_allclose
from scipy import integrate, stats

import foldwise as fw
from foldwise.stats.choices import POINTS, Contest, contest_of, even_points, is_tie, joint_root
from foldwise.stats.differences import difference


def choices(values, se, *, df, margin=None):
    return Contest(np.array(values), np.array(se), df).choices(margin=margin)


def two(se):
    return [[0.0, se], [se, 0.0]]


def covariance(rng, methods, folds=13):
    losses = rng.normal(size=(methods, folds)) + rng.normal(size=folds) + 0.1 * np.arange(methods)[:, None]
    scale = np.cov(losses) * (1 / folds + 1 / (folds - 1))
    variances = np.diag(scale)
    return losses.mean(1), scale, np.sqrt(np.clip(variances[:, None] + variances - 2 * scale, 0, None))


@pytest.mark.parametrize("df", [4, 12])
@pytest.mark.parametrize("apart", [0.0, 0.3, 1.5, 3.0])
def test_two_methods_have_the_probability_and_the_regret_of_the_t_distribution(apart, df):
    found = choices([1.0, 1.0 + apart], two(1.0), df=df, margin=0.4)
    law = stats.t(df, loc=apart)  # the second less the first

    assert_allclose(found.p_best, [law.sf(0), law.cdf(0)], atol=2e-3)
    loss = integrate.quad(lambda x: -x * law.pdf(x), -np.inf, 0)[0]
    assert_allclose(found.expected_regret, [loss, loss + apart], atol=3e-3)
    assert_allclose(found.within, [law.sf(-0.4), law.cdf(0.4)], atol=2e-3)
    assert_allclose(found.regret_high, np.maximum([-law.ppf(0.05), law.ppf(0.95)], 0), atol=0.03)


@pytest.mark.parametrize("methods", [3, 6])
def test_several_methods_have_the_figures_of_plain_draws_from_the_multivariate_t(methods):
    rng = np.random.default_rng(methods)
    values, scale, se = covariance(rng, methods)
    found = choices(values, se, df=12, margin=0.1)

    law = stats.multivariate_t(values, scale, df=12, allow_singular=True)
    drawn = law.rvs(400_000, random_state=rng)
    regrets = drawn - drawn.min(1, keepdims=True)
    assert_allclose(found.p_best, (regrets == 0).mean(0), atol=4e-3)
    assert_allclose(found.expected_regret, regrets.mean(0), atol=4e-3)
    assert_allclose(found.within, (regrets <= 0.1).mean(0), atol=4e-3)


def test_the_regret_of_a_method_is_that_of_the_best_and_their_difference():
    values, _, se = covariance(np.random.default_rng(1), 5)
    found = choices(values, se, df=9)
    assert_allclose(found.expected_regret - found.expected_regret.min(), values - values.min(), atol=1e-12)


def test_the_order_of_the_methods_does_not_matter():
    values, _, se = covariance(np.random.default_rng(2), 4)
    turned = [2, 0, 3, 1]
    one, other = choices(values, se, df=9), choices(values[turned], se[np.ix_(turned, turned)], df=9)
    assert_allclose(one.p_best[turned], other.p_best, atol=1e-12)
    assert_allclose(one.expected_regret[turned], other.expected_regret, atol=1e-12)


def test_equal_methods_share_their_probability():
    found = choices([1.0, 1.0, 1.5], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], df=9)
    assert found.p_best[0] == pytest.approx(found.p_best[1], abs=1e-12)
    assert found.p_best.sum() == pytest.approx(1)
    assert choices([1.0, 1.0], two(0.0), df=1).p_best.tolist() == [0.5, 0.5]
    assert choices([1.0], [[0.0]], df=1).p_best.tolist() == [1.0]


def test_standard_errors_that_no_law_has_are_widened_never_narrowed():
    """0 and 1 as well as 1 and 2 lie 1 apart, yet 0 and 2 lie 3 apart: no covariance does that."""
    se = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    root = joint_root(se)
    widened = np.sqrt(((root[:, None] - root) ** 2).sum(-1))
    assert (widened >= se - 1e-12).all()
    assert widened[0, 1] > 1.1

    _, _, possible = covariance(np.random.default_rng(3), 4)
    root = joint_root(possible)
    assert_allclose(np.sqrt(((root[:, None] - root) ** 2).sum(-1)), possible, atol=1e-10)


@pytest.mark.parametrize("df", [2.0, 3.0, 12.0, np.inf])
def test_the_regret_of_one_of_two_is_that_of_the_integral(df):
    law = stats.norm(-0.02, 0.02) if np.isinf(df) else stats.t(df, loc=-0.02, scale=0.02)
    found = choices([0.30, 0.32], [[0.0, 0.02], [0.02, 0.0]], df=df)
    mean, _ = integrate.quad(lambda d: d * law.pdf(d), 0, np.inf, limit=500)
    assert found.expected_regret[0] == pytest.approx(mean, rel=0.01)
    assert found.regret_high[0] == pytest.approx(law.ppf(0.95), rel=0.01)


def test_a_law_of_one_degree_of_freedom_has_no_expected_regret():
    found = choices([0.30, 0.32], [[0.0, 0.02], [0.02, 0.0]], df=1)
    assert np.isnan(found.expected_regret).all()
    assert found.p_best[0] == pytest.approx(0.75, abs=2e-3)


@pytest.fixture(scope="module")
def result():
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0.8).astype(int)
    learners = {"a": LogisticRegression(), "b": GaussianNB(), "c": KNeighborsClassifier(1)}
    return fw.compare(learners, X, y, outer=5, repeats=2, jobs=1)


def contest(result, names):
    methods = [result._find(name) for name in names]
    pairs = [one.difference(other) for one, other in combinations(methods, 2)]
    return contest_of([method.risk for method in methods], pairs), pairs


def test_a_pair_is_as_sure_as_its_printed_interval(result):
    """The floor of class shares, Tango's and the count of repeats are in the standard error of the law."""
    for names in combinations("abc", 2):
        found, (pair,) = contest(result, names)
        assert isinstance(found, Contest)
        assert found.se[0, 1] == pytest.approx(pair.se)
        assert found.df == pair.df
        for level in (0.5, 0.9):
            told = result._find(names[0]).difference(result._find(names[1]), level=level)
            worse = found.choices(margin=0.0, level=0.95).p_best.min()
            assert (told.low > 0 or told.high < 0) == (worse < (1 - level) / 2 - 2e-3) or abs(
                worse - (1 - level) / 2
            ) < 0.01


def test_all_pairs_keep_their_standard_errors_or_widen(result):
    found, pairs = contest(result, "abc")
    assert isinstance(found, Contest)
    assert all(found.se[i, j] >= pair.se for (i, j), pair in zip(combinations(range(3), 2), pairs, strict=True))


def test_two_names_of_one_learner_are_a_tie():
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    result = fw.compare({"a": Ridge(), "b": Ridge(), "c": Ridge(100.0)}, X, y, outer=5, jobs=1)
    found, pairs = contest(result, "abc")
    assert [is_tie(pair) for pair in pairs] == [True, False, False]
    assert isinstance(found, Contest)
    p = found.choices(margin=None, level=0.95).p_best
    assert p[0] == pytest.approx(p[1])


KINDS = ("squared", "groups", "zero_one", "brier", "roc_auc", "forecasts")


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_is_told_apart_just_where_its_interval_excludes_0(kind):
    """On one test set (t, whole groups, Tango and McNemar, betting, DeLong) and in the order of time."""
    rng, sides = np.random.default_rng(5), set()
    for _ in range(12):
        one, other = PairedLosses(kind, 2, 100, 0.3, together=0.5).draw(rng)[0]
        pair = difference(one, other, names=("a", "b"))
        found = contest_of([one.fold_losses.mean(), other.fold_losses.mean()], [pair])
        assert isinstance(found, Contest)
        worse = found.choices(margin=None, level=0.95).p_best.min()
        excludes = pair.low > 0 or pair.high < 0
        sides.add(excludes)
        assert worse < 0.0265 if excludes else worse > 0.0235
        end = min(pair.low, pair.high, key=abs)
        if pair.interval in ("t", "DeLong", "betting"):
            assert worse == pytest.approx(_below(pair.value, pair.value - end, found.df), abs=3e-3)
    assert sides == {False, True}


def _below(value, reach, df):
    """The probability of the other sign, of a t whose 95% interval reaches so far towards 0."""
    law = stats.t(df) if np.isfinite(df) else stats.norm()
    return law.cdf(-abs(value) / abs(reach) * law.ppf(0.975))


def test_the_law_of_one_test_set_is_the_multivariate_t_of_its_rows():
    """Against a million draws with the covariance of row losses over n, on n - 1 degrees of freedom."""
    rng = np.random.default_rng(6)
    evidence, _ = PairedLosses("squared", 4, 100, 0.2).draw(rng)
    losses = np.array([one.row_losses[0] for one in evidence])
    pairs = [difference(one, other, names=("a", "b")) for one, other in combinations(evidence, 2)]
    found = contest_of(losses.mean(1), pairs)
    assert isinstance(found, Contest)
    assert found.df == 99
    told = found.choices(margin=0.1, level=0.95)
    normals = rng.multivariate_normal(np.zeros(4), np.cov(losses) / 100, size=1_000_000)
    drawn = losses.mean(1) + normals / np.sqrt(rng.chisquare(99, (1_000_000, 1)) / 99)
    regrets = drawn - drawn.min(1, keepdims=True)
    assert told.p_best == pytest.approx((regrets == 0).mean(0), abs=4e-3)
    assert told.expected_regret == pytest.approx(regrets.mean(0), rel=0.01)
    assert told.regret_high == pytest.approx(np.quantile(regrets, 0.95, axis=0), rel=0.03)
    assert told.within == pytest.approx((regrets <= 0.1).mean(0), abs=4e-3)


def test_two_predictors_that_err_equally_often_are_no_tie():
    """McNemar's p is 1, and yet the difference may be large; only the same answers on every row are next to a tie."""
    rng = np.random.default_rng(7)
    one, other = PairedLosses("zero_one", 2, 100, 0.0).draw(rng)[0]
    a, b = np.zeros(100), np.zeros(100)
    a[:20], b[20:40] = 1, 1
    one, other = (replace(each, fold_losses=np.array([0.2]), row_losses=(row,)) for each, row in ((one, a), (other, b)))
    pair = difference(one, other, names=("a", "b"))
    assert (pair.value, pair.p) == (0, 1)
    assert not is_tie(pair)
    assert contest_of([0.2, 0.2], [pair]).choices(margin=None, level=0.95).expected_regret.min() > 0.02


def test_where_a_pair_has_no_interval_its_reason_is_given():
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    learners = {"a": Ridge(), "b": Ridge(100.0)}
    assert "leave-one-out cannot tell" in contest(fw.compare(learners, X, y, outer="loo", jobs=1), "ab")[0]
    short = fw.compare(learners, X, y, outer=fw.TimeOrdered(4, horizon=2), jobs=1)
    assert "8 test times are too few" in contest(short, "ab")[0]
    weighted = fw.compare(learners, X, y, outer=0.5, weights=np.arange(1.0, 41), jobs=1)
    assert "rows have weights" in contest(weighted, "ab")[0]


@pytest.mark.parametrize("dimensions", [1, 3, 8])
def test_normals_are_standard_and_independent(dimensions):
    normals, _ = even_points(dimensions, 9.0)
    assert normals.shape == (POINTS, dimensions)
    assert_allclose(normals.mean(0), 0, atol=5e-3)
    assert_allclose(np.cov(normals.T), np.eye(dimensions) if dimensions > 1 else 1, atol=0.02)


@pytest.mark.parametrize("df", [4.0, 12.0])
def test_scaled_points_follow_the_t_distribution(df):
    normals, scales = even_points(2, df)
    for point in (0.5, 1.5, 3.0):
        assert_allclose((normals[:, 0] * scales <= point).mean(), stats.t.cdf(point, df), atol=2e-3)


def test_without_end_to_the_degrees_of_freedom_the_law_is_normal():
    assert (even_points(2, np.inf)[1] == 1).all()
