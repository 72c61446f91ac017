"""The interval of forecasts: what its series is, and that time, ties, weights, gaps and horizons reach it."""

from __future__ import annotations

import numpy as np
import pytest

import foldwise as fw
from foldwise.errors import BadInterval
from foldwise.losses.loss import Loss
from foldwise.stats.evidence import Evidence
from foldwise.stats.long_run import HAC, hac

SQUARED = Loss("squared", lambda y, p: (y - p) ** 2)
RNG = np.random.default_rng(5)


def forecasts(losses, *, folds: int = 4, **changes) -> Evidence:
    losses = np.asarray(losses, float)
    parts = np.array_split(np.arange(10, 10 + len(losses)), folds)
    found = tuple(losses[part - 10] for part in parts)
    facts = {
        "fold_losses": np.array([part.mean() for part in found]),
        "row_losses": found,
        "test_rows": tuple(parts),
        "train_counts": tuple(int(part[0]) for part in parts),
        "kind": "time",
        "is_partition": False,
        "repeats": 1,
        "folds": folds,
        "loss": SQUARED,
        "rows": 10 + len(losses),
    }
    return Evidence(**(facts | changes))


def test_equal_folds_give_the_losses_in_the_order_of_time():
    losses = RNG.random(80)
    assert forecasts(losses).series == pytest.approx(losses)
    backwards = forecasts(losses, time=np.arange(90)[::-1])
    assert backwards.series == pytest.approx(losses[::-1])


def test_rows_of_one_time_are_taken_together_and_weights_reach_the_mean():
    losses, weights = RNG.random(80), RNG.random(90) + 0.5
    pairs = forecasts(losses, time=np.arange(90) // 2)
    assert pairs.series == pytest.approx(losses.reshape(40, 2).mean(axis=1))
    risk = np.mean([np.average(losses[at : at + 20], weights=weights[10 + at : 30 + at]) for at in range(0, 80, 20)])
    weighted = forecasts(losses, weights=weights, fold_losses=np.full(4, risk))
    assert weighted.series.mean() == pytest.approx(risk)


def test_folds_of_unequal_size_count_alike_as_they_do_in_the_risk():
    losses = RNG.random(81)
    found = forecasts(losses)
    assert found.series.mean() == pytest.approx(found.fold_losses.mean())
    assert found.fold_losses.mean() != pytest.approx(losses.mean())


def test_the_ends_are_those_of_the_formula_with_the_steps_ahead():
    losses = RNG.random(80)
    for steps in (1, 12):
        ends = HAC.ends(forecasts(losses, steps=steps), 0.9)
        truth = hac(losses, steps=steps, level=0.9)
        assert (ends.low, ends.high) == pytest.approx((truth.low, truth.high))
        assert ends.details["steps"] == steps


def test_few_errors_are_no_surer_than_clopper_and_pearson():
    zero_one = Loss("zero_one", lambda y, p: y != p, bounds=(0.0, 1.0))
    ends = HAC.ends(forecasts(np.zeros(80), loss=zero_one), 0.95)
    assert ends.high == pytest.approx(fw.intervals.clopper_pearson(0, 80).high)


def series(rows: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    return X, X @ [1.0, 0.5] + rng.normal(size=rows)


def test_a_study_in_time_answers_for_these_forecasts():
    """The whole way: table, difference, verdict, explanation, JSON."""
    result = fw.compare(["ridge", "k-nn"], *series(160), outer=fw.TimeOrdered(8, horizon=12, gap=2), jobs=1)
    rows = {row["name"]: row for row in result.to_dict()["methods"]}
    losses = result.losses()
    ridge = losses[losses["method"] == "ridge"].sort_values("row")["loss"].to_numpy()
    truth = hac(ridge, steps=14)
    assert (rows["ridge"]["low"], rows["ridge"]["high"]) == pytest.approx((truth.low, truth.high))
    assert rows["ridge"]["interval"] == "HAC"
    assert "these forecasts of the tuned learner" in rows["ridge"]["target"]
    knn = losses[losses["method"] == "k-nn"].sort_values("row")["loss"].to_numpy()
    found, alone = result.difference("k-nn", "ridge"), fw.comparisons.diebold_mariano(knn, ridge, steps=14)
    assert (found.low, found.high, found.p) == pytest.approx((alone.low, alone.high, alone.p))
    assert found.interval == rows["k-nn"]["difference_interval"] == "Diebold-Mariano"
    assert "never surer than independent times" in result.explain()


def test_the_interval_may_be_asked_for_by_the_name_of_the_test_and_is_refused_elsewhere_before_any_fit():
    X, y = series(120)
    risk = fw.risk("ridge", X, y, outer=fw.TimeOrdered(5), interval="diebold-mariano", jobs=1)
    assert risk.interval == "HAC"
    with pytest.raises(BadInterval, match="it is for test rows in the order of time, not folds"):
        fw.risk("ridge", X, y, outer=5, interval="HAC", jobs=1)
    with pytest.raises(BadInterval, match="44 are needed"):
        fw.risk("ridge", X, y, outer=fw.TimeOrdered(5, horizon=4), interval="HAC", jobs=1)


def test_a_short_series_says_what_would_be_needed():
    result = fw.compare(["ridge"], *series(60), outer=fw.TimeOrdered(5, horizon=4), jobs=1)
    assert result.to_dict()["methods"][0]["low"] is None
    assert "20 test times" in result.explain()
    assert "more folds, or a longer horizon" in result.explain()
