"""Small seeded simulations: each interval covers what it says it covers, within the noise of the simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from foldwise import comparisons, intervals


def at_least(covered, level):
    """The share covered is not below the level by more than three standard errors."""
    share, spread = np.mean(covered), 3 * math.sqrt(level * (1 - level) / len(covered))
    assert share >= level - spread, f"covered {share:.3f} of the times at level {level}"


def covers(estimate, truth):
    return estimate.low <= truth <= estimate.high


@pytest.mark.parametrize("name", ["hoeffding", "betting", "empirical_bernstein", "holdout_t"])
def test_intervals_of_a_test_set_cover_the_mean_of_beta_losses(name):
    rng = np.random.default_rng(0)
    found = [getattr(intervals, name)(rng.beta(1, 4, 60), level=0.9) for _ in range(400)]
    at_least([covers(one, 0.2) for one in found], 0.9)


def test_betting_is_about_forty_percent_wider_than_t_and_hoeffding_four_times():
    """Width relative to Student t for Beta(1, 4) losses at 200 rows."""
    rng = np.random.default_rng(0)
    draws = [rng.beta(1, 4, 200) for _ in range(60)]
    widths = {
        name: np.mean([(one := getattr(intervals, name)(losses)).high - one.low for losses in draws])
        for name in ("betting", "hoeffding", "holdout_t")
    }
    assert widths["betting"] / widths["holdout_t"] == pytest.approx(1.4, abs=0.05)
    assert widths["hoeffding"] / widths["holdout_t"] == pytest.approx(4.15, abs=0.2)


@pytest.mark.parametrize("truth", [0.02, 0.2, 0.5])
def test_clopper_pearson_covers_exactly(truth):
    """No simulation: the coverage is a finite sum."""
    from scipy import stats

    chances = stats.binom.pmf(np.arange(41), 40, truth)
    assert sum(chance for k, chance in enumerate(chances) if covers(intervals.clopper_pearson(k, 40), truth)) >= 0.95


def least_squares_cv(rng, rows=100, columns=5, folds=10):
    """Out-of-fold losses of least squares, its fold labels, and the true risks of its models."""
    X, y = rng.standard_normal((rows, columns)), rng.standard_normal(rows)
    A, labels = np.column_stack([np.ones(rows), X]), np.arange(rows) % folds
    losses, risks = np.empty(rows), []
    for k in range(folds):
        beta = np.linalg.lstsq(A[labels != k], y[labels != k], rcond=None)[0]
        losses[labels == k] = (y[labels == k] - A[labels == k] @ beta) ** 2
        risks.append(1 + beta @ beta)
    return losses, labels, np.array(risks)


def test_corrected_t_covers_the_learner_and_the_central_limit_its_models():
    rng = np.random.default_rng(0)
    m, p = 90, 5
    learner = (m + 1) * (m - 2) / (m * (m - p - 2))
    t, clt = [], []
    for _ in range(300):
        losses, labels, risks = least_squares_cv(rng)
        scores = [losses[labels == k].mean() for k in range(10)]
        t.append(covers(intervals.corrected_t(scores, 1 / 9, 0.9), learner))
        clt.append(covers(intervals.cv_clt(losses, labels, level=0.9), risks.mean()))
    at_least(t, 0.9)
    at_least(clt, 0.87)  # squared losses of 100 rows are skew


def test_bates_covers_the_learner_from_fits_without_pairs_of_folds():
    """Three partitions of 60 rows into five folds: 45 fits of least squares."""
    rng, columns, covered = np.random.default_rng(3), 5, []
    learner = 49 * 46 / (48 * (48 - columns - 2))  # at 48 training rows, by its formula
    for _ in range(150):
        X, y = rng.standard_normal((60, columns)), rng.standard_normal(60)
        A, runs = np.column_stack([np.ones(60), X]), []
        for labels in (rng.permutation(np.arange(60) % 5) for _ in range(3)):
            losses = np.empty((60, 5))
            for k in range(5):
                for j in range(k + 1):
                    train, test = (labels != k) & (labels != j), (labels == k) | (labels == j)
                    squares = (y[test] - A[test] @ np.linalg.lstsq(A[train], y[train], rcond=None)[0]) ** 2
                    losses[test, np.where(labels[test] == k, j, k)] = squares
            runs.append((losses[np.arange(60), labels], losses, labels))
        outer, pairs, folds = (np.stack(part) for part in zip(*runs, strict=True))
        covered.append(covers(intervals.bates(outer, pairs, folds, 0.9), learner))
    at_least(covered, 0.9)


def test_bbc_takes_back_most_of_the_optimism_of_the_smallest():
    """Fifty equal coins: the smallest mean is far below 1/2, the corrected one near it."""
    rng = np.random.default_rng(0)
    found = [intervals.bbc((rng.random((60, 50)) < 0.5).astype(float), repeats=100, seed=1) for _ in range(40)]
    assert np.mean([one.details["selection_score"] for one in found]) < 0.38
    assert np.mean([one.value for one in found]) == pytest.approx(0.5, abs=0.02)
    at_least([covers(one, 0.5) for one in found], 0.95)


def test_simultaneous_intervals_cover_the_winner():
    rng = np.random.default_rng(0)
    means = rng.normal(0.2, 0.02, (1000, 7)).min(axis=1)
    plain = [abs(mean - 0.2) <= 1.96 * 0.02 for mean in means]
    assert np.mean(plain) < 0.9
    at_least([covers(intervals.simultaneous(mean, 0.02, 7), 0.2) for mean in means], 0.95)


def test_equal_methods_are_seldom_told_apart():
    """Seven learners with the same risk: at most five percent of families name a loser."""
    rng = np.random.default_rng(0)
    families = [comparisons.compare_all(rng.normal(0.2, 0.05, (7, 10)), 1 / 9) for _ in range(150)]
    at_least([len(family.not_told_apart) == 7 for family in families], 0.95)


def test_auc_interval_covers_the_area():
    rng = np.random.default_rng(0)
    found, truth = [], 0.7602499389  # the area between two normals one standard deviation apart
    for _ in range(300):
        y = np.arange(120) % 2
        found.append(intervals.auc(y, rng.standard_normal(120) + y, 0.9, method="delong"))
    at_least([covers(one, truth) for one in found], 0.9)
