"""questions/units.py: errors in the units people think in, and ratios of two errors with their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw
from foldwise.questions.units import Unit, places_for, ratio_of, unit_of


@pytest.fixture(scope="module")
def answer():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] + rng.normal(size=80)
    learners = {"ols": LinearRegression(), "stiff": Ridge(alpha=200.0)}
    return fw.compare(learners, X, y, outer=5, jobs=1).answer


def test_the_interval_of_a_ratio_is_the_delta_method_with_the_corrected_t(answer):
    ols, stiff = (next(method for method in answer.methods if method.method.name == name) for name in ("ols", "stiff"))
    ratio = ratio_of(stiff, ols)

    k, relative = 5, stiff.fold_losses / stiff.risk - ols.fold_losses / ols.risk
    se = math.sqrt((1 / k + 1 / (k - 1)) * relative.var(ddof=1))
    reach = stats.t.ppf(0.975, k - 1) * se
    center = math.log(stiff.risk / ols.risk)
    assert ratio.value == pytest.approx(math.exp(center / 2))
    assert ratio.low <= math.exp((center - reach) / 2) * (1 + 1e-9)  # a floor may only widen it
    assert ratio.high >= math.exp((center + reach) / 2) * (1 - 1e-9)
    assert math.log(ratio.high / ratio.value) == pytest.approx(math.log(ratio.value / ratio.low))


def test_a_score_has_no_ratio():
    result = fw.compare(["linear"], "diabetes", loss="r2", outer=3, jobs=1)

    assert ratio_of(result.methods[0], result.methods[1]) is None


@pytest.mark.parametrize(
    ("loss", "data", "unit"),
    [
        ("squared", "diabetes", Unit("RMSE", "root")),
        ("absolute", "diabetes", Unit("MAE")),
        ("zero_one", "iris", Unit("error rate", "percent")),
        ("log", "iris", Unit("log loss")),
        ("roc_auc", "breast_cancer", Unit("AUC", "score")),
    ],
)
def test_the_unit_of_a_loss(loss, data, unit):
    learner = "linear" if data == "diabetes" else "lda"

    assert unit_of(fw.compare([learner], data, loss=loss, outer=3, jobs=1).study.losses[0]) == unit


def test_ends_are_in_order_in_every_unit():
    assert Unit("RMSE", "root").ends(4.0, 9.0) == (2.0, 3.0)
    assert Unit("AUC", "score").ends(0.25, 0.5) == (0.5, 0.75)
    assert Unit("RMSE", "root").ends(None, 9.0) is None


def test_a_column_has_the_decimals_of_its_middle_interval():
    assert places_for([(0.1, 0.2), (0.11, 0.19), (0.0, 100.0)]) == 3
