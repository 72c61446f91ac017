"""Equal learners are rarely told apart, better ones often enough."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from evidence.alarms import _claims, blocks, false_alarms, paired_p
from numpy.testing import assert_allclose
from scipy import stats

from foldwise.errors import BadStudy
from foldwise.stats.comparisons import holm, paired


def test_p_values_are_those_of_the_public_comparison():
    differences = np.random.default_rng(1).normal(0.1, 1, (6, 10))
    expected = [paired(row, 1 / 9, 0.95).p for row in differences]
    assert_allclose(paired_p(differences, 1 / 9), expected)


def test_identical_methods_are_a_tie():
    """D11: no difference at all gives p = 1, not a division by zero."""
    assert_allclose(paired_p(np.zeros((2, 5)), 0.25), 1.0)


def test_no_p_is_surer_than_as_many_independent_rows():
    by_row = np.random.default_rng(5).normal(0.3, 1, (1, 50))
    folds = np.full((1, 5), by_row.mean()) + 1e-6 * np.arange(5)
    t = by_row.mean() / (by_row.std(ddof=1) / np.sqrt(50))
    assert paired_p(folds, 0.25, by_row)[0] == pytest.approx(2 * stats.t.sf(abs(t), 4), rel=1e-4)


def test_the_family_of_pairs_is_judged_by_holm():
    means = np.random.default_rng(2).normal(0, 1, (40, 10, 4)) + np.array([0, 0, 0, 0.9])
    pairs = list(combinations(range(4), 2))
    p = np.stack([paired_p(means[..., i] - means[..., j], 0.0) for i, j in pairs], axis=-1)
    claims = _claims(p, means.mean(1), 0.05)["any of 6 pairs differs (Holm)"]
    for r in range(40):
        assert claims[r] == (np.asarray(holm(p[r])) < 0.05).any()
    assert 0 < claims.mean() < 1


@pytest.mark.parametrize("task", ["regression", "binary", "imbalanced"])
def test_equal_learners_have_equal_risks_by_symmetry(task):
    problem, learners = blocks(3, task, 0.0)
    rng = np.random.default_rng(3)
    X, y = problem.draw(50, rng, times=400)
    risks = [problem.risk(learner.fit(X, y), rng) for learner in learners]
    spread = np.hypot(*(risk.std() for risk in risks[:2])) / 20
    assert abs(risks[0].mean() - risks[1].mean()) < 4 * spread


@pytest.mark.parametrize(("methods", "task"), [(2, "regression"), (7, "regression"), (7, "binary"), (2, "imbalanced")])
def test_false_alarms_stay_within_the_nominal_rate(methods, task):
    found = false_alarms(methods, task=task, rows=60, replications=400, jobs=1)
    ours = found[found["test"] == "corrected t"]
    assert (ours["rate"] <= 0.06 + 2 * ours["error"]).all()
    assert len(ours) == (2 if methods == 2 else 4)


def test_a_better_learner_is_found_and_more_rows_find_it_more_often():
    few = false_alarms(2, rows=60, advantage=1.0, replications=200, jobs=1)
    many = false_alarms(2, rows=300, advantage=1.0, replications=200, jobs=1)
    rate = [
        frame.set_index(["test", "claim"])["rate"]["corrected t", "the first is better than the second"]
        for frame in (few, many)
    ]
    assert rate[0] < rate[1]
    assert rate[1] > 0.8
    assert many["difference"].iloc[0] < 0


def test_fewer_than_two_methods_are_refused():
    with pytest.raises(BadStudy, match="cannot compare 1 methods on regression"):
        false_alarms(1)
