"""Where the noise of a risk comes from."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import Counted, CountedClassifier, method_of
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

import foldwise as fw
from foldwise.errors import BadStudy


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
