"""The law of a contest agrees with the printed interval of every pair, or says why there is none."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from evidence.paired_losses import PairedLosses
from scipy import stats

import foldwise as fw
from foldwise.stats.choosing import Contest, contest_of, is_tie
from foldwise.stats.differences import difference


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
