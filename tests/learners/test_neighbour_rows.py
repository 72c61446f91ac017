"""More neighbours than rows are refused before any fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.errors import BadSpace

X = np.random.default_rng(0).normal(size=(60, 2))
Y = X.sum(axis=1)
CLASSES = np.where(Y > 0, "a", "b")


def compare(spec, y=Y, **words):
    return fw.compare({"mine": spec}, X, y, **{"outer": 3, "inner": 2, "jobs": 1, "progress": False, **words})


BAD = {
    "list": (lambda: fw.tune(KNeighborsRegressor(), n_neighbors=[1, 21]), 21, 20),
    "range": (lambda: fw.tune(KNeighborsRegressor(), n_neighbors=fw.int_range(1, 500)), 500, 20),
    "distribution": (lambda: fw.tune(KNeighborsRegressor(), n_neighbors=stats.randint(1, 31)), 30, 20),
    "built in": (lambda: fw.learner("k-nn", n_neighbors=range(1, 26)), 25, 20),
    "built in and fixed": (lambda: fw.learner("k-nn", n_neighbors=50), 50, 20),
    "a whole number of numpy": (lambda: KNeighborsRegressor(np.int64(41)), 41, 40),
    "not tuned": (lambda: KNeighborsRegressor(41), 41, 40),
    "beside what is tuned": (lambda: fw.tune(KNeighborsRegressor(30), weights=["uniform", "distance"]), 30, 20),
    "in a pipeline": (
        lambda: fw.tune(make_pipeline(StandardScaler(), KNeighborsRegressor()), n_neighbors=[1, 21]),
        21,
        20,
    ),
    "of a blend": (lambda: fw.blend(["ridge", fw.tune(KNeighborsRegressor(), n_neighbors=[1, 21])]), 21, 20),
}


@pytest.mark.parametrize("case", BAD)
def test_more_neighbours_than_the_smallest_training_part_has_rows_are_refused(case):
    spec, found, rows = BAD[case]
    words = rf"asks for n_neighbors={found}, but its smallest training part has {rows} rows\. Use at most {rows}"
    with pytest.raises(BadSpace, match=words):
        compare(spec(), budget=3)


def test_classes_and_searches_are_no_exception():
    with pytest.raises(BadSpace, match="has 20 rows"):
        compare(fw.tune(KNeighborsClassifier(), n_neighbors=fw.int_range(1, 90)), CLASSES, tuner="tpe", budget=2)


def test_a_learner_fitted_alone_and_a_curve_refuse_too():
    with pytest.raises(BadSpace, match="has 48 rows"):
        fw.tune(KNeighborsRegressor(), n_neighbors=[1, 50]).fit(X, Y)
    with pytest.raises(BadSpace, match="has 40 rows"):
        fw.curve(KNeighborsRegressor(), X, Y, n_neighbors=[1, 50], outer=3)


@pytest.mark.parametrize(
    "spec",
    [
        lambda: fw.tune(KNeighborsRegressor(), n_neighbors=[1, 20]),
        lambda: fw.tune(KNeighborsRegressor(), n_neighbors=fw.int_range(1, 20)),
        lambda: "k-nn:large",
    ],
    ids=["all rows", "range", "our own space"],
)
def test_as_many_neighbours_as_rows_are_taken(spec):
    method = compare(spec()).to_dict()["methods"][0]
    assert (method["status"], method["failed"]) == ("ok", 0)


def test_who_lets_candidates_fail_may_ask_for_more():
    spec = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 21])
    method = compare(spec, on_failure="drop_candidate").to_dict()["methods"][0]
    assert (method["status"], method["failed"]) == ("ok", 6)
