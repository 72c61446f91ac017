"""Heat maps hold the smallest mean inner score of every two values, as the naive table of all candidates has it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.questions.pictures.heat import heat_maps


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, X[:, 0] + 0.5 * rng.normal(size=60)


def test_every_cell_is_the_best_of_its_candidates(rows):
    X, y = rows
    space = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 5], "splitter": ["best", "random"]}
    learner = fw.tune(DecisionTreeRegressor(random_state=0), **space)
    result = fw.compare({"tree": learner}, X, y, outer=3, inner=3, jobs=1)
    method = result.study.methods[0]
    maps = {tuple(found["parameters"]): found for found in heat_maps(result.reading, method)}
    means = np.mean([result.reading.choice(method, at).means(method.listed) for at in range(3)], axis=0)

    assert set(maps) == {("max_depth", "min_samples_leaf"), ("max_depth", "splitter"), ("min_samples_leaf", "splitter")}
    found = maps["max_depth", "min_samples_leaf"]
    assert found["values"] == [["1", "2", "4"], ["1", "5"]]
    for i, j, score in found["cells"]:
        own = [
            mean
            for candidate, mean in zip(method.candidates, means, strict=True)
            if (candidate["max_depth"], candidate["min_samples_leaf"]) == ([1, 2, 4][i], [1, 5][j])
        ]
        assert score == pytest.approx(min(own))
    best = min(found["cells"], key=lambda cell: cell[2])
    assert found["best"] == best[:2]


def test_many_values_are_put_into_bins_and_one_parameter_makes_no_map(rows):
    X, y = rows
    space = {"alpha": np.geomspace(1e-3, 1e3, 20).tolist(), "fit_intercept": [True, False]}
    result = fw.compare({"ridge": fw.tune(Ridge(), **space)}, X, y, outer=3, inner=3, jobs=1)
    (found,) = heat_maps(result.reading, result.study.methods[0])

    assert sorted(map(len, found["values"])) == [2, 8]
    assert len(found["cells"]) == 16
    one = fw.compare({"ridge": fw.tune(Ridge(), alpha=[1.0, 2.0])}, X, y, outer=3, inner=3, jobs=1)
    assert heat_maps(one.reading, one.study.methods[0]) == []


def test_parameters_that_were_hardly_crossed_make_no_map(rows):
    X, y = rows
    candidates = [{"alpha": [float(at)], "tol": [10.0**-at]} for at in range(1, 8)]
    result = fw.compare({"ridge": fw.tune(Ridge(), candidates)}, X, y, outer=3, inner=3, jobs=1)

    assert heat_maps(result.reading, result.study.methods[0]) == []
