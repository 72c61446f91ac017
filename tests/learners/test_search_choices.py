"""What search objects choose inside a study (learners/search_choices.py), by scikit-learn's own loops."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import make_regression
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.learners.search_choices import MOST_TEXT, choices_inside
from foldwise.records.encoding import decode, encode
from foldwise.records.record import Record

ALPHAS = [0.01, 1.0, 3.0, 10.0, 30.0, 100.0]
OUTER = KFold(3)


@pytest.fixture(scope="module")
def numbers():
    return make_regression(n_samples=60, n_features=12, noise=60.0, random_state=0)


def searches():
    """Search objects of every shape, with what scikit-learn says that each chose."""
    grid = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=3)
    line = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": ALPHAS}, cv=3)
    parts = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge": [Ridge(), Lasso()]}, cv=3)
    step = make_pipeline(StandardScaler(), RandomizedSearchCV(Ridge(), {"alpha": ALPHAS}, n_iter=2, random_state=0))
    return {
        "grid": (grid, lambda model: model.best_params_),
        "pipeline inside": (line, lambda model: model.best_params_),
        "estimators to choose from": (parts, lambda model: {"ridge": repr(model.best_params_["ridge"])}),
        "step": (step, lambda model: {"randomizedsearchcv__alpha": model[-1].best_params_["alpha"]}),
        "transformed target": (
            TransformedTargetRegressor(grid, transformer=StandardScaler()),
            lambda model: {"regressor__alpha": model.regressor_.best_params_["alpha"]},
        ),
    }


def test_choices_of_a_study_are_those_of_the_loop(numbers, tmp_path):
    X, y = numbers
    learners = {name: search for name, (search, _) in searches().items()}
    result = fw.compare(learners, X, y, outer=OUTER, jobs=1, store=tmp_path / "run", progress=False)

    expected = {
        name: [chosen(search.fit(X[train], y[train])) for train, _ in OUTER.split(X)]
        for name, (search, chosen) in searches().items()
    }
    for table in (result.choices(), fw.load(tmp_path / "run").choices()):
        for name in learners:
            assert table.loc[table["method"] == name, "candidate"].tolist() == expected[name]
    assert len({json.dumps(row) for row in table.loc[table["method"] == "grid", "candidate"]}) > 1  # or all would do
    assert "alpha" in str(result.to_dict()["methods"][0]["folds"][0]["candidate"])


def test_workers_bring_choices_as_this_process_does(numbers):
    X, y = numbers
    search = {"grid": searches()["grid"][0]}
    here, there = (fw.compare(search, X, y, outer=OUTER, jobs=jobs, progress=False).choices() for jobs in (1, 2))

    assert here["candidate"].tolist() == there["candidate"].tolist()


def test_a_record_without_choices_is_written_as_before():
    """Stores of earlier versions lack the field, and are not rewritten."""
    plain = Record(key="a", status="ok", rows=np.arange(3), responses={"predict": np.ones(3)})
    chosen = Record(key="a", status="ok", rows=np.arange(3), chosen={"alpha": 0.1, "token": "password=hunter2"})

    assert b"chosen" not in encode(plain)
    assert decode("a", encode(plain)).chosen == {}
    again = decode("a", encode(chosen))
    assert again.chosen == {"alpha": 0.1, "token": "password=***"}
    assert_array_equal(again.rows, plain.rows)


class Odd(RegressorMixin, BaseEstimator):
    """A learner whose property fails, or says too much."""

    @property
    def best_params_(self):
        raise RuntimeError("nothing yet")


class Chatty(Odd):
    best_params_ = {"text": "long " * 1000}


def test_odd_learners_do_no_harm():
    assert choices_inside(Odd()) == {}
    assert len(choices_inside(Chatty())["text"]) == MOST_TEXT
