"""Probabilities and regrets are those of the joint law, by formula for two methods and by plain draws for more."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, stats

from foldwise.errors import BadInterval
from foldwise.stats.decision import choices, joint_root


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


@pytest.mark.parametrize(
    ("values", "se"),
    [([1.0, 2.0], [[0.0]]), ([], []), ([1.0, np.nan], two(1.0)), ([1.0, 2.0], two(-1.0)), ([1.0, 2.0], two(np.inf))],
)
def test_what_is_no_law_is_refused(values, se):
    with pytest.raises(BadInterval):
        choices(values, se, df=9)


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
