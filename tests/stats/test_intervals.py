"""Public intervals (stats/held_out.py, stats/cross_validated.py) by closed forms and plain loops."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from foldwise import intervals
from foldwise.errors import BadInterval

unit = arrays(np.float64, st.integers(2, 40), elements=st.floats(0, 1).map(lambda x: round(x, 6)))
BOUNDED = [intervals.hoeffding, intervals.betting, intervals.empirical_bernstein]


def pair_table(rng, rows, folds):
    codes = np.arange(rows) % folds
    pairs = rng.random((rows, folds))
    pairs[np.arange(rows), codes] = np.nan
    return rng.random(rows), pairs, codes


@pytest.mark.parametrize("interval", BOUNDED)
@given(losses=unit, level=st.floats(0.5, 0.999))
def test_bounded_intervals_hold_the_mean_and_grow_with_the_level(interval, losses, level):
    found, wider = interval(losses, (0, 1), level), interval(losses, (0, 1), (1 + level) / 2)
    assert found.low <= losses.mean() + 1e-9
    assert found.high >= losses.mean() - 1e-9
    assert wider.high - wider.low >= found.high - found.low - 1e-9
    assert (found.value, found.level, found.target) == (losses.mean(), level, "the risk of this predictor")


@pytest.mark.parametrize("interval", BOUNDED)
@given(losses=unit, low=st.floats(-5, 5), width=st.floats(0.1, 10))
def test_bounded_intervals_follow_the_scale_of_the_loss(interval, losses, low, width):
    plain, scaled = interval(losses), interval(low + width * losses, (low, low + width))
    assert (scaled.low, scaled.high) == pytest.approx(
        (low + width * plain.low, low + width * plain.high), rel=1e-6, abs=1e-6
    )


@given(losses=unit, seed=st.integers(0, 99))
def test_only_betting_depends_on_the_order_of_rows(losses, seed):
    order = np.random.default_rng(seed).permutation(losses.size)
    for interval in (intervals.hoeffding, intervals.empirical_bernstein, intervals.holdout_t):
        one, other = interval(losses), interval(losses[order])
        if one.low is not None and np.ptp(losses) > 1e-3:
            assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9, abs=1e-9)


def test_betting_takes_rows_in_the_order_given():
    losses = np.linspace(0, 1, 30)
    assert intervals.betting(losses).low != intervals.betting(losses[::-1]).low


@given(losses=unit)
def test_betting_turned_round_is_the_betting_of_one_minus_the_losses(losses):
    one, other = intervals.betting(losses), intervals.betting(1 - losses)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-9)


@pytest.mark.parametrize("cap", ["one", "paper"])
def test_betting_ends_where_the_capital_reaches_its_goal(cap):
    """Checked by the product itself, row by row, on a grid of means."""
    losses, alpha = np.random.default_rng(3).beta(2, 3, 60), 0.1
    found = intervals.betting(losses, level=1 - alpha, cap=cap)

    def capital(m):
        plus = minus = 1.0
        total, squares = 0.5, 0.25
        for t, loss in enumerate(losses):
            variance = squares / (t + 1)
            bet = math.sqrt(2 * math.log(2 / alpha) / (len(losses) * variance))
            plus *= 1 + min(bet, 1 if cap == "one" else 0.5 / m) * (loss - m)
            minus *= 1 - min(bet, 1 if cap == "one" else 0.5 / (1 - m)) * (loss - m)
            total += loss
            squares += (loss - total / (t + 2)) ** 2
        return max(plus, minus) / 2

    for m in np.linspace(0.01, 0.99, 99):
        assert (capital(m) <= 1 / alpha) == (found.low <= m <= found.high)


@given(st.integers(1, 60), st.data())
def test_clopper_pearson_leaves_half_of_alpha_in_each_tail(rows, data):
    failures = data.draw(st.integers(0, rows))
    found = intervals.clopper_pearson(failures, rows, 0.9)
    if failures > 0:
        assert stats.binom.sf(failures - 1, rows, found.low) == pytest.approx(0.05, rel=1e-8)
    if failures < rows:
        assert stats.binom.cdf(failures, rows, found.high) == pytest.approx(0.05, rel=1e-8)
    assert found.low <= found.value <= found.high


def test_no_failures_still_have_an_upper_bound():
    assert intervals.clopper_pearson(0, 30).high == pytest.approx(1 - 0.025 ** (1 / 30), rel=1e-12)


def test_t_over_groups_takes_the_group_as_the_unit():
    """Groups of equal size: the plain t of the group means."""
    losses, groups = np.random.default_rng(0).random(60), np.repeat(np.arange(12), 5)
    means = losses.reshape(12, 5).mean(axis=1)
    found = intervals.holdout_t(losses, groups=groups)
    low, high = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-10)
    assert (found.details["df"], found.interval) == (11, "t")


def test_t_tells_of_few_rows_and_heavy_tails():
    few = intervals.holdout_t(np.arange(20.0))
    heavy = intervals.holdout_t(np.append(np.ones(99), 500.0))
    fine = intervals.holdout_t(np.random.default_rng(0).random(100))
    assert few.notes[0][1].startswith("20 test rows")
    assert "the largest loss 83% of the sum" in heavy.notes[0][1]
    assert fine.notes == ()


@given(st.integers(0, 1000), st.sampled_from(["all-pairs", "within-fold"]))
def test_fold_labels_and_the_order_of_rows_do_not_matter(seed, variance):
    rng = np.random.default_rng(seed)
    losses, folds = rng.random(31), np.arange(31) % 4
    order, names = rng.permutation(31), np.array(["d", "a", "c", "b"])
    one = intervals.cv_clt(losses, folds, variance)
    other = intervals.cv_clt(losses[order], names[folds[order]], variance)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


def test_within_fold_variance_weights_folds_by_their_rows():
    losses, folds = np.array([0.0, 1.0, 0.0, 2.0, 4.0]), [0, 0, 1, 1, 1]
    found = intervals.cv_clt(losses, folds, "within-fold")
    naive = (2 * np.var([0, 1], ddof=1) + 3 * np.var([0, 2, 4], ddof=1)) / 5
    assert found.details["variance"] == pytest.approx(naive, rel=1e-12)
    assert found.target == "the average risk of these 2 models"


@given(st.integers(0, 1000))
def test_bates_does_not_depend_on_labels_rows_or_the_unused_entries(seed):
    rng = np.random.default_rng(seed)
    outer, pairs, folds = pair_table(rng, 23, 4)
    order = rng.permutation(23)
    one = intervals.bates(outer, pairs, folds)
    filled = np.nan_to_num(pairs, nan=1e9)[order]
    other = intervals.bates(outer[order], filled[:, ::-1], 3 - folds[order])
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-10)


@given(st.integers(0, 1000), st.integers(3, 6))
def test_bates_standard_error_is_clipped(seed, folds):
    found = intervals.bates(*pair_table(np.random.default_rng(seed), 30, folds))
    assert 1 - 1e-12 <= found.details["inflation"] <= math.sqrt(folds) + 1e-12
    assert found.value == found.details["err_cv"]
    assert found.target == f"the risk of the learner at {30 * (1 - 1 / folds):g} training rows"


def test_bates_equals_plain_loops_over_unequal_folds():
    rng = np.random.default_rng(5)
    outer, pairs, folds = pair_table(rng, 22, 4)
    gaps = []
    for k in range(4):
        inner = [pairs[row, k] for row in range(22) if folds[row] != k]
        own = outer[folds == k]
        gaps.append((np.mean(inner) - own.mean()) ** 2 - own.var(ddof=1) / own.size)
    found = intervals.bates(outer, pairs, folds)
    assert found.details["mse"] == pytest.approx(np.mean(gaps), rel=1e-12)


def test_bates_bias_correction_is_refused_where_it_is_unstable():
    """Twice the loss when one more fold is left out: near the interpolation threshold."""
    outer, pairs, folds = pair_table(np.random.default_rng(0), 40, 4)
    unstable = intervals.bates(outer, pairs + 5, folds)
    assert "unstable" in dict(unstable.notes)
    with pytest.raises(BadInterval, match=r"bias correction is unstable here.*Leave the correction off"):
        intervals.bates(outer, pairs + 5, folds, bias=True)


def test_bates_repetitions_are_averaged():
    rng = np.random.default_rng(1)
    runs = [pair_table(rng, 20, 5) for _ in range(3)]
    outer, pairs, folds = (np.stack(part) for part in zip(*runs, strict=True))
    found = intervals.bates(outer, pairs, folds)
    singles = [intervals.bates(*run).details["mse"] for run in runs]
    assert found.details["mse"] == pytest.approx(np.mean(singles), rel=1e-12)
    assert found.details["repeats"] == 3


def test_repeated_runs_count_as_fewer_than_two():
    runs = np.random.default_rng(0).normal(1, 0.1, (20, 5))
    found = intervals.corrected_t(runs, 1 / 4).details
    splits = 5 * 2 * 20 / 21
    assert found["df"] == pytest.approx(splits - 1)
    assert found["se"] == pytest.approx(np.sqrt(runs.var(ddof=1) * (1 / splits + 1 / 4)), rel=1e-12)


@given(st.integers(0, 50), st.integers(1, 6))
def test_bbc_equals_plain_loops(seed, candidates):
    rng = np.random.default_rng(seed)
    losses = rng.random((12, candidates))
    found = intervals.bbc(losses, repeats=40, seed=seed)
    draws, naive = np.random.default_rng(seed), []
    for _ in range(40):
        rows = draws.integers(0, 12, 12)
        best = min(range(candidates), key=lambda one: losses[rows, one].mean())
        naive.append(np.mean([losses[row, best] for row in range(12) if row not in rows]))
    assert found.value == pytest.approx(np.mean(naive), rel=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(naive, [0.025, 0.975])), rel=1e-12)


def test_bbc_of_groups_draws_whole_groups():
    rng = np.random.default_rng(0)
    losses, groups = rng.random((20, 3)), np.repeat(["c", "a", "b", "e", "d"], 4)
    found = intervals.bbc(losses, repeats=30, seed=4, groups=groups)
    draws, names, naive = np.random.default_rng(4), np.array(list("abcde")), []
    for _ in range(30):
        drawn = names[draws.integers(0, 5, 5)]
        rows = np.concatenate([np.flatnonzero(groups == name) for name in drawn])
        left_out = ~np.isin(groups, drawn)
        if left_out.any():
            naive.append(losses[left_out, losses[rows].mean(axis=0).argmin()].mean())
    assert found.value == pytest.approx(np.mean(naive), rel=1e-12)


@given(arrays(np.float64, (5, 4), elements=st.floats(0, 1)), st.permutations(range(4)), st.permutations(range(5)))
def test_tibshirani_does_not_depend_on_the_order_of_folds_or_candidates(table, candidates, folds):
    means = np.sort(table.mean(axis=0))
    assume(means[1] - means[0] > 1e-9)
    one, other = intervals.tibshirani(table), intervals.tibshirani(table[folds][:, candidates])
    assert one.value == pytest.approx(other.value, rel=1e-9, abs=1e-12)
    naive = 2 * table.mean(axis=0).min() - table.min(axis=1).mean()
    assert one.value == pytest.approx(naive, rel=1e-9, abs=1e-12)


def test_one_candidate_has_no_selection_bias():
    losses = np.random.default_rng(0).random((30, 1))
    assert intervals.tibshirani(losses).details["bias"] == 0
    one = intervals.simultaneous(0.2, 0.02, among=1)
    assert (one.low, one.high) == pytest.approx((0.2 - 1.959963985 * 0.02, 0.2 + 1.959963985 * 0.02), rel=1e-9)


@pytest.mark.parametrize(("method", "tail"), [("bonferroni", 0.05 / 7), ("sidak", 1 - 0.95 ** (1 / 7))])
def test_simultaneous_intervals_share_alpha(method, tail):
    normal = intervals.simultaneous(0.2, 0.02, 7, 0.95, method)
    student = intervals.simultaneous(0.2, 0.02, 7, method=method, df=9)
    assert normal.high == pytest.approx(0.2 + 0.02 * stats.norm.isf(tail / 2), rel=1e-9)
    assert student.high == pytest.approx(0.2 + 0.02 * stats.t.isf(tail / 2, 9), rel=1e-9)


def test_auc_is_that_of_scikit_learn_with_ties():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 80), rng.integers(0, 9, 80)
    folds = np.arange(80) % 4
    found = intervals.auc(y, score, folds=folds)
    assert intervals.auc(y, score).value == pytest.approx(roc_auc_score(y, score), rel=1e-12)
    assert found.value == pytest.approx(
        np.mean([roc_auc_score(y[folds == k], score[folds == k]) for k in range(4)]), rel=1e-12
    )
    assert found.target == "the average AUC of these 4 models"
    assert intervals.auc(np.where(y == 1, "yes", "no"), score).value == intervals.auc(y, score).value


def test_the_influence_curve_is_that_of_its_definition_for_unequal_classes():
    rng = np.random.default_rng(1)
    y, folds = np.arange(60) % 3 == 0, np.repeat([0, 1], 30)
    score = rng.integers(0, 10, 60) + 2 * y
    squares = []
    for k in (0, 1):
        positive, negative = score[y & (folds == k)], score[~y & (folds == k)]
        wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
        curve = np.append((wins.mean(axis=1) - wins.mean()) * 3, (wins.mean(axis=0) - wins.mean()) * 1.5)
        squares.append((curve**2).mean())
    found = intervals.auc(y, score, folds=folds)
    assert found.details["variance"] == pytest.approx(np.mean(squares), rel=1e-10)


@pytest.mark.parametrize(
    "found",
    [
        lambda: intervals.holdout_t([0.3] * 60),
        lambda: intervals.holdout_t(np.repeat([0.1 + 0.2, 0.3], 30)),
        lambda: intervals.holdout_t([0.1, 0.3, 0.2, 0.3, 0.1, 0.2] * 10, groups=np.repeat(np.arange(20), 3)),
        lambda: intervals.corrected_t(np.array([0.1, 0.2, 0.3]) - [0.2, 0.3, 0.4], 0.5),
        lambda: intervals.cv_clt([0.3] * 60, np.arange(60) % 5),
        lambda: intervals.cv_clt(np.repeat([0.1, 0.3], 30), np.repeat([0, 1], 30), "within-fold"),
        lambda: intervals.corrected_t([0.3] * 5, 0.25),
        lambda: intervals.bates(np.full(20, 0.3), np.full((20, 4), 0.3), np.arange(20) % 4),
        lambda: intervals.auc([0, 0, 1, 1], [1, 2, 3, 4]),
    ],
    ids=[
        "t",
        "t rounded",
        "t of groups",
        "corrected t rounded",
        "clt",
        "clt within",
        "corrected t",
        "bates",
        "auc",
    ],
)
def test_losses_without_spread_do_not_claim_to_be_exact(found):
    estimate = found()
    assert (estimate.low, estimate.high, estimate.interval) == (None, None, None)
    assert "no spread" in dict(estimate.notes)["interval"]


def test_an_estimate_of_arrays_becomes_json():
    outer, pairs, folds = pair_table(np.random.default_rng(0), 20, 4)
    plain = json.loads(json.dumps(intervals.bates(outer, pairs, folds).to_dict(), allow_nan=False))
    assert plain["details"]["folds"] == 4
    assert plain["details"]["bias"] is None
    auc = intervals.auc([0, 1, 0, 1, 0, 1], [1, 2, 3, 4, 0, 1], folds=[0, 0, 0, 0, 1, 1])
    assert len(json.loads(json.dumps(auc.to_dict()))["details"]["fold_auc"]) == 2


def test_the_bbc_of_equal_losses_has_no_width():
    found = intervals.bbc(np.full((20, 3), 0.1), repeats=50)
    assert found.value == pytest.approx(0.1, rel=1e-12)
    assert found.low == found.high == found.value


@pytest.mark.parametrize("name", intervals.__all__)
def test_every_interval_has_a_sentence(name):
    assert getattr(intervals, name).__doc__.strip()


FOLDS = [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: intervals.hoeffding([0.1, 3.0], None), "stated range.*use holdout_t"),
        (lambda: intervals.hoeffding([0.1, 3.0], (0, math.inf)), "finite low .*use holdout_t"),
        (lambda: intervals.betting([0.1, 1.5]), r"row 1 has a loss of 1\.5, outside the bounds 0 to 1\. Give"),
        (lambda: intervals.betting([0.1, math.nan]), "finite losses, and row 1 has nan"),
        (lambda: intervals.betting([0.1, 0.2], cap="two"), "not by 'two'"),
        (lambda: intervals.hoeffding([]), "at least 1 rows, not 0"),
        (lambda: intervals.hoeffding([[0.1, 0.2]]), r"one loss per row, not an array of shape \(1, 2\)"),
        (lambda: intervals.holdout_t([[0.1, 0.2]]), r"one loss per row, not an array of shape \(1, 2\)"),
        (lambda: intervals.cv_clt([[0.1, 0.2]], [0, 1]), r"one loss per row, not an array of shape \(1, 2\)"),
        (lambda: intervals.clopper_pearson([1, 2], 10), r"failures must be a whole number, not \[1, 2\]"),
        (lambda: intervals.hoeffding(["a"]), "losses must be numbers, not list"),
        (lambda: intervals.hoeffding([0.1], 1), r"bounds must be two numbers \(low, high\), not 1"),
        (lambda: intervals.empirical_bernstein([0.1]), "at least 2 rows, not 1"),
        (lambda: intervals.holdout_t([0.1]), "at least 2 rows, not 1"),
        (lambda: intervals.holdout_t([0.1, 0.2], 95), "a level"),
        (lambda: intervals.holdout_t([0.1, 0.2], groups=[1, 1]), "at least 2 groups, not 1"),
        (lambda: intervals.clopper_pearson(5, 4), "5 failures cannot be among 4 rows"),
        (lambda: intervals.clopper_pearson(2.5, 4), "failures must"),
        (lambda: intervals.clopper_pearson(0, 0), "rows must be at least 1, not 0"),
        (lambda: intervals.corrected_t([0.1, math.inf], 0.1), "finite scores, and split 1 has inf"),
        (lambda: intervals.corrected_t(np.ones((2, 2, 2)), 0.1), "runs x splits"),
        (lambda: intervals.corrected_t([0.1, 0.2], "x"), "a number of at least 0, not 'x'"),
        (lambda: intervals.cv_clt([0.1, 0.2], [0]), "there are 2 rows and 1 labels"),
        (lambda: intervals.cv_clt([0.1, 0.2], [0, 0]), "at least 2 folds, not 1. Use holdout_t"),
        (lambda: intervals.cv_clt([0.1, 0.2, 0.3], [0, 1, 1], "within-fold"), "fold 0 has 1 row.*all-pairs"),
        (lambda: intervals.cv_clt([0.1, 0.2], [0, 1], "within"), "no variance 'within'. Did you mean 'within-fold'"),
        (lambda: intervals.bates(np.ones(4), np.ones((4, 2)), FOLDS), "at least 3 folds, not 2"),
        (lambda: intervals.bates(np.ones(5), np.ones((5, 3)), [0, 0, 1, 1, 2]), "2 rows in every fold"),
        (lambda: intervals.bates(np.ones(6), np.ones((6, 2)), [0, 0, 1, 1, 2, 2]), r"\(1, 6, 3\), not \(1, 6, 2\)"),
        (lambda: intervals.bates(np.ones(6), np.full((6, 3), np.nan), [0, 0, 1, 1, 2, 2]), "pair losses, and row 0"),
        (lambda: intervals.bates(np.ones(6), np.ones((6, 3)), FOLDS), "one fold per outer loss"),
        (lambda: intervals.bbc([[0.1, math.nan], [0.1, 0.2]]), "row 0, candidate 1 has nan"),
        (lambda: intervals.bbc([[0.1], [0.2]], repeats=0), "repeats must be at least 1"),
        (lambda: intervals.bbc([0.1, 0.2]), "row x candidate"),
        (lambda: intervals.tibshirani([[0.1, 0.2]]), "at least 2 folds, not 1"),
        (lambda: intervals.simultaneous(0.1, 0.01, 0), "among must be at least 1, not 0"),
        (lambda: intervals.simultaneous(0.1, -0.01, 3), "se >= 0"),
        (lambda: intervals.simultaneous(0.1, 0.01, 3, method="tukey"), "no simultaneous method 'tukey'"),
        (lambda: intervals.auc([0, 1, 1], [1, 2, 3], folds=[0, 0, 1]), "fold 1 has one. Use stratified folds"),
        (lambda: intervals.auc([0, 1, 2], [1, 2, 3]), "two classes, and the target has 3"),
        (lambda: intervals.auc([0, 1], [1, 2, 3]), "2 targets and 3 scores"),
        (lambda: intervals.auc([0, 1], [1, 2], folds=[0, 0], method="delong"), "one test set"),
    ],
)  # fmt: skip
def test_what_would_not_be_valid_is_refused_in_one_sentence(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
