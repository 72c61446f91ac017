"""Formulas without a public face: their closed forms, invariants and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from foldwise.errors import BadInterval
from foldwise.formulas import holdout
from foldwise.formulas.bias import bbc_draws, bbc_of_many
from foldwise.formulas.bootstrap import bootstrap_632
from foldwise.formulas.checks import normal_quantile, t_quantile
from foldwise.formulas.cv_clt import replace_one_se
from foldwise.formulas.ladder import ladder
from foldwise.formulas.multiple import shared_level
from foldwise.formulas.pairs import five_by_two


@given(st.floats(0.01, 0.999), st.integers(1, 500))
def test_quantiles_are_those_of_the_distributions(level, df):
    assert normal_quantile(level) == pytest.approx(stats.norm.ppf(0.5 + level / 2), rel=1e-9)
    assert t_quantile(level, df) == pytest.approx(stats.t.ppf(0.5 + level / 2, df), rel=1e-9)


@given(st.integers(1, 200), st.data())
def test_wilson_is_that_of_scipy(rows, data):
    failures = data.draw(st.integers(0, rows))
    found = holdout.wilson(failures, rows, level=0.9)
    expected = stats.binomtest(failures, rows).proportion_ci(0.9, "wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.floats(0, 0.999), st.integers(1, 500))
def test_the_kl_bound_is_where_the_divergence_reaches_its_limit(mean, rows):
    q = holdout.kl_upper(mean, rows, level=0.95)
    assert mean <= q <= 1
    if q < 1 - 1e-9:  # beyond, the divergence changes faster than q can
        divergence = float(special.rel_entr(mean, q) + special.rel_entr(1 - mean, 1 - q))
        assert rows * divergence == pytest.approx(math.log(20), rel=1e-4)


def test_a_running_betting_interval_leaves_out_no_less():
    losses = np.random.default_rng(0).random(80)
    final, running = holdout.betting(losses), holdout.betting(losses, is_running=True)
    assert final.low <= running.low <= running.high <= final.high


@pytest.mark.parametrize("kind", ["real", "zero-one", "near twins", "spread out"])
def test_the_quick_bbc_picks_what_the_plain_product_picks(kind):
    """Candidates left out and float32 sums change no pick."""
    rng = np.random.default_rng(1)
    losses = rng.random((3000, 40))
    if kind == "zero-one":
        losses = (losses < 0.3).astype(float)
    elif kind == "near twins":
        losses = losses[:, :4].copy()
        losses[:, 0] += losses[:, 1].mean() - losses[:, 0].mean() - 1e-6  # the best, if only just
        losses[:, 2] = losses[:, 1] + 1e-8 * rng.standard_normal(3000)
        losses[:, 3] = losses[:, 1]
    elif kind == "spread out":
        losses += np.linspace(0, 1, 40)
    draws = np.random.default_rng(3)
    _, expected = bbc_draws(losses, [draws.integers(0, 3000, 3000) for _ in range(60)])
    (found,) = bbc_of_many([losses], repeats=60, seed=3)
    np.testing.assert_allclose(found.draws, expected, rtol=1e-12)


def test_methods_share_their_draws():
    rng = np.random.default_rng(0)
    tables = [rng.random((50, 3)), rng.random((50, 5))]
    together = bbc_of_many(tables, repeats=20, seed=1)
    alone = [bbc_of_many([table], repeats=20, seed=1)[0] for table in tables]
    assert [one.value for one in together] == [one.value for one in alone]


def test_sidak_is_a_little_shorter_than_bonferroni():
    assert shared_level(0.95, 7, method="sidak") < shared_level(0.95, 7)
    assert shared_level(0.95, 1, method="sidak") == 0.95


def test_a_ladder_never_climbs_up():
    released = ladder(np.random.default_rng(0).random(50), step=0.05)
    assert released == sorted(released, reverse=True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ladder([0.1], step=0), "above 0, not 0"),
        (lambda: ladder([math.nan], step=0.1), "submission 0 has nan"),
        (lambda: five_by_two(np.ones((4, 2))), "at least 5 repeats, not 4"),
        (lambda: five_by_two(np.ones((6, 2))), "not 6 of 2"),
        (lambda: five_by_two(np.ones((5, 2))), "vary within some repeat"),
        (lambda: replace_one_se(0.1, [0.1, 0.2], rows=6), "which is not 2 times"),
        (lambda: holdout.kl_upper(1.5, 10), "cannot be 1.5"),
        (lambda: holdout.arcsine(-0.1, 10), "between 0 and 1, not at -0.1"),
        (lambda: bbc_of_many([np.ones((3, 2)), np.ones((4, 2))]), "on the same rows"),
        (lambda: bbc_of_many([np.ones((3, 2))], groups=[1, 1, 1]), "at least 2 groups"),
        (
            lambda: bootstrap_632(np.ones((2, 3)), [[1, 1, 1], [1, 2, 0]], apparent=0.1, no_information=0.5),
            "row 0 is in every bootstrap sample",
        ),
        (lambda: bootstrap_632(np.ones((2, 2)), np.ones((2, 3)), apparent=0, no_information=1), "the same shape"),
    ],
)
def test_formulas_refuse_what_they_cannot_do(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
