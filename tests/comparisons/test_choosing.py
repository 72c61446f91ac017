"""The law of a contest agrees with the printed interval of every pair, or says why there is none."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import foldwise as fw
from foldwise.comparisons.choosing import ONE_SPLIT, Contest, contest_of, is_tie


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
        assert found.se[0, 1] == pair.se
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
    assert [found.se[i, j] for i, j in combinations(range(3), 2)] == [pair.se for pair in pairs]


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


def test_one_test_set_gives_the_reason():
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    learners = {"a": Ridge(), "b": Ridge(100.0)}
    assert contest(fw.compare(learners, X, y, outer=0.3, jobs=1), "ab")[0] == ONE_SPLIT
    assert "leave-one-out cannot tell" in contest(fw.compare(learners, X, y, outer="loo", jobs=1), "ab")[0]
