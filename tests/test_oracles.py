"""Every worked number of oracles.json, reproduced by the function a user would call where there is one."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from designs.exact import majority_cv_mse, ols_risk
from numpy.testing import assert_allclose

from foldwise import comparisons, intervals
from foldwise.stats.bates import bates_terms
from foldwise.stats.bbc import _contest, _left_out_means
from foldwise.stats.bounds import excess_bound, paired_excess_bound, release, uniform_bound
from foldwise.tuners.rules import choose

ORACLES = json.loads((Path(__file__).parent / "oracles.json").read_text(encoding="utf-8"))["oracles"]


def oracle(name):
    return ORACLES[name]["inputs"], ORACLES[name]["expected"]


def same(found, expected, rtol=1e-8, atol=1e-12):
    assert_allclose(np.asarray(found, float), np.asarray(expected, float), rtol=rtol, atol=atol)


def ends(estimate):
    return estimate.low, estimate.high


def test_dev_set_bounds():
    given, expected = oracle("devset_hoeffding_union")
    for row, wanted in zip(given["rows"], expected["rows"], strict=True):
        arguments, bounds = (row["n"], row["M"], row["delta"]), (0, row["range"])
        same(uniform_bound(*arguments, bounds=bounds), wanted["uniform_half_width"])
        same(excess_bound(*arguments, bounds=bounds), wanted["excess_risk_bound"])
        same(paired_excess_bound(*arguments, bounds=bounds), wanted["excess_risk_bound_pairwise"])


@pytest.mark.parametrize("case", range(6))
def test_binomial_test_split(case):
    given, expected = (part[case] for part in oracle("binomial_test_split"))
    k, n, alpha = given["k"], given["n"], given["alpha"]
    same(ends(intervals.clopper_pearson(k, n, 1 - alpha)), expected["clopper_pearson"])
    same(intervals.clopper_pearson(k, n, 1 - 2 * alpha).high, expected["clopper_pearson_upper_one_sided"])
    losses = np.repeat([1.0, 0.0], [k, n - k])
    found = intervals.hoeffding(losses, (0, 1), 1 - alpha)
    same((found.high - found.low) / 2, expected["hoeffding_half_width"])


def test_bounded_losses_on_a_test_split():
    given, expected = oracle("bounded_loss_test_split")
    losses, level = given["losses"], 1 - given["alpha"]
    same(intervals.hoeffding(losses).value, expected["mean"])
    same(np.var(losses, ddof=1), expected["var_unbiased"])
    same(ends(intervals.hoeffding(losses, (0, 1), level)), expected["hoeffding"])
    same(ends(intervals.holdout_t(losses, level)), expected["student_t"])
    same(ends(intervals.empirical_bernstein(losses, (0, 1), level)), expected["maurer_pontil"])
    same(np.diff(ends(intervals.empirical_bernstein(losses))) / 2, [expected["maurer_pontil_half_width"]])
    same(ends(intervals.betting(losses, (0, 1), level)), expected["hedged_betting_capped_at_1"])
    same(ends(intervals.betting(losses, cap="paper")), expected["hedged_betting_paper_cap"])


def test_corrected_resampled_t_of_ten_folds():
    given, expected = oracle("corrected_resampled_t_10fold")
    differences = np.subtract(given["score_A"], given["score_B"])
    ratio, level = given["n_test"] / given["n_train"], 1 - given["alpha"]
    for wanted, test_train_ratio in ((expected["corrected"], ratio), (expected["naive_uncorrected"], 0.0)):
        found = comparisons.paired(differences, test_train_ratio, level)
        numbers = (found.value, found.se, found.t, found.df, found.p, found.low, found.high)
        same(numbers, [wanted[name] for name in ("mean", "se", "t", "df", "p_two_sided", "lo", "hi")])
        same(differences.std(ddof=1), wanted["sd"])
    belief, wanted = comparisons.correlated_bayes(differences, ratio, given["rope"]), expected["bayes_correlated_t"]
    same(
        (belief.value, belief.se, belief.df, belief.p_left, belief.p_rope, belief.p_right),
        [wanted[name] for name in ("posterior_mean", "posterior_scale", "df")]
        + [wanted[f"p_{name}"] for name in ("B_better_by_more_than_rope", "rope", "A_better_by_more_than_rope")],
    )
    same(comparisons.correlated_bayes(differences, ratio, 0).p_right, wanted["p_A_better_no_rope"])


def test_corrected_t_of_random_splits():
    given, expected = oracle("corrected_t_single_risk_subsampling")
    ratio = given["n2"] / given["n1"]
    found = intervals.corrected_t(given["subsample_losses"], ratio, 1 - given["alpha"])
    same((found.value, *ends(found)), [expected[name] for name in ("mean", "lo", "hi")])
    same((found.details["se"], found.details["df"]), (expected["se"], expected["df"]))
    test = comparisons.paired(given["subsample_losses"], ratio)
    same((test.t, test.p), (expected["t"], expected["p_two_sided"]))
    same(np.std(given["subsample_losses"], ddof=1), expected["sd"])


@pytest.mark.parametrize("case", ["real_losses", "zero_one"])
@pytest.mark.parametrize("variance", ["all_pairs", "within_fold"])
def test_central_limit_interval_of_cross_validation(case, variance):
    given, expected = (part[case] for part in oracle("bayle_cv_clt"))
    found = intervals.cv_clt(given["loss"], given["fold"], variance.replace("_", "-"), 1 - given["alpha"])
    wanted = expected[variance]
    same(found.value, expected["mean"])
    same(
        (found.details["variance"], found.details["se"], *ends(found)),
        [wanted[name] for name in ("var", "se", "lo", "hi")],
    )


def least_squares_losses(X, y, train, test):
    A = np.column_stack([np.ones(len(X)), X])
    beta = np.linalg.lstsq(A[train], y[train], rcond=None)[0]
    return (y[test] - A[test] @ beta) ** 2


def outer_and_pair_losses(X, y, folds):
    """Plain refits: without the fold of a row, and without it and one other fold."""
    count = max(folds) + 1
    outer, pairs = np.full(len(y), np.nan), np.full((len(y), count), np.nan)
    for i in range(count):
        test = np.flatnonzero(folds == i)
        outer[test] = least_squares_losses(X, y, folds != i, test)
        for j in range(count):
            if j != i:
                pairs[test, j] = least_squares_losses(X, y, (folds != i) & (folds != j), test)
    return outer, pairs


@pytest.fixture(scope="module")
def toy():
    given = ORACLES["bates_ncv_ols"]["inputs"]
    X, y, labels = (np.array(given[name]) for name in ("X", "y", "fold_labels"))
    made = [outer_and_pair_losses(X, y, folds) for folds in labels]
    return X, y, np.stack([outer for outer, _ in made]), np.stack([pairs for _, pairs in made]), labels


def test_bates_interval(toy):
    given, expected = oracle("bates_ncv_ols")
    _, _, outer, pairs, labels = toy
    level = 1 - given["alpha"]
    terms = bates_terms(outer, pairs, labels, 5)
    same(terms.a.ravel(), expected["a_terms"])
    same(terms.b.ravel(), expected["b_terms"])
    same(terms.sd_inner, expected["sd_inner"])
    found = intervals.bates(outer, pairs, labels, level)
    same(ends(found), (expected["lo_no_bias"], expected["hi_no_bias"]))
    same(found.details["mse"], expected["mse_raw"])
    for name in ("err_ncv", "err_cv", "se_floor", "se_cap", "se_unclipped", "se", "inflation"):
        same(found.details[name], expected[name])
    same(found.details["mse"] * 4 / 5, expected["mse_rescaled"])
    corrected = intervals.bates(outer, pairs, labels, level, bias=True)
    same(corrected.details["bias"], expected["bias_paper_exponent_1"])
    same(
        (corrected.value, *ends(corrected)),
        [expected[f"{name}_paper_exponent_1"] for name in ("estimate", "lo", "hi")],
    )
    code = intervals.bates(outer, pairs, labels, level, bias=True, bias_power=1.5)
    same(
        (code.details["bias"], code.value, code.low, code.high),
        [expected[f"{name}_code_exponent_1.5"] for name in ("bias", "estimate", "lo", "hi")],
    )


def test_leave_one_out_of_least_squares(toy):
    _, expected = oracle("loo_ols")
    X, y, *_ = toy
    rows = np.arange(len(y))
    losses = np.concatenate([least_squares_losses(X, y, rows != row, [row]) for row in rows])
    same(losses, expected["losses"], rtol=1e-7)  # the smallest is a difference of nearly equal numbers
    found = intervals.cv_clt(losses, rows)
    same((found.value, found.details["se"]), (expected["mean"], expected["all_pairs_se"]))


def test_expected_risk_of_least_squares():
    given, expected = oracle("ols_gaussian_expected_risk")
    same([ols_risk(row["n"], row["p"]) for row in given], expected)


def test_bbc_with_given_draws():
    given, expected = oracle("bbc_cv")
    losses, draws = np.array(given["losses"]), given["bootstrap_rows_0based"]
    counts = np.stack([np.bincount(rows, minlength=len(losses)) for rows in draws]).astype(np.float32)
    contest = _contest(losses, len(counts))
    picked = contest.picks(counts)
    left_out = _left_out_means(counts == 0, [contest.columns], [picked], np.ones(len(losses)))[0]
    assert picked.tolist() == expected["selected"]
    same(left_out, expected["oob_losses"])
    same(left_out.mean(), expected["estimate"])
    same(intervals.bbc(given["losses"]).details["selection_score"], expected["naive_min"])


def test_tibshirani_correction():
    given, expected = oracle("tibshirani_tibshirani_2009")
    found = intervals.tibshirani(given["fold_errors"])
    same(found.value, expected["corrected"])
    same(
        [found.details[name] for name in ("selected", "selection_score", "bias")],
        [expected[name] for name in ("selected", "cv_min", "bias")],
    )


@pytest.mark.parametrize("case", range(4))
def test_mcnemar(case):
    given, expected = (part[case] for part in oracle("mcnemar"))
    found = comparisons.mcnemar(given["b"], given["c"])
    names = {
        "mid_p": "mid_p",
        "chi2": "chi2",
        "chi2_p": "chi2_p",
        "chi2_corrected": "chi2_cc",
        "chi2_corrected_p": "chi2_cc_p",
    }
    same(found.p, expected["exact_p"])
    same([found.details[name] for name in names], [expected[name] for name in names.values()])


def test_delong():
    given, expected = oracle("delong")
    y, level = given["y"], 1 - given["alpha"]
    single, wanted = intervals.auc(y, given["score1"], level, method="delong"), expected["single_auc1"]
    same(
        (single.value, single.details["variance"], *ends(single)),
        [wanted[name] for name in ("auc", "var", "lo", "hi")],
    )
    found, wanted = comparisons.delong(y, given["score1"], given["score2"], level), expected["paired"]
    same(
        (found.details["auc_a"], found.details["auc_b"], found.value, found.details["variance"], found.t, found.p),
        [wanted[name] for name in ("auc1", "auc2", "diff", "var", "z", "p")],
    )


def test_influence_curve_of_the_cross_validated_auc():
    given, expected = oracle("cv_auc_influence_curve")
    found = intervals.auc(given["y"], given["score"], 1 - given["alpha"], folds=given["fold"])
    same(found.details["fold_auc"], expected["fold_auc"])
    same(
        (found.value, found.details["variance"], found.details["se"], *ends(found)),
        [expected[name] for name in ("cv_auc", "sigma2", "se", "lo", "hi")],
    )


def test_ladder():
    given, expected = oracle("ladder")
    released = [math.inf]
    for loss in given["holdout_losses"]:
        released.append(release(loss, released[-1], step=given["eta"]))
    same(released[1:], expected["released"])


def test_one_standard_error_rule():
    """Two folds at mean - se and mean + se have that mean and that standard error."""
    given, expected = oracle("one_standard_error_rule")
    mean, se = np.array(given["cv_mean"]), np.array(given["se"])
    scores = np.column_stack([mean - se, mean + se])
    assert choose(scores) == expected["best"]
    assert choose(scores, rule="one_se", ranks=range(len(mean))) == expected["chosen"]
    same(mean[expected["best"]] + scores[expected["best"]].std(ddof=1) / math.sqrt(2), expected["threshold"])


def test_majority_vote():
    given, expected = oracle("majority_kfold_exact")
    for row, wanted in zip(given, expected, strict=True):
        found = majority_cv_mse(row["n"], row["K"])
        assert str(found) == wanted["mse_fraction"]
        same(float(found), wanted["mse_exact"])


def test_no_oracle_is_left_out():
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'oracle("{name}")' in source for name in ORACLES)
