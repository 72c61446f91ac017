"""Importance (questions/importance.py, studies/measured.py, data/shuffled.py) equals a plain loop and is kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import foldwise as fw
from foldwise.api import importance as importance_room
from foldwise.errors import BadStudy

SHUFFLES = 5


@pytest.fixture
def mixed():
    """Numbers and a category; the target needs two of the three columns."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"age": rng.normal(size=60), "noise": rng.normal(size=60), "site": rng.choice(list("abc"), 60)}
    )
    return frame, frame["age"] * 2 + (frame["site"] == "a") * 3 + rng.normal(0, 0.3, 60)


def by_hand(result, name, X, y, fitted, loss, *, weights=None):
    """The increase of every column at every outer split, by a loop of scikit-learn's own pieces."""
    splits = result.splits()
    outer = splits[splits["level"] == "outer"]
    found = []
    for at, (_, part) in enumerate(outer.groupby(["repeat", "fold"], sort=True)):
        train, test = (np.sort(part.loc[part["part"] == role, "row"].to_numpy()) for role in ("train", "test"))
        own = None if weights is None else weights[train]
        model = fitted(method_of(result, name)["folds"][at]["candidate"], X.iloc[train], y.iloc[train], own)
        table, target = X.iloc[test].reset_index(drop=True), y.iloc[test]
        judged = {} if weights is None else {"sample_weight": weights[test]}
        whole, increases = loss(target, model, table, **judged), []
        for column in range(X.shape[1]):
            losses = []
            for draw in range(SHUFFLES):
                order = np.random.default_rng([result.study.seed, at, column, draw]).permutation(len(test))
                other = table.copy()
                other.iloc[:, column] = table.iloc[order, column].to_numpy()
                losses.append(loss(target, model, other, **judged))
            increases.append(np.mean(losses) - whole)
        found.append(increases)
    return dict(zip(X.columns, np.array(found).T.tolist(), strict=True))


def method_of(result, name):
    return next(method for method in result.to_dict()["methods"] if method["name"] == name)


def squared(target, model, table, sample_weight=None):
    return float(np.average((target.to_numpy() - model.predict(table)) ** 2, weights=sample_weight))


def test_importance_equals_a_plain_loop_over_the_chosen_outer_models(mixed):
    X, y = mixed
    parts = (StandardScaler(), ["age", "noise"]), (OneHotEncoder(handle_unknown="ignore"), ["site"])
    learner = make_pipeline(make_column_transformer(*parts), Ridge())
    options = {"outer": 4, "inner": 3, "seed": 11, "jobs": 1, "importance": True}
    result = fw.compare({"ridge": fw.tune(learner, alpha=[0.1, 1.0, 30.0])}, X, y, **options)

    def fitted(candidate, X, y, weights):
        return clone(learner).set_params(ridge__alpha=candidate["alpha"]).fit(X, y)

    truth = by_hand(result, "ridge", X, y, fitted, squared)
    columns = method_of(result, "ridge")["importance"]["columns"]
    assert [column["name"] for column in columns] == sorted(truth, key=lambda name: -np.mean(truth[name]))
    for column in columns:
        assert_allclose(column["folds"], truth[column["name"]], rtol=1e-9, atol=1e-12)
        assert column["increase"] == pytest.approx(np.mean(truth[column["name"]]))
        assert [column["low"], column["high"]] == [min(column["folds"]), max(column["folds"])]
    frame = result.importance().to_frame()
    assert frame["column"].tolist()[:2] == ["age", "site"]
    assert list(frame) == ["column", "increase", "low", "high"]
    found = method_of(result, "ridge")["importance"]
    # a model makes 16 predictions, of which 8 take at least the median
    assert 0 < found["seconds_per_1000"] * 60 / 1000 < found["seconds"] / 8


def test_classes_weights_and_the_loss_of_the_study_count(mixed):
    X, y = mixed[0][["age", "noise"]], pd.Series(np.where(mixed[1] > mixed[1].median(), "high", "low"))
    weights = np.linspace(0.5, 3, len(y))
    result = fw.compare(
        {"logistic": LogisticRegression()}, X, y, outer=3, loss="log", weights=weights, jobs=1, importance=True
    )

    def cost(target, model, table, sample_weight):
        return log_loss(target, model.predict_proba(table), labels=model.classes_, sample_weight=sample_weight)

    def fitted(_, X, y, weights):
        return LogisticRegression().fit(X, y, weights)

    truth = by_hand(result, "logistic", X, y, fitted, cost, weights=weights)
    for column in method_of(result, "logistic")["importance"]["columns"]:
        assert_allclose(column["folds"], truth[column["name"]], rtol=1e-8)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_arrays_and_sparse_tables_say_the_same_as_frames(mixed, container):
    X, y = mixed[0][["age", "noise"]], mixed[1]
    results = [
        fw.compare({"ols": LinearRegression()}, table, y, outer=3, jobs=1).importance().to_frame()
        for table in (X, container(X.to_numpy()))
    ]
    assert_allclose(results[0]["increase"], results[1]["increase"], rtol=1e-6)


def test_a_column_that_no_model_uses_has_exactly_none(numbers):
    class First(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            self.ratio_ = float(np.dot(X[:, 0], y) / np.dot(X[:, 0], X[:, 0]))
            return self

        def predict(self, X):
            return self.ratio_ * X[:, 0]

    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.random.default_rng(1).normal(size=40)
    found = fw.compare({"first": First()}, X, y, outer=4, jobs=1).importance("first").to_frame().set_index("column")
    assert found.loc[["x1", "x2"], ["increase", "low", "high"]].eq(0).all(axis=None)
    assert found.loc["x0", "low"] < found.loc["x0", "high"]


def test_an_interrupted_importance_goes_on_and_ends_as_an_undisturbed_one(mixed, tmp_path, monkeypatch):
    options = {"outer": 5, "inner": 3, "jobs": 1, "importance": True}
    learners, truth = ["ridge:small"], fw.compare(["ridge:small"], *mixed, **options)
    once, done = importance_room._shuffled, []

    def killed_at_the_third(*arguments):
        if len(done) == 2:
            raise SystemExit  # as a process that is ended
        done.append(arguments)
        return once(*arguments)

    monkeypatch.setattr(importance_room, "_shuffled", killed_at_the_third)
    with pytest.raises(SystemExit):
        fw.compare(learners, *mixed, **options, store=tmp_path / "run")
    half = fw.load(tmp_path / "run")
    assert method_of(half, "ridge:small")["importance"] == {
        **{"loss": "squared", "shuffles": SHUFFLES, "models": 2, "of": 5, "columns": [], "seconds_per_1000": None},
        "seconds": method_of(half, "ridge:small")["importance"]["seconds"],
    }
    assert any("permutation importance is not finished, 2 of 5 models" in note for note in half.notes)
    monkeypatch.setattr(importance_room, "_shuffled", once)
    whole = fw.compare(learners, *mixed, **options, store=tmp_path / "run")
    assert whole.fits_made == 3
    found = [method_of(result, "ridge:small")["importance"]["columns"] for result in (truth, whole)]
    assert found[0] == found[1]
    loaded = fw.load(tmp_path / "run")
    assert loaded.importance().to_dict() == whole.importance().to_dict()
    assert fw.compare(learners, *mixed, **options, store=tmp_path / "run").fits_made == 0


def test_a_blend_is_asked_as_a_whole_and_the_plan_counts_its_members(mixed):
    learners = {"ridge": "ridge:small", "both": fw.blend(["ridge:small", "tree:small"])}
    options = {"outer": 3, "inner": 3, "jobs": 1}
    result = fw.compare(learners, *mixed, **options)
    assert result.importance("both").to_frame()["column"].iloc[0] in ("age", "site")
    asked = fw.plan(learners, *mixed, **options, importance=True, pilot=False)
    assert asked.importance == 3 * 3
    assert asked.fits == fw.plan(learners, *mixed, **options, pilot=False).fits + 9
    assert "importance of columns: at most 9 fits made again" in repr(asked)


def test_one_row_cannot_be_shuffled_and_is_refused_before_any_fit(mixed):
    with pytest.raises(BadStudy, match="one holds out a single row"):
        fw.compare(["ridge:small"], *mixed, outer="loo", importance=True)


def test_a_model_that_fails_when_made_again_costs_no_risk(mixed, tmp_path):
    mark = tmp_path / "mark"

    class Fickle(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            if mark.exists():
                raise RuntimeError("not again")
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]

    X, y = mixed[0][["age", "noise"]], np.where(mixed[0]["age"] > 0.1, "b", "a")
    once = importance_room.measure_best

    def later(*arguments, **options):
        mark.touch()
        return once(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importance_room, "measure_best", later)
        result = fw.compare({"fickle": Fickle()}, X, y, outer=3, jobs=1, importance=True)
    assert method_of(result, "fickle")["risk"] is not None
    assert any("no permutation importance" in note and "not again" in note for note in result.notes)
