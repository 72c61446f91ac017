"""The risk of one learner; and of one fitted model, with the interval its loss and rows allow."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import Counted, CountedClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

import foldwise as fw
from foldwise import intervals
from foldwise.errors import BadInterval


@pytest.fixture(scope="module")
def judged(classes):
    X, y = classes
    model = LogisticRegression().fit(X[:30], y[:30])
    return model, X[30:], y[30:], model.predict_proba(X[30:])


def ends(estimate):
    return estimate.value, estimate.low, estimate.high


def test_zero_one_losses_get_the_exact_interval(judged):
    model, X, y, _ = judged
    found = fw.test_risk(model, X, y)
    assert ends(found) == pytest.approx(ends(intervals.clopper_pearson(int((model.predict(X) != y).sum()), 30)))
    assert (found.interval, found.target) == ("Clopper-Pearson", "this predictor, on 30 test rows")
    assert found.fits == 0


def test_bounded_losses_are_bet_on_in_the_order_of_the_seed(judged):
    model, X, y, proba = judged
    losses = (proba[:, 1] - y) ** 2
    for seed in (0, 4):
        order = np.random.default_rng([seed, 0xBE7]).permutation(30)
        found = fw.test_risk(model, X, y, loss="brier", seed=seed)
        assert ends(found) == pytest.approx(ends(intervals.betting(losses[order])))
    assert found.value == pytest.approx(brier_score_loss(y, proba[:, 1]))
    assert found.interval == "betting"


def test_unbounded_losses_get_student_t_with_a_word_of_warning(judged):
    model, X, y, proba = judged
    found = fw.test_risk(model, X, y, loss="log", level=0.9)
    losses = -np.log(proba[np.arange(30), y])
    assert ends(found) == pytest.approx(ends(intervals.holdout_t(losses, 0.9)))
    assert found.value == pytest.approx(log_loss(y, proba))
    assert "30 test rows, the largest loss" in dict(found.notes)["tail"]


def test_the_area_under_the_curve_gets_delong(judged):
    model, X, y, proba = judged
    found = fw.test_risk(model, X, y, loss="roc_auc")
    area = intervals.auc(y, proba[:, 1], method="delong")
    assert ends(found) == pytest.approx((1 - area.value, 1 - area.high, max(1 - area.low, 0)))
    assert found.value == pytest.approx(1 - roc_auc_score(y, proba[:, 1]))
    assert f": 1 - AUC (the AUC is {1 - found.value:.4g}) of this predictor, on 30 test rows" in str(found)
    assert ": 1 - AUC (the AUC is " in str(fw.risk(LogisticRegression(), X, y, outer=2, loss="roc_auc", jobs=1))


def test_other_measures_have_no_interval_and_say_so(judged):
    model, X, y, _ = judged
    found = fw.test_risk(model, X, y, loss="f1")
    assert (found.low, found.high, found.interval) == (None, None, None)
    assert "has no loss per row" in dict(found.notes)["interval"]


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_groups_are_the_unit(numbers, loss):
    X, y = numbers
    groups = np.arange(22) // 2
    model = LinearRegression().fit(X[:20], y[:20])
    found = fw.test_risk(model, X[20:], y[20:], groups=groups, loss=loss)
    gaps = model.predict(X[20:]) - y[20:]
    losses = gaps**2 if loss == "squared" else np.abs(gaps)
    assert ends(found) == pytest.approx(ends(intervals.holdout_t(losses, groups=groups)))


def test_zero_one_losses_of_groups_get_t_and_not_the_interval_of_independent_rows(judged):
    model, X, y, _ = judged
    groups = np.arange(30) // 3
    assert fw.test_risk(model, X, y, groups=groups).interval == "t"
    with pytest.raises(BadInterval, match="the group is the unit"):
        fw.test_risk(model, X, y, groups=groups, interval="clopper-pearson")


def test_one_group_has_no_interval(judged):
    model, X, y, _ = judged
    found = fw.test_risk(model, X, y, groups=np.zeros(30))
    assert found.interval is None
    assert "the test rows are of one group" in dict(found.notes)["interval"]


def test_weighted_rows_have_a_risk_and_no_interval(judged):
    model, X, y, _ = judged
    weights = np.linspace(1, 3, 30)
    found = fw.test_risk(model, X, y, weights=weights)
    assert found.value == pytest.approx(np.average(model.predict(X) != y, weights=weights))
    assert found.interval is None
    assert "weights" in dict(found.notes)["interval"]


def test_an_interval_may_be_asked_for_and_is_refused_where_it_is_not_valid(judged, numbers):
    model, X, y, _ = judged
    found = fw.test_risk(model, X, y, interval="hoeffding")
    assert ends(found) == pytest.approx(ends(intervals.hoeffding(model.predict(X) != y)))
    X, y = numbers
    line = LinearRegression().fit(X[:20], y[:20])
    message = r"Hoeffding is not valid here: .* squared has none\. Leave interval"
    with pytest.raises(BadInterval, match=message):
        fw.test_risk(line, X[20:], y[20:], interval="hoeffding")
    with pytest.raises(BadInterval, match="Bayle is not valid here: it is for folds, not one test set"):
        fw.test_risk(line, X[20:], y[20:], interval="bayle")


def test_a_stated_range_opens_the_bounded_intervals(numbers):
    X, y = numbers
    line = LinearRegression().fit(X[:20], y[:20])
    found = fw.test_risk(line, X[20:], y[20:], loss="squared in [0, 50]")
    assert found.interval == "betting"
    outside = fw.test_risk(line, X[20:], y[20:], loss="squared in [0, 0.001]")
    assert outside.interval == "t"


def test_the_level_is_the_users(judged):
    model, X, y, _ = judged
    narrow, wide = fw.test_risk(model, X, y, level=0.8), fw.test_risk(model, X, y, level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high
    assert (narrow.level, wide.level) == (0.8, 0.99)
    with pytest.raises(BadInterval, match="a level"):
        fw.test_risk(model, X, y, level=1.5)


def test_perfect_answers_have_an_upper_bound_and_no_interval_of_no_width(classes):
    X, y = classes
    model = CountedClassifier(1).fit(X, y)
    found = fw.test_risk(model, X, y)
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 60))
    area = fw.test_risk(model, X, y, loss="roc_auc")
    assert (area.value, area.low, area.interval) == (0, None, None)
    line = fw.test_risk(Counted(1).fit(X, X[:, 0]), X, X[:, 0])
    assert (line.value, line.interval) == (0, None)
    assert "no interval" in str(line)


def test_rows_that_a_refitted_model_has_seen_give_no_interval(numbers):
    X, y = numbers
    result = fw.compare({"ridge": Ridge()}, X[:30], y[:30], outer=3, jobs=1)
    model = result.refit("ridge")
    seen, new = fw.test_risk(model, X[:10], y[:10]), fw.test_risk(model, X[30:], y[30:])
    assert (seen.interval, seen.low) == (None, None)
    words = "10 of 10 test rows were trained on, so no interval is valid: test on other rows"
    assert dict(seen.notes)["interval"] == words
    assert new.interval == "t"
    some = fw.test_risk(model, X[28:], y[28:])
    assert dict(some.notes)["interval"].startswith("2 of 14 test rows were trained on")


def test_the_same_features_with_another_target_are_new_rows(numbers):
    X, y = numbers
    model = fw.compare({"ridge": Ridge()}, X, y, outer=3, jobs=1).refit("ridge")
    assert fw.test_risk(model, X, y + 1).interval == "t"
    assert fw.test_risk(model, X, y).interval is None


def test_one_row_of_a_class_is_too_few_for_delong(judged):
    model, X, y, _ = judged
    rows = np.append(np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:1])
    found = fw.test_risk(model, X[rows], y[rows], loss="roc_auc")
    assert found.interval is None
    assert "roc_auc" in dict(found.notes)["interval"] or "each class" in dict(found.notes)["interval"]


def test_the_risk_of_one_learner_needs_neither_a_baseline_nor_a_final_tuning(numbers):
    estimate = fw.risk(fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0]), *numbers, outer=5, inner=3)
    assert estimate.fits == 5 * (3 * 3 + 1)
    assert fw.risk(fw.tune(Ridge(), alpha=[0.1, 1.0]), *numbers, outer=5, inner="pairs").fits == 10 * 2 + 5


def test_its_numbers_are_those_of_a_comparison(numbers):
    tuned = fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0])
    compared = fw.compare({"ridge": tuned}, *numbers, outer=5, inner=3)
    assert fw.risk(tuned, *numbers, outer=5, inner=3).value == compared.methods[0].risk
