"""How many rows it would take, and where the noise of a risk comes from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from by_hand import Counted, CountedClassifier, method_of
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw
from foldwise.answers.power import rows_needed
from foldwise.comparisons.comparison import Comparison
from foldwise.errors import BadStudy


def gap(value, low, high):
    return Comparison(value, low, high, names=("a", "b"))


def test_the_half_width_falls_with_the_square_root_of_the_rows():
    found = rows_needed(gap(0.125, -0.25, 0.5), 50)
    assert found.rows == 450
    assert str(found) == "To tell a and b apart you would need about 450 rows; more repeats would not do it."


def test_two_that_are_told_apart_need_no_more():
    found = rows_needed(gap(-0.5, -0.8, -0.2), 50)
    assert found.rows == 50
    assert str(found) == "a and b, looked at alone, are told apart by these 50 rows."


@pytest.mark.parametrize("value", [0.0, 1e-9])
def test_no_number_of_rows_tells_equal_methods_apart(value):
    found = rows_needed(gap(value, value - 0.3, value + 0.3), 50)
    assert found.rows is None
    assert "cannot be told apart by any number of rows" in str(found)


def test_without_an_interval_nothing_is_said():
    found = rows_needed(gap(0.1, None, None), 50)
    assert found.rows is None
    assert "there is no valid interval here" in str(found)


def test_a_study_reads_it_from_its_own_difference(numbers):
    result = fw.compare({"ols": LinearRegression(), "ridge": Ridge(3.0)}, *numbers, outer=6, jobs=1)
    apart = result.difference("ols", "ridge")
    reach = (apart.high - apart.low) / 2
    expected = math.ceil(42 * (reach / abs(apart.value)) ** 2)
    assert result.rows_needed("ols", "ridge").rows == expected
    assert result.rows_needed("ridge", "ols").rows == expected
    assert result.rows_needed("ols", "ols").rows is None


def test_twelve_times_the_rows_narrow_a_difference_by_about_the_square_root_of_twelve():
    """What the forecast rests on, measured."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1200, 2))
    y = X[:, 0] + 0.35 * X[:, 1] + rng.normal(size=1200)
    widths = []
    for rows in (100, 1200):
        learners = {"line": LinearRegression(), "near": Counted(7)}
        apart = fw.compare(learners, X[:rows], y[:rows], outer=10, jobs=1).difference("line", "near")
        widths.append(apart.high - apart.low)
    assert 0.6 * np.sqrt(12) < widths[0] / widths[1] < 1.7 * np.sqrt(12)


def test_a_learner_without_a_seed_has_no_seed_noise_and_one_run_no_split_noise(numbers):
    result = fw.compare({"ols": LinearRegression(), "knn": Counted(3)}, *numbers, outer=6, jobs=1)
    for name in ("ols", "knn"):
        noise = result.noise(name)
        assert noise["seed"] == 0
        assert noise["split"] is None
        method = method_of(result, name)
        losses = np.array([fold["loss"] for fold in method["folds"]])
        assert noise["data"] == pytest.approx(np.sqrt(losses.var(ddof=1) * (1 / 6 + 7 / 35)))


def test_a_small_forest_has_seed_noise_and_repeats_tell_that_of_the_splits(numbers):
    forest = RandomForestRegressor(3)
    result = fw.compare({"forest": forest}, *numbers, outer=4, repeats=3, jobs=1)
    noise = result.noise("forest", seeds=3)
    runs = np.array([fold["loss"] for fold in method_of(result, "forest")["folds"]]).reshape(3, 4)
    assert noise["split"] == pytest.approx(runs.mean(axis=1).std(ddof=1))
    assert noise["seed"] > 0
    assert noise == result.noise("forest", seeds=3)


def test_a_seed_the_user_gave_makes_no_noise(numbers):
    forest = RandomForestRegressor(3, random_state=0)
    result = fw.compare({"forest": forest}, *numbers, outer=3, jobs=1)
    assert result.noise("forest", seeds=2)["seed"] == 0


@pytest.mark.parametrize(("loss", "interval"), [("squared", "t"), ("roc_auc", "DeLong")])
def test_one_test_set_tells_the_noise_of_its_rows(numbers, classes, loss, interval):
    X, y = numbers if loss == "squared" else classes
    learner = Counted(5) if loss == "squared" else CountedClassifier(5)
    result = fw.compare({"knn": learner}, X, y, outer=0.5, loss=loss, jobs=1)
    noise, method = result.noise("knn", seeds=2), method_of(result, "knn")
    assert method["interval"] == interval
    assert noise["data"] > 0


def test_noise_needs_the_learners(numbers, tmp_path):
    fw.compare({"ols": LinearRegression()}, *numbers, outer=3, store=tmp_path / "run", jobs=1)
    with pytest.raises(BadStudy, match="a result loaded from a store has no learners to fit"):
        fw.load(tmp_path / "run").noise("ols")


def test_an_interval_that_is_not_symmetric_is_read_at_the_end_nearest_to_zero():
    found = rows_needed(gap(0.094, -0.007, 0.124), 160)
    assert found.rows == math.ceil(160 * (0.101 / 0.094) ** 2)
    assert "would need about" in str(found)
